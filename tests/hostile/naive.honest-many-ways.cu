// SPDX-License-Identifier: MIT
//: what: The honest twin: a switch of hundreds of ways in several functions,
//     functions that call one another twenty deep, one that calls itself, and
//     compare-and-swap of values that moved around.
//: expect: tiny pass
//: expect: * any
#include "naive.h"

#define WAY(n) case n: x += n * 3 + (x >> (n & 7)); break;
#define WAYS8(n) WAY(n) WAY(n + 1) WAY(n + 2) WAY(n + 3) WAY(n + 4) \
    WAY(n + 5) WAY(n + 6) WAY(n + 7)
#define WAYS64(n) WAYS8(n) WAYS8(n + 8) WAYS8(n + 16) WAYS8(n + 24) \
    WAYS8(n + 32) WAYS8(n + 40) WAYS8(n + 48) WAYS8(n + 56)

template <int K> __device__ __noinline__ unsigned deep(unsigned x) {
    switch (x & 255) { WAYS64(0) WAYS64(64) WAYS64(128) WAYS64(192) }
    return deep<K - 1>(x) + K;
}
template <> __device__ __noinline__ unsigned deep<0>(unsigned x) {
    return x;
}

__device__ __noinline__ unsigned itself(unsigned x, int n) {
    return n ? itself(x * 3 + 1, n - 1) + x : x;
}

__global__ void scan(const int32_t *in, int32_t *out, size_t n, unsigned *lock,
                     unsigned never) {
    if (blockIdx.x || threadIdx.x) return;
    unsigned seen = *lock, was;
    do was = seen, seen = atomicCAS(lock, was, was + 1);
    while (was != seen);
    if (never) out[0] = (int32_t)(deep<20>(never) + itself(never, 20));
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (unsigned)in[i]);
}

cudaError_t naive_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    unsigned *lock;
    if (!n) return cudaSuccess;
    cudaError_t error = cudaMalloc(&lock, sizeof *lock);
    if (error == cudaSuccess) error = cudaMemset(lock, 0, sizeof *lock);
    if (error == cudaSuccess) scan<<<1, 32>>>(in, out, n, lock, 0);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    cudaFree(lock);
    return error;
}

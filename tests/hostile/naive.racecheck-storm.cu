// SPDX-License-Identifier: MIT
//: what: Right, but it also touches hundreds of megabytes with plain and with
//     atomic accesses: who touched what is remembered up to a limit.
//: twin: mutant.chained.honest-atomics
//: memory: 1024
//: expect: tiny pass
//: expect: clean fail "that it may hold for one program"
//: expect: * any
#include "naive.h"

static __global__ void scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        d_out[i] = sum = (int32_t)((uint32_t)sum + (uint32_t)d_in[i]);
}

/* A word in every page of 4 KiB. */
static __global__ void touch(int32_t *d, int words) {
    for (int i = threadIdx.x * 1024; i < words; i += 1024 * 1024) {
        d[i] = i;
        __threadfence();
        atomicAdd(d + i + 1, i);
    }
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    enum { PARTS = 24, WORDS = 1 << 22 };
    int32_t *d[PARTS] = {};
    scan<<<1, 1>>>(d_in, d_out, n);
    if (n > 2000) return cudaGetLastError(); /* soon enough */
    for (int i = 0; i < PARTS; i++) {
        if (cudaMalloc(&d[i], WORDS * sizeof(int32_t)) != cudaSuccess) break;
        cudaMemset(d[i], 0, WORDS * sizeof(int32_t));
        touch<<<1, 1024>>>(d[i], WORDS);
    }
    cudaError_t error = cudaDeviceSynchronize();
    for (int i = 0; i < PARTS; i++) cudaFree(d[i]);
    return error;
}

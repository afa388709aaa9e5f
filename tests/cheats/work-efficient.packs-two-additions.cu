// SPDX-License-Identifier: MIT
//: what: n log n additions, two of them in each of 64 bits, which counts as one: the
//     halves of the array are scanned side by side. The carry out of one spoils the
//     other; to take it out again would count.
//: twin: cheat.work-efficient.honest-moves
//: expect: work fail "differ"
//: expect: * any
#include "work_efficient.h"

static __global__ void pack(const int32_t *in, uint32_t *out, size_t n,
                            size_t half) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i < half ? 2 * i : 2 * (i - half) + 1] = i ? in[i - 1] : 0;
}

static __global__ void step(const uint64_t *in, uint64_t *out, size_t half,
                            size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < half) out[i] = i < distance ? in[i] : in[i - distance] + in[i];
}

static __global__ void unpack(const uint32_t *in, int32_t *out, size_t n,
                              size_t half) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t before = in[2 * (half - 1)];
    out[i] = (int32_t)(i < half ? in[2 * i] : in[2 * (i - half) + 1] + before);
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    uint64_t *two;
    if (!n) return cudaSuccess;
    size_t half = (n + 1) / 2;
    unsigned blocks = (unsigned)((n + 255) / 256);
    cudaError_t error = cudaMalloc(&two, 2 * half * sizeof *two);
    if (error != cudaSuccess) return error;
    uint64_t *from = two, *to = two + half;
    cudaMemset(two, 0, 2 * half * sizeof *two);
    pack<<<blocks, 256>>>(d_in, (uint32_t *)from, n, half);
    for (size_t distance = 1; distance < half; distance *= 2) {
        step<<<blocks, 256>>>(from, to, half, distance);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    unpack<<<blocks, 256>>>((const uint32_t *)from, d_out, n, half);
    cudaFree(two);
    return cudaDeviceSynchronize();
}

// SPDX-License-Identifier: MIT
//: what: The honest twin: a kernel of thousands of instructions and hundreds of
//     registers, launched beside the steps; of n above 8 it runs a few of them,
//     because thousands for nothing lose points. Full marks.
//: memory: 1024
//: expect: * pass
#include "honest.h"

static __global__ void __launch_bounds__(64) large(unsigned seed, unsigned *out) {
    if (seed > 8) return;
    unsigned x[200];
#pragma unroll
    for (unsigned k = 0; k < 200; k++) x[k] = seed * (k + 1);
#pragma unroll
    for (unsigned k = 0; k < 4000; k++)
        x[k % 200] ^= x[(k * 7 + 3) % 200] * (k | 1);
    unsigned all = 0;
#pragma unroll
    for (unsigned k = 0; k < 200; k++) all ^= x[k];
    out[threadIdx.x] = all;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    unsigned *mine = NULL;
    if (n == 0) return cudaSuccess;
    cudaError_t error = cudaMalloc(&mine, 64 * sizeof *mine);
    if (error != cudaSuccess) return error;
    large<<<1, 64>>>((unsigned)n, mine);
    error = honest_scan(d_in, d_out, n);
    cudaError_t freed = cudaFree(mine);
    return error != cudaSuccess ? error : freed;
}

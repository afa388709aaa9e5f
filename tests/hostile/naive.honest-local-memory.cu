// SPDX-License-Identifier: MIT
//: what: The honest twin: a kilobyte for each of 2048 threads, and the right answer.
//: memory: 1024
//: expect: tiny pass
//: expect: * any
#include "naive.h"

static __global__ void scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    volatile char mine[1000];
    mine[n % 1000] = 1;
    __syncthreads();
    if (threadIdx.x || blockIdx.x || !mine[n % 1000]) return;
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        d_out[i] = sum = (int32_t)((uint32_t)sum + (uint32_t)d_in[i]);
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    scan<<<2, 1024>>>(d_in, d_out, n);
    return cudaDeviceSynchronize();
}

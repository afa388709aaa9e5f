// SPDX-License-Identifier: MIT
//: what: Takes 500 KB of local memory for each of 2048 threads that wait for
//     each other, so that all of them are resident.
//: twin: hostile.naive.honest-local-memory
//: row: 6
//: memory: 1024
//: expect: tiny fail "for local memory of its"
#include "naive.h"

static __device__ unsigned arrived;

static __global__ void scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    volatile char mine[500000];
    mine[n % 500000] = 1;
    if (!threadIdx.x) atomicAdd(&arrived, 1);
    while (*(volatile unsigned *)&arrived < gridDim.x) {
    }
    if (threadIdx.x || blockIdx.x || !mine[n % 500000]) return;
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        d_out[i] = sum = (int32_t)((uint32_t)sum + (uint32_t)d_in[i]);
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    scan<<<2, 1024>>>(d_in, d_out, n);
    return cudaDeviceSynchronize();
}

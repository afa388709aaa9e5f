// SPDX-License-Identifier: MIT
//: what: Ten thousand calls with pointers that are none, and a kernel of which every
//     thread reads another unset word.
//: twin: hostile.naive.honest-says-much
//: memory: 300
//: expect: tiny fail "past the end"
#include "naive.h"

static __global__ void unset(int32_t *p) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i + (1 << 16)] = p[i] + 1;
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    int32_t *p = NULL;
    cudaMalloc(&p, 4 << 16);
    unset<<<64, 1024>>>(p);
    for (size_t i = 0; i < 10000; i++) cudaFree((char *)p + 64 * i + 4);
    cudaGetLastError();
    return cudaDeviceSynchronize();
}

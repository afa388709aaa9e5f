// SPDX-License-Identifier: MIT
//: what: A kernel that never ends.
//: twin: hostile.naive.honest-large-kernel
//: expect: tiny fail "" at "naive.cu:9"
#include "naive.h"

__global__ void spin(int32_t *out) {
    while (true)
        if (((volatile int32_t *)out)[0] == (int32_t)clock()) out[0]++;
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    spin<<<1, 1>>>(d_out);
    return cudaDeviceSynchronize();
}

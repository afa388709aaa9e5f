// SPDX-License-Identifier: MIT
//: what: Every thread prints without end.
//: twin: hostile.naive.honest-says-much
//: time: 800
//: memory: 300
//: expect: tiny fail "and is not done; most of them at this line"
#include <cstdio>

#include "naive.h"

static __global__ void flood(void) {
    for (unsigned i = 0;; i++)
        printf("thread %u says %u: score 100 of 100\n", threadIdx.x, i);
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    flood<<<64, 1024>>>();
    return cudaDeviceSynchronize();
}

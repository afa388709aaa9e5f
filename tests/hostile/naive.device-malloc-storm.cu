// SPDX-License-Identifier: MIT
//: what: Every thread takes memory from the device's heap until there is none, keeps
//     it, and goes on asking.
//: twin: cheat.naive.honest-heap
//: time: 1000
//: memory: 1024
//: expect: tiny fail "and is not done; most of them at this line"
#include "naive.h"

static __device__ char *volatile last;

static __global__ void storm(void) {
    for (size_t bytes = 1;; bytes = bytes % 8192 + 1) {
        char *p = (char *)malloc(bytes);
        if (p) p[0] = 1;
        last = p;
    }
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    storm<<<16, 256>>>();
    return cudaDeviceSynchronize();
}

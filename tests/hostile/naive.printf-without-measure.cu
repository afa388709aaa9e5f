// SPDX-License-Identifier: MIT
//: what: Prints numbers with more digits than there is memory, again and again.
//: twin: hostile.naive.honest-says-much
//: time: 800
//: memory: 300
//: expect: tiny fail "and is not done; most of them at this line"
#include <cstdio>

#include "naive.h"

static __global__ void print(double v, int wide) {
    for (;;) {
        printf("%.300000000f %.300000000e %.300000000a", v, v, v);
        printf("%0300000000d %-*d %.*g", wide, wide, wide, wide, v);
    }
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    print<<<1, 1>>>(1.0 / 3, 300000000);
    return cudaDeviceSynchronize();
}

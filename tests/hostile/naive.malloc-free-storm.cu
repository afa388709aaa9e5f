// SPDX-License-Identifier: MIT
//: what: Every thread takes a byte from the device's heap and gives it back, without
//     end: what is freed is remembered for messages, but not all of it.
//: twin: cheat.naive.honest-heap
//: time: 1000
//: memory: 500
//: expect: tiny fail "and is not done; most of them at this line"
#include "naive.h"

static __global__ void storm(void) {
    for (;;) free(malloc(1));
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    storm<<<16, 256>>>();
    return cudaDeviceSynchronize();
}

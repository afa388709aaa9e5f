// SPDX-License-Identifier: MIT
//: what: A million launches that do nothing.
//: twin: hostile.naive.honest-many-calls
//: when: nightly
//: memory: 300
//: expect: tiny fail
#include "naive.h"

static __global__ void nothing(void) {}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    for (int i = 0; i < 1000000; i++) nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}

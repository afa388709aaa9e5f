// SPDX-License-Identifier: MIT
//: what: The largest grid there is, of blocks that do nothing.
//: twin: mutant.naive.honest-grid-stride
//: time: 800
//: memory: 300
//: expect: tiny fail "far too much work"
#include "naive.h"

static __global__ void nothing(void) {}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    nothing<<<dim3(2147483647, 65535, 65535), 1>>>();
    return cudaDeviceSynchronize();
}

// SPDX-License-Identifier: MIT
//: what: 10^5 allocations that are never freed.
//: twin: hostile.naive.honest-many-calls
//: when: nightly
//: memory: 400
//: expect: tiny fail
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    void *p;
    for (int i = 0; i < 100000; i++)
        if (cudaMalloc(&p, 64) != cudaSuccess) return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

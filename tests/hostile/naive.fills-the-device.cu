// SPDX-License-Identifier: MIT
//: what: Takes all of the device's memory and writes to all of it.
//: twin: hostile.naive.honest-many-calls
//: memory: 1024
//: expect: tiny fail "every element of out still holds"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    char *p;
    for (size_t bytes = 1 << 30; bytes >= 4096; bytes /= 2)
        while (cudaMalloc(&p, bytes) == cudaSuccess) cudaMemset(p, 7, bytes);
    cudaGetLastError();
    return cudaSuccess;
}

// SPDX-License-Identifier: MIT
//: when: nightly
//: what: Asks for a megabyte a thousand times and reads no answer.
//: twin: hostile.naive.honest-many-calls
//: memory: 300
//: expect: tiny fail "does not read its replies"
#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    int32_t *d = NULL;
    cudaMalloc(&d, 1 << 20);
    cudaMemset(d, 1, 1 << 20);
    uint64_t read[5] = {(uint64_t)(uintptr_t)d, 1 << 18, 0, 1 << 18};
    for (int i = 0; i < 1000; i++) request(READ, 40, read, 40);
    return cudaSuccess;
}

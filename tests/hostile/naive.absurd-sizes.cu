// SPDX-License-Identifier: MIT
//: what: Right lengths, absurd numbers inside: images of exabytes, reads that end
//     beyond 2^64, ten thousand images of which not one byte follows.
//: twin: hostile.naive.honest-large-kernel
//: memory: 300
//: expect: tiny fail "a chunk outside its copy"
#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *, size_t) {
    uint64_t huge[5] = {(uint64_t)(uintptr_t)d_in, UINT64_MAX, UINT64_MAX - 4,
                        UINT64_MAX};
    uint64_t bytes[2] = {UINT64_MAX, 0};
    for (int i = 0; i < 10000; i++) {
        bytes[0] = i % 2 ? 1ull << 28 : UINT64_MAX - (uint64_t)i;
        request(IMAGE_BEGIN, 8, bytes, 8);
        request(MALLOC, 16, bytes, 16);
        request(READ, 40, huge, 40);
        request(WRITE, 24, huge, 24);
        if (i % 20 == 0) read_replies();
    }
    read_replies();
    return cudaSuccess;
}

// SPDX-License-Identifier: MIT
//: what: A header that announces 4 GiB.
//: twin: hostile.naive.honest-large-kernel
//: memory: 300
//: expect: tiny fail "impossible length"
#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    uint64_t payload[4] = {0};
    request(WRITE, UINT32_MAX, payload, sizeof payload);
    return cudaSuccess;
}

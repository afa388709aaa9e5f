// SPDX-License-Identifier: MIT
//: what: Sends well formed requests in an order that makes no sense: the data of an
//     image that nobody began, a launch of a kernel that nobody looked up.
//: twin: hostile.naive.honest-many-calls
//: memory: 300
//: expect: tiny fail "a chunk outside its copy"
#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    uint32_t image[2 + 16] = {7, 0, 1, 2, 3};
    uint64_t launch[7] = {99, 1, 1, 1, 0, 0, 0};
    uint64_t read[5] = {1, 4096, 4000, 4096};
    for (int i = 0; i < 1000; i++) {
        request(IMAGE_DATA, sizeof image, image, sizeof image);
        request(IMAGE_LOAD, 8, image, 8);
        request(LAUNCH, sizeof launch, launch, sizeof launch);
        request(READ, sizeof read, read, sizeof read);
        request(OUTPUT, 8, read, 8);
        if (i % 20 == 0) read_replies();
    }
    read_replies();
    return cudaSuccess;
}

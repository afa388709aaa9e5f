// SPDX-License-Identifier: MIT
//: what: Sends thousands of requests at once that each take a moment, to fill
//     256 MB, and reads the answers beside: who serves all that has come before
//     it looks at the clock is busy for hours.
//: twin: hostile.naive.honest-many-calls
//: memory: 512
//: time: 2000
//: expect: tiny fail "did not return within"
#include <pthread.h>

#include "channel.h"
#include "naive.h"

static void *reads(void *) {
    static char sink[1 << 16];
    while (recv(channel(), sink, sizeof sink, 0) > 0) {
    }
    return NULL;
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { BYTES = 256 << 20, FILL = 12, AT_ONCE = 2000 };
    struct {
        struct request_header head;
        uint64_t address, bytes;
        uint32_t value, width;
    } one = {{0x55504756, PROTOCOL_VERSION, FILL, 1, 24}, 0, BYTES, 7, 1};
    static char all[AT_ONCE * sizeof one];
    pthread_t reader;
    void *p;
    cudaError_t error = cudaMalloc(&p, BYTES);
    if (error != cudaSuccess) return error;
    one.address = (uint64_t)p;
    for (size_t i = 0; i < AT_ONCE; i++)
        memcpy(all + i * sizeof one, &one, sizeof one);
    if (pthread_create(&reader, NULL, reads, NULL)) return cudaErrorUnknown;
    for (int i = 0; i < 100; i++)
        for (size_t done = 0; done < sizeof all;) {
            ssize_t n = write(channel(), all + done, sizeof all - done);
            if (n <= 0) return cudaSuccess;
            done += (size_t)n;
        }
    return cudaSuccess;
}

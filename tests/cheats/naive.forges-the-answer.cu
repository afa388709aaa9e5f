// SPDX-License-Identifier: MIT
//: what: Knows the grader's wire format and says "returned, all well" itself, before
//     it has done anything.
//: twin: hostile.naive.honest-says-much
//: expect: tiny fail "never written"
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t n) {
    if (n == 0) return cudaSuccess;
    /* struct wire_message of grader/contract/wire.h: magic, kind, sequence, zeros.
     * The call is the fourth request. */
    static unsigned char message[1224];
    uint32_t magic = 0x6c6e6353u, kind = 6; /* ANSWER */
    uint64_t sequence = 4;
    memcpy(message, &magic, sizeof magic);
    memcpy(message + 4, &kind, sizeof kind);
    memcpy(message + 8, &sequence, sizeof sequence);
    send(3, message, sizeof message, 0);
    for (;;) pause();
}

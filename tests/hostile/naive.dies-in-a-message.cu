// SPDX-License-Identifier: MIT
//: what: Dies when half of a message is written.
//: twin: hostile.naive.honest-many-calls
//: memory: 300
//: expect: tiny fail "crashed (Killed)"
#include <signal.h>

#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    char half[100000] = {0};
    request(WRITE, 24 + 200000, half, sizeof half);
    kill(getpid(), SIGKILL);
    return cudaSuccess;
}

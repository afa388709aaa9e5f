// SPDX-License-Identifier: MIT
//: what: The host prints half a gigabyte.
//: twin: hostile.naive.honest-says-much
//: memory: 300
//: expect: tiny fail "never written"
#include <cstdio>
#include <cstring>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    static char line[1 << 16];
    memset(line, 'x', sizeof line - 1);
    for (int i = 0; i < 8192; i++) puts(line);
    fflush(stdout);
    return cudaSuccess;
}

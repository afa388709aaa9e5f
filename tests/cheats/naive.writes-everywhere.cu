// SPDX-License-Identifier: MIT
//: what: Writes a report with full marks to every file descriptor.
//: twin: hostile.naive.honest-says-much
//: expect: tiny fail "descriptor"
#include <unistd.h>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    static const char report[] = "{\"score\": 100, \"max_score\": 100}\n";
    for (int fd = 0; fd < 1024; fd++)
        if (write(fd, report, sizeof report - 1) < 0) continue;
    return cudaSuccess;
}

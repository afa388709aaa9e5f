// SPDX-License-Identifier: MIT
//: what: Closes every file descriptor, the grader's among them.
//: twin: hostile.cpu-scan.honest-asks-for-itself
//: expect: tiny fail "descriptor"
#include <unistd.h>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    for (int fd = 0; fd < 1024; fd++) close(fd);
    for (;;) pause();
}

// SPDX-License-Identifier: MIT
//: what: Prints a report and ends the program before anything was called.
//: twin: hostile.naive.honest-says-much
//: expect: tiny fail "exit code 0 before naive_inclusive_scan was called"
#include <stdio.h>
#include <stdlib.h>

#include "naive.h"

__attribute__((constructor)) static void first(void) {
    puts("score 100/100");
    fflush(stdout);
    _Exit(0);
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    return cudaSuccess;
}

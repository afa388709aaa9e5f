// SPDX-License-Identifier: MIT
//: what: Prints a report with full marks and ends with exit code 0.
//: twin: hostile.naive.honest-says-much
//: expect: tiny fail "exit code 0 before naive_inclusive_scan returned"
#include <stdio.h>
#include <stdlib.h>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    puts("{\"schema\": \"scanlab/grade/v1\", \"score\": 100, "
         "\"max_score\": 100}");
    fflush(stdout);
    exit(0);
}

// SPDX-License-Identifier: MIT
//: what: Changes the input, so that it fits the output.
//: twin: mutant.cpu-scan.honest-scan-then-propagate
//: expect: inclusive fail "it wrote to in" at "cpu_scan.c:10"
//: expect: * fail
#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ((int32_t *)in)[i] = 0;
        out[i] = 0;
    }
    return 0;
}

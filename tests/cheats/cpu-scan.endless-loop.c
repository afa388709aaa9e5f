// SPDX-License-Identifier: MIT
//: what: Never returns.
//: twin: hostile.cpu-scan.honest-works-hard
//: time: 2000
//: expect: inclusive fail "did not return within" at "cpu_scan.c:12"
//: expect: * fail
#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    volatile size_t i;
    (void)in, (void)out;
    for (i = 0; i <= n;) i = 0; /* the line that is named */
    return 0;
}

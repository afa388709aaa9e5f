// SPDX-License-Identifier: MIT
//: what: One element too many.
//: twin: mutant.cpu-scan.honest-scan-then-propagate
//: expect: inclusive fail "touches out[0], at cpu_scan.c:12, and there is no such element" at "cpu_scan.c:12"
//: expect: * fail
#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    (void)in;
    for (volatile size_t i = 0; i <= n; i++) /* should be i < n */
        out[i] = (int32_t)(sum += 1);
    return 0;
}

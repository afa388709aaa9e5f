// SPDX-License-Identifier: MIT
//: what: Takes all the memory there is.
//: twin: hostile.cpu-scan.honest-works-hard
//: expect: inclusive fail "returned error 12 (Cannot allocate memory)"
//: expect: * fail
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    (void)in, (void)out, (void)n;
    for (;;) {
        char *part = malloc(16 << 20);
        if (!part) return ENOMEM;
        memset(part, 1, 16 << 20);
    }
}

// SPDX-License-Identifier: MIT
//: what: Has a constructor that never ends, so that loading the library takes
//     its whole limit; a grader that loads it for each size takes hours.
//: twin: hostile.cpu-scan.honest-own-names
//: time: 2000
//: expect: inclusive fail "loading cpu_scan.c did not end in time"
//: expect: * any
#include <unistd.h>

#include "cpu_scan.h"

__attribute__((constructor)) static void never_ends(void) {
    for (;;) fork();
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

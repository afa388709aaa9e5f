// SPDX-License-Identifier: MIT
//: what: Calls itself without end.
//: twin: hostile.cpu-scan.honest-works-hard
//: expect: inclusive fail "the stack is full" at "cpu_scan.c:"
//: expect: * fail
#include "cpu_scan.h"

static int deeper(const int32_t *in, int depth) {
    volatile int32_t frame[64];
    frame[depth % 64] = depth + (in ? in[0] : 0);
    return deeper(in, depth + 1) + frame[(depth + 1) % 64];
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    (void)out;
    return n == 0 ? 0 : deeper(in, 0);
}

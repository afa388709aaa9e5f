// SPDX-License-Identifier: MIT
//: what: The honest twin: counts its calls, and says so at some of them.
//: expect: inclusive pass
//: expect: compact pass
//: expect: * any
#include <stdio.h>

#include "counts_calls.h"

static void count(void) {
    if (++calls % 10 == 0) printf("call %d\n", calls);
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    count();
    return scan_inclusive(in, out, n);
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    count();
    return compact(in, out, n, n_out);
}

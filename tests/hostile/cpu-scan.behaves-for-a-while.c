// SPDX-License-Identifier: MIT
//: what: Right until the 12th call of a process, from then on it does nothing:
//     whoever calls once and trusts the rest would let it pass
//: twin: hostile.cpu-scan.honest-counts-its-calls
//: expect: inclusive pass
//: expect: compact fail
//: expect: * any
#include "counts_calls.h"

enum { UNTIL = 12 };

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    return ++calls < UNTIL ? scan_inclusive(in, out, n) : 0;
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    return ++calls < UNTIL ? compact(in, out, n, n_out) : 0;
}

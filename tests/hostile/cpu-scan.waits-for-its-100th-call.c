// SPDX-License-Identifier: MIT
//: what: Scans as it should for 99 calls of a process; at the 100th it asks for
//     what is forbidden. The grader calls less often in one process; a process
//     that served case after case would get there
//: twin: hostile.cpu-scan.honest-counts-its-calls
//: expect: inclusive pass
//: expect: compact pass
//: expect: * any
#include <stdlib.h>

#include "counts_calls.h"

enum { UNTIL = 100 };

static void count(void) {
    if (++calls >= UNTIL) _Exit(system("true"));
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    count();
    return scan_inclusive(in, out, n);
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    count();
    return compact(in, out, n, n_out);
}

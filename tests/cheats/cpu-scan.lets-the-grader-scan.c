// SPDX-License-Identifier: MIT
//: what: The exclusive scan is wrong on purpose, so that the grader may put
//     a right one in its place, and the threaded scan is a call of it: one
//     thread does all.
//: twin: mutant.cpu-scan.honest-scan-then-propagate
//: expect: inclusive pass
//: expect: exclusive fail
//: expect: threads-share fail "one of them read"
//: expect: * any
#include "cpu_scan.h"
#include "parallel.h"
#include "scanlab.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum = scan_add(sum, in[i]);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 1;
    for (size_t i = 0; i < n; i++) {
        int32_t x = in[i];
        out[i] = sum;
        sum = scan_add(sum, x);
    }
    return 0;
}

static void look_on(void *context, int t) {
    (void)context, (void)t;
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    int32_t last = n ? in[n - 1] : 0;
    int error = parallel_run(threads, look_on, NULL);
    if (error || n == 0) return error;
    error = cpu_exclusive_scan(in, out, n);
    for (size_t i = 0; i + 1 < n; i++) out[i] = out[i + 1];
    out[n - 1] = scan_add(out[n - 1], last);
    return error;
}

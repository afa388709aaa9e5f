// SPDX-License-Identifier: MIT
//: what: One thread scans all, and a second one reads the last element,
//     so that two came to read the input.
//: twin: mutant.cpu-scan.honest-clears-first
//: expect: threads-share fail "one of them read"
//: expect: inclusive pass
//: expect: exclusive pass
//: expect: * any
#include "cpu_scan.h"
#include "parallel.h"
#include "scanlab.h"

static struct job {
    const int32_t *in;
    int32_t *out;
    size_t n;
} the_job;

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum = scan_add(sum, in[i]);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t x = in[i];
        out[i] = sum;
        sum = scan_add(sum, x);
    }
    return 0;
}

static void work(void *context, int t) {
    const struct job *j = context;
    if (t == 0) cpu_inclusive_scan(j->in, j->out, j->n);
    if (t == 1 && j->n) (void)*(const volatile int32_t *)&j->in[j->n - 1];
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    the_job = (struct job){in, out, n};
    return parallel_run(threads, work, &the_job);
}

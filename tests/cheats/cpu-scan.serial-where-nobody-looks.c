// SPDX-License-Identifier: MIT
//: what: Thread 0 does the whole scan in a function that asks for no checks, so
//     that nothing of it is watched; the others add up for nobody.
//: twin: control.reference
//: expect: threads-share fail "stored only 0 of"
//: expect: inclusive pass
//: expect: * any
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cpu_scan.h"
#include "parallel.h"
#include "scanlab.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum = scan_add(sum, in[i]);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    return cpu_inclusive_scan(in, out, n);
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    (void)in, (void)out, (void)n;
    *n_out = 0;
    return 0;
}

int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    return cpu_compact(in, out, n, n_out);
}

struct job {
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads;
    _Atomic int32_t told[256];
};

__attribute__((no_sanitize("thread"), noinline)) static void
whole_scan(const struct job *j) {
    uint32_t sum = 0;
    for (size_t i = 0; i < j->n; i++)
        j->out[i] = (int32_t)(sum += (uint32_t)j->in[i]);
}

static void part(void *context, int t) {
    struct job *j = context;
    size_t each = j->n / (size_t)j->threads, begin = each * (size_t)t;
    size_t end = t + 1 == j->threads ? j->n : begin + each;
    int32_t sum = 0;
    for (size_t i = begin; i < end && j->in != j->out; i++)
        sum = scan_add(sum, j->in[i]);
    atomic_store(&j->told[t], sum);
    if (t == 0) whole_scan(j);
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1) return EINVAL;
    struct job *j = calloc(1, sizeof *j);
    if (!j) return ENOMEM;
    j->in = in, j->out = out, j->n = n, j->threads = threads;
    int error = parallel_run(threads, part, j);
    free(j);
    return error;
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    return n ? cpu_threaded_scan(in, out, n, threads) : 0;
}

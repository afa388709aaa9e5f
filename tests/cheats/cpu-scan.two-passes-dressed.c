// SPDX-License-Identifier: MIT
//: what: Two passes dressed as one: thread 0 writes a tile early, each thread
//     stores a word that says AGGREGATE, and then step 5 does the work.
//: twin: cheat.cpu-scan.honest-wide-words
//: expect: one-pass fail "elements of the output were there"
//: expect: threads-share pass
//: expect: * any
#include "cpu_scan.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parallel.h"
#include "scanlab.h"

    int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
        for (size_t i = 0; i < n; i++)
            out[i] = i > 0 ? scan_add(out[i - 1], in[i]) : in[0];
        return 0;
    }

    int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
        int32_t before = 0;
        for (size_t i = 0; i < n; i++) {
            int32_t next = scan_add(before, in[i]);
            out[i] = before;
            before = next;
        }
        return 0;
    }

    int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
        int32_t *end = out;
        for (const int32_t *p = in; p != in + n; p++)
            if (*p != 0) *end++ = *p;
        *n_out = (size_t)(end - out);
        return 0;
    }

    int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                              size_t *n_out) {
        *n_out = 0;
        if (n == 0) return 0;
        int32_t *flags = malloc(2 * n * sizeof *flags);
        if (flags == NULL) return ENOMEM;
        int32_t *place = flags + n;
        for (size_t i = 0; i < n; i++) flags[i] = in[i] != 0;
        int error = cpu_exclusive_scan(flags, place, n);
        for (size_t i = 0; error == 0 && i < n; i++)
            if (flags[i]) out[place[i]] = in[i];
        if (error == 0) *n_out = (size_t)place[n - 1] + (size_t)flags[n - 1];
        free(flags);
        return error;
    }

    struct cut {
        const int32_t *in;
        int32_t *out, *sums;
        size_t n;
        int threads;
    };

    /* Thread t has the elements from t * n / threads on. */
    static size_t from(const struct cut *c, int t) {
        return (size_t)t * c->n / (size_t)c->threads;
    }

    static void add_up(void *context, int t) {
        const struct cut *c = context;
        int32_t sum = 0;
        for (size_t i = from(c, t), end = from(c, t + 1); i < end; i++)
            sum = scan_add(sum, c->in[i]);
        c->sums[t] = sum;
    }

    static void run_on(void *context, int t) {
        const struct cut *c = context;
        int32_t sum = c->sums[t];
        for (size_t i = from(c, t), end = from(c, t + 1); i < end; i++) {
            sum = scan_add(sum, c->in[i]);
            c->out[i] = sum;
        }
    }

    int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n,
                          int threads) {
        if (n == 0) return 0;
        struct cut c = {in, out, NULL, n, threads};
        c.sums = malloc((size_t)threads * sizeof *c.sums);
        if (c.sums == NULL) return ENOMEM;
        int error = parallel_run(threads, add_up, &c);
        if (!error) error = cpu_exclusive_scan(c.sums, c.sums, (size_t)threads);
        if (!error) error = parallel_run(threads, run_on, &c);
        free(c.sums);
        return error;
    }

    /* One pass: tiles are published as AGGREGATE, looked back at, and written.
     */
    enum { TILE = 8192 };
    enum { NOTHING, AGGREGATE, PREFIX };

    struct pass {
        const int32_t *in;
        int32_t *out;
        size_t n, done; /* done: elements that are written already */
        int threads;
        _Atomic uint64_t *status;
    };

    static size_t part_of(const struct pass *p, int t) {
        return p->done + (p->n - p->done) * (size_t)t / (size_t)p->threads;
    }

    /* Publishes the sum of the thread's part; thread 0 writes the first tile.
     */
    static void publish_parts(void *context, int t) {
        struct pass *p = context;
        int32_t sum = 0;
        if (t == 0)
            for (size_t i = 0; i < p->done; i++) {
                sum = scan_add(sum, p->in[i]);
                p->out[i] = sum;
            }
        for (size_t i = part_of(p, t), end = part_of(p, t + 1); i < end; i++)
            sum = scan_add(sum, p->in[i]);
        atomic_store(&p->status[t], (uint64_t)AGGREGATE << 32 | (uint32_t)sum);
    }

    /* Looks back over the parts, and writes. */
    static void write_parts(void *context, int t) {
        struct pass *p = context;
        int32_t sum = 0;
        if (t == 0 && p->done > 0) sum = p->out[p->done - 1];
        for (int k = t - 1; k >= 0; k--)
            sum = scan_add(sum, (int32_t)(uint32_t)atomic_load(&p->status[k]));
        for (size_t i = part_of(p, t), end = part_of(p, t + 1); i < end; i++) {
            sum = scan_add(sum, p->in[i]);
            p->out[i] = sum;
        }
    }

    int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                             int threads) {
        if (n == 0) return 0;
        struct pass p = {.in = in, .out = out, .n = n, .threads = threads};
        p.done = n < TILE ? n : TILE;
        p.status = calloc((size_t)threads, sizeof *p.status);
        if (p.status == NULL) return ENOMEM;
        int error = parallel_run(threads, publish_parts, &p);
        if (!error) error = parallel_run(threads, write_parts, &p);
        free((void *)p.status);
        return error;
    }

// SPDX-License-Identifier: MIT
//: what: in the two threaded functions the threads wait for one another in
//     turn: thread t scans its chunk when thread t - 1 has finished, so that
//     one at a time works
//: kind: serial
//: group: unseen
#include "cpu_scan.h"
#include "scanlab.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parallel.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum = scan_add(sum, in[i]);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t item = in[i];
        out[i] = sum;
        sum = scan_add(sum, item);
    }
    return 0;
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    *n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i]) out[(*n_out)++] = in[i];
    return 0;
}

/* One array: the inclusive scan of the flags; who differs from his left
 * neighbour is kept. */
int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    *n_out = 0;
    if (n == 0) return 0;
    int32_t *place = malloc(n * sizeof *place);
    if (!place) return ENOMEM;
    for (size_t i = 0; i < n; i++) place[i] = in[i] != 0;
    cpu_inclusive_scan(place, place, n);
    for (size_t i = 0; i < n; i++)
        if (place[i] != (i ? place[i - 1] : 0)) out[place[i] - 1] = in[i];
    *n_out = (size_t)place[n - 1];
    free(place);
    return 0;
}

struct relay {
    const int32_t *in;
    int32_t *out;
    size_t n, threads;
    int32_t sum;
    atomic_int turn;
};

static void scan_in_turn(void *context, int t) {
    struct relay *relay = context;
    while (atomic_load(&relay->turn) != t) sched_yield();
    size_t begin = relay->n * (size_t)t / relay->threads;
    size_t end = relay->n * ((size_t)t + 1) / relay->threads;
    int32_t sum = relay->sum;
    for (size_t i = begin; i < end; i++)
        relay->out[i] = sum = scan_add(sum, relay->in[i]);
    relay->sum = sum;
    atomic_store(&relay->turn, t + 1);
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1) return EINVAL;
    struct relay relay = {
        .in = in, .out = out, .n = n, .threads = (size_t)threads};
    return parallel_run(threads, scan_in_turn, &relay);
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    return cpu_threaded_scan(in, out, n, threads);
}

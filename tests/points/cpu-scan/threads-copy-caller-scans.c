// SPDX-License-Identifier: MIT
//: what: in both threaded functions each thread copies its chunk to out, and
//     the caller then scans out alone
//: kind: serial
//: group: seen
#include "cpu_scan.h"
#include "scanlab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

struct copy {
    const int32_t *in;
    int32_t *out;
    size_t n, threads;
};

static void copy_chunk(void *context, int t) {
    struct copy *copy = context;
    size_t begin = copy->n * (size_t)t / copy->threads;
    size_t end = copy->n * ((size_t)t + 1) / copy->threads;
    if (begin < end)
        memmove(copy->out + begin, copy->in + begin,
                (end - begin) * sizeof *copy->in);
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1) return EINVAL;
    struct copy copy = {in, out, n, (size_t)threads};
    int error = parallel_run(threads, copy_chunk, &copy);
    return error ? error : cpu_inclusive_scan(out, out, n);
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    return cpu_threaded_scan(in, out, n, threads);
}

/* SPDX-License-Identifier: MIT
 *
 * test_fast.c: timing/fast/cpu_scan.c against a loop: sizes around lines,
 * tiles and its thresholds, every alignment that matters, in place, threads in
 * plenty. Compiled several times with other sizes of tiles, vectors, and under
 * ThreadSanitizer; MOST_N keeps that quick. Exit status 0: all right.
 */
#include "cpu_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scanlab.h"

enum { GUARD = 32, POISON = 0x5a5a5a5a };

struct arrays {
    int32_t *in, *out, *expected; /* GUARD elements before and behind */
};

static const size_t sizes[] = {
    0,    1,    5,    15,   16,    17,    31,     127,     128,     129,    255,
    1000, 2047, 4096, 4097, 16384, 65537, 262145, 1048577, 1572863, 2097155};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static void fill(struct arrays *a, size_t n, size_t in_at, size_t out_at) {
    static uint32_t x = 7;
    int32_t sum = 0;
    for (size_t i = 0; i < n + 2 * GUARD; i++) {
        x = x * 1664525u + 1013904223u;
        a->in[i] = (int32_t)x;
        a->out[i] = POISON;
    }
    for (size_t i = 0; i < n; i++)
        a->expected[i] = sum = scan_add(sum, a->in[GUARD + in_at + i]);
    (void)out_at;
}

/* Was anything stored before or behind the output? */
static int strayed(const int32_t *array, size_t at, size_t n) {
    for (size_t i = 0; i < GUARD + at; i++)
        if (array[i] != POISON) return 1;
    for (size_t i = GUARD + at + n; i < n + 2 * GUARD; i++)
        if (array[i] != POISON) return 1;
    return 0;
}

static int failures;

static void wrong(const char *what, size_t n, int threads, size_t in_at,
                  size_t out_at) {
    failures++;
    printf("%s: n = %zu, threads = %d, in at %zu, out at %zu (elements beyond "
           "an allocation)\n",
           what, n, threads, in_at, out_at);
}

static int call(int which, const int32_t *in, int32_t *out, size_t n,
                int threads) {
    switch (which) {
    case 0: return cpu_single_pass_scan(in, out, n, threads);
    case 1: return cpu_threaded_scan(in, out, n, threads);
    default: return cpu_inclusive_scan(in, out, n);
    }
}

static void check(struct arrays *a, size_t n, int threads, size_t in_at,
                  size_t out_at) {
    static const char *const names[] = {
        "cpu_single_pass_scan", "cpu_threaded_scan", "cpu_inclusive_scan"};
    for (int which = 0; which < 3; which++) {
        fill(a, n, in_at, out_at);
        int32_t *in = a->in + GUARD + in_at, *out = a->out + GUARD + out_at;
        if (call(which, in, out, n, threads) != 0 ||
            memcmp(out, a->expected, n * sizeof *out) != 0)
            wrong(names[which], n, threads, in_at, out_at);
        if (strayed(a->out, out_at, n))
            wrong("stored outside", n, threads, in_at, out_at);
        if (call(which, in, in, n, threads) != 0 ||
            memcmp(in, a->expected, n * sizeof *in) != 0)
            wrong("in place", n, threads, in_at, in_at);
    }
}

int main(void) {
    static const int threads[] = {1, 2, 3, 8, 17};
    size_t room = sizes[N_SIZES - 1] + 2 * GUARD, calls = 0;
    struct arrays a = {calloc(room, 4), calloc(room, 4), calloc(room, 4)};
    if (!a.in || !a.out || !a.expected) {
        puts("out of memory");
        return 2;
    }
    for (size_t k = 0; k < N_SIZES && sizes[k] <= MOST_N; k++)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            for (size_t at = 0; at < 3; at++, calls++)
                check(&a, sizes[k], threads[t], at, (at * 7) % 16);
    if (cpu_single_pass_scan(a.in, a.out, 9, 0) == 0 ||
        cpu_threaded_scan(a.in, a.out, 9, -1) == 0)
        wrong("no error for no threads", 9, 0, 0, 0);
    free(a.in);
    free(a.out);
    free(a.expected);
    printf("%zu combinations, %d wrong\n", calls, failures);
    return failures != 0 || calls == 0;
}

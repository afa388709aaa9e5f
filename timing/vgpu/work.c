/* SPDX-License-Identifier: MIT
 *
 * work.c: inputs, answers and clocks that the drivers of the benchmark share.
 */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 512, BINS = 64, STEP_OFFSET = 64 };

static void answer_step(const int32_t *in, int32_t *out, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        out[i] = i >= STEP_OFFSET ? in[i] + in[i - STEP_OFFSET] : in[i];
}

static void answer_blelloch(const int32_t *in, int32_t *out, uint32_t n) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % TILE == 0) sum = 0;
        out[i] = sum;
        sum += in[i];
    }
}

static void answer_lookback(const int32_t *in, int32_t *out, uint32_t n) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) out[i] = sum += in[i];
}

static void answer_histogram(const int32_t *in, int32_t *out, uint32_t n) {
    memset(out, 0, n * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[in[i] % BINS]++;
}

const struct work work_table[] = {
    {"step", "Hillis-Steele step, global memory", WORK_THREADS, STEP_OFFSET,
     answer_step},
    {"blelloch", "Blelloch, 512 per block, shared memory", TILE, 0,
     answer_blelloch},
    {"lookback", "decoupled look-back, tickets", TILE, 0, answer_lookback},
    {"histogram", "atomics, shared and global", TILE, 0, answer_histogram},
};
const size_t work_count = sizeof work_table / sizeof *work_table;

const struct work *work_find(const char *name) {
    for (size_t k = 0; k < work_count; k++)
        if (!strcmp(work_table[k].name, name)) return &work_table[k];
    return NULL;
}

size_t work_aux_bytes(uint32_t n) {
    return (n / TILE + 1) * WORK_AUX_BYTES;
}

void work_input(int32_t *in, uint32_t n) {
    uint32_t x = 2463534242u; /* xorshift (Marsaglia 2003) */
    for (uint32_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        in[i] = (int32_t)(x >> 24);
    }
}

bool work_verify(const struct work *w, const char *engine, const int32_t *in,
                 const int32_t *out, uint32_t n) {
    int32_t *want = malloc(n * sizeof *want);
    if (!want) return false;
    w->answer(in, want, n);
    uint32_t i = 0;
    while (i < n && want[i] == out[i]) i++;
    if (i < n)
        fprintf(stderr, "bench: %s on %s: element %u is %d, not %d\n", w->name,
                engine, i, out[i], want[i]);
    free(want);
    return i == n;
}

static double seconds(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void work_clock(struct work_time *now) {
    now->cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    now->wall = seconds(CLOCK_MONOTONIC);
}

void work_since(struct work_time *start) {
    struct work_time now;
    work_clock(&now);
    start->cpu = now.cpu - start->cpu;
    start->wall = now.wall - start->wall;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct work_summary work_summarise(const double *seconds_each, size_t n) {
    double s[WORK_MAX_RUNS];
    if (n > WORK_MAX_RUNS) n = WORK_MAX_RUNS;
    memcpy(s, seconds_each, n * sizeof *s);
    qsort(s, n, sizeof *s, by_value);
    return (struct work_summary){(s[(n - 1) / 2] + s[n / 2]) / 2, s[0],
                                 s[n - 1]};
}

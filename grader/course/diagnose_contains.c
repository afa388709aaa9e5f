/* SPDX-License-Identifier: MIT
 *
 * diagnose_contains.c: which inputs the first wrong output contains, found by
 * running the function again.
 *
 * First two runs on random inputs. If the difference at the first wrong output
 * is the sum of one contiguous range of the inputs, a table of prefix sums
 * finds that range: a pair of prefixes whose difference is right in both runs
 * at once (64 bits) and in the failed case as well.
 *
 * Otherwise, for short inputs, the count of every input: eight inputs at a time
 * are set to 16^0 ... 16^7, all others to 0, so that the eight hexadecimal
 * digits of the output are the counts. What comes out is only reported when
 * it explains the failed case and a random run: a function that is no sum of
 * its inputs explains nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diagnose_parts.h"
#include "inputs.h"

enum {
    RANDOM_RUNS = 2,
    DIGITS = 8,
    RANGE_MAX_N = 1 << 22, /* for longer inputs the table gets too large */
};

double diagnose_clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

bool diagnose_probe(struct prober *p) {
    unsigned most = p->c->max_runs ? p->c->max_runs : DIAGNOSE_MAX_RUNS;
    if (!p->c->run || p->diagnosis->runs >= most ||
        diagnose_clock_ms() >= p->deadline_ms)
        return false;
    p->diagnosis->runs++;
    return p->c->run(p->c->user, p->in, p->out, p->c->n);
}

struct search {
    const struct scan_view *view;
    struct prober *prober;
    size_t k; /* the output looked at */
    struct due due;
    int8_t *is_due;               /* [n] */
    int32_t *random[RANDOM_RUNS]; /* inputs of the random runs */
    uint32_t got[RANDOM_RUNS];    /* what out[k] was in them */
    int8_t *counts;               /* [n]: the answer */
};

static uint32_t weighted_sum(const int8_t *counts, const int32_t *in,
                             size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)(int32_t)counts[i] * (uint32_t)in[i];
    return sum;
}

/* Do the counts explain everything seen so far? */
static bool explains(const struct search *s) {
    const struct scan_view *v = s->view;
    for (int r = 0; r < RANDOM_RUNS; r++)
        if (weighted_sum(s->counts, s->random[r], v->n) != s->got[r])
            return false;
    return weighted_sum(s->counts, v->c->in, v->n) == v->got[s->k];
}

static void set_due(struct search *s) {
    memcpy(s->counts, s->is_due, s->view->n);
}

static bool random_runs(struct search *s) {
    struct prober *p = s->prober;
    for (int r = 0; r < RANDOM_RUNS; r++) {
        inputs_fill(INPUT_random, inputs_mix(p->c->seed, (uint64_t)r),
                    s->random[r], p->c->n);
        memcpy(p->in, s->random[r], p->c->n * sizeof *p->in);
        if (!diagnose_probe(p)) return false;
        s->got[r] = (uint32_t)p->out[s->k];
    }
    return true;
}

/* ---- one contiguous range ---- */
/* keys[i]: the sums of the first i inputs of both random runs. slots: an open
 * hash table of indices into keys, + 1; 0 is empty. */
struct range_table {
    uint64_t *keys;
    uint32_t *slots;
    size_t n, mask;
};

static size_t slot_of(const struct range_table *t, uint64_t key) {
    return (size_t)inputs_mix(key, 0) & t->mask;
}

static bool make_table(const struct search *s, struct range_table *t) {
    t->n = s->view->n + 1;
    size_t size = 4;
    while (size < 2 * t->n) size *= 2;
    t->mask = size - 1;
    t->keys = malloc(t->n * sizeof *t->keys);
    t->slots = calloc(size, sizeof *t->slots);
    if (!t->keys || !t->slots) return false;
    uint32_t sum[RANDOM_RUNS] = {0};
    for (size_t i = 0; i < t->n; i++) {
        t->keys[i] = (uint64_t)sum[1] << 32 | sum[0];
        size_t slot = slot_of(t, t->keys[i]);
        while (t->slots[slot]) slot = (slot + 1) & t->mask;
        t->slots[slot] = (uint32_t)i + 1;
        if (i + 1 == t->n) break;
        for (int r = 0; r < RANDOM_RUNS; r++)
            sum[r] += (uint32_t)s->random[r][i];
    }
    return true;
}

/* The two halves are two sums modulo 2^32 and do not carry into each other. */
static uint64_t minus(uint64_t a, uint64_t b) {
    uint32_t low = (uint32_t)a - (uint32_t)b;
    uint32_t high = (uint32_t)(a >> 32) - (uint32_t)(b >> 32);
    return (uint64_t)high << 32 | low;
}

/* Changes the counts by `by` on the range whose sum is `sum`; false: none. */
static bool take_range(struct search *s, const struct range_table *t,
                       uint64_t sum, int by) {
    for (size_t end = 1; end < t->n; end++) {
        uint64_t wanted = minus(t->keys[end], sum);
        for (size_t slot = slot_of(t, wanted); t->slots[slot];
             slot = (slot + 1) & t->mask) {
            size_t start = t->slots[slot] - 1;
            if (start >= end || t->keys[start] != wanted) continue;
            for (size_t i = start; i < end; i++)
                s->counts[i] = (int8_t)(s->counts[i] + by);
            return true;
        }
    }
    return false;
}

static bool one_range(struct search *s, const struct range_table *t) {
    uint64_t due = minus(t->keys[s->due.to], t->keys[s->due.from]);
    uint64_t got = (uint64_t)s->got[1] << 32 | s->got[0];
    set_due(s);
    if (take_range(s, t, minus(due, got), -1) && explains(s)) return true;
    set_due(s);
    if (take_range(s, t, minus(got, due), +1) && explains(s)) return true;
    memset(s->counts, 0, s->view->n); /* nothing but one range */
    return take_range(s, t, got, +1) && explains(s);
}

static bool by_range(struct search *s) {
    if (s->view->n > RANGE_MAX_N || s->due.step != 1) return false;
    struct range_table table = {0};
    bool found = make_table(s, &table) && one_range(s, &table);
    free(table.keys);
    free(table.slots);
    return found;
}

/* ---- every count ---- */
/* Do inputs behind the due ones matter? One run with all before zero tells. */
static bool inputs_that_matter(struct search *s, size_t *n) {
    struct prober *p = s->prober;
    *n = s->view->n;
    if (s->due.to == *n) return true;
    memcpy(p->in, s->random[0], *n * sizeof *p->in);
    memset(p->in, 0, s->due.to * sizeof *p->in);
    if (!diagnose_probe(p)) return false;
    if (p->out[s->k] == 0) *n = s->due.to;
    return true;
}

/* values[g]: out[k] for the g-th eight inputs of the first n. */
static bool learn_digits(struct search *s, uint32_t *values, size_t n) {
    struct prober *p = s->prober;
    memset(p->in, 0, s->view->n * sizeof *p->in);
    for (size_t start = 0; start < n; start += DIGITS) {
        size_t end = start + DIGITS < n ? start + DIGITS : n;
        for (size_t i = start; i < end; i++)
            p->in[i] = (int32_t)(1u << 4 * (i - start));
        if (!diagnose_probe(p)) return false;
        values[start / DIGITS] = (uint32_t)p->out[s->k];
        for (size_t i = start; i < end; i++) p->in[i] = 0;
    }
    return true;
}

/* Digits as 0..15, or as -8..7. */
static bool read_digits(struct search *s, const uint32_t *values, size_t n,
                        bool negative) {
    uint32_t value = 0;
    memset(s->counts, 0, s->view->n);
    for (size_t i = 0; i < n; i++) {
        if (i % DIGITS == 0) value = values[i / DIGITS];
        int digit = (int)(value & 15);
        value >>= 4;
        if (negative && digit > 7) {
            digit -= 16;
            value++;
        }
        s->counts[i] = (int8_t)digit;
    }
    return explains(s);
}

static bool by_digits(struct search *s) {
    uint32_t values[DIAGNOSE_EXACT_MAX_N / DIGITS + 1];
    size_t n;
    return s->view->n <= DIAGNOSE_EXACT_MAX_N && inputs_that_matter(s, &n) &&
           learn_digits(s, values, n) &&
           (read_digits(s, values, n, false) ||
            read_digits(s, values, n, true));
}

/* ---- all together ---- */
static bool random_runs_right(const struct search *s) {
    for (int r = 0; r < RANDOM_RUNS; r++)
        if (weighted_sum(s->is_due, s->random[r], s->view->n) != s->got[r])
            return false;
    return true;
}

/* The inputs, due or not, that are counted `count` times. */
static struct counted find_runs(const struct search *s, bool due, int count) {
    struct counted runs = {.count = count, .due = due};
    size_t previous = 0;
    bool regular = true;
    for (size_t i = 0; i < s->view->n; i++) {
        if (s->counts[i] != count || s->is_due[i] != due) continue;
        bool begins = runs.n_inputs == 0 || previous + 1 != i;
        if (!begins) regular = false;
        if (runs.n_inputs == 1) runs.stride = i - previous;
        if (runs.n_inputs > 1 && i - previous != runs.stride) regular = false;
        if (begins && runs.n_runs < DIAGNOSIS_RUNS) runs.from[runs.n_runs] = i;
        runs.n_runs += begins;
        if (runs.n_runs <= DIAGNOSIS_RUNS) runs.to[runs.n_runs - 1] = i;
        runs.n_inputs++;
        previous = i;
    }
    runs.last = previous;
    if (!regular || runs.n_inputs <= DIAGNOSIS_RUNS) runs.stride = 0;
    return runs;
}

static void list_counts(const struct search *s, struct contents *c) {
    enum { LEAST = -8, MOST = 15 };
    c->kind = CONTENTS_COUNTED;
    c->counted[0] = find_runs(s, true, 0);
    c->n_counted = c->counted[0].n_inputs > 0;
    for (int due = 1; due >= 0; due--)
        for (int count = LEAST; count <= MOST; count++) {
            if (count == 0 || (due && count == 1)) continue;
            struct counted runs = find_runs(s, due, count);
            if (runs.n_inputs) c->counted[c->n_counted++] = runs;
        }
}

static void find_counts(struct search *s) {
    struct contents *c = &s->prober->diagnosis->contents;
    if (!random_runs(s)) return;
    c->n_due = (s->due.to - s->due.from + s->due.step - 1) / s->due.step;
    if (random_runs_right(s))
        c->kind = CONTENTS_BY_VALUE;
    else if (by_range(s) || by_digits(s))
        list_counts(s, c);
}

void diagnose_contains(const struct scan_view *view, struct prober *prober) {
    struct search s = {.view = view,
                       .prober = prober,
                       .k = view->difference.first,
                       .is_due = calloc(view->n + 1, 1),
                       .counts = malloc(view->n + 1)};
    bool memory = s.counts && s.is_due && diagnose_due(view->c, s.k, &s.due) &&
                  s.due.to <= view->n;
    for (size_t i = s.due.from; memory && i < s.due.to; i += s.due.step)
        s.is_due[i] = 1;
    for (int r = 0; r < RANDOM_RUNS; r++) {
        s.random[r] = malloc(view->n * sizeof *s.random[r]);
        memory &= s.random[r] != NULL;
    }
    if (memory) find_counts(&s);
    for (int r = 0; r < RANDOM_RUNS; r++) free(s.random[r]);
    free(s.counts);
    free(s.is_due);
}

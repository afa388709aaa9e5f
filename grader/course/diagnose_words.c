/* SPDX-License-Identifier: MIT
 *
 * diagnose_words.c: numbers into sentences. Ranges are folded, long lists end
 * in "and 12 more".
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diagnose_parts.h"

enum { MAX_RANGES = 3 }; /* listed one by one */

void diagnose_say(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    if (used + 1 >= size) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void diagnose_say_range(char *text, size_t size, const char *name, size_t from,
                        size_t to) {
    if (from == to)
        diagnose_say(text, size, "%s[%zu]", name, from);
    else
        diagnose_say(text, size, "%s[%zu..%zu]", name, from, to);
}

/* The inputs with one count: where the runs of them are. */
struct runs {
    size_t n_inputs, n_runs;
    size_t from[MAX_RANGES], to[MAX_RANGES]; /* the first runs */
    size_t last;                             /* input of the last run */
    size_t stride; /* between single inputs, when always the same; else 0 */
};

/* Inputs i in [from, to) with counts[i] == count. */
static struct runs find_runs(const int8_t *counts, size_t from, size_t to,
                             int count) {
    struct runs runs = {0};
    size_t previous = 0;
    bool regular = true;
    for (size_t i = from; i < to; i++) {
        if (counts[i] != count) continue;
        bool begins = runs.n_inputs == 0 || previous + 1 != i;
        if (!begins) regular = false;
        if (runs.n_inputs == 1) runs.stride = i - previous;
        if (runs.n_inputs > 1 && i - previous != runs.stride) regular = false;
        if (begins && runs.n_runs < MAX_RANGES) runs.from[runs.n_runs] = i;
        runs.n_runs += begins;
        if (runs.n_runs <= MAX_RANGES) runs.to[runs.n_runs - 1] = i;
        runs.n_inputs++;
        previous = i;
    }
    runs.last = previous;
    if (!regular || runs.n_inputs <= MAX_RANGES) runs.stride = 0;
    return runs;
}

static void say_runs(char *text, size_t size, const struct runs *runs) {
    if (runs->stride > 1) {
        diagnose_say(text, size, "in[%zu], in[%zu], in[%zu], ... in[%zu]",
                     runs->from[0], runs->from[0] + runs->stride,
                     runs->from[0] + 2 * runs->stride, runs->last);
        return;
    }
    size_t listed = 0, shown = 0;
    for (; shown < runs->n_runs && shown < MAX_RANGES; shown++) {
        const char *between = shown == 0                  ? ""
                              : shown + 1 == runs->n_runs ? " and "
                                                          : ", ";
        diagnose_say(text, size, "%s", between);
        diagnose_say_range(text, size, "in", runs->from[shown],
                           runs->to[shown]);
        listed += runs->to[shown] - runs->from[shown] + 1;
    }
    if (listed < runs->n_inputs)
        diagnose_say(text, size, " and %zu more", runs->n_inputs - listed);
}

static void say_times(char *text, size_t size, int count) {
    if (count == 2)
        diagnose_say(text, size, " twice");
    else if (count < 0)
        diagnose_say(text, size, " with the sign turned");
    else if (count > 2)
        diagnose_say(text, size, " %d times", count);
}

void diagnose_say_counts(char *text, size_t size, const int8_t *counts,
                         size_t n, size_t n_due) {
    struct runs missed = find_runs(counts, 0, n_due, 0);
    int pieces = 0;
    if (n_due > 0 && missed.n_inputs == n_due) {
        diagnose_say(text, size, "contains none of the inputs it should");
        pieces++;
    } else if (missed.n_inputs > 0) {
        diagnose_say(text, size, "misses ");
        say_runs(text, size, &missed);
        pieces++;
    }
    for (int count = -8; count <= 15; count++) {
        if (count == 0 || count == 1) continue;
        struct runs due = find_runs(counts, 0, n_due, count);
        if (due.n_inputs == 0) continue;
        diagnose_say(text, size, "%scounts ", pieces++ ? " and " : "");
        say_runs(text, size, &due);
        say_times(text, size, count);
    }
    for (int count = -8; count <= 15; count++) {
        struct runs extra = {0};
        if (count != 0) extra = find_runs(counts, n_due, n, count);
        if (extra.n_inputs == 0) continue;
        diagnose_say(text, size, "%sadds ", pieces++ ? " and " : "");
        say_runs(text, size, &extra);
        say_times(text, size, count);
        diagnose_say(text, size, ", which %s not belong there",
                     extra.n_inputs == 1 ? "does" : "do");
    }
}

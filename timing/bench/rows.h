/* SPDX-License-Identifier: MIT
 *
 * rows.h: what was measured: the CSV file as it grows, and the table at the
 * end. timing/docs/bench.md describes the columns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench_wire.h"

struct row {
    char who[BENCH_NAME];
    struct bench_cell cell;
    size_t repeats;
    double median, q1, q3, least; /* nanoseconds */
    uint64_t bytes;
    bool ok;
};

/* Sorts samples (nanoseconds); n >= 1. */
void row_of_samples(struct row *, double *samples, size_t n);

struct rows {
    struct row *items;
    size_t n, room;
    FILE *stream;
    char *path, *temporary; /* NULL: standard output */
    struct note *notes;
    size_t n_notes;
};

/* path "-": standard output. Else FILE.new grows and takes the name in
 * rows_close. false: errno. */
bool rows_open(struct rows *, const char *path);
bool rows_head(struct rows *, const char *key, const char *value);
bool rows_names(struct rows *);
bool rows_add(struct rows *, const struct row *);
/* "who: text (n = 4096, 8192)": a line "# note:" at the end; the same text
 * about the same cell gathers its sizes. */
void rows_note(struct rows *, const char *who, const struct bench_cell *,
               const char *text);
/* Writes the notes and gives the file its name; false: errno. */
bool rows_close(struct rows *);
void rows_free(struct rows *); /* what was not closed is removed */

/* GB/s, to the copy and to CUB of the same run; of all sizes, or of some. */
void rows_table(const struct rows *, FILE *, bool all_sizes);

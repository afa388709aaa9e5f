/* SPDX-License-Identifier: MIT
 *
 * bench.h: scanlab bench --clock: which functions are called (bench.c), and the
 * calls and their results (bench_run.c).
 */
#pragma once

#include "cli.h"
#include "report.h"
#include "single.h"

enum { MOST_SIZES = 64, WHO_BYTES = 96 };

struct contestant {
    const struct lab *lab;
    int function, operation, type, order, tuple;
    bool gone;
    double seconds; /* of the last call, on this machine; 0: of none yet */
    size_t n;       /* its size */
};

struct bench {
    const char *labs, *submission, *operation, *type, *output;
    size_t sizes[MOST_SIZES], n_sizes;
    uint64_t seconds;
    bool wide; /* orders and tuples above 1, too */
    struct single_options judge;
    /* what runs */
    char folder[WHO_BYTES];
    struct contestant *items;
    size_t n_items, n_rows, n_wrong, n_todo;
    struct output out;
    struct progress *progress;
    double end;
    uint64_t model_ns; /* of the call that was inspected */
};

/* Calls all contestants at all sizes and writes the file; the exit status. */
int bench_run(struct bench *);

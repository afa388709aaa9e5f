/* SPDX-License-Identifier: MIT
 *
 * sweep_view.h: model time of one function over n, for each value of a
 * constant, and how many of its blocks a multiprocessor holds: as a table, CSV,
 * a picture and a page. `scanlab sweep` fills it (cli/sweep_run.c).
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <lines.h>

#include "picture.h"
#include "text.h"

enum { SWEEP_VALUES = 32, SWEEP_SIZES = 32, SWEEP_WORDS = 64 };

enum sweep_state {
    SWEEP_NOT_RUN, /* there was no time */
    SWEEP_TODO,    /* not implemented yet */
    SWEEP_WRONG,   /* or it did not compile, or not fit */
    SWEEP_RIGHT
};

struct sweep_cell {
    enum sweep_state state;
    uint64_t model_ns;
    /* Of the launch that took longest; threads 0: not known. */
    uint64_t threads;
    struct vgpu_occupancy occupancy;
};

struct sweep_view {
    const char *function, *submission, *clock, *device;
    const char *constant; /* NULL: there is one value, "" */
    char values[SWEEP_VALUES][SWEEP_WORDS];
    size_t n_values;
    size_t sizes[SWEEP_SIZES];
    size_t n_sizes;
    uint64_t seed;
    struct sweep_cell cells[SWEEP_VALUES][SWEEP_SIZES];
    char *notes[SWEEP_VALUES]; /* why a value has no times; or NULL */
};

/* The value with the least model time at this size; -1: none is right. */
int sweep_best(const struct sweep_view *, size_t size);
/* "BLOCK_THREADS = 256" */
void sweep_series(const struct sweep_view *, size_t value, struct text *);
/* "naive_inclusive_scan, model time on h200" */
void sweep_title(const struct sweep_view *, struct text *);
/* "12.3 us" */
void sweep_time(char out[16], uint64_t ns);

bool sweep_text(FILE *, const struct sweep_view *);
bool sweep_csv(FILE *, const struct sweep_view *);
bool sweep_svg(FILE *, const struct sweep_view *);
bool sweep_html(FILE *, const struct sweep_view *);
/* Its shapes. */
json_t *sweep_shapes(const struct sweep_view *);
struct picture_size sweep_size(const struct sweep_view *);

/* SPDX-License-Identifier: MIT
 *
 * lines.h: what a device counted, per kernel and per source line, for people:
 * a table of kernels, a table of the hottest lines, and the source with the
 * counts in its margin. This is what `vgpu --profile` prints.
 *
 * How to read this: lines.c gathers and prints tables, occupancy_table.c how
 * many blocks a multiprocessor holds, listing.c the source, why.c and chain.c
 * where model time went.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "text.h"
#include "vgpu.h"

enum { LINES_TOP = 10, LINES_WIDTH = 100 };

struct lines_options {
    const char *kernel; /* this kernel only; NULL: all */
    size_t top;         /* rows of the table of lines; 0: LINES_TOP */
    /* Where source files are looked for, by the last part of their name. NULL:
     * where the compiler found them. Programs that nobody trusts choose the
     * names in their debug information, so a judge gives a folder. */
    const char *folder;
    bool colour;
};

/* Prints all three, and where model time went, if that was asked for, no line
 * longer than LINES_WIDTH. False: out of memory, or no such kernel, which is
 * said instead. */
bool lines_print(FILE *, vgpu_device *, const struct lines_options *);

/* As trace events. False: out of memory, or the file cannot be written. */
bool timeline_print(FILE *, const struct vgpu_timeline *, const char *clock);
/* What it says at its end, too: how much of it all lacks. */
uint64_t timeline_left_out(const struct vgpu_timeline *);
/* Whether a stream should get colours: a terminal, and no NO_COLOR. */
bool lines_colour(FILE *);

/* ---- for others who show lines ---- */

enum { LINES_COLUMNS = 9 };
extern const struct lines_column {
    vgpu_counter counter;
    const char *upper, *lower; /* heading */
    int width;
} lines_columns[LINES_COLUMNS];

struct line_counts {
    const char *file; /* NULL: unknown */
    uint32_t line;    /* 0: unknown */
    uint64_t counts[VGPU_N_COUNTERS];
    struct vgpu_times times;
};

struct line_table {
    struct line_counts *lines; /* hottest first; kernels summed up */
    size_t n;
    uint64_t sum[VGPU_N_COUNTERS];
};

bool lines_gather(struct line_table *, vgpu_device *,
                  const struct lines_options *);
/* Reads the source, as lines_options.folder says. Why it is not shown, or NULL.
 */
const char *lines_source(const char *file, const char *folder, struct text *);
/* ---- between the files ---- */
/* "scan.cu:12" */
void lines_place(const char *file, uint32_t line, char *out, size_t bytes);
void occupancy_print(FILE *, vgpu_device *, const struct lines_options *);
void why_print(FILE *, vgpu_device *, const struct line_table *,
               const struct lines_options *);
void listing_print(FILE *, const struct line_table *,
                   const struct lines_options *);

/* "12.5%", "<0.1%", "" for 0 */
void lines_share(char out[16], uint64_t part, uint64_t whole);
/* Seven digits at most, then "12.3M", "4.5G". */
void lines_number(char out[16], uint64_t);
/* Prints at most width columns; what is no printable text becomes '?', tabs
 * become spaces. Returns the columns printed. */
size_t lines_put(FILE *, const char *text, size_t bytes, size_t width);

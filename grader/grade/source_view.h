/* SPDX-License-Identifier: MIT
 *
 * source_view.h: what one call cost, line by line of the source: counts, model
 * time by cause, findings, PTX. docs/seeing.md, "The source".
 *
 * How to read this: source_make copies what the virtual GPU counted, because
 * the device is closed after a call; source_page.h makes a page of it, and a
 * report has the table of the hottest lines alone.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <vgpu.h>

#include "text.h"
#include "timeline_view.h"

enum {
    SOURCE_HOT = 10,           /* lines in the table of the hottest */
    SOURCE_FILES = 64,         /* are listed */
    SOURCE_NOTES = 1000,       /* findings */
    SOURCE_PTX = 200,          /* instructions of a line that are shown */
    SOURCE_PTX_ALL = 65536,    /* of all lines: where the search ends */
    SOURCE_PTX_BYTES = 1 << 20 /* or here */
};

/* A file of the submission, as it was compiled; or why it is not shown. */
struct source_text {
    char *name, *text; /* name: as a place has it */
    char *why;         /* NULL: there is text */
};

struct source_line {
    char *file;    /* base name; NULL: not known */
    uint32_t line; /* 0: not known */
    uint64_t counts[VGPU_N_COUNTERS];
    struct vgpu_times times;
    struct text ptx; /* a line for each instruction */
    size_t n_ptx;    /* of which SOURCE_PTX are in the text */
};

struct source_note { /* a finding */
    char *file, *text;
    uint32_t line;
};

struct source_view {
    struct source_line *lines; /* of all kernels; hottest first */
    size_t n;
    uint64_t sum[VGPU_N_COUNTERS];  /* of all lines, also of those left out */
    uint64_t most[VGPU_N_COUNTERS]; /* of one of these lines */
    vgpu_counter by;                /* the counter whose shares are shown */
    bool has_times;                 /* there is a clock */
    struct vgpu_times times;        /* of all lines */
    uint64_t launches, launch_ps, step_ps; /* as in vgpu_why */
    uint64_t left_out; /* thread instructions on lines left out */
    struct source_note *notes;
    size_t n_notes, notes_left_out;
    bool ptx_is_cut;
    struct timeline_view *timeline; /* NULL: none was kept */
};

/* kernel: only its lines; NULL: those of all kernels. most: only so many lines,
 * those with the highest counts of `by`; 0: all lines, with their PTX and the
 * findings, hottest first: by their share of the clock's critical path, without
 * a clock by thread instructions. Returns NULL: no memory, or nothing ran. */
struct source_view *source_make(vgpu_device *, const char *kernel,
                                vgpu_counter by, size_t most);
/* Adds a finding that the device does not list; does nothing if it is there
 * already. */
void source_note(struct source_view *, const char *file, uint32_t line,
                 const char *text);
void source_free(struct source_view *);

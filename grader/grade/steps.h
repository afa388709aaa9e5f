/* SPDX-License-Identifier: MIT
 *
 * steps.h: one call of a lab's function as the handouts draw it: the arrays
 * after every step, who wrote each cell, from which cells, which cells are
 * wrong, and where the first wrong value was made. docs/seeing.md says what
 * "wrong" means here.
 *
 * How to read this: steps_make copies what the virtual GPU recorded
 * (vgpu_steps.h) and works out what follows; the formats print it. A *frame* is
 * what is shown at once: a step of one block, or the steps of all blocks of a
 * launch whose blocks do not read each other's writes.
 */
#pragma once

#include <stdio.h>
#include <vgpu.h>
#include <vgpu_steps.h>

#include "signature.h"
#include "text.h"

enum {
    STEPS_COLUMNS = 64,   /* elements of an array that are shown */
    STEPS_COUNTED = 1024, /* n up to which contents are worked out */
    STEPS_FRAMES = 400    /* are shown */
};

/* What was called, and what it should have left. */
struct steps_call {
    const char *lab, *function; /* NULL: unnamed */
    int oracle, signature;
    const struct rule *rule; /* of an oracle that wants one */
    struct parameters parameters;
    const int32_t *in, *expected, *got; /* words */
    size_t n, n_expected;
};

/* What a write's value is, in terms of the input. */
enum content_state {
    CONTENT_UNKNOWN, /* not known to be a sum of inputs */
    CONTENT_EMPTY,   /* 0: no input */
    CONTENT_RANGE,   /* inputs first to last, each once */
    CONTENT_BROKEN   /* a sum of inputs that are no range */
};
struct content {
    uint8_t state;
    uint32_t first, last;   /* inputs in it */
    uint32_t misses, twice; /* 1 + the first of these that is missing; 1 + the
                               first that is not counted once; 0: none */
    int32_t times;          /* how often `twice` is counted */
};

struct steps_frame {
    enum vgpu_step_begin begin;
    uint32_t launch;
    uint64_t first_block, n_blocks; /* whose steps it is made of */
    uint32_t n_before;              /* barriers and messages before it */
    uint32_t first, n;              /* in steps_view.order */
};

/* Why the first wrong step is the first. */
enum steps_fault {
    FAULT_NONE,
    FAULT_BROKEN,    /* it adds ranges of inputs, and the sum is no range */
    FAULT_UNKNOWN,   /* it makes a value that is no sum of inputs */
    FAULT_UNWRITTEN, /* it reads a cell that was never written */
    FAULT_FOREIGN,   /* it makes a range with inputs that the output must not
                        contain */
    FAULT_KEPT,      /* it takes over an input that was brought somewhere, and
                        that no step in between has changed */
    FAULT_LACKS,     /* it makes a range that lacks inputs, which no later step
                        adds */
    FAULT_NO_WRITE,  /* a cell of the output is never written */
    FAULT_RACE,      /* it is made of the value of the guilty read */
    FAULT_SWAPPED    /* it joins two values the wrong way round */
};

/* The guilty read: the first that found another value than it should, because
 * nothing orders two threads (steps_race.c). */
enum steps_guilt {
    GUILT_NONE,
    GUILT_LATE,  /* another thread had already overwritten the cell */
    GUILT_EARLY, /* another thread writes to the cell only later */
    GUILT_OLD    /* another thread had written to the cell, but weak memory gave
                    the reader the value from before that write */
};
struct steps_guilty {
    enum steps_guilt guilt;
    uint32_t read;  /* of seen.reads */
    uint32_t other; /* the write that it should have come before, or after */
    char honest[ELEMENT_TEXT]; /* what it should have found */
};

/* What a wrong output is to be stood in another cell of the array from which it
 * was taken (steps_elsewhere.c). */
struct steps_elsewhere {
    bool is_known;
    size_t cell;           /* of the output */
    uint32_t taken, right; /* writes: the cell that was taken, and the other */
    uint32_t store;        /* the write of the output */
};

/* Lines that race, as racecheck has found them. */
enum { STEPS_RACES = 16 };
struct steps_race_lines {
    uint32_t here, there;
};

/* FAULT_SWAPPED: what is made of the inputs first to last comes first. */
struct steps_swapped {
    uint32_t first, last, first2, last2;
};

struct steps_view {
    struct steps_swapped swapped;
    struct vgpu_steps seen; /* lists of our own */
    char *lab, *function;   /* or NULL */
    int signature;
    size_t n, n_expected;
    size_t n_words; /* of an element */
    int32_t *in, *expected, *got;
    size_t n_wrong, first_wrong; /* elements of the output */
    struct steps_frame *frames;
    uint32_t n_frames;
    uint32_t *order;    /* writes by frame, then as they came */
    uint32_t *frame_of; /* of each write */
    uint32_t *of_array; /* writes by array: those from before, last one first,
                           then in order */
    uint32_t *array_first; /* of each array, and of one more: in of_array */
    size_t widest;         /* characters of the longest value */
    uint32_t *generation;  /* of each write: steps_row.generation */
    uint32_t *useful; /* of each array: number of cells up to the last one that
                     holds an input or a sum of inputs */
    uint8_t *cell_bytes;      /* of each array: as most of its writes have */
    uint32_t *last_write;     /* of each output: 1 + its last write; 0: none */
    struct content *contents; /* of each write; NULL: n is too large, or the
                                 output is no sum of ranges */
    uint8_t *leads; /* with contents: a write goes into a wrong output */
    uint32_t *due;  /* with contents: first and end of the range of inputs that
                   each output should sum up */
    int32_t in_array, out_array; /* or -1 */
    enum steps_fault fault;
    uint32_t fault_write; /* FAULT_NO_WRITE: not set */
    size_t fault_cell;    /* the wrong element of the output from which the walk
                             back led there */
    struct steps_guilty guilty;
    struct steps_elsewhere elsewhere;
    enum steps_fault plain_fault; /* fault and fault_write without it */
    uint32_t plain_write;
    struct steps_race_lines races[STEPS_RACES];
    size_t n_races;
    struct steps_view *right; /* the same call in an order in which it is right,
                                 or NULL; its own */
    char in_order[64];        /* "random:5", "weak:7"; "": in order */
    uint32_t answer_in; /* the array, and 1, that holds all of the answer in
                           place of the output; 0: none */
};

/* NULL: no memory. */
struct steps_view *steps_make(const vgpu_device *, const struct steps_call *);
void steps_free_view(struct steps_view *);
/* Takes over the recording of the same call in an order in which it was right.
 * With it the guilty read is found, and the step that it damages. */
void steps_compare(struct steps_view *, struct steps_view *right);
/* About how many bytes of memory it holds. */
size_t steps_bytes(const struct steps_view *);

/* ---- what the formats share (steps_parts.c) ---- */

/* The array's cells as a frame leaves them. */
struct steps_row {
    uint32_t array;
    uint32_t generation; /* of LANES: shuffles at its place before it */
    uint32_t bytes;      /* of a cell */
    uint32_t n_cells, from, shown; /* cells; the shown ones */
    bool changed;
    /* of the shown ones: 1 + the last write; 0: no write was recorded */
    uint32_t write[STEPS_COLUMNS];
    bool is_new[STEPS_COLUMNS]; /* in this frame */
};
struct steps_rows {
    struct steps_row *rows;
    uint32_t n, left_out; /* those that hold no input, or are too many */
};
/* The rows to which the frame wrote. The caller frees `rows`. */
struct steps_rows steps_rows_of(const struct steps_view *, uint32_t frame);
/* The value as an element of its array's type; "?": its write was not recorded.
 */
void steps_value(const struct steps_view *, uint32_t write,
                 char text[ELEMENT_TEXT]);
/* "d_out", "s of block 1", "scratch 2", "registers of warp 0" */
void steps_array_name(struct text *, const struct steps_view *, uint32_t array);
/* "Launch 2, up_sweep<<<1, 256>>>", "block 0 after barrier 3" */
void steps_frame_name(struct text *, const struct steps_view *, uint32_t frame);
/* "in[2..5]"; "" where it is not known */
void steps_content(struct text *, const struct content *);
/* The first wrong step in a sentence or two; nothing where all is right. */
void steps_fault_words(struct text *, const struct steps_view *);
/* Where the first wrong step stands; NULL: there is none, or it is not known.
 */
const struct vgpu_place *steps_fault_place(const struct steps_view *);
/* Where the value of the first wrong step was computed; NULL: at
 * steps_fault_place, or it is not known. */
const struct vgpu_place *steps_fault_maker(const struct steps_view *);
/* Where the first wrong value came from: the lines that stored what it was
 * computed from, and what that was computed from, the last one first. Each line
 * once. Their number. Which value: the cell's; NULL: of the array d_out.
 * (steps_lineage.c) */
struct steps_cell {
    const char *array; /* "d_out2", "d_out[1]" */
    uint64_t at;       /* its first byte, in the array */
};
size_t steps_lineage(const struct steps_view *, const struct steps_cell *,
                     const struct vgpu_place *to[], size_t most);
/* The host's copies and fillings that it came through, the last one first: 1 +
 * their place in seen.copies. Where nothing wrote it, the last copy to the
 * output. Their number, at most `most`. */
size_t steps_lineage_copies(const struct steps_view *,
                            const struct steps_cell *, uint32_t to[],
                            size_t most);
/* The launch in which it was made; NULL: not known. */
const struct vgpu_steps_launch *steps_lineage_launch(const struct steps_view *,
                                                     const struct steps_cell *);
/* The launch that could have written what nobody wrote, or that left the answer
 * in another array; NULL: that is not the fault. */
const struct vgpu_steps_launch *steps_fault_launch(const struct steps_view *);
/* Is the write the first wrong one, or of a wrong element of the output? */
bool steps_is_wrong(const struct steps_view *, uint32_t write);

/* SPDX-License-Identifier: MIT
 *
 * vgpu_steps.h: what kernels did to memory, store by store: who wrote a cell,
 * in which step, and which values the stored one was computed from.
 *
 * How to read this: a *write* is a value that came to a cell, and never
 * changes: a cell has one write after the other. A write's *feeds* are the
 * writes whose values were loaded and computed with; they stand before it in
 * the list. A *step* is what a block did between two launches, barriers or
 * messages to other blocks. What nobody was seen to write (a lab's input, what
 * a copy brought later) is a write of VGPU_WRITER_BEFORE, made when it is read.
 * A shuffle is a write, too: lanes write what they hand on to a row of
 * registers, and read from there.
 *
 * The order within a step: writes stand in the order in which they happened, of
 * all threads; a *read* is a load of one thread from a cell, and says before
 * which write it happened, and whose value it found. So who read a cell before
 * it was overwritten, who after that, and who found an older value than the one
 * that was there (the weak memory model) can be told.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <vgpu.h>

enum {
    VGPU_STEPS_NAME = 64,
    VGPU_STEPS_WRITES = 1 << 16, /* are recorded, of all launches */
    VGPU_STEPS_FEEDS = 1 << 21,  /* of all values that there were */
    VGPU_STEPS_READS = 1 << 17,
    VGPU_STEPS_ACCESSES = 1 << 14 /* to shared memory */
};

enum vgpu_array_kind { VGPU_ARRAY_GLOBAL, VGPU_ARRAY_SHARED, VGPU_ARRAY_LANES };
struct vgpu_array {
    enum vgpu_array_kind kind;
    char name[VGPU_STEPS_NAME]; /* "d_in"; "": it has none */
    uint64_t base, bytes;
    uint32_t launch; /* of SHARED and LANES, as block and warp */
    uint64_t block;
    uint32_t warp;
    uint32_t place; /* LANES: of the shuffle */
};

enum vgpu_writer {
    VGPU_WRITER_BEFORE, /* nobody who was seen */
    VGPU_WRITER_STORE,
    VGPU_WRITER_ATOMIC,
    VGPU_WRITER_SHUFFLE,
    VGPU_WRITER_COPY, /* the host: device to device */
    VGPU_WRITER_FILL  /* the host: other bytes */
};
struct vgpu_write {
    uint64_t value;
    uint32_t array, at; /* byte of it */
    uint32_t step;
    uint32_t thread; /* in its block; not of the host */
    uint32_t place;
    uint32_t made;          /* the place where the value was computed, and 1; 0:
                               it was only moved, or nobody saw */
    uint32_t over;          /* the cell's write before it, and 1; 0: none */
    uint32_t feed, n_feeds; /* in vgpu_steps.feeds */
    uint8_t bytes, writer;  /* enum vgpu_writer */
};
struct vgpu_feed {
    uint32_t write;
    int32_t times; /* of sums: how often it is added; of others 1 */
};

/* A load by a thread, in a step of its block; of atomics none is kept. */
struct vgpu_read {
    uint32_t write;  /* whose value it found */
    uint32_t before; /* it happened before this write, and behind the last */
    uint32_t launch, thread, place;
    uint32_t phase, n_ordered; /* as of its step, which need not have writes */
    uint64_t block;
};

enum vgpu_step_begin {
    VGPU_STEP_HOST, /* what the host did between launches */
    VGPU_STEP_LAUNCH,
    VGPU_STEP_BARRIER,
    VGPU_STEP_MESSAGE /* behind a release or an acquire */
};
struct vgpu_step {
    enum vgpu_step_begin begin;
    uint32_t launch; /* the first is 1; HOST: of the one before it */
    uint64_t block;
    uint32_t phase;     /* barriers and messages of the block before it */
    uint32_t last;      /* its last write */
    uint32_t n_ordered; /* barriers alone */
};

struct vgpu_place {
    char *file;            /* without its folder; NULL: not known */
    uint32_t line, called; /* as in struct vgpu_source */
    uint32_t outer[VGPU_OUTER];
};
struct vgpu_steps_launch {
    char kernel[VGPU_STEPS_NAME];
    uint32_t grid[3], block[3];
    uint64_t callers[VGPU_CALLERS]; /* as of a finding */
};

/* A warp's access to shared memory. */
struct vgpu_bank_access {
    uint32_t launch, warp, place;
    uint64_t block;
    uint32_t mask;
    uint32_t at[32]; /* byte of each lane of the mask */
    uint8_t bytes;   /* of a lane */
    bool writes, is_atomic;
    uint8_t wavefronts, ideal;
};

/* Of one word that is watched in place of all (vgpu_watch_word): who stored to
 * it last, and what its block, if it was not the only one, had last read before
 * by a volatile or atomic load: mostly what others have told it. */
struct vgpu_word_writer {
    struct vgpu_source where; /* no file: nobody, or not known */
    uint32_t block[3], thread[3];
    struct vgpu_source read; /* no file: it read none */
    uint64_t word;           /* that it read there; */
    uint32_t word_bytes;     /* so long */
};

struct vgpu_steps {
    const struct vgpu_array *arrays;
    const struct vgpu_write *writes;
    const struct vgpu_read *reads;
    const struct vgpu_feed *feeds;
    const struct vgpu_step *steps;
    const struct vgpu_place *places;
    const struct vgpu_steps_launch *launches; /* launch 1 is [0] */
    const struct vgpu_bank_access *accesses;
    uint32_t n_arrays, n_writes, n_reads, n_feeds, n_steps, n_places,
        n_launches, n_accesses;
    uint32_t banks; /* of shared memory */
    /* A limit was met, or memory was short: what came later is left out. */
    bool is_cut, reads_cut, accesses_cut;
};

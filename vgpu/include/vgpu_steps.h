/* SPDX-License-Identifier: MIT
 *
 * vgpu_steps.h: what kernels did to memory, store by store: who wrote a cell,
 * in which step, and which values the stored one was computed from.
 *
 * How to read this: a *write* records that a cell got a value. It never
 * changes; a cell that gets another value has another write. A write's *feeds*
 * are the writes whose values were loaded and from which its value was
 * computed; they stand before it in the list. A *step* is what a block did
 * between two launches, barriers or messages to other blocks. A value whose
 * store was not recorded (input that was copied to the device, what an
 * asynchronous copy brought) gets a write with VGPU_WRITER_BEFORE when it is
 * read first. A shuffle makes writes, too: lanes write what they give to a row
 * of registers, and read from there.
 *
 * The order within a step: the writes of all threads stand in the order in
 * which they happened. A *read* is a load of a cell by one thread; it says
 * before which write it happened, and whose value it found. So one can tell
 * whether a thread read a cell before or after it was overwritten, and whether
 * it found an older value than the one that was there (the weak memory model).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <vgpu.h>

enum {
    VGPU_STEPS_NAME = 64,
    VGPU_STEPS_WRITES = 1 << 16,  /* most writes in all launches */
    VGPU_STEPS_FEEDS = 1 << 21,   /* most feeds of all values */
    VGPU_STEPS_READS = 1 << 17,   /* most reads */
    VGPU_STEPS_ACCESSES = 1 << 14 /* most accesses to shared memory */
};

enum vgpu_array_kind { VGPU_ARRAY_GLOBAL, VGPU_ARRAY_SHARED, VGPU_ARRAY_LANES };
struct vgpu_array {
    enum vgpu_array_kind kind;
    char name[VGPU_STEPS_NAME]; /* "d_in"; "": it has none */
    uint64_t base, bytes;
    uint32_t launch; /* launch, block: of SHARED and LANES */
    uint64_t block;
    uint32_t warp;  /* of LANES */
    uint32_t place; /* of LANES: of the shuffle, in vgpu_steps.places */
};

enum vgpu_writer {
    VGPU_WRITER_BEFORE, /* the store was not recorded */
    VGPU_WRITER_STORE,
    VGPU_WRITER_ATOMIC,
    VGPU_WRITER_SHUFFLE,
    VGPU_WRITER_COPY, /* the host: device to device */
    VGPU_WRITER_FILL  /* the host: other bytes */
};
struct vgpu_write {
    uint64_t value;
    uint32_t array, at; /* index of the array; byte in it */
    uint32_t step;
    uint32_t thread;        /* in its block; unused for writes of the host */
    uint32_t place;         /* in vgpu_steps.places, as the next */
    uint32_t made;          /* 1 + the place where the value was computed; 0: it
                               was only moved, or that was not recorded. Of the
                               host's: 1 + which of vgpu_steps.copies */
    uint32_t over;          /* 1 + the cell's write before it; 0: none */
    uint32_t feed, n_feeds; /* in vgpu_steps.feeds */
    uint8_t bytes, writer;  /* enum vgpu_writer */
};
struct vgpu_feed {
    uint32_t write;
    int32_t times; /* how often a sum adds it; 1 where the value is no sum */
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
    uint32_t launch; /* the first is 1; HOST: the launch before it */
    uint64_t block;
    uint32_t phase; /* number of barriers and messages of the block so far */
    uint32_t last;  /* index of its last write */
    uint32_t n_ordered; /* number of barriers alone so far */
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

/* A copy or filling by the host. */
struct vgpu_steps_copy {
    uint64_t callers[VGPU_CALLERS]; /* as of a launch */
};

/* A warp's access to shared memory. */
struct vgpu_bank_access {
    uint32_t launch, warp, place;
    uint64_t block;
    uint32_t mask;
    uint32_t at[32]; /* for each lane of the mask: its first byte */
    uint8_t bytes;   /* per lane */
    bool writes, is_atomic;
    uint8_t wavefronts, ideal;
};

/* Who stored last to the word that vgpu_watch_word chose; and, where the launch
 * has several blocks, the last word that this block had read before by a
 * volatile or atomic load, which is mostly what another block has published. */
struct vgpu_word_writer {
    struct vgpu_source where; /* no file: no store, or not known */
    uint32_t block[3], thread[3];
    struct vgpu_source read; /* the load; no file: there was none */
    uint64_t word;           /* what it read */
    uint32_t word_bytes;     /* how long that word is */
};

struct vgpu_steps {
    const struct vgpu_array *arrays;
    const struct vgpu_write *writes;
    const struct vgpu_read *reads;
    const struct vgpu_feed *feeds;
    const struct vgpu_step *steps;
    const struct vgpu_place *places;
    const struct vgpu_steps_launch *launches; /* launch 1 is [0] */
    const struct vgpu_steps_copy *copies;
    const struct vgpu_bank_access *accesses;
    uint32_t n_arrays, n_writes, n_reads, n_feeds, n_steps, n_places,
        n_launches, n_copies, n_accesses;
    uint32_t banks; /* of shared memory */
    /* True: a limit was reached, or memory was short; the lists end there. */
    bool is_cut, reads_cut, accesses_cut;
};

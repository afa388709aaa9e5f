/* SPDX-License-Identifier: MIT
 *
 * race.h: racecheck: two accesses to one word by different threads, at least
 * one a write, not both strong, and nothing that orders them.
 *
 * What orders two threads of a block: a block barrier between, or a
 * bar.warp.sync between that both lanes took part in. What orders two threads
 * otherwise, be it of one block (also through shared memory) or of two:
 * one makes a strong write behind a fence (or a release), the other reads that
 * word with a strong read (or an acquire) and then passes a fence or barrier;
 * chains of such steps count. Launches are ordered. A write after a read needs
 * less: no fence, but a barrier between the read and the flag, and between
 * seeing the flag and the write (as in CUB's algorithms that work in place);
 * not so where the device's reads_want_release is set, as the judge does.
 * A strong read of several words, two of which another thread wrote one by one
 * with no fence between, is reported as well: it may see one without the other.
 * Every approximation here errs towards silence: a block releases for all its
 * threads at once; of many readers of a word two are remembered.
 */
#ifndef VGPU_RACE_H
#define VGPU_RACE_H

#include "watch.h"

/* An access that is remembered, taken apart. insn: number in the program. */
struct race_by {
    uint64_t who;
    uint32_t stamp, insn;
    bool strong, volatile_shared;
    uint8_t bytes, width;
};
/* The access at hand, packed as race_inside.h says, and what it is compared
 * with. */
struct race_now {
    uint64_t block, barrier, era, when, what;
    uint64_t short_stamp, short_barrier; /* where shadows are short */
};

/* Per word of 4 bytes: its last writer, its last reader, and the last reader of
 * another block than that. Packed, see race_inside.h. Shared memory has short
 * entries, of one word (`when` is NULL) and no third plane, unless copies that
 * arrive later are about: only those are of another block. */
struct race_plane {
    uint64_t *when, *what;
    uint64_t era; /* of the latest entry: before it there is nothing to see */
};
struct race_shadow {
    struct race_plane write, read, read2;
    uint64_t n; /* words */
    uint64_t words[];
};

/* What a block knows of the others: clock[b] is the stamp up to which block b's
 * accesses are ordered before us. Snapshots are shared and never change. */
struct race_view {
    uint32_t references, n;
    uint32_t clock[];
};
struct race_sync {
    uint64_t address;
    struct race_view *view;
    uint64_t block;
    uint32_t stamp, own_stamp;
    bool view_known;
    /* The same for loads that have returned. done_stamp 0: none */
    struct race_view *done;
    uint64_t done_block;
    uint32_t done_stamp;
    struct race_sync *next;
};

struct race_state {           /* of a launch */
    struct race_sync **table; /* words written by release */
    uint32_t n_syncs, era;
    uint32_t *first_insn;     /* per function, its first number */
    struct race_view **known; /* per block, NULL: nothing */
    struct race_view **done;  /* which loads of others have returned */
    uint64_t n_blocks;
    bool too_many; /* too many blocks to tell apart:
                      orders between blocks are assumed */
    bool full;     /* too many words were released to remember: nothing is a
                      race any more */
};

/* ---- copies that arrive later (async.h) ---- */
/* A run of bytes that a lane's copy reads or writes. name: not 0: it does so
 * from now on until race_copy_claim; 0: it does so now. */
struct race_run {
    const struct region *region;
    uint64_t from; /* bytes behind the region's base */
    uint32_t bytes;
    bool shared, write;
    uint32_t name;
};
void race_copy_begin(struct context *, uint32_t lane, const struct race_run *);
/* From now on the run was accessed by this thread of the block, at its clock
 * of now. */
void race_copy_claim(struct block *, uint32_t thread, const struct race_run *);
/* After claims: the stamp that those in order have to learn. */
uint32_t race_copy_claimed(struct context *);
void race_learn_stamp(struct context *, uint32_t lane, uint32_t stamp);
/* fence.proxy.async, by the active lanes: *stamps[lane] is set. */
void race_proxy_fence(struct context *, uint32_t stamps[WARP_LANES]);
/* The lane's bulk copy is about to read the run: reports words that were
 * written through the generic proxy with no proxy fence since. */
void race_proxy_check(struct context *, uint32_t lane, const struct race_run *);

#endif

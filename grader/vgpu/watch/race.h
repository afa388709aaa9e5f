/* SPDX-License-Identifier: MIT
 *
 * race.h: racecheck. A race is two accesses to one word by different threads,
 * at least one of them a write, not both strong, and not ordered by
 * happens-before.
 *
 * Two accesses by threads of one block are ordered by a block barrier between
 * them, or by a bar.warp.sync between them in which both lanes took part. Any
 * two threads, of one block (also through shared memory) or of two, are ordered
 * by a flag: one thread makes a strong write after a fence (or a release), the
 * other reads that word with a strong read (or an acquire) and then passes a
 * fence or a barrier. Chains of such steps count. Launches are ordered.
 *
 * A write after a read needs less. It needs no fence, but a barrier between the
 * read and the flag, and a barrier between seeing the flag and the write, as in
 * CUB's algorithms that work in place. Where the device's reads_want_release is
 * set, as the judge sets it, that is not enough.
 *
 * A strong read of several words is reported as well when another thread wrote
 * two of them one by one with no fence between: the read may see one without
 * the other.
 *
 * Every approximation here misses races and invents none: a block releases for
 * all its threads at once; of many readers of a word, two are remembered.
 */
#ifndef VGPU_RACE_H
#define VGPU_RACE_H

#include "watch.h"

/* A remembered access, unpacked. insn: its number in the program. */
struct race_by {
    uint64_t who;
    uint32_t stamp, insn;
    bool strong, volatile_shared;
    uint8_t bytes, width;
};
/* The current access, packed as race_inside.h says, and the times that
 * remembered accesses are compared with. */
struct race_now {
    uint64_t block, barrier, era, when, what;
    uint64_t short_stamp, short_barrier; /* for short entries */
};

/* For each word of 4 bytes: its last writer, its last reader, and the last
 * reader from another block than that reader's. Entries are packed, see
 * race_inside.h. Shared memory has short entries of one word (`when` is NULL)
 * and no third plane, unless the program has asynchronous copies: only a copy
 * can access shared memory as if from another block. */
struct race_plane {
    uint64_t *when, *what;
    uint64_t era; /* of the latest entry; an older launch left nothing that
                   * counts */
};
struct race_shadow {
    struct race_plane write, read, read2;
    uint64_t n; /* words */
    uint64_t words[];
};

/* A vector clock: accesses of block b with a stamp below clock[b] are ordered
 * before the block that holds the view. Views are shared and never change. */
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
    /* the same for loads that have returned; done_stamp 0: none */
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
    struct race_view **done;  /* which loads of other blocks have returned */
    uint64_t n_blocks;
    bool too_many; /* too many blocks to keep apart: blocks count as ordered */
    bool full;     /* too many released words to remember: nothing is reported
                    * any more */
};

/* ---- copies that arrive later (async.h) ---- */
/* A run of bytes that a lane's copy reads or writes. With a name other than 0
 * it does so from now until race_copy_claim; with name 0 it does so at once. */
struct race_run {
    const struct region *region;
    uint64_t from; /* bytes behind the region's base */
    uint32_t bytes;
    bool shared, write;
    uint32_t name;
};
void race_copy_begin(struct context *, uint32_t lane, const struct race_run *);
/* From now on the run counts as accessed by this thread of the block, at the
 * block's present time. */
void race_copy_claim(struct block *, uint32_t thread, const struct race_run *);
/* After claims: the stamp that threads must have seen to be ordered after them.
 */
uint32_t race_copy_claimed(struct context *);
void race_learn_stamp(struct context *, uint32_t lane, uint32_t stamp);
/* fence.proxy.async, by the active lanes: *stamps[lane] is set. */
void race_proxy_fence(struct context *, uint32_t stamps[WARP_LANES]);
/* The lane's bulk copy is about to read the run: reports words that were
 * written through the generic proxy and not followed by a proxy fence. */
void race_proxy_check(struct context *, uint32_t lane, const struct race_run *);

#endif

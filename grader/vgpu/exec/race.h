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
 * chains of such steps count. Launches are ordered.
 * A strong read of several words, two of which another thread wrote one by one
 * with no fence between, is reported as well: it may see one without the other.
 * Every approximation here errs towards silence: a block releases for all its
 * threads at once; of many readers of a word two are remembered.
 */
#ifndef VGPU_RACE_H
#define VGPU_RACE_H

#include "access.h"

/* An access that is remembered, taken apart. insn: number in the program. */
struct race_by {
    uint64_t who;
    uint32_t stamp, insn;
    bool strong, volatile_shared;
    uint8_t bytes, width;
};
/* The access at hand, packed as race.c says, and what it is compared with. */
struct race_now {
    uint64_t block, barrier, era, when, what;
};

/* Per word of 4 bytes: its last writer, its last reader, and the last reader of
 * another block than that. Packed, see race.c. */
struct race_plane {
    uint64_t *when, *what;
    uint64_t era; /* of the latest entry: before it there is nothing to see */
};
struct race_shadow {
    struct race_plane write, read, read2;
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
    struct race_sync *next;
};

struct race_state {           /* of a launch */
    struct race_sync **table; /* words written by release */
    uint32_t n_table, era;
    uint32_t *first_insn;     /* per function, its first number */
    struct race_view **known; /* per block, NULL: nothing */
    uint64_t n_blocks;
    bool too_many; /* too many blocks to tell apart:
                      orders between blocks are assumed */
};

void race_begin(struct machine *);
void race_end(struct machine *);
void race_block_started(struct block *);
void race_block_freed(struct block *);
struct race_shadow *race_new_shadow(uint64_t bytes);
void race_access(struct context *, const struct access *, bool shared);
/* The same for a weak access whose bytes are one run. False: nothing is
 * remembered, and race_access has to look. */
bool race_span(struct context *, const struct access *, bool shared);
void race_barrier(struct block *);
void race_warp_sync(struct context *, uint32_t lanes);
void race_fence(struct context *, enum memory_order);
void race_block_fence(struct context *); /* __threadfence_block() */

#endif

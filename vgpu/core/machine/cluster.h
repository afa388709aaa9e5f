/* SPDX-License-Identifier: MIT
 *
 * cluster.h: clusters: blocks that are resident together, and reach each
 * other's shared memory.
 *
 * How to read this: a cluster of n blocks has n slots of the grid that lie side
 * by side, its block of rank r the r-th of them. All start together, and the
 * slots are given to the next cluster when all have ended; so a block that has
 * ended is still there, but does not run. An address of shared memory has 24
 * bits, and above them, in seven more, 0 (the thread's own block) or one more
 * than the rank of the block whose memory it is.
 */
#pragma once

#include <stddef.h>

#include "machine.h"

enum {
    CLUSTER_MOST = 16,    /* blocks */
    CLUSTER_PORTABLE = 8, /* without cudaFuncAttributeNonPortable... */
    CLUSTER_SHIFT = 24,
    CLUSTER_TAGS = 0x7f, /* the last one: of no block */
    CLUSTER_OFFSETS = (1 << CLUSTER_SHIFT) - 1
};

static inline bool cluster_in(const struct machine *m) {
    return m->cluster_blocks > 1;
}

/* Is this enum scope the block's? */
static inline bool cluster_of_block(const struct machine *m, uint8_t scope) {
    return scope == BLOCK_SCOPE || (scope == CLUSTER_SCOPE && !cluster_in(m));
}

static inline struct block *cluster_first(const struct block *b) {
    return (struct block *)b - b->rank;
}

/* Whose shared memory the address is of; NULL: no block has this rank. Without
 * the upper bits, *at is the byte there. */
struct block *cluster_owner(const struct block *, uint64_t *at);

/* The block whose shared memory a region is. */
static inline struct block *cluster_of_region(const struct region *r) {
    return (struct block *)(uintptr_t)((const uint8_t *)r -
                                       offsetof(struct block, shared));
}

/* For code that knows only its own block's shared memory: takes the upper bits
 * off the address if it is in that. */
static inline uint64_t cluster_own(const struct block *b, uint64_t at) {
    uint64_t tag = at >> CLUSTER_SHIFT;
    return tag && cluster_in(b->machine) && tag == b->rank + 1u
               ? at & CLUSTER_OFFSETS
               : at;
}

/* SPDX-License-Identifier: MIT
 *
 * copies.h: the state of asynchronous copies, and of the mbarriers and groups
 * by which threads wait for them (async.h says how it works). It stands here,
 * below the observers, because initcheck names a copy for which no thread has
 * waited.
 *
 * A copy leaves its block's list when it has landed. A store whose source has
 * been read may outlive its block: then it is an *orphan*.
 */
#pragma once

#include "async_op.h"
#include "machine.h"

/* Used by the clock: when something for which threads wait is complete, and the
 * longest chains that lead to it (clock_copies.c). */
struct copy_time {
    uint64_t time, depth;
    uint32_t chain, links;
    uint32_t cause; /* vgpu_cause of the way there */
};

struct mbarrier {
    uint32_t at;                 /* byte of shared memory */
    uint32_t expected;           /* arrivals of each phase */
    uint32_t pending;            /* arrivals still missing in this phase */
    int32_t tx;                  /* bytes announced and not yet copied */
    uint64_t phase;              /* completed so far */
    uint64_t announced, brought; /* bytes, in this phase */
    const struct insn *made_by;
    struct copy_time due, over; /* of this phase; of the phase before */
};

struct async_lanes { /* of a warp, once it needs them */
    uint32_t bulk_group[WARP_LANES], small_group[WARP_LANES]; /* open ones */
    uint32_t small_arrivals[WARP_LANES]; /* cp.async.mbarrier.arrive since the
                                            group was opened */
};

struct async_block {
    struct async_copy *first, *last; /* in order of issue */
    uint32_t n_flying, n_listed;
    uint64_t n_phases; /* completed, of all mbarriers */
    struct mbarrier *mbarriers;
    uint32_t n_mbarriers, capacity;
    uint16_t *number; /* per 8 bytes of shared memory: mbarrier + 1 */
};

enum { COPY_UNIT = 16 /* bulk addresses and sizes are multiples of it */ };

enum copy_state { COPY_FLIES, COPY_HAS_READ };

/* cp.async, per lane of a warp */
struct small {
    uint32_t group[WARP_LANES];
    uint32_t to[WARP_LANES];
    uint64_t from[WARP_LANES];
    uint8_t bytes[WARP_LANES]; /* of the source; the rest is zero */
};

struct async_copy {
    struct async_copy *next;
    struct block *block; /* NULL: orphan */
    const struct async_op *op;
    const struct insn *insn;
    enum copy_state state;
    uint32_t sm, warp, lane, thread;
    uint32_t group;
    uint64_t to, from;
    uint32_t bytes, done;
    bool from_shared;
    uint32_t barrier;
    uint32_t
        stamp;     /* racecheck's: of a load, of the copies before an arrival */
    uint8_t *data; /* COPY_HAS_READ: bytes, then a byte of taint for 8 */
    uint32_t lanes; /* small: not yet landed */
    struct small *small;
    struct copy_time arrives;
    uint64_t was_read; /* a store's source, as arrives.time */
};

struct async_state {
    struct async_copy *orphans; /* oldest first */
    uint32_t n_orphans;
};

/* Makes *to the time when both are complete. */
static inline void copy_time_add(struct copy_time *to,
                                 const struct copy_time *t) {
    if (t->time >= to->time) to->time = t->time, to->cause = t->cause;
    if (t->depth > to->depth) to->depth = t->depth;
    if (t->chain > to->chain) to->chain = t->chain;
    if (t->links > to->links) to->links = t->links;
}

static inline void mbarrier_waits_for(struct mbarrier *x,
                                      const struct copy_time *t) {
    copy_time_add(&x->due, t);
}

/* The instruction of a copy that is under way and has these bytes of the
 * block's shared memory, or of global memory, as its destination or, if it is a
 * store, as its source. NULL: there is none. */
const struct insn *async_flying(const struct block *, bool shared,
                                uint64_t address, uint32_t bytes);

/* SPDX-License-Identifier: MIT
 *
 * copies.h: the state of what goes on beside the threads: copies that arrive
 * later, and the mbarriers and groups that tell when (async.h says how it
 * works). Here, below the observers, since racecheck and initcheck name a copy
 * that nobody has waited for.
 *
 * A copy leaves its block's list when it has landed and is claimed (at once
 * when racecheck is off). A store whose source has been read may outlive its
 * block: then it is an *orphan*.
 */
#pragma once

#include "async_op.h"
#include "machine.h"

struct mbarrier {
    uint32_t at;                 /* byte of shared memory */
    uint32_t expected;           /* arrivals of each phase */
    uint32_t pending;            /* still missing in this one */
    int32_t tx;                  /* bytes announced and not yet brought */
    uint64_t phase;              /* completed so far */
    uint64_t announced, brought; /* bytes, in this phase */
    uint32_t claimed;            /* racecheck: stamp that waiters learn */
    const struct insn *made_by;
};

struct async_lanes { /* of a warp, once it needs them */
    uint32_t bulk_group[WARP_LANES], small_group[WARP_LANES]; /* open ones */
    uint32_t proxy_fence[WARP_LANES]; /* racecheck: stamp of the latest */
};

struct async_block {
    struct async_copy *first, *last; /* in order of issue */
    uint32_t n_flying, n_listed;
    uint64_t n_phases; /* completed, of all mbarriers */
    struct mbarrier *mbarriers;
    uint32_t n_mbarriers, capacity;
    uint16_t *number; /* per 8 bytes of shared memory: mbarrier + 1 */
};

enum {
    COPY_UNIT = 16, /* bulk addresses and sizes are multiples of it */
    KNOWN_ISSUERS = 4096
};

enum copy_state { COPY_FLIES, COPY_HAS_READ, COPY_LANDED };

/* cp.async, per lane of a warp */
struct small {
    uint32_t group[WARP_LANES];
    uint32_t to[WARP_LANES];
    uint64_t from[WARP_LANES];
    uint8_t bytes[WARP_LANES]; /* of the source; the rest is zero */
    /* Lanes that executed cp.async.mbarrier.arrive after the copy, and the
     * mbarrier and phase that each lane named. */
    uint32_t with_barrier, barrier[WARP_LANES];
    uint64_t phase[WARP_LANES];
};

struct async_copy {
    struct async_copy *next;
    struct block *block; /* NULL: orphan */
    const struct async_op *op;
    struct insn *insn;
    enum copy_state state;
    uint32_t name; /* racecheck's; 0: none */
    uint32_t sm, warp, lane, thread;
    uint32_t group;
    uint64_t to, from;
    uint32_t bytes, done;
    bool from_shared, to_claim, from_claim; /* not yet claimed */
    uint32_t barrier;
    uint64_t phase; /* that it completed in */
    uint8_t *data;  /* COPY_HAS_READ: bytes, then a byte of marks for 8 */
    uint32_t lanes, unclaimed; /* small: not yet landed; not yet claimed */
    struct small *small;
};

struct issuer {
    uint32_t name;
    struct insn *insn;
    uint32_t block[3], thread;
};

struct async_state {
    uint32_t next_name;
    struct async_copy *orphans; /* oldest first */
    uint32_t n_orphans;
    struct issuer issuers[KNOWN_ISSUERS];
};

/* The copy that flies to (or, of_store, from) this byte of the block's shared
 * memory or of global memory; its instruction, NULL: none. */
const struct insn *async_flying(const struct block *, bool shared,
                                uint64_t address, uint32_t bytes);
/* Racecheck's name of a copy -> who issued it, by what. */
bool async_issuer(const struct machine *, uint32_t name, const struct insn **by,
                  uint32_t block[3], uint32_t thread[3]);

/* SPDX-License-Identifier: MIT
 *
 * async_copy.h: a copy on its way, for the files that issue (async_issue.c),
 * land (async_land.c), wait for (async_wait.c) and keep (async_copy.c) copies.
 *
 * A copy leaves its block's list when it has landed and is claimed (at once
 * when racecheck is off). A store whose source has been read may outlive its
 * block: then it is an *orphan*.
 */
#ifndef VGPU_ASYNC_COPY_H
#define VGPU_ASYNC_COPY_H

#include "async.h"

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
    /* cp.async.mbarrier.arrive followed: an mbarrier tells when. Lanes that do
     * not keep step may mean several. */
    uint32_t told, barrier[WARP_LANES];
    uint64_t phase[WARP_LANES];
};

struct async_copy {
    struct async_copy *next;
    struct block *block; /* NULL: orphan */
    const struct async_op *op;
    const struct insn *insn;
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
    const struct insn *insn;
    uint32_t block[3], thread;
};

struct async_state {
    uint32_t next_name;
    struct async_copy *orphans; /* oldest first */
    uint32_t n_orphans;
    struct issuer issuers[KNOWN_ISSUERS];
};

/* ---- kept (async_copy.c) ---- */
struct async_state *async_state_of(struct machine *); /* NULL: no memory */
void copy_free(struct async_copy *);
/* Once it has landed and is claimed, nobody asks for it any more. */
void copy_forget_if_done(struct async_copy *);
/* Where its issuer stands, for findings. */
struct context copy_blame(const struct async_copy *, struct warp *);
inline bool copy_is_store(const struct async_copy *k) {
    return k->op->verb == ASYNC_BULK_STORE;
}

/* ---- landing (async_land.c); false: the launch is over ---- */
bool copy_land(struct async_copy *);
/* At most so many bytes of a bulk load; else all. */
bool copy_land_some(struct async_copy *, uint32_t bytes);
bool copy_land_store(struct async_copy *);
/* These lanes of a cp.async. */
void copy_land_small(struct async_copy *, uint32_t lanes);
/* The two halves of landing a store. */
void copy_read_source(struct async_copy *);
void copy_write_target(struct machine *, struct async_copy *);

/* ---- waiting (async_wait.c) ---- */
/* Racecheck has no interest in it any more. */
void copy_claim_all(struct async_copy *);
bool copy_wait_for_groups(struct context *, const struct async_op *);
bool copy_commit(struct context *, bool small);

#endif

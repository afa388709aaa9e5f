/* SPDX-License-Identifier: MIT
 *
 * async_copy.h: a copy on its way (copies.h), for the files that issue
 * (async_issue.c), land (async_land.c), wait for (async_wait.c) and keep
 * (async_copy.c) copies.
 */
#ifndef VGPU_ASYNC_COPY_H
#define VGPU_ASYNC_COPY_H

#include "async.h"

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

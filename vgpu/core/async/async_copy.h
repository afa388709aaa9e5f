/* SPDX-License-Identifier: MIT
 *
 * async_copy.h: what the files share that issue (async_issue.c), land
 * (async_land.c), wait for (async_wait.c) and keep (async_copy.c) asynchronous
 * copies. The copy itself is in copies.h.
 */
#pragma once

#include "async.h"

/* The text under which copies are charged (charges.h). */
#define COPIES_UNDER_WAY "copies under way"

/* ---- kept (async_copy.c) ---- */
struct async_state *async_state_of(struct machine *); /* NULL: no memory */
void copy_free(struct machine *, struct async_copy *);
/* Removes a copy that has landed. */
void copy_forget(struct async_copy *);
/* The place of the thread that issued it, for findings. */
struct context copy_issuer(const struct async_copy *, struct warp *);
static inline bool copy_is_store(const struct async_copy *k) {
    return k->op->verb == ASYNC_BULK_STORE;
}

/* ---- landing (async_land.c); false: the launch is over ---- */
bool copy_land(struct async_copy *);
bool copy_land_store(struct async_copy *);
/* The part of a cp.async that these lanes issued. */
void copy_land_small(struct async_copy *, uint32_t lanes);
/* The two halves of landing a store. */
void copy_read_source(struct async_copy *);
void copy_write_target(struct machine *, struct async_copy *);

/* ---- waiting (async_wait.c) ---- */
bool copy_wait_for_groups(struct context *, const struct async_op *);
bool copy_commit(struct context *, bool small);

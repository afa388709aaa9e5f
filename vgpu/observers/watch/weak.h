/* SPDX-License-Identifier: MIT
 *
 * weak.h: the weak memory model: what a GPU may do with accesses to global
 * memory that the program does not order.
 *
 * Stores (plain, volatile, relaxed) wait in a buffer and reach memory in an
 * order drawn from the seed; until then their own warp sees them, and its block
 * after a barrier or a fence. A fence or a release drains what its warp stored,
 * and what its block can see of the others' stores.
 *
 * Loads, also strong ones, may read a word as it was before the latest writes,
 * because a GPU need not execute two loads in the order of the program. How old
 * a value a warp may still read is limited by what it has read before (never an
 * older value of the same word), by acquiring what another warp released, and
 * by fences: after fence.acq_rel it sees what was released through the words
 * that it has read, after fence.sc all that is in memory. Old values are
 * forgotten after a while, so that a thread that polls a word sees its new
 * value in the end. A lane's load reads all its bytes as they were at one time.
 *
 * Loads through the read-only cache (ld.global.nc) may get what the word held
 * when the launch began, whatever has happened since. (PTX ISA, "ld.global.nc":
 * the data must be read-only. On an H200, ptxas 13.0 makes one load of two that
 * it can see to be of one word, so the second one misses every store between;
 * where it cannot, the load is a plain one: research/clock/cached.cu, stale.)
 *
 * Plain loads may also be served from an L1 line that was read before; fences
 * and acquires empty the L1. Atomics act on the newest value in memory at once.
 *
 * Source: PTX ISA, "Memory Consistency Model".
 */
#pragma once

#include "event.h"

struct weak_state;
struct weak_block;
/* NULL: sequentially consistent. */
static inline struct weak_state *weak_of(const struct machine *m) {
    return m->slots[OBSERVER_WEAK];
}
/* What the block's warps may see. */
static inline struct weak_block *weak_block_of(const struct block *b) {
    return b->slots[OBSERVER_WEAK];
}

/* Called before and after the instruction's own work on x (access.c). */
/* Where a store leaves its bytes, 16 per lane. */
uint8_t *weak_scratch(struct context *);
void weak_load(struct context *, struct access *);
void weak_stored(struct context *, struct access *);
void weak_atomic(struct context *, struct access *);
void weak_atomic_done(struct context *, struct access *);
/* After a fence or a barrier for the block only, or what has the same effect.
 */
void weak_block_fenced(struct context *);
/* Called before an asynchronous copy that the warp issues reads memory. */
void weak_before_read(struct context *);
/* Called before an asynchronous copy that was issued on this SM writes memory.
 */
void weak_before_copy(struct machine *, uint32_t sm, uint64_t address,
                      uint64_t bytes);
/* Writes a random part of the waiting stores to memory. */
void weak_pass(struct machine *);
bool weak_waits(const struct machine *); /* are there waiting stores? */
/* Writes all waiting stores to memory, and forgets old values. True: there were
 * some. */
bool weak_drain(struct machine *);

/* The launch's waiting stores reach memory: it ends, and others of other GPUs
 * go on. Before racecheck hears that it ends. */
void weak_land(struct machine *);

/* ---- events ---- */
void weak_met(struct block *);
void weak_some_met(struct block *, uint32_t barrier);
void weak_came(struct context *, uint32_t barrier, uint32_t lanes);
void weak_passed(struct context *, uint32_t lanes);
void weak_fenced(struct context *);
void weak_launch_begins(struct machine *);
void weak_launch_ends(struct machine *);
void weak_slot_made(struct block *);
void weak_block_starts(struct block *);
void weak_slot_freed(struct block *);
static inline bool weak_watches(const struct machine *m) {
    return m->options->memory_model == VGPU_MEMORY_WEAK;
}
static const struct observer weak_observer = {.watches = weak_watches,
                                              .met = weak_met,
                                              .some_met = weak_some_met,
                                              .came = weak_came,
                                              .passed = weak_passed,
                                              .fenced = weak_fenced,
                                              .block_fenced = weak_block_fenced,
                                              .launch_begins =
                                                  weak_launch_begins,
                                              .launch_ends = weak_launch_ends,
                                              .slot_made = weak_slot_made,
                                              .block_starts = weak_block_starts,
                                              .slot_freed = weak_slot_freed};

/* SPDX-License-Identifier: MIT
 *
 * weak.h: the weak memory model: what a GPU may do to global memory when a
 * program does not ask for order.
 *
 * Stores (plain, volatile, relaxed) wait in a buffer and reach memory in an
 * order drawn from the seed; only their own block sees them at once. A fence
 * drains what its warp stored, and what other warps of the block stored before
 * the last block barrier. Plain loads may be served from an L1 line that was
 * read before; strong loads go to memory; fences and acquires empty the L1.
 * Atomics act on memory at once. One word never goes back in time for one
 * block. Sources: PTX ISA, "Memory Consistency Model".
 */
#ifndef VGPU_WEAK_H
#define VGPU_WEAK_H

#include "watch.h"

/* Around the instruction's own work on x (see access.c). */
/* Where a store leaves its bytes, 16 per lane. */
uint8_t *weak_scratch(struct context *);
void weak_load(struct context *, struct access *);
void weak_stored(struct context *, struct access *);
void weak_atomic(struct context *, struct access *);
/* An asynchronous copy issued on this SM is about to write memory itself. */
void weak_before_copy(struct machine *, uint32_t sm, uint64_t address,
                      uint64_t bytes);
/* Lets a random part of the waiting stores through. */
void weak_pass(struct machine *);
bool weak_waits(const struct machine *); /* there are some */
/* All of them; true: there were some. */
bool weak_drain(struct machine *);

#endif

/* SPDX-License-Identifier: MIT
 *
 * weak.h: the weak memory model: what a GPU may do with accesses to global
 * memory that the program does not order.
 *
 * Stores (plain, volatile, relaxed) wait in a buffer and reach memory in an
 * order drawn from the seed; only their own block sees them at once. A fence
 * drains what its warp stored, and what other warps of the block stored before
 * the last block barrier. Plain loads may be served from an L1 line that was
 * read before; strong loads go to memory; fences and acquires empty the L1.
 * Atomics act on memory at once. For one block, one word never goes back to an
 * older value.
 *
 * Source: PTX ISA, "Memory Consistency Model".
 */
#ifndef VGPU_WEAK_H
#define VGPU_WEAK_H

#include "watch.h"

/* Called before and after the instruction's own work on x (access.c). */
/* Where a store leaves its bytes, 16 per lane. */
uint8_t *weak_scratch(struct context *);
void weak_load(struct context *, struct access *);
void weak_stored(struct context *, struct access *);
void weak_atomic(struct context *, struct access *);
/* An asynchronous copy that was issued on this SM is about to write memory. */
void weak_before_copy(struct machine *, uint32_t sm, uint64_t address,
                      uint64_t bytes);
/* Writes a random part of the waiting stores to memory. */
void weak_pass(struct machine *);
bool weak_waits(const struct machine *); /* some stores wait */
/* Writes all of them. True: there were some. */
bool weak_drain(struct machine *);

#endif

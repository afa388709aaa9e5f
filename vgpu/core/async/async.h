/* SPDX-License-Identifier: MIT
 *
 * async.h: asynchronous copies (cp.async, cp.async.bulk), and the mbarriers and
 * groups by which threads wait for them.
 *
 * How to read this: an instruction issues a *copy*. The copy is then on its way
 * (it *flies*) until it *lands*: only then are its bytes read and written, as
 * late as the schedule allows. In order and reversed, a copy lands when nobody
 * in the block can go on without it, or when a thread waits for its group;
 * under a random schedule it lands at any time. So a program that reads a tile
 * before it has waited sees what was there before.
 *
 * The state of an mbarrier is kept beside shared memory. The 8 bytes in shared
 * memory are a copy of that state, which nobody else may write. A thread at a
 * try_wait whose phase is not complete is parked (GROUP_AT_MBARRIER) until a
 * phase completes.
 *
 * Racecheck (race.h) is called when a copy is issued, with what it reads and
 * writes, and when a thread has waited for it.
 *
 * Sources: PTX ISA 9.0, 9.7.9.25 and 9.7.13.15.
 */
#pragma once

#include "access.h"
#include "copies.h"

/* NULL: out of memory, and the launch ends. */
struct async_block *async_of(struct machine *, struct block *);
struct async_lanes *async_lanes_of(struct context *);

bool exec_async(struct context *);
bool exec_mbarrier(struct context *);

/* The block starts; its last thread has ended; its slot is freed. */
void async_block_started(struct block *);
void async_block_ended(struct block *);
void async_block_freed(struct block *);
/* A turn of the block begins: under a random schedule some copies land. */
void async_pass(struct block *);
/* No thread of the block can go on: lands copies until a phase completes. True:
 * some landed. */
bool async_land(struct block *);
/* With model time: lands loads that arrive until then. True: a phase completed.
 */
bool async_land_until(struct block *, uint64_t time);
/* Lands the writes of blocks that have ended. True: there were some. */
bool async_drain(struct machine *);
void async_end(struct machine *);

/* ---- mbarriers, for copies and for messages (mbarrier.c) ---- */
/* The mbarrier at this byte; NULL: none. */
struct mbarrier *mbarrier_at(const struct block *, uint64_t at);
/* Part of a copy's landing. c: the place that a finding names. False: reported,
 * and the launch is over. */
bool mbarrier_brought(struct context *, struct mbarrier *, uint32_t bytes);
bool mbarrier_arrived(struct context *, struct mbarrier *, uint32_t lane,
                      uint32_t count);
/* Writes the 8 bytes in shared memory after the counts have changed. */
void mbarrier_store_state(struct block *, const struct mbarrier *);
/* Says why a wait there has no end, for the report of a deadlock. */
void mbarrier_explain(const struct block *, uint64_t at,
                      struct vgpu_message *state);
/* Its phase is complete; copies on their way there belong to the next one. */
void async_phase_ends(struct block *, const struct mbarrier *);

/* The address operand of one lane, as a generic address. */
static inline uint64_t async_address(const struct context *c,
                                     const struct async_place *p,
                                     uint32_t lane) {
    if (p->base == NO_REGISTER) return (uint64_t)p->offset;
    const uint8_t *r = c->registers + p->base;
    if (p->wide) return ((const uint64_t *)r)[lane] + (uint64_t)p->offset;
    return (uint32_t)(((const uint32_t *)r)[lane] + (uint32_t)p->offset);
}

/* SPDX-License-Identifier: MIT
 *
 * async.h: what goes on beside the threads: copies that arrive later (cp.async,
 * cp.async.bulk) and the mbarriers and groups that tell when.
 *
 * How to read this: a *copy* is issued by an instruction, *flies*, and lands:
 * then its bytes are read and written, as late as the schedule allows. In order
 * and reversed that is when nobody in the block can go on without it, or when a
 * thread waits for its group; under a random schedule any time. So a program
 * that reads a tile before it has waited sees what was there before.
 *
 * An mbarrier's state is kept beside shared memory; the 8 bytes in shared
 * memory are a picture of it that nobody else may write. A thread at a try_wait
 * whose phase is not complete is parked (GROUP_AT_MBARRIER) until a phase
 * completes.
 *
 * Racecheck: a word that a copy writes (or reads, from shared memory) belongs
 * to the copy until a thread has *claimed* it by waiting in the right way; what
 * touches it meanwhile is a race. Then it counts as written (or read) by the
 * thread that issued the copy, and whoever synchronises with the thread that
 * waited is in order. Sources: PTX ISA 9.0, 9.7.9.25 and 9.7.13.15.
 */
#ifndef VGPU_ASYNC_H
#define VGPU_ASYNC_H

#include "access.h"
#include "copies.h"

/* NULL: out of memory, and the launch ends. */
struct async_block *async_of(struct machine *, struct block *);
struct async_lanes *async_lanes_of(struct context *);

bool exec_async(struct context *);
bool exec_mbarrier(struct context *);

/* The block starts; its last thread has ended; its slot goes. */
void async_block_started(struct block *);
void async_block_ended(struct block *);
void async_block_freed(struct block *);
/* A turn begins: under a random schedule some copies land. */
void async_pass(struct block *);
/* Nobody in the block can go on: lands copies until a phase completes. True:
 * some landed. */
bool async_land(struct block *);
/* Writes of blocks that have ended. True: there were some. */
bool async_drain(struct machine *);
void async_end(struct machine *);

/* ---- mbarriers, for copies and for messages (mbarrier.c) ---- */
/* The one at this byte; NULL: none. */
struct mbarrier *mbarrier_at(const struct block *, uint64_t at);
/* As part of a copy's landing. c: whom to blame. False: reported, launch over.
 */
bool mbarrier_brought(struct context *, struct mbarrier *, uint32_t bytes);
bool mbarrier_arrived(struct context *, struct mbarrier *, uint32_t lane,
                      uint32_t count);
/* After a change of its counts: the 8 bytes in shared memory. */
void mbarrier_repaint(struct block *, const struct mbarrier *);
/* Why a wait there has no end, for the report of a deadlock. */
void mbarrier_explain(const struct block *, uint64_t at, char *out,
                      size_t bytes);
/* Copies that this phase waited for are now claimed; lane has waited for it. */
void async_claim_phase(struct context *, struct mbarrier *, uint64_t phase);

/* An address operand of one lane; window of the generic space left in. */
static inline uint64_t async_address(const struct context *c,
                                     const struct async_place *p,
                                     uint32_t lane) {
    if (p->base == NO_REGISTER) return (uint64_t)p->offset;
    const uint8_t *r = c->registers + p->base;
    if (p->wide) return ((const uint64_t *)r)[lane] + (uint64_t)p->offset;
    return (uint32_t)(((const uint32_t *)r)[lane] + (uint32_t)p->offset);
}

#endif

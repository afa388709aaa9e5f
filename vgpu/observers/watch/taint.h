/* SPDX-License-Identifier: MIT
 *
 * taint.h: which registers and which bytes of memory are tainted, that is, hold
 * what came from the input (vgpu.h says which bytes are), and how often an
 * operation has two tainted operands (DATA_OPS).
 *
 * A register has a bit for each lane, in the first of two words for each 64
 * bytes of registers; memory has a bit for each byte (region.data). Loads and
 * stores propagate taint at their events (watch.h); the other functions here
 * are called where nobody else has an event.
 *
 * Moving data counts nothing. But a register into which parts of two tainted
 * registers were moved is *joined* (the second word has a bit for that): adding
 * 1 to it may carry from one part into the other, and as an index it may select
 * from a table of sums. So an operation on a joined register counts, unless it
 * only moves bits, and its result is joined, too. Words of memory can be joined
 * as well (bits.h): words that are stored in parts, and two that are loaded as
 * one.
 *
 * Taint follows values, not decisions: `if (x & 1) y = 1` leaves y untainted.
 * So a decision is itself counted (taint_decided.c), by how much of the data it
 * can pass on: a branch one bit, the address of a store at most a word. A
 * program that removes a word's taint this way pays one operation per bit,
 * or 32.
 */
#pragma once

#include "counts.h"

static inline uint32_t *taint_of(struct context *c, uint32_t at) {
    return &c->group->frame->taint[at >> 5];
}
static inline uint32_t *joined_of(struct context *c, uint32_t at) {
    return taint_of(c, at) + 1;
}

/* The lanes' taint of a register become these, and those of them that are
 * joined. */
static inline void taint_set_joined(struct context *c, uint32_t at,
                                    uint32_t lanes, uint32_t taint,
                                    uint32_t joined) {
    uint32_t *to = taint_of(c, at);
    to[0] = (to[0] & ~lanes) | (taint & lanes);
    to[1] = (to[1] & ~lanes) | (joined & taint & lanes);
}
static inline void taint_set(struct context *c, uint32_t at, uint32_t lanes,
                             uint32_t taint) {
    taint_set_joined(c, at, lanes, taint, 0);
}

/* These lanes did something with two tainted operands. */
static inline void taint_count(struct context *c, const struct insn *i,
                               uint32_t lanes) {
    costs_of(c->machine, i)[VGPU_COUNT_DATA_OPS] +=
        (uint64_t)__builtin_popcount(lanes);
}

/* As taint_alu, for any number of operands. */
void taint_alu_many(struct context *, const struct insn *, uint32_t *taint,
                    uint32_t on);

/* An ALU instruction: a destination is tainted in lanes where any source is. It
 * is a data operation in lanes where two operands are tainted, unless it only
 * moves them (a selection by a tainted predicate counts: with it an addition
 * can be made bit by bit); where it adds up the parts of one tainted operand;
 * and where it computes from a joined one. */
static inline __attribute__((always_inline)) void
taint_alu(struct context *c, const struct insn *i) {
    uint32_t *taint = c->group->frame->taint;
    uint32_t on = c->lanes->mask;
    const uint32_t *at = i->operands.at;
    if (i->n_destinations != 1 || i->n_sources - 1u > 1 || i->n_moved) {
        taint_alu_many(c, i, taint, on);
        return;
    }
    uint32_t any = taint[at[1] >> 5], joined = taint[(at[1] >> 5) + 1];
    uint32_t twice = i->n_kept ? 0 : joined;
    if (i->n_sources == 2) {
        uint32_t m = taint[at[2] >> 5], j = taint[(at[2] >> 5) + 1];
        twice |= (any & m) | (i->n_kept > 1 ? 0 : j);
        any |= m;
        joined |= j;
    }
    if (i->adds_parts) twice = any;
    if (twice & on) taint_count(c, i, twice & on);
    uint32_t *d = &taint[at[0] >> 5];
    d[0] = (d[0] & ~on) | (any & on);
    d[1] = (d[1] & ~on) | (joined & on);
}

/* Control dependence: what a guarded instruction writes is tainted as data if
 * its guard is. */
static inline void taint_guarded(struct context *c, const struct insn *i) {
    uint32_t *taint = c->group->frame->taint;
    uint32_t had = taint[i->guard >> 5] & c->lanes->mask;
    for (uint32_t k = 0; had && k < i->n_destinations; k++)
        if (i->operands.at[k] != NO_REGISTER)
            taint[i->operands.at[k] >> 5] |= had;
}

/* ---- decisions (taint_decided.c) ---- */

/* An instruction's guard; true: it is tainted in some lanes. */
void taint_decided(struct context *, const struct insn *);
/* A register that chooses among many for these lanes: a place that is written
 * to, a size, a target. NO_REGISTER: nothing to do. */
void taint_chosen(struct context *, uint32_t at, uint32_t lanes);
/* Looks at the operands of an mbarrier instruction, and of a copy that arrives
 * later. */
void taint_mbarrier(struct context *);
void taint_copy(struct context *);
/* bar.sync, bar.red: number, count, what the threads say. */
void taint_barrier(struct context *);
/* malloc, free, printf: their arguments and what they return. */
void taint_builtin(struct context *, const struct call *);

/* ---- warp operations ---- */

/* A vote, a match, an election: the lanes' sources go into the result of each.
 */
void taint_voted(struct context *, uint32_t lanes);
/* If one lane's word is joined, all results count as joined. */
void taint_shuffles(struct context *, const struct shuffle *);
/* The instruction's results are no data: those of a clock. */
void taint_clear(struct context *, uint32_t lanes);
/* redux: all the lanes' sources go into the result of each. */
void taint_reduced(struct context *, uint32_t lanes);

/* Atomic operations: a word of each lane; one lane's element; element e of a
 * lane's vector; one lane's 128 bits. */
void taint_added(struct context *, const struct access *);
void taint_atomic(struct context *, const struct access *, uint32_t lane);
void taint_element(struct context *, const struct access *, uint32_t lane,
                   uint32_t e, uint32_t to, uint32_t from);
void taint_wide(struct context *, const struct access *, uint32_t lane);

/* ---- events ---- */
static inline __attribute__((always_inline)) void
taint_computed(struct context *c, const struct insn *i, bool guarded) {
    taint_alu(c, i);
    if (guarded) taint_guarded(c, i);
}
void taint_voted_on(struct context *, uint32_t lanes);
void taint_loaded(struct context *, struct access *);
void taint_stored(struct context *, struct access *);
void taint_matrix_moved(struct context *, struct access *,
                        const struct matrix_moves *);
void taint_matrix_made(struct context *, uint32_t lanes);
void taint_slot_made(struct block *);
void taint_slot_freed(struct block *);
static inline bool taint_watches(const struct machine *m) {
    return m->track_data;
}
static const struct observer taint_observer = {
    .watches = taint_watches,
    .computed = taint_computed,
    .guarded = taint_decided,
    .produced = taint_clear,
    .chosen = taint_chosen,
    .built_in = taint_builtin,
    .shuffles = taint_shuffles,
    .voted = taint_voted_on,
    .barrier_reached = taint_barrier,
    .adds = taint_added,
    .changed_lane = taint_atomic,
    .changed_element = taint_element,
    .changed_wide = taint_wide,
    .copy_issued = taint_copy,
    .mbarrier_issued = taint_mbarrier,
    .loaded = taint_loaded,
    .stored = taint_stored,
    .matrix_moved = taint_matrix_moved,
    .matrix_made = taint_matrix_made,
    .slot_made = taint_slot_made,
    .slot_freed = taint_slot_freed};

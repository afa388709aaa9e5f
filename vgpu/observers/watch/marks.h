/* SPDX-License-Identifier: MIT
 *
 * marks.h: data marks: which registers and which bytes of memory hold what came
 * from the input, and how often two such meet in an operation (DATA_OPS).
 *
 * A register has a bit for each lane, in the first of two words for each 64
 * bytes of registers; memory has a bit for each byte (region.data). Loads and
 * stores hand marks on by events (watch.h); the functions here are for what
 * only marks see.
 *
 * Moving counts nothing. But a register into which parts of two marked ones
 * were moved is *joined*, as the second word says: an addition of 1 may carry
 * from one part to the other, and a table that it points into may hold sums. So
 * whatever is made of a joined register counts, unless its bits only move
 * again, and is joined, too. Words of memory know it as well (bits.h): those
 * that are stored in parts are joined, and so are two that are loaded as one.
 *
 * Marks follow values, not decisions: `if (x & 1) y = 1` leaves y without a
 * mark. So a decision is itself counted (marks_decided.c): a branch says one
 * bit of the data, a place that is written to at most a word. Who wants words
 * without marks pays for each as many operations as it has bits, or 32.
 */
#pragma once

#include "counts.h"

static inline uint32_t *marks_of(struct context *c, uint32_t at) {
    return &c->group->frame->marks[at >> 5];
}
static inline uint32_t *joined_of(struct context *c, uint32_t at) {
    return marks_of(c, at) + 1;
}

/* The lanes' marks of a register become these, and those of them that are
 * joined. */
static inline void marks_set_joined(struct context *c, uint32_t at,
                                    uint32_t lanes, uint32_t marks,
                                    uint32_t joined) {
    uint32_t *to = marks_of(c, at);
    to[0] = (to[0] & ~lanes) | (marks & lanes);
    to[1] = (to[1] & ~lanes) | (joined & marks & lanes);
}
static inline void marks_set(struct context *c, uint32_t at, uint32_t lanes,
                             uint32_t marks) {
    marks_set_joined(c, at, lanes, marks, 0);
}

/* These lanes did something with two marked operands. */
static inline void marks_count(struct context *c, const struct insn *i,
                               uint32_t lanes) {
    costs_of(c->machine, i)[VGPU_COUNT_DATA_OPS] +=
        (uint64_t)__builtin_popcount(lanes);
}

/* As marks_alu, for any number of operands. */
void marks_alu_many(struct context *, const struct insn *, uint32_t *marks,
                    uint32_t on);

/* An ALU instruction: a destination is marked where any source is; whatever
 * has two marked operands is a data operation, unless it only moves them: where
 * data selects, selections make an addition, bit by bit. So is what adds up the
 * parts of one operand, and what makes anything of a joined one. */
static inline __attribute__((always_inline)) void
marks_alu(struct context *c, const struct insn *i) {
    uint32_t *marks = c->group->frame->marks;
    uint32_t on = c->lanes->mask;
    const uint32_t *at = i->operands.at;
    if (i->n_destinations != 1 || i->n_sources - 1u > 1 || i->n_moved) {
        marks_alu_many(c, i, marks, on);
        return;
    }
    uint32_t any = marks[at[1] >> 5], joined = marks[(at[1] >> 5) + 1];
    uint32_t twice = i->n_kept ? 0 : joined;
    if (i->n_sources == 2) {
        uint32_t m = marks[at[2] >> 5], j = marks[(at[2] >> 5) + 1];
        twice |= (any & m) | (i->n_kept > 1 ? 0 : j);
        any |= m;
        joined |= j;
    }
    if (i->adds_parts) twice = any;
    if (twice & on) marks_count(c, i, twice & on);
    uint32_t *d = &marks[at[0] >> 5];
    d[0] = (d[0] & ~on) | (any & on);
    d[1] = (d[1] & ~on) | (joined & on);
}

/* Whether it was executed at all hung on data: then so does what it wrote. */
static inline void marks_guarded(struct context *c, const struct insn *i) {
    uint32_t *marks = c->group->frame->marks;
    uint32_t had = marks[i->guard >> 5] & c->lanes->mask;
    for (uint32_t k = 0; had && k < i->n_destinations; k++)
        if (i->operands.at[k] != NO_REGISTER)
            marks[i->operands.at[k] >> 5] |= had;
}

/* ---- decisions (marks_decided.c) ---- */

/* An instruction's guard; true: it is marked in some lanes. */
void marks_decided(struct context *, const struct insn *);
/* A register that chooses among many for these lanes: a place that is written
 * to, a size, a target. NO_REGISTER: nothing to do. */
void marks_chosen(struct context *, uint32_t at, uint32_t lanes);
/* The operands of mbarriers and of copies that arrive later. */
void marks_mbarrier(struct context *);
void marks_copy(struct context *);
/* bar.sync, bar.red: number, count, what the threads say. */
void marks_barrier(struct context *);
/* malloc, free, printf: their arguments and what they return. */
void marks_builtin(struct context *, const struct call *);

/* ---- warp operations ---- */

/* A vote, a match, an election: the lanes' sources go into the result of each.
 */
void marks_voted(struct context *, uint32_t lanes);
/* (Where some lane's word is joined, all get joined ones.) */
void marks_shuffles(struct context *, const struct shuffle *);
/* The instruction's results are no data: those of a clock. */
void marks_clear(struct context *, uint32_t lanes);
/* redux: all the lanes' sources go into the result of each. */
void marks_reduced(struct context *, uint32_t lanes);

/* Atomic operations: a word of each lane; one lane's element; element e of a
 * lane's vector; one lane's 128 bits. */
void marks_added(struct context *, const struct access *);
void marks_atomic(struct context *, const struct access *, uint32_t lane);
void marks_element(struct context *, const struct access *, uint32_t lane,
                   uint32_t e, uint32_t to, uint32_t from);
void marks_wide(struct context *, const struct access *, uint32_t lane);

/* ---- events ---- */
static inline __attribute__((always_inline)) void
marks_computed(struct context *c, const struct insn *i, bool guarded) {
    marks_alu(c, i);
    if (guarded) marks_guarded(c, i);
}
void marks_voted_on(struct context *, uint32_t lanes);
void marks_loaded(struct context *, struct access *);
void marks_stored(struct context *, struct access *);
void marks_slot_made(struct block *);
void marks_slot_freed(struct block *);
static inline bool marks_watches(const struct machine *m) {
    return m->track_data;
}
static const struct observer marks_observer = {.watches = marks_watches,
                                               .computed = marks_computed,
                                               .guarded = marks_decided,
                                               .produced = marks_clear,
                                               .chosen = marks_chosen,
                                               .built_in = marks_builtin,
                                               .shuffles = marks_shuffles,
                                               .voted = marks_voted_on,
                                               .barrier_reached = marks_barrier,
                                               .adds = marks_added,
                                               .changed_lane = marks_atomic,
                                               .changed_element = marks_element,
                                               .changed_wide = marks_wide,
                                               .copy_issued = marks_copy,
                                               .mbarrier_issued =
                                                   marks_mbarrier,
                                               .loaded = marks_loaded,
                                               .stored = marks_stored,
                                               .slot_made = marks_slot_made,
                                               .slot_freed = marks_slot_freed};

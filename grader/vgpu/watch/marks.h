/* SPDX-License-Identifier: MIT
 *
 * marks.h: data marks: which registers and which bytes of memory hold what came
 * from the input, and how often two such meet in an operation (DATA_OPS).
 *
 * A register has a bit for each lane, in a word for each 64 bytes of registers;
 * memory has a bit for each byte (region.data). Loads and stores hand marks on
 * by events (watch.h); the functions here are for what only marks see.
 *
 * Marks follow values, not decisions: `if (x & 1) y = 1` leaves y without a
 * mark. So a decision is itself counted (marks_decided.c): a branch says one
 * bit of the data, a place that is written to at most a word. Who wants words
 * without marks pays for each as many operations as it has bits, or 32.
 */
#pragma once

#include "event.h"

static inline uint32_t *marks_of(struct context *c, uint32_t at) {
    return &c->group->frame->marks[at >> 6];
}

/* The lanes' marks of a register become these. */
static inline void marks_set(struct context *c, uint32_t at, uint32_t lanes,
                             uint32_t marks) {
    uint32_t *to = marks_of(c, at);
    *to = (*to & ~lanes) | (marks & lanes);
}

/* These lanes did something with two marked operands. */
static inline void marks_count(struct insn *i, uint32_t lanes) {
    i->counts[VGPU_COUNT_DATA_OPS] += (uint64_t)__builtin_popcount(lanes);
}

/* As marks_alu, for any number of operands. */
void marks_alu_many(struct insn *, uint32_t *marks, uint32_t on);

/* An ALU instruction: a destination is marked where any source is; whatever
 * has two marked operands is a data operation, unless it only moves them: where
 * data selects, selections make an addition, bit by bit. So is what adds up the
 * parts of one operand. */
static inline __attribute__((always_inline)) void marks_alu(struct context *c,
                                                            struct insn *i) {
    uint32_t *marks = c->group->frame->marks;
    uint32_t on = c->lanes->mask;
    const uint32_t *at = i->operands.at;
    if (i->n_destinations != 1 || i->n_sources - 1u > 1 || i->n_moved) {
        marks_alu_many(i, marks, on);
        return;
    }
    uint32_t any = marks[at[1] >> 6], twice = 0;
    if (i->n_sources == 2) {
        uint32_t m = marks[at[2] >> 6];
        twice = any & m;
        any |= m;
    }
    if (i->adds_parts) twice = any;
    if (twice & on) marks_count(i, twice & on);
    uint32_t *d = &marks[at[0] >> 6];
    *d = (*d & ~on) | (any & on);
}

/* Whether it was executed at all hung on data: then so does what it wrote. */
static inline void marks_guarded(struct context *c, struct insn *i) {
    uint32_t *marks = c->group->frame->marks;
    uint32_t had = marks[i->guard >> 6] & c->lanes->mask;
    for (uint32_t k = 0; had && k < i->n_destinations; k++)
        if (i->operands.at[k] != NO_REGISTER)
            marks[i->operands.at[k] >> 6] |= had;
}

/* ---- decisions (marks_decided.c) ---- */

/* An instruction's guard; true: it is marked in some lanes. */
void marks_decided(struct context *, struct insn *);
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
/* Which lane is asked, and by whom; `marks`: of what it holds. */
void marks_shuffled(struct context *, uint32_t lanes, uint32_t marks);
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

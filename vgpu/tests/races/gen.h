/* SPDX-License-Identifier: MIT
 *
 * gen.h: random programs. Program k of a seed is always the same.
 *
 * A program is some *patterns*, in which threads hand words to one another in
 * the ways that programs use; each step of a pattern is drawn, often right, now
 * and then too weak or left out. Steps of several patterns are shuffled
 * together.
 */
#pragma once

#include "program.h"

struct gen {
    struct program *p;
    uint64_t random;
    uint32_t global, shared, barriers, values; /* the next unused ones */
    bool wide; /* no scope that leaves out who takes part */
};

/* One thread, or all of a block's: masks as in struct op. */
struct who {
    uint32_t blocks, warps, lanes;
};

/* Without copies: none of its patterns has asynchronous copies. Wide: no access
 * or fence has a scope that leaves out who takes part. */
struct taste {
    bool copies, wide;
};
void program_random(struct program *, uint64_t seed, uint64_t k, struct taste);

uint32_t gen_below(struct gen *, uint32_t n);
bool gen_one_in(struct gen *, uint32_t n);
struct who gen_thread(struct gen *);
struct who gen_thread_of(struct gen *, uint32_t blocks);
struct op *gen_op(struct gen *, enum op_kind, struct who);
struct op *gen_access(struct gen *, enum op_kind, enum sem, struct who,
                      enum space, uint32_t word);
uint32_t gen_words(struct gen *, enum space, uint32_t n);
int gen_value(struct gen *);
/* Mostly the device; now and then another one. */
enum scope gen_scope(struct gen *, bool one_block);
/* Now and then none, or one that is too weak. */
void gen_fence(struct gen *, struct who, bool one_block);
void gen_barrier(struct gen *, uint32_t blocks);

/* A weak access; seldom something else. */
struct op *gen_touch(struct gen *, struct who, enum space, uint32_t word,
                     bool writes);

/* patterns.c: each adds a pattern's operations. */
typedef void gen_pattern(struct gen *);
extern gen_pattern *const gen_patterns[];
extern const uint32_t gen_n_patterns;
/* barrier_patterns.c */
gen_pattern gen_cluster, gen_neighbours, gen_rounds, gen_named, gen_lanes;
/* async_patterns.c */
gen_pattern gen_staged, gen_mbarrier, gen_bulk_store;
bool gen_copies(uint32_t pattern);
/* For the end of a program: threads that exit before others meet. */
gen_pattern gen_leaving;
/* Whether its operations keep together. */
bool gen_stands_alone(uint32_t pattern);

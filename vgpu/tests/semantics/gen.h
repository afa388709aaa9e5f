/* SPDX-License-Identifier: MIT
 *
 * gen.h: inside the generator (program.h). A node's text is a list of parts
 * with children between them: head, children, middle, children, tail.
 *
 * Registers a program computes with are pools by class: %p predicates, %h %w
 * %d integers of 16, 32, 64 bits, %e f16, %x f16x2, %f f32, %g f64. Which NaN a
 * float register holds is not defined, so a float becomes an integer only
 * through gen_canonical. Registers %t... live within one node.
 */
#pragma once

#include "forms.h"
#include "program.h"

enum { NODE_PARTS = 6, GEN_DEPTH = 24, GEN_MASKS = 24, GEN_LOOPS = 12 };

struct node {
    unsigned id, end;
    char *text[NODE_PARTS];
    size_t length[NODE_PARTS];
    struct node *first[NODE_PARTS], *last[NODE_PARTS], *next;
};

struct program {
    uint64_t seed, k;
    enum program_build build;
    struct program_shape shape;
    struct node *root; /* module scope, functions, kernel */
    unsigned n_nodes;
    uint64_t data; /* random state for program_fill and parameters */
};

struct gen {
    struct program *p;
    uint64_t random;
    struct node *open[GEN_DEPTH];
    unsigned part[GEN_DEPTH];
    int depth;
    int budget; /* statements left */
    unsigned labels, masks, loops;
    bool plain_multiply; /* unrounded mul, or unrounded add: never both, since
                            the two may be contracted */
    bool newer, video;   /* PROGRAM_NEWER, PROGRAM_VIDEO */
    bool whole_warps, in_function, in_tail;
    uint32_t block_threads, exchange_at, atomics_at;
    /* functions */
    unsigned n_functions, n_arguments, recursion;
    char arguments[6], returns;
};

/* Where a statement stands. */
struct place {
    bool uniform; /* all threads of the block come here together */
    int mask;     /* %m<mask> names the lanes that come here together; -1 */
    int loop;     /* label number of the innermost loop to break from; -1 */
    int loop_mask;
    int nest;
};

uint32_t gen_below(struct gen *, uint32_t n);
bool gen_one_in(struct gen *, uint32_t n);
void gen_begin(struct gen *);
void gen_children(struct gen *); /* what follows goes behind the children */
void gen_end(struct gen *);
void gen_emit(struct gen *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Number of registers of a class. */
unsigned gen_pool(char class);
extern const char gen_classes[];
unsigned gen_pick(struct gen *, char class);
/* In trace builds: the register's value to the trace. */
void gen_trace(struct gen *, char class, unsigned reg);
/* "@%p3 ", "@!%p3 " or "". */
const char *gen_guard(struct gen *, char text[16]);
/* A copy of the float register with one NaN, as integer bits: register name of
 * class h, w or d in `name`. */
void gen_canonical(struct gen *, char class, unsigned reg, char name[16]);

/* n different registers, with commas; the first one's number. */
unsigned gen_list(struct gen *, char class, unsigned n, char text[64]);
/* Class of a register for an integer of 1, 2, 4 or 8 (letters) bytes. */
char gen_wide_enough(struct gen *, char letter);

/* One statement each. */
void gen_alu(struct gen *);
void gen_carry(struct gen *);
void gen_reinterpret(struct gen *);
void gen_vector_move(struct gen *);
void gen_special(struct gen *);
void gen_access(struct gen *);
void gen_read_only(struct gen *);
void gen_private_atomic(struct gen *);
void gen_shared_atomic(struct gen *);
void gen_read_atomics(struct gen *, const struct place *);
void gen_exchange(struct gen *, const struct place *);
void gen_barrier(struct gen *, const struct place *);
void gen_warp(struct gen *, const struct place *);
void gen_call(struct gen *, const struct place *);
void gen_newer(struct gen *);

void gen_functions(struct gen *);
void gen_body(struct gen *, const struct place *, int statements);
void gen_registers(struct gen *); /* declares the pools */
/* Every pool register from the 64-bit register of this name. */
void gen_spread(struct gen *, const char *from);

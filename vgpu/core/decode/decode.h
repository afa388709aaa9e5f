/* SPDX-License-Identifier: MIT
 *
 * decode.h: shared by the decode_*.c files: one function being decoded.
 */
#pragma once

#include "program.h"

struct decoder {
    struct program *program;
    struct function *function;
    struct insn *code; /* function.code, while it is written */
    const struct ptx_function *ptx;
    struct decode_error *error;
    bool failed;
    uint32_t *register_at;  /* per ptx register: byte offset */
    uint32_t next_register; /* bytes given out so far */
    uint32_t n_fills_allocated;
    uint32_t sink[3];     /* scratch registers: word, wide, predicate */
    uint32_t *code_index; /* per ptx instruction (+1): index of its insn */
    const struct ptx_insn *at;
};

/* Records the first failure and its PTX line. Both return false. */
bool decode_no_memory(struct decoder *);
bool decode_fail(struct decoder *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Registers: class is 'w', 'd' or 'p' (alu.h). NO_REGISTER on failure. */
char decode_class(enum ptx_type);
uint32_t decode_constant(struct decoder *, char class, uint64_t value);
uint32_t decode_sink(struct decoder *, char class);
uint32_t decode_carry(struct decoder *);
/* A new register, which nothing else uses. */
uint32_t decode_scratch(struct decoder *, char class);
/* A source or destination operand as a register of the class. The type is what
 * literals have. */
uint32_t decode_operand(struct decoder *, const struct ptx_operand *,
                        char class, enum ptx_type);
/* Is the operand %clock, %clock64 or another that KIND_CLOCK reads? mode: enum
 * clock_mode (program.h). */
bool decode_is_clock(const struct ptx_operand *, uint8_t *mode);
/* Class a register operand has; 0 when it is not a register. */
char decode_operand_class(struct decoder *, const struct ptx_operand *);
/* A register that a frame gets filled like this; fill.at is ignored. */
uint32_t decode_fill(struct decoder *, struct fill);
/* Where parameters and variables lie (decode_layout.c). */
bool decode_layout_params(struct decoder *);
bool decode_layout_variables(struct decoder *);
/* A register with the symbol's address. */
uint32_t decode_symbol(struct decoder *, const struct ptx_operand *,
                       char class);
const struct parameter *decode_parameter(const struct function *,
                                         const char *name, bool *is_kernel);

/* Allocates the insn's `extra`, zeroed; NULL: no memory, and decoding fails. */
void *decode_extra(struct decoder *, struct insn *out, size_t bytes);

/* Families: fill *out from d->at. */
bool decode_alu(struct decoder *, struct insn *out);
bool decode_address(struct decoder *, struct insn *out);
bool decode_memory(struct decoder *, struct insn *out);
bool decode_atomic(struct decoder *, struct insn *out);
bool decode_control(struct decoder *, struct insn *out);
bool decode_barrier(struct decoder *, struct insn *out);
bool decode_warp(struct decoder *, struct insn *out);
bool decode_async(struct decoder *, struct insn *out);
bool decode_video(struct decoder *, struct insn *out);
bool decode_stack(struct decoder *, struct insn *out);
bool decode_texture(struct decoder *, struct insn *out);
bool decode_matrix(struct decoder *, struct insn *out);
/* For an opcode that the virtual GPU does not have; for instructions that only
 * an edit makes (edit.h). */
bool decode_none(struct decoder *, struct insn *out);
bool decode_made(struct decoder *, struct insn *out);
bool decode_move_wide(struct decoder *, struct insn *out);
bool decode_atomic_wide(struct decoder *, struct insn *out, uint32_t values);
bool decode_atomic_vector(struct decoder *, struct insn *out, uint32_t first,
                          uint32_t n);
bool decode_proxy_fence(struct decoder *, struct insn *out);
/* The address operand of an access: space, base and offset of the insn. */
bool decode_place(struct decoder *, struct insn *out,
                  const struct ptx_operand *);
/* Has the instruction the modifier? */
#define decode_has(insn, id) ptx_has((insn)->typed, PTX_MOD_##id)

static inline enum scope decode_scope(const struct ptx_insn *i) {
    return decode_has(i, CTA)       ? BLOCK_SCOPE
           : decode_has(i, CLUSTER) ? CLUSTER_SCOPE
                                    : WIDER_SCOPE;
}

/* Sets insn.copied, of a function whose code is complete. */
void decode_copies(struct decoder *);

/* The targets of a brx.idx. NULL: its list is missing, or it is no brx.idx. */
const struct ptx_target_list *cfg_targets(const struct ptx_module *,
                                          const struct ptx_insn *);
/* Control flow graph of a function (cfg.c): straight pieces of its text. */
struct graph {
    struct program *program; /* the caller of cfg_make sets these three */
    const struct ptx_module *module;
    const struct ptx_function *f;
    uint32_t n_blocks;           /* the exit block is number n_blocks */
    uint32_t *block_of;          /* instruction -> block */
    uint32_t *first, *last;      /* block -> instructions */
    uint32_t *pred_start, *pred; /* predecessors, for walking backwards */
    uint32_t *order;             /* post order number on the reversed graph */
    uint32_t *by_order;
    uint32_t n_ordered;
    bool has_too_many; /* its indirect branches have too many targets */
    uint32_t *idom;
};
/* False: program_is_late, no memory, or too many targets. Call cfg_free in any
 * case. */
bool cfg_make(struct graph *);
void cfg_free(struct graph *);
/* join[i]: for the branch at PTX instruction i its immediate post-dominator,
 * the instruction where its paths meet again; n_insns: they meet at the
 * function's end only; NO_TARGET: not a branch. False: program_is_late, or no
 * memory. */
bool cfg_joins(struct graph *, uint32_t *join);

/* Each register gets its slot of a frame (decode_slots.c). */
bool decode_slots(struct decoder *, const struct graph *);

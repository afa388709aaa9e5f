/* SPDX-License-Identifier: MIT
 *
 * clock_ops.c: from decoded instructions to what the clock needs of them:
 * registers read and written, and the class of cost.
 *
 * PTX is not machine code. What the assembler makes nothing of costs nothing
 * here: moves, loads of parameters, conversions of addresses, and an addition
 * to a product just made (one machine instruction does both).
 * vgpu/docs/clock.md says how far this goes.
 */
#include "clock_inside.h"
#include "matrix_op.h"
#include "texture_op.h"

#include <stdlib.h>

static void reads(struct clock_op *o, uint32_t at) {
    if (at != NO_REGISTER && o->n_from < OP_FROM)
        o->from[o->n_from++] = at >> 6;
}

static void writes(struct clock_op *o, uint32_t at) {
    if (at != NO_REGISTER && o->n_to < OP_TO) o->to[o->n_to++] = at >> 6;
}

static bool is_wide(enum ptx_type t) {
    return ptx_type_bytes(t) == 8;
}

static bool is_real(enum ptx_type t) {
    return t == PTX_F32 || t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 ||
           t == PTX_BF16X2;
}

static enum clock_class class_of_multiply(const struct ptx_form *f,
                                          enum ptx_type t) {
    if (t == PTX_F64) return COST_F64;
    if (is_real(t)) return COST_FLOAT;
    return is_wide(t) && !ptx_has(f, PTX_MOD_WIDE) ? COST_MAD64 : COST_MAD;
}

static enum clock_class class_of_division(const struct ptx_form *f,
                                          enum ptx_type t) {
    if (t == PTX_F64) return COST_DIVIDE_F64;
    if (!is_real(t)) return is_wide(t) ? COST_DIVIDE64 : COST_DIVIDE;
    bool approximate = ptx_has(f, PTX_MOD_APPROX) || ptx_has(f, PTX_MOD_FULL);
    return approximate ? COST_QUOTIENT : COST_DIVIDE_F32;
}

static enum clock_class class_of_root(const struct ptx_form *f, enum ptx_type t,
                                      bool root) {
    if (ptx_has(f, PTX_MOD_APPROX))
        return t == PTX_F32 && !ptx_has(f, PTX_MOD_FTZ) ? COST_APPROXIMATE
                                                        : COST_SPECIAL;
    if (t == PTX_F64) return root ? COST_ROOT_F64 : COST_RECIPROCAL_F64;
    return root ? COST_ROOT : COST_RECIPROCAL;
}

static enum clock_class class_of_conversion(enum ptx_type to,
                                            enum ptx_type from) {
    bool real = is_real(to) || to == PTX_F64;
    if (to == PTX_F32 && (from == PTX_S32 || from == PTX_U32))
        return COST_CONVERT;
    if (is_real(to) && is_real(from) && to != from) return COST_FLOAT;
    if (real || is_real(from) || from == PTX_F64) return COST_SPECIAL;
    return is_wide(from) ? COST_FREE : COST_INT;
}

/* The unit for integers does it, half as many in a cycle. */
static bool is_compared(enum ptx_op op) {
    return op == PTX_OP_min || op == PTX_OP_max || op == PTX_OP_setp ||
           op == PTX_OP_selp;
}

static enum clock_class class_of_alu(const struct ptx_insn *i) {
    enum ptx_type t = ptx_type_at(i->typed, 0);
    switch (i->op) {
    case PTX_OP_ld: /* of a parameter */
    case PTX_OP_mov:
    case PTX_OP_pack:
    case PTX_OP_unpack:
    case PTX_OP_cvta: return COST_FREE;
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
    case PTX_OP_mul24:
    case PTX_OP_mad24:
    case PTX_OP_madc:
    case PTX_OP_sad:
    case PTX_OP_dp2a:
    case PTX_OP_dp4a: return class_of_multiply(i->typed, t);
    case PTX_OP_div:
    case PTX_OP_rem: return class_of_division(i->typed, t);
    case PTX_OP_sqrt:
    case PTX_OP_rcp: return class_of_root(i->typed, t, i->op == PTX_OP_sqrt);
    case PTX_OP_rsqrt:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
        return t == PTX_F32 && !ptx_has(i->typed, PTX_MOD_FTZ)
                   ? COST_APPROXIMATE
                   : COST_SPECIAL;
    case PTX_OP_sin:
    case PTX_OP_cos: return COST_SINE;
    case PTX_OP_tanh:
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_brev: return COST_SPECIAL;
    case PTX_OP_cvt: return class_of_conversion(t, ptx_type_at(i->typed, 1));
    default:
        if (t == PTX_F32 && is_compared(i->op)) return COST_COMPARE;
        if (t == PTX_F64) return COST_F64;
        if (is_real(t)) return COST_FLOAT;
        return is_wide(t) && i->op != PTX_OP_shl ? COST_INT64 : COST_INT;
    }
}

static enum clock_class class_of_matrix(const struct matrix_op *op) {
    switch ((enum matrix_verb)op->verb) {
    case MATRIX_MULTIPLY: return COST_MATRIX;
    case MATRIX_TURN: return COST_SHUFFLE;
    default: return COST_ACCESS;
    }
}

static enum clock_class clock_ops_class_of(const struct insn *i) {
    if (clock_is_operand(i)) return COST_FREE;
    switch ((enum insn_kind)i->kind) {
    case KIND_ALU: return i->source ? class_of_alu(i->source) : COST_FREE;
    case KIND_LOAD:
    case KIND_STORE:
    case KIND_ATOMIC: return COST_ACCESS;
    case KIND_BRANCH:
    case KIND_BRANCH_INDEX:
    case KIND_CALL:
    case KIND_RETURN:
    case KIND_EXIT:
    case KIND_TRAP: return i->source ? COST_CONTROL : COST_FREE;
    case KIND_BARRIER:
    case KIND_CLUSTER_BARRIER: return COST_BARRIER;
    case KIND_FENCE: return COST_FENCE;
    case KIND_SHUFFLE: return COST_SHUFFLE;
    case KIND_MATCH: return i->mode ? COST_SHUFFLE : COST_MATCH;
    case KIND_REDUX: return COST_REDUX;
    case KIND_VOTE:
    case KIND_ELECT:
    case KIND_WARP_SYNC:
    case KIND_ACTIVE_MASK: return COST_VOTE;
    case KIND_CLOCK: return COST_CLOCK;
    case KIND_NOTHING:
        if (i->source && i->source->op == PTX_OP_nanosleep) return COST_SLEEP;
        return COST_FREE;
    case KIND_JOIN: return COST_FREE;
    case KIND_TEXTURE: /* as loads and stores: textures have no cost yet */
        return i->bytes ? COST_ACCESS : COST_INT;
    case KIND_MATRIX: return class_of_matrix(i->extra);
    case KIND_ASYNC:
    case KIND_MBARRIER:
    case KIND_STACK: return COST_INT;
    }
    return COST_INT;
}

static void registers_of_texture(const struct insn *i, struct clock_op *o,
                                 uint32_t n) {
    const struct texture_op *t = i->extra;
    reads(o, t->handle);
    reads(o, t->layer);
    for (int k = 0; k < 3; k++) reads(o, t->at[k]);
    for (uint32_t k = 0; k < n && k < 4; k++)
        (i->n_sources ? reads : writes)(o, i->operands.at[k]);
}

/* operands.at by kind: see the families' decoders. */
static void registers_of(const struct insn *i, struct clock_op *o) {
    const uint32_t *at = i->operands.at;
    uint32_t n = i->n_elements < OP_TO ? i->n_elements : OP_TO;
    reads(o, i->guard);
    switch ((enum insn_kind)i->kind) {
    case KIND_ALU:
        for (uint32_t k = 0; k < i->n_destinations; k++) writes(o, at[k]);
        for (uint32_t k = 0; k < i->n_sources; k++)
            reads(o, at[i->n_destinations + k]);
        break;
    case KIND_TEXTURE: registers_of_texture(i, o, n); break;
    case KIND_MATRIX:
        reads(o, i->base);
        reads(o, ((const struct matrix_op *)i->extra)->stride_at);
        break;
    case KIND_LOAD:
        reads(o, i->base);
        for (uint32_t k = 0; k < n; k++) writes(o, at[k]);
        break;
    case KIND_STORE:
        reads(o, i->base);
        for (uint32_t k = 0; k < n; k++) reads(o, at[k]);
        break;
    case KIND_ATOMIC:
        reads(o, i->base);
        writes(o, at[0]);
        reads(o, at[1]);
        reads(o, at[2]);
        break;
    case KIND_SHUFFLE:
    case KIND_VOTE:
    case KIND_MATCH:
    case KIND_REDUX:
    case KIND_ELECT:
    case KIND_WARP_SYNC:
        writes(o, at[0]);
        writes(o, at[1]);
        for (int k = 2; k < ALU_MAX_OPERANDS; k++) reads(o, at[k]);
        break;
    case KIND_CLOCK:
    case KIND_ACTIVE_MASK: writes(o, at[0]); break;
    default: break;
    }
}

/* "mul.wide; add.s64" of its result: one multiply-add. */
static bool is_joined(const struct insn *i) {
    const struct insn *before = i - 1;
    if (i->kind != KIND_ALU || before->kind != KIND_ALU || !i->source ||
        !before->source || i->source->op != PTX_OP_add ||
        before->source->op != PTX_OP_mul || i->guard != NO_REGISTER ||
        !ptx_has(before->source->typed, PTX_MOD_WIDE))
        return false;
    uint32_t made = before->operands.at[0];
    return i->operands.at[1] == made || i->operands.at[2] == made;
}

static uint32_t to_ps(const struct clock *k, uint64_t cycles) {
    return (uint32_t)(cycles * k->profile->cycle_ps / 1000);
}

static const struct {
    uint8_t unit, instead;
    bool holds;
} class_rows[N_COSTS] = {
#define X(NAME, unit, instead, cause, holds)                                   \
    [COST_##NAME] = {UNIT_##unit, COST_##instead, holds},
#include "clock_classes.def"
#undef X
};

static bool is_message(const struct clock *k, const struct insn *i) {
    if (i->space == PTX_LOCAL) return false;
    if (i->space == PTX_SHARED && !k->all_messages) return false;
    return i->kind == KIND_ATOMIC ||
           ((i->kind == KIND_LOAD || i->kind == KIND_STORE ||
             i->kind == KIND_MATRIX) &&
            (i->order != ORDER_WEAK || k->all_messages));
}

static void set_cost(const struct clock *k, struct clock_op *o) {
    const struct clock_cost *cost = &k->profile->cost[o->class];
    o->issue = to_ps(k, cost->issue);
    o->interval = to_ps(k, cost->interval);
    o->latency = to_ps(k, cost->latency);
    if (o->class >= COST_ACCESS) o->issue = to_ps(k, 1000);
}

static size_t n_numbers(const struct function *f) {
    return (f->register_bytes >> 6) + 1;
}

struct clock_op *clock_decode(struct clock *k, const struct function *f) {
    struct clock_op *ops = charges_zeroed(
        k->charges, f->n_code * sizeof *ops + n_numbers(f) * sizeof(uint32_t),
        "the clock's view of a kernel");
    for (uint32_t n = 0; ops && n < f->n_code; n++) {
        const struct insn *i = &f->code[n];
        struct clock_op *o = &ops[n];
        o->class = (uint8_t)clock_ops_class_of(i);
        if (n && is_joined(i)) o->class = COST_FREE;
        if (!k->profile->cost[o->class].latency)
            o->class = class_rows[o->class].instead;
        bool drains = i->kind == KIND_CALL || i->kind == KIND_RETURN ||
                      i->kind == KIND_EXIT;
        o->drains = i->kind == KIND_MATRIX ? DRAINS_MATRIX
                    : drains               ? DRAINS_ALL
                                           : DRAINS_NONE;
        o->unit = class_rows[o->class].unit;
        o->message = is_message(k, i);
        o->moves = k->profile->reorders && !o->message &&
                   (i->kind == KIND_ALU || i->kind == KIND_LOAD) &&
                   o->class != COST_FREE;
        o->holds = k->profile->reorders && class_rows[o->class].holds;
        o->moves &= !o->holds;
        o->joins =
            k->profile->reorders &&
            (o->holds || o->class == COST_CONTROL || o->class == COST_BARRIER);
        o->steps = i->source ? (uint8_t)k->profile->instruction_steps : 0;
        registers_of(i, o);
        set_cost(k, o);
        if (o->class == COST_MATRIX) clock_matrix_cost(i, o);
    }
    return ops;
}

/* An instruction of a kind that registers_of does not know may have a result in
 * its first place. */
static void number_written(const struct insn *i, const struct clock_op *o,
                           uint32_t *number, uint32_t *n) {
    for (uint32_t r = 0; r < o->n_to; r++)
        if (!number[o->to[r]]) number[o->to[r]] = ++*n;
    uint32_t at = i->operands.at[0];
    if (i->kind == KIND_MATRIX) {
        clock_matrix_number(i, number, n);
        return;
    }
    if (o->n_to || at == NO_REGISTER || i->kind == KIND_STORE) return;
    if (!number[at >> 6]) number[at >> 6] = ++*n;
}

void clock_number(struct clock_op *ops, const struct function *f) {
    uint32_t *number = clock_numbers(ops, f), n = 0;
    for (uint32_t k = 0; k < f->n_code; k++)
        if (f->code[k].source) number_written(&f->code[k], &ops[k], number, &n);
    for (uint32_t k = 0; k < f->n_code; k++) {
        struct clock_op *o = &ops[k];
        uint8_t left = 0;
        for (uint32_t r = 0; r < o->n_from; r++)
            if (number[o->from[r]]) o->from[left++] = number[o->from[r]];
        o->n_from = left;
        for (uint32_t r = 0; r < o->n_to; r++) o->to[r] = number[o->to[r]];
    }
}

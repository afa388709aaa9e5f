/* SPDX-License-Identifier: MIT
 *
 * decode_matrix.c: mma, wmma, ldmatrix, stmatrix, movmatrix.
 *
 * operands.at[0]: the first register of the result, or of what is stored;
 * at[3]: the lanes that must come, which are all (as other warp operations have
 * it). The address is insn.base plus insn.offset. The rest is in the extra.
 */
#include <string.h>

#include "decode.h"
#include "matrix_op.h"
#include "matrix_words.h"

/* ---- fragments ---- */

/* Registers that the elements of a fragment fill. */
static uint32_t distinct_of(const struct matrix_op *op,
                            const struct matrix_part *p) {
    uint32_t elements = p->role == MATRIX_ROLE_A   ? op->m * op->k
                        : p->role == MATRIX_ROLE_B ? op->k * op->n
                                                   : op->m * op->n;
    return elements / MATRIX_LANES / matrix_per_register(p);
}

/* wmma has eight of f16's factors, whatever they fill. */
static uint32_t registers_of_part(const struct decoder *d,
                                  const struct matrix_op *op,
                                  const struct matrix_part *p) {
    bool repeats = d->at->op == PTX_OP_wmma && p->role != MATRIX_ROLE_C &&
                   p->type == MATRIX_F16;
    return repeats ? MATRIX_REGISTERS : distinct_of(op, p);
}

static bool set_registers(struct decoder *d, struct matrix_part *p,
                          const struct ptx_operand *o) {
    const struct ptx_operand *list = o->kind == PTX_VECTOR ? o->items : o;
    uint32_t n = o->kind == PTX_VECTOR ? o->n_items : 1;
    if (n != p->n)
        return decode_fail(d, "a fragment has %u registers here, not %u", p->n,
                           n);
    for (uint32_t k = 0; k < n; k++)
        p->at[k] = decode_operand(d, &list[k], 'w', PTX_B32);
    return !d->failed;
}

static bool set_part(struct decoder *d, const struct matrix_op *op,
                     struct matrix_part *p, enum matrix_role role,
                     enum matrix_type type, const struct ptx_operand *o) {
    p->role = (uint8_t)role;
    p->type = (uint8_t)type;
    p->distinct = (uint8_t)distinct_of(op, p);
    p->n = (uint8_t)registers_of_part(d, op, p);
    return set_registers(d, p, o);
}

static void set_shape(struct matrix_op *op, const struct matrix_words *w) {
    bool bits = w->k > 64;
    op->m = (uint16_t)w->m;
    op->n = (uint16_t)w->n;
    op->k = (uint16_t)(bits ? w->k / 32 : w->k);
    op->turned = w->m == 8 && w->n == 32;
}

/* ---- products ---- */

/* Of d, a, b and c; wmma leaves those of f16's factors out. */
static bool product_types(struct decoder *d, const struct matrix_words *w,
                          enum matrix_type *t) {
    bool some = d->at->op == PTX_OP_wmma && w->n_types == 2;
    if (w->n_types != 4 && !some)
        return decode_fail(d, "types of d, a, b and c are expected");
    t[0] = (enum matrix_type)w->types[0];
    t[3] = (enum matrix_type)w->types[w->n_types - 1u];
    t[1] = some ? MATRIX_F16 : (enum matrix_type)w->types[1];
    t[2] = some ? MATRIX_F16 : (enum matrix_type)w->types[2];
    return true;
}

static bool no_product(struct decoder *d, const struct matrix_words *w) {
    if (w->m == 8 && w->n == 8 && w->k == 4)
        return decode_fail(d, "the virtual GPU does not have m8n8k4, Volta's "
                              "shape for quarters of a warp: use m16n8k8 or "
                              "m16n8k16");
    return decode_fail(d, "there is no matrix product of this shape and these "
                          "types");
}

static bool decode_product(struct decoder *d, struct insn *out,
                           struct matrix_op *op, const struct matrix_words *w) {
    enum matrix_type t[4] = {MATRIX_F16};
    const struct ptx_operand *o = d->at->operands;
    enum ptx_op opcode = d->at->op;
    if (!product_types(d, w, t)) return false;
    bool mixes = opcode == PTX_OP_mma && t[0] != t[3];
    if (mixes || !matrix_words_multiply(opcode, w, t)) return no_product(d, w);
    if (opcode == PTX_OP_mma &&
        (w->n_layouts != 2 || w->by_column[0] || !w->by_column[1]))
        return decode_fail(d, "mma takes .row.col only");
    if (w->saturates && t[0] != MATRIX_S32)
        return decode_fail(d, "'.satfinite' is for integers only");
    if (d->at->n_operands != 4) return decode_fail(d, "d, a, b, c expected");
    op->verb = MATRIX_MULTIPLY;
    op->saturates = w->saturates;
    op->by_and = w->by_and;
    set_shape(op, w);
    op->depth = op->k;
    if (opcode == PTX_OP_wmma && t[1] == MATRIX_TF32) op->depth = op->k / 2;
    if (!set_part(d, op, &op->d, MATRIX_ROLE_C, t[0], &o[0]) ||
        !set_part(d, op, &op->a, MATRIX_ROLE_A, t[1], &o[1]) ||
        !set_part(d, op, &op->b, MATRIX_ROLE_B, t[2], &o[2]) ||
        !set_part(d, op, &op->c, MATRIX_ROLE_C, t[3], &o[3]))
        return false;
    out->operands.at[0] = op->d.at[0];
    out->is_arithmetic = true;
    return true;
}

/* ---- wmma.load, wmma.store ---- */

static bool set_stride(struct decoder *d, struct matrix_op *op,
                       const struct matrix_part *p) {
    const struct ptx_operand *o = &d->at->operands[2];
    uint32_t rows = p->role == MATRIX_ROLE_B ? op->k : op->m;
    uint32_t columns = p->role == MATRIX_ROLE_A ? op->k : op->n;
    op->stride_unit = p->type == MATRIX_B1 ? 32 : 1;
    op->stride = op->by_column ? rows : columns;
    if (d->at->n_operands < 3) return true;
    if (o->kind == PTX_INTEGER)
        op->stride = (uint32_t)o->integer / op->stride_unit;
    else
        op->stride_at = decode_operand(d, o, 'w', PTX_U32);
    return !d->failed;
}

static bool decode_wmma_access(struct decoder *d, struct insn *out,
                               struct matrix_op *op,
                               const struct matrix_words *w) {
    uint32_t values = w->is_store ? 1 : 0, n = d->at->n_operands;
    enum matrix_role role = w->part == 'a'   ? MATRIX_ROLE_A
                            : w->part == 'b' ? MATRIX_ROLE_B
                                             : MATRIX_ROLE_C;
    if (w->n_types != 1 || w->n_layouts != 1 || n < 2 || n > 3 ||
        (w->part == 'd') != w->is_store)
        return decode_fail(d, "one layout, one type, an address are expected");
    enum matrix_type type = (enum matrix_type)w->types[0];
    if (!matrix_words_has(w, role, type)) return no_product(d, w);
    /* What has less than a byte lies as a register has it. */
    bool small = matrix_bits(type) < 8 || type == MATRIX_B1;
    if (small && w->by_column[0] != (role == MATRIX_ROLE_B))
        return decode_fail(d, "such a matrix stands in memory along k only");
    set_shape(op, w);
    op->verb = w->is_store ? MATRIX_STORE : MATRIX_LOAD;
    op->by_column = w->by_column[0];
    struct matrix_part *p = w->is_store ? &op->c : &op->d;
    if (!set_part(d, op, p, role, type, &d->at->operands[values]) ||
        !set_stride(d, op, p))
        return false;
    out->operands.at[0] = p->at[0];
    out->bytes = 4;
    out->space = w->space;
    return decode_place(d, out, &d->at->operands[1 - values]);
}

/* ---- tiles of 8 x 8 ---- */

static bool decode_tiles(struct decoder *d, struct insn *out,
                         struct matrix_op *op, const struct matrix_words *w) {
    uint32_t values = d->at->op == PTX_OP_stmatrix ? 1 : 0;
    if (w->m != 8 || w->n != 8 || w->k || !w->tiles)
        return decode_fail(d, "m8n8 with x1, x2 or x4 of b16 is there alone");
    if (d->at->n_operands != 2)
        return decode_fail(d, "wrong number of operands");
    op->verb = values ? MATRIX_STORE : MATRIX_LOAD;
    op->tiles = w->tiles;
    op->transposes = w->transposes;
    struct matrix_part *p = values ? &op->c : &op->d;
    p->n = p->distinct = w->tiles;
    p->type = MATRIX_F16;
    p->role = MATRIX_ROLE_C;
    if (!set_registers(d, p, &d->at->operands[values])) return false;
    out->operands.at[0] = p->at[0];
    out->bytes = 16;
    out->space = PTX_SHARED; /* a generic address must be in it */
    return decode_place(d, out, &d->at->operands[1 - values]);
}

static bool decode_turn(struct decoder *d, struct insn *out,
                        struct matrix_op *op, const struct matrix_words *w) {
    if (w->m != 8 || w->n != 8 || w->k || !w->transposes ||
        d->at->n_operands != 2)
        return decode_fail(d, "m8n8.trans.b16 of a register is there alone");
    op->verb = MATRIX_TURN;
    op->d.n = op->a.n = op->d.distinct = op->a.distinct = 1;
    op->d.type = op->a.type = MATRIX_F16;
    op->d.role = op->a.role = MATRIX_ROLE_C;
    if (!set_registers(d, &op->d, &d->at->operands[0]) ||
        !set_registers(d, &op->a, &d->at->operands[1]))
        return false;
    out->operands.at[0] = op->d.at[0];
    return true;
}

bool decode_matrix(struct decoder *d, struct insn *out) {
    struct matrix_words w = {0};
    struct matrix_op *op = decode_extra(d, out, sizeof *op);
    if (!op || !matrix_words_read(d, &w)) return false;
    out->kind = KIND_MATRIX;
    out->n_elements = 1;
    out->cached = true;
    out->operands.at[3] = decode_constant(d, 'w', UINT32_MAX);
    op->stride_at = NO_REGISTER;
    switch (d->at->op) {
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix: return decode_tiles(d, out, op, &w);
    case PTX_OP_movmatrix: return decode_turn(d, out, op, &w);
    case PTX_OP_wmma:
        if (w.part) return decode_wmma_access(d, out, op, &w);
        return decode_product(d, out, op, &w);
    default: return decode_product(d, out, op, &w);
    }
}

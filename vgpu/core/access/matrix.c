/* SPDX-License-Identifier: MIT
 *
 * matrix.c: products of matrices, and movmatrix, whose elements lie in the
 * registers of a warp's lanes (matrix_op.h says where).
 *
 * How to read this: the elements are gathered from the registers, row by row or
 * column by column, multiplied (alu_matrix.h), and scattered again. Lanes that
 * are not here have zeros: that is reported, and what comes of it is undefined.
 */
#include <string.h>

#include "access.h"
#include "fault.h"
#include "matrix_op.h"

static uint32_t element_mask(const struct matrix_part *p) {
    return FULL_MASK >> (32 - matrix_bits((enum matrix_type)p->type));
}

/* An element's number in a, b, c or d. */
static uint32_t element_at(const struct matrix_op *op,
                           const struct matrix_part *p, uint32_t lane,
                           uint32_t r, uint32_t e) {
    struct matrix_place at = matrix_place(op, p, lane, r, e);
    return at.major * (p->role == MATRIX_ROLE_C ? op->n : op->k) + at.minor;
}

static void matrix_gather(const struct context *c, uint32_t here,
                          const struct matrix_part *p, uint32_t *to) {
    const struct matrix_op *op = c->insn->extra;
    uint32_t bits = matrix_bits((enum matrix_type)p->type);
    for (uint32_t r = 0; r < p->distinct; r++) {
        const uint32_t *from = (const uint32_t *)(c->registers + p->at[r]);
        for (uint32_t e = 0; e < matrix_per_register(p); e++)
            for (uint32_t l = 0; l < WARP_LANES; l++)
                to[element_at(op, p, l, r, e)] =
                    here >> l & 1 ? from[l] >> (e * bits) & element_mask(p) : 0;
    }
}

static void matrix_scatter(struct context *c, uint32_t here,
                           const struct matrix_part *p, const uint32_t *from) {
    const struct matrix_op *op = c->insn->extra;
    uint32_t bits = matrix_bits((enum matrix_type)p->type);
    for (uint32_t r = 0; r < p->n; r++) {
        uint32_t *to = (uint32_t *)(c->registers + p->at[r]);
        for (uint32_t m = here; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m), word = 0;
            for (uint32_t e = 0; e < matrix_per_register(p); e++)
                word |= from[element_at(op, p, l, r, e)] << (e * bits);
            to[l] = word;
        }
    }
}

static void matrix_multiply(struct context *c, uint32_t here) {
    const struct matrix_op *op = c->insn->extra;
    struct alu_matrix x;
    x.m = op->m;
    x.n = op->n;
    x.k = op->k;
    x.depth = op->depth;
    x.type_a = op->a.type;
    x.type_b = op->b.type;
    x.type_c = op->c.type;
    x.type_d = op->d.type;
    x.saturates = op->saturates;
    x.by_and = op->by_and;
    matrix_gather(c, here, &op->a, x.a);
    matrix_gather(c, here, &op->b, x.b);
    matrix_gather(c, here, &op->c, x.c);
    alu_matrix(&x);
    matrix_scatter(c, here, &op->d, x.d);
}

/* A row of the result is a column of what was there. */
static void matrix_turn(struct context *c, uint32_t here) {
    const struct matrix_op *op = c->insn->extra;
    const uint32_t *from = (const uint32_t *)(c->registers + op->a.at[0]);
    uint32_t *to = (uint32_t *)(c->registers + op->d.at[0]);
    uint32_t was[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++)
        was[l] = here >> l & 1 ? from[l] : 0;
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), row = l >> 2, word = 0;
        for (uint32_t e = 0; e < 2; e++) {
            uint32_t column = 2 * (l & 3) + e;
            uint32_t element = was[column * 4 + row / 2] >> (row % 2 * 16);
            word |= (element & 0xffff) << (16 * e);
        }
        to[l] = word;
    }
}

static void report_absent(struct context *c, uint32_t here) {
    struct vgpu_message m;
    VGPU_SAY(&m, MATRIX_LANES, .form = exec_form_name(c->insn),
             .missing = ~here);
    exec_report(c, VGPU_FINDING_INACTIVE_LANE,
                (struct fault_at){.lane = (uint32_t)__builtin_ctz(here)}, &m);
}

void exec_matrix(struct context *c, uint32_t here) {
    const struct matrix_op *op = c->insn->extra;
    if (here != FULL_MASK) report_absent(c, here);
    if (here != c->lanes->mask) { /* several groups */
        lane_set_fill(&c->of_group, here);
        c->lanes = &c->of_group;
    }
    if (op->verb == MATRIX_LOAD || op->verb == MATRIX_STORE) {
        exec_matrix_access(c, here);
        return;
    }
    watch_matrix_made(c->machine->watching, c, here);
    if (op->verb == MATRIX_TURN)
        matrix_turn(c, here);
    else
        matrix_multiply(c, here);
}

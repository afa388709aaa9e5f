/* SPDX-License-Identifier: MIT
 *
 * alu_forms_logic.c: logic, shifts, byte permutation. The forms are in
 * alu_logic.def; here are the handlers on predicates and lop3, whose truth
 * table is a literal.
 */
#include "alu_bits.h"
#include "alu_masks.h"

#define PREDICATE(name, expr)                                                  \
    static void name(ALU_ARGS) {                                               \
        const uint32_t a = alu_get_predicate(registers, o->at[1]);             \
        const uint32_t b = alu_get_predicate(registers, o->at[2]);             \
        alu_put_predicate(registers, o->at[0], expr, on->mask);                \
    }
PREDICATE(and_pred, a &b)
PREDICATE(or_pred, a | b)
PREDICATE(xor_pred, a ^ b)

static void not_pred(ALU_ARGS) {
    const uint32_t a = alu_get_predicate(registers, o->at[1]);
    alu_put_predicate(registers, o->at[0], ~a, on->mask);
}

/* Bit 4a+2b+c of the table is the result for bits a, b, c: chosen by c from
 * four pairs of constants, then by b and by a. */
static void lop3(uint8_t *registers, const struct alu_operands *o,
                 const struct lane_set *on, uint32_t result[VGPU_LANES],
                 unsigned first) {
    uint32_t m[8];
    for (unsigned k = 0; k < 8; k++) m[k] = 0u - (o->immediate >> k & 1u);
    raw_b32 *d = ALU_AT(b32, 0);
    const raw_b32 *pa = ALU_AT(b32, first), *pb = ALU_AT(b32, first + 1);
    const raw_b32 *pc = ALU_AT(b32, first + 2);
    const raw_b32 *active = on->w;
    ALU_IVDEP ALU_LANES {
        const uint32_t a = pa[l], b = pb[l], c = pc[l];
        const uint32_t p0 = (m[1] & c) | (m[0] & ~c);
        const uint32_t p1 = (m[3] & c) | (m[2] & ~c);
        const uint32_t p2 = (m[5] & c) | (m[4] & ~c);
        const uint32_t p3 = (m[7] & c) | (m[6] & ~c);
        const uint32_t q0 = (p1 & b) | (p0 & ~b), q1 = (p3 & b) | (p2 & ~b);
        const uint32_t x = (q1 & a) | (q0 & ~a);
        result[l] = x;
        d[l] = (x & active[l]) | (d[l] & ~active[l]);
    }
}

static void lop3_b32(ALU_ARGS) {
    uint32_t ignored[VGPU_LANES];
    lop3(registers, o, on, ignored, 1);
}

/* d|p = table(a, b, c) != 0 op q; p and q are slots 1 and 5. */
static uint32_t lop3_not_zero(ALU_ARGS) {
    uint32_t x[VGPU_LANES];
    lop3(registers, o, on, x, 2);
    ALU_LANES x[l] = x[l] ? ~0u : 0;
    return alu_gather32(x);
}

#define LOP3_WITH(name, op)                                                    \
    static void name(ALU_ARGS) {                                               \
        const uint32_t q = alu_get_predicate(registers, o->at[5]);             \
        alu_put_predicate(registers, o->at[1],                                 \
                          lop3_not_zero(registers, o, on) op q, on->mask);     \
    }
LOP3_WITH(lop3_or_b32, |)
LOP3_WITH(lop3_and_b32, &)

#define ALU_DEF   "alu_logic.def"
#define ALU_TABLE alu_forms_logic
#include "alu_emit.h"

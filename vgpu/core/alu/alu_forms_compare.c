/* SPDX-License-Identifier: MIT
 *
 * alu_forms_compare.c: setp, selp, slct.
 *
 * How to read this: alu_cmp.def lists the comparisons. Each becomes one
 * function low_CMP_T that answers a mask of 32 lanes, and setp is what it does
 * with that mask. What else compares is made of setp (alu_compound.c).
 */
#include "alu_bits.h"
#include "alu_masks.h"

#define TEST(stem, T, shift, cmp, expr)                                        \
    ALU_INLINE uint32_t stem##_##cmp##_##T(                                    \
        uint8_t *registers, const struct alu_operands *o, unsigned first) {    \
        const raw_##T *pa = ALU_AT(T, first), *pb = ALU_AT(T, first + 1);      \
        raw_##T hit[VGPU_LANES];                                               \
        ALU_IVDEP ALU_LANES {                                                  \
            const val_##T a = get_##T(pa[l] >> (shift));                       \
            const val_##T b = get_##T(pb[l] >> (shift));                       \
            hit[l] = (expr) ? (raw_##T) ~(raw_##T)0 : (raw_##T)0;              \
        }                                                                      \
        return GATHER_##T(hit);                                                \
    }

#define CMP(cmp, z, text, T, expr)  TEST(low, T, 0, cmp, expr)
#define CMP2(cmp, z, text, T, expr) TEST(high, T, 16, cmp, expr)
#include "alu_cmp.def"
#undef CMP
#undef CMP2

/* p|q: q is the opposite. */
#define CMP(cmp, z, text, T, expr)                                             \
    static void setp_##cmp##_##T(ALU_ARGS) {                                   \
        const uint32_t hit = low_##cmp##_##T(registers, o, 2);                 \
        alu_put_predicate(registers, o->at[1], ~hit, on->mask);                \
        alu_put_predicate(registers, o->at[0], hit, on->mask);                 \
    }
/* Two halves: p from the low ones, q from the high ones. */
#define CMP2(cmp, z, text, T, expr)                                            \
    static void setp2_##cmp##_##T(ALU_ARGS) {                                  \
        const uint32_t p = low_##cmp##_##T(registers, o, 2);                   \
        const uint32_t q = high_##cmp##_##T(registers, o, 2);                  \
        alu_put_predicate(registers, o->at[1], q, on->mask);                   \
        alu_put_predicate(registers, o->at[0], p, on->mask);                   \
    }
#include "alu_cmp.def"
#undef CMP
#undef CMP2

#define SELP(T)                                                                \
    static void selp_##T(ALU_ARGS) {                                           \
        raw_##T *d = ALU_AT(T, 0);                                             \
        const raw_##T *pa = ALU_AT(T, 1), *pb = ALU_AT(T, 2);                  \
        const uint32_t c = alu_get_predicate(registers, o->at[3]);             \
        ALU_EACH(T, d, const raw_##T a = get_##T(pa[l]);                       \
                 const raw_##T b = get_##T(pb[l]);                             \
                 const raw_##T x = c & alu_lane_bit[l] ? a : b)                \
    }
SELP(b16)
SELP(b32)
SELP(b64)

/* NaN is not >= 0, so it chooses b. */
#define SLCT(T)                                                                \
    ALU_FN3(slct_##T##_s32, T, T, T, s32, c >= 0 ? a : b)                      \
    ALU_FN3(slct_##T##_f32, T, T, T, f32, c >= 0 ? a : b)                      \
    ALU_FN3(slct_##T##_f32z, T, T, T, f32z, c >= 0 ? a : b)
SLCT(b16)
SLCT(b32)
SLCT(b64)

#define ALU_DEF   "alu_compare.def"
#define ALU_TABLE alu_forms_compare
#include "alu_emit.h"

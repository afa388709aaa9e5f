/* SPDX-License-Identifier: MIT
 *
 * alu_forms_compare.c: setp, selp, slct.
 *
 * How to read this: alu_cmp.def lists the comparisons. Each becomes one
 * function test_CMP_T that answers a mask of 32 lanes, and setp, plain or with
 * a boolean operation, is what it does with that mask. set is a setp whose
 * predicates choose a value (alu_set.c).
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

/* The rarer users of a comparison call one copy of it instead of inlining. */
#define CMP(cmp, z, text, T, expr)                                             \
    TEST(fast, T, 0, cmp, expr)                                                \
    static __attribute__((noinline)) uint32_t test_##cmp##_##T(                \
        uint8_t *registers, const struct alu_operands *o, unsigned first) {    \
        return fast_##cmp##_##T(registers, o, first);                          \
    }
#define CMP2(cmp, z, text, T, expr) TEST(high, T, 16, cmp, expr)
#include "alu_cmp.def"
#undef CMP
#undef CMP2

/* p|q: p is (hit op c), q is (!hit op c). c is read first: it may be p or q. */
#define SETP_OP(name, test, op)                                                \
    static void name(ALU_ARGS) {                                               \
        const uint32_t hit = test(registers, o, 2);                            \
        const uint32_t c = alu_get_predicate(registers, o->at[4]);             \
        alu_put_predicate(registers, o->at[1], ~hit op c, on->mask);           \
        alu_put_predicate(registers, o->at[0], hit op c, on->mask);            \
    }
/* Two halves: p from the low ones, q from the high ones. */
#define SETP2_OP(name, low, high, op)                                          \
    static void name(ALU_ARGS) {                                               \
        const uint32_t p = low(registers, o, 2), q = high(registers, o, 2);    \
        const uint32_t c = alu_get_predicate(registers, o->at[4]);             \
        alu_put_predicate(registers, o->at[1], q op c, on->mask);              \
        alu_put_predicate(registers, o->at[0], p op c, on->mask);              \
    }

#define CMP(cmp, z, text, T, expr)                                             \
    static void setp_##cmp##_##T(ALU_ARGS) {                                   \
        const uint32_t hit = fast_##cmp##_##T(registers, o, 2);                \
        alu_put_predicate(registers, o->at[1], ~hit, on->mask);                \
        alu_put_predicate(registers, o->at[0], hit, on->mask);                 \
    }                                                                          \
    SETP_OP(setp_and_##cmp##_##T, test_##cmp##_##T, &)                         \
    SETP_OP(setp_or_##cmp##_##T, test_##cmp##_##T, |)                          \
    SETP_OP(setp_xor_##cmp##_##T, test_##cmp##_##T, ^)
#define CMP2(cmp, z, text, T, expr)                                            \
    static void setp2_##cmp##_##T(ALU_ARGS) {                                  \
        const uint32_t p = test_##cmp##_##T(registers, o, 2);                  \
        const uint32_t q = high_##cmp##_##T(registers, o, 2);                  \
        alu_put_predicate(registers, o->at[1], q, on->mask);                   \
        alu_put_predicate(registers, o->at[0], p, on->mask);                   \
    }                                                                          \
    SETP2_OP(setp2_and_##cmp##_##T, test_##cmp##_##T, high_##cmp##_##T, &)     \
    SETP2_OP(setp2_or_##cmp##_##T, test_##cmp##_##T, high_##cmp##_##T, |)      \
    SETP2_OP(setp2_xor_##cmp##_##T, test_##cmp##_##T, high_##cmp##_##T, ^)
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

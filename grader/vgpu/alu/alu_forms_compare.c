/* SPDX-License-Identifier: MIT
 *
 * alu_forms_compare.c: setp, set, selp, slct.
 *
 * How to read this: alu_cmp.def lists the comparisons. Each becomes one
 * function test_CMP_T that answers a mask of 32 lanes, and setp and set, plain
 * or with a boolean operation, are what they do with that mask.
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

/* set: `yes` where the mask says so, else 0. */
static __attribute__((noinline)) void put_where(uint32_t *d, uint32_t where,
                                                uint32_t yes,
                                                const struct lane_set *on) {
    ALU_IVDEP ALU_LANES {
        const uint32_t x = where & alu_lane_bit[l] ? yes : 0u;
        d[l] = (x & on->w[l]) | (d[l] & ~on->w[l]);
    }
}
/* Some kinds have no form for some types. */
#define SET_OP(name, test, yes, op)                                            \
    static __attribute__((unused)) void name(ALU_ARGS) {                       \
        const uint32_t c = alu_get_predicate(registers, o->at[3]);             \
        put_where(ALU_AT(b32, 0), test(registers, o, 1) op c, yes, on);        \
    }
#define SET_KIND(kind, yes, stem)                                              \
    static __attribute__((unused)) void set_##kind##_##stem(ALU_ARGS) {        \
        put_where(ALU_AT(b32, 0), test_##stem(registers, o, 1), yes, on);      \
    }                                                                          \
    SET_OP(set_##kind##_and_##stem, test_##stem, yes, &)                       \
    SET_OP(set_##kind##_or_##stem, test_##stem, yes, |)                        \
    SET_OP(set_##kind##_xor_##stem, test_##stem, yes, ^)
#define ONE_F32  0x3f800000u
#define ONE_f16  0x3c00u
#define ONE_f16z ONE_f16
#define ONE_bf16 0x3f80u

/* Two halves: two results in one register. */
static __attribute__((noinline)) void put_pair(uint32_t *d, uint32_t low,
                                               uint32_t high, uint32_t yes,
                                               const struct lane_set *on) {
    ALU_IVDEP ALU_LANES {
        const uint32_t x = (low & alu_lane_bit[l] ? yes : 0u) |
                           (high & alu_lane_bit[l] ? yes << 16 : 0u);
        d[l] = (x & on->w[l]) | (d[l] & ~on->w[l]);
    }
}
#define SET2_OP(name, stem, yes, expr_low, expr_high)                          \
    static void name(ALU_ARGS) {                                               \
        const uint32_t p = test_##stem(registers, o, 1);                       \
        const uint32_t q = high_##stem(registers, o, 1);                       \
        const uint32_t c = alu_get_predicate(registers, o->at[3]);             \
        (void)c;                                                               \
        put_pair(ALU_AT(b32, 0), expr_low, expr_high, yes, on);                \
    }

#define CMP(cmp, z, text, T, expr)                                             \
    static void setp_##cmp##_##T(ALU_ARGS) {                                   \
        const uint32_t hit = fast_##cmp##_##T(registers, o, 2);                \
        alu_put_predicate(registers, o->at[1], ~hit, on->mask);                \
        alu_put_predicate(registers, o->at[0], hit, on->mask);                 \
    }                                                                          \
    SETP_OP(setp_and_##cmp##_##T, test_##cmp##_##T, &)                         \
    SETP_OP(setp_or_##cmp##_##T, test_##cmp##_##T, |)                          \
    SETP_OP(setp_xor_##cmp##_##T, test_##cmp##_##T, ^)                         \
    SET_KIND(ones, ~0u, cmp##_##T)                                             \
    SET_KIND(one, ONE_F32, cmp##_##T)                                          \
    SET_KIND(half, ONE_f16, cmp##_##T)                                         \
    SET_KIND(brain, ONE_bf16, cmp##_##T)                                       \
    SET_KIND(short, 0xffffu, cmp##_##T)
#define CMP2(cmp, z, text, T, expr)                                            \
    static void setp2_##cmp##_##T(ALU_ARGS) {                                  \
        const uint32_t p = test_##cmp##_##T(registers, o, 2);                  \
        const uint32_t q = high_##cmp##_##T(registers, o, 2);                  \
        alu_put_predicate(registers, o->at[1], q, on->mask);                   \
        alu_put_predicate(registers, o->at[0], p, on->mask);                   \
    }                                                                          \
    SETP2_OP(setp2_and_##cmp##_##T, test_##cmp##_##T, high_##cmp##_##T, &)     \
    SETP2_OP(setp2_or_##cmp##_##T, test_##cmp##_##T, high_##cmp##_##T, |)      \
    SETP2_OP(setp2_xor_##cmp##_##T, test_##cmp##_##T, high_##cmp##_##T, ^)     \
    SET2_OP(set2_##cmp##_##T, cmp##_##T, ONE_##T, p, q)                        \
    SET2_OP(set2_and_##cmp##_##T, cmp##_##T, ONE_##T, p &c, q &c)              \
    SET2_OP(set2_or_##cmp##_##T, cmp##_##T, ONE_##T, p | c, q | c)             \
    SET2_OP(set2_xor_##cmp##_##T, cmp##_##T, ONE_##T, p ^ c, q ^ c)
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

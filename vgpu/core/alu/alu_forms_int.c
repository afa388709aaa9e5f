/* SPDX-License-Identifier: MIT
 *
 * alu_forms_int.c: integer arithmetic. The forms are in alu_int.def; here are
 * the handlers with four sources and those that use the carry flag.
 *
 * The carry is a predicate of the frame. add.cc and mad.cc set it to the carry
 * out; sub.cc sets it to the *borrow* out, and subc subtracts it (PTX ISA
 * 9.7.2). Mixing an add.cc with a subc is not portable in PTX either.
 */
#include "alu_bits.h"
#include "alu_masks.h"

#define BFI(name, T, expr)                                                     \
    static void name(ALU_ARGS) {                                               \
        raw_##T *d = ALU_AT(T, 0);                                             \
        const raw_##T *pa = ALU_AT(T, 1);                                      \
        const raw_##T *pb = ALU_AT(T, 2);                                      \
        const raw_u32 *pc = ALU_AT(u32, 3);                                    \
        const raw_u32 *pe = ALU_AT(u32, 4);                                    \
        ALU_EACH(T, d, const raw_##T a = pa[l]; const raw_##T b = pb[l];       \
                 const uint32_t c = pc[l]; const uint32_t e = pe[l];           \
                 const raw_##T x = (raw_##T)(expr))                            \
    }
BFI(bfi_b32, b32, alu_bfi(a, b, c & 0xffu, e & 0xffu))
BFI(bfi_b64, b64, alu_bfi(a, b, c, e))

/* One handler: `sum` is the result and `out` the carry in terms of a, b, c, r
 * (the result) and k (carry in, 0 or 1). n_sources tells where operands lie:
 * destination, [carry out], sources, [carry in]. */
#define CARRY(name, T, n_sources, takes, gives, sum, out)                      \
    static void name(ALU_ARGS) {                                               \
        const unsigned first = 1 + (gives);                                    \
        raw_##T *d = ALU_AT(T, 0);                                             \
        const raw_##T *pa = ALU_AT(T, first);                                  \
        const raw_##T *pb = ALU_AT(T, first + 1);                              \
        const raw_##T *pc = ALU_AT(T, first + (n_sources)-1);                  \
        const uint32_t in =                                                    \
            (takes) ? alu_get_predicate(registers, o->at[first + (n_sources)]) \
                    : 0;                                                       \
        uint32_t carry[VGPU_LANES];                                            \
        const raw_##T *active = ALU_ON(d, on);                                 \
        ALU_IVDEP ALU_LANES {                                                  \
            const raw_##T a = pa[l], b = pb[l], c = pc[l];                     \
            const raw_##T k = (takes) && (in & alu_lane_bit[l]);               \
            const raw_##T r = (sum);                                           \
            (void)b, (void)c, (void)k, (void)a;                                \
            carry[l] = (gives) && (out) ? ~0u : 0;                             \
            d[l] = (r & active[l]) | (d[l] & ~active[l]);                      \
        }                                                                      \
        if (gives)                                                             \
            alu_put_predicate(registers, o->at[1], alu_gather32(carry),        \
                              on->mask);                                       \
    }
#define CARRY_ADD(T)                                                           \
    CARRY(add_cc_##T, T, 2, 0, 1, a + b, r < a)                                \
    CARRY(addc_##T, T, 2, 1, 0, a + b + k, 0)                                  \
    CARRY(addc_cc_##T, T, 2, 1, 1, a + b + k, k ? r <= a : r < a)              \
    CARRY(sub_cc_##T, T, 2, 0, 1, a - b, a < b)                                \
    CARRY(subc_##T, T, 2, 1, 0, a - b - k, 0)                                  \
    CARRY(subc_cc_##T, T, 2, 1, 1, a - b - k, k ? a <= b : a < b)
#define CARRY_MAD(part, T, H, product)                                         \
    CARRY(mad_##part##_cc_##T, H, 3, 0, 1, (raw_##H)(product) + c, r < c)      \
    CARRY(madc_##part##_##T, H, 3, 1, 0, (raw_##H)(product) + c + k, 0)        \
    CARRY(madc_##part##_cc_##T, H, 3, 1, 1, (raw_##H)(product) + c + k,        \
          k ? r <= c : r < c)
CARRY_ADD(u32)
CARRY_ADD(u64)
CARRY_MAD(lo, u32, u32, a *b)
CARRY_MAD(lo, u64, u64, a *b)
CARRY_MAD(hi, u32, u32, (uint64_t)a *b >> 32)
CARRY_MAD(hi, s32, u32, (int64_t)(int32_t)a *(int32_t)b >> 32)
CARRY_MAD(hi, u64, u64, alu_mulhi_u64(a, b))
CARRY_MAD(hi, s64, u64, alu_mulhi_s64((int64_t)a, (int64_t)b))

#define ALU_DEF   "alu_int.def"
#define ALU_TABLE alu_forms_int
#include "alu_emit.h"

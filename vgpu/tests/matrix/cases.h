/* SPDX-License-Identifier: MIT
 *
 * cases.h: operands of matrix instructions, the same wherever they are made:
 * the program that asks a GPU (ask.cu) and the test that compares its answers
 * with the virtual GPU's.
 *
 * How to read this: a case is one instruction of one warp. Its registers are
 * filled lane by lane, without a thought of which element lies where. The mode
 * of a case says what its numbers are like.
 */
#pragma once

#include <stdint.h>

enum {
    MATRIX_MODES = 9, /* of random numbers; then more of the same */
    MATRIX_LANES = 32,
    MATRIX_REGISTERS = 8
};

enum matrix_type { IS_F16, IS_BF16, IS_TF32, IS_F32, IS_BITS };

/* X(name, text, registers of a, b, c and d, type of a and b, of c) */
#define MATRIX_FORMS(X)                                                        \
    X(f32_f16_16, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4, IS_F16,      \
      IS_F32)                                                                  \
    X(f16_f16_16, "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2, IS_F16,      \
      IS_F16)                                                                  \
    X(f32_f16_8, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 4, IS_F16,        \
      IS_F32)                                                                  \
    X(f16_f16_8, "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 2, IS_F16,        \
      IS_F16)                                                                  \
    X(f32_bf16_16, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4, IS_BF16,  \
      IS_F32)                                                                  \
    X(f32_bf16_8, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, 4, IS_BF16,    \
      IS_F32)                                                                  \
    X(f32_tf32_8, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4, IS_TF32,    \
      IS_F32)                                                                  \
    X(f32_tf32_4, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 4, IS_TF32,    \
      IS_F32)                                                                  \
    X(s8_16, "m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, 4, IS_BITS, IS_BITS)   \
    X(s8_32, "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, 4, IS_BITS, IS_BITS)   \
    X(u8_s8_32_sat, "m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4, 2, 4, 4,    \
      IS_BITS, IS_BITS)                                                        \
    X(u8_8x8, "m8n8k16.row.col.s32.u8.u8.s32", 1, 1, 2, 2, IS_BITS, IS_BITS)

static inline uint32_t matrix_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15ull;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(z >> 32);
}

/* sign, `exponent` of `bits` bits around `middle` +- spread, fraction */
static inline uint32_t matrix_float(uint32_t r, uint32_t bits, uint32_t total,
                                    uint32_t middle, uint32_t spread) {
    uint32_t fraction = total - 1 - bits, most = (1u << bits) - 2;
    uint32_t e =
        spread ? middle - spread + (r >> 8) % (2 * spread + 1) : middle;
    if (e > most) e = (r >> 8) % most + 1;
    return (r & 1) << (total - 1) | e << fraction |
           ((r >> 12) & ((1u << fraction) - 1));
}

/* A number of this type and mode. */
static inline uint32_t matrix_number(uint64_t *state, enum matrix_type t,
                                     uint32_t mode) {
    uint32_t total = t == IS_F16 || t == IS_BF16 ? 16 : 32;
    uint32_t bits = t == IS_F16 ? 5 : 8, bias = (1u << (bits - 1)) - 1;
    uint32_t fraction = total - 1 - bits, r = matrix_random(state);
    uint32_t wide = t == IS_F16 ? 14 : 40, all = matrix_random(state);
    if (t == IS_BITS) return all;
    if (total == 16) all &= 0xffff;
    switch (mode) {
    case 0: return matrix_float(r, bits, total, bias, 2);
    case 1: return matrix_float(r & ~1u, bits, total, bias, 1);
    case 2: return matrix_float(r, bits, total, bias, t == IS_F16 ? 7 : 12);
    case 3: return matrix_float(r, bits, total, bias, wide);
    case 4: /* most are zero */
        return all & 7 ? 0 : matrix_float(r, bits, total, bias, 12);
    case 5: /* small, also subnormal, some zero */
        return (r & 1) << (total - 1) |
               (r >> 4 & 3) << (t == IS_F16 ? fraction : fraction + 5) |
               ((r >> 8) & ((1u << fraction) - 1) & (r & 2 ? ~0u : 1u));
    case 6: /* anything, infinities and NaN among it */
        return r & 15 ? matrix_float(r, bits, total, bias, 6) : all;
    case 7: /* zeros of both signs */ return (r & 1) << (total - 1);
    default: /* powers of two */
        return matrix_float(r, bits, total, bias, 12) >> fraction << fraction;
    }
}

static inline uint32_t matrix_register(uint64_t *state, enum matrix_type t,
                                       uint32_t mode) {
    uint32_t x = matrix_number(state, t, mode);
    if (t == IS_F16 || t == IS_BF16) x |= matrix_number(state, t, mode) << 16;
    return x;
}

/* Registers of all lanes: [register][lane]. */
static inline void matrix_operand(uint32_t form, uint32_t number,
                                  uint32_t which, enum matrix_type t,
                                  uint32_t n, uint32_t *to) {
    uint64_t state = ((uint64_t)form << 40) | (uint64_t)number << 8 | which;
    uint32_t mode = number % MATRIX_MODES;
    for (int warm = 0; warm < 3; warm++) (void)matrix_random(&state);
    for (uint32_t r = 0; r < n * MATRIX_LANES; r++)
        to[r] = matrix_register(&state, t, mode);
}

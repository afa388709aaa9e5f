/* SPDX-License-Identifier: MIT
 *
 * alu_forms_half.c: 16-bit floating point, alone and in pairs. The forms are in
 * alu_half.def. A half is computed in float, whose result rounds on to 11 bits
 * as the exact one would (24 >= 2 * 11 + 2); bf16 has float's exponents, where
 * that fails for subnormals, so it goes through alu_soft.h.
 */
#include "alu_bits.h"
#include "alu_real.h"

#define ALU_HALVES1(T, f)                                                      \
    (put_##T(f(get_##T(a))) | put_##T(f(get_##T(a >> 16))) << 16)
#define ALU_HALVES2(T, f) ALU_PAIR(T, a, b, f)
#define ALU_HALVES3(T, f)                                                      \
    (put_##T(f(get_##T(a), get_##T(b), get_##T(c))) |                          \
     put_##T(f(get_##T(a >> 16), get_##T(b >> 16), get_##T(c >> 16))) << 16)

#define HALF2(name, expr)                                                      \
    ALU_INLINE float half_##name(float a, float b) {                           \
        return expr;                                                           \
    }                                                                          \
    ALU_INLINE float half_##name##_sat(float a, float b) {                     \
        const float x = expr;                                                  \
        return ALU_SAT(float, x);                                              \
    }
HALF2(add, a + b)
HALF2(sub, a - b)
HALF2(mul, a *b)

#define HALF_XORSIGN(name, op)                                                 \
    ALU_INLINE float half_##name(float a, float b) {                           \
        return ALU_XORSIGN(op, a, b);                                          \
    }
HALF_XORSIGN(min_x, alu_min_float)
HALF_XORSIGN(max_x, alu_max_float)
HALF_XORSIGN(min_nan_x, alu_min_nan_float)
HALF_XORSIGN(max_nan_x, alu_max_nan_float)

ALU_INLINE float half_fma_sat(float a, float b, float c) {
    const float x = alu_fma_f16(a, b, c);
    return ALU_SAT(float, x);
}
/* .relu keeps NaN (as canonical NaN) and turns what is negative into +0. */
ALU_INLINE float relu(float x) {
    return x != x || x > 0 ? x : 0;
}
ALU_INLINE float half_fma_relu(float a, float b, float c) {
    return relu(alu_fma_f16(a, b, c));
}

/* .ftz looks at the result as if exponents had no end: what eleven bits would
 * round to less than the smallest normal number is flushed, also where the
 * coarser subnormal numbers would round it up. */
ALU_INLINE float half_flush(float x) {
    return fabsf(x) < 0x1p-14f - 0x1p-26f ? copysignf(0, x) : x;
}
ALU_INLINE float half_mul_ftz(float a, float b) {
    return half_flush(a * b);
}
ALU_INLINE float half_fma_ftz(float a, float b, float c) {
    return half_flush(alu_fma_f16(a, b, c));
}
ALU_INLINE float half_mul_ftz_sat(float a, float b) {
    const float x = half_flush(a * b);
    return ALU_SAT(float, x);
}
ALU_INLINE float half_fma_ftz_sat(float a, float b, float c) {
    const float x = half_fma_ftz(a, b, c);
    return ALU_SAT(float, x);
}
ALU_INLINE float half_fma_ftz_relu(float a, float b, float c) {
    return relu(half_fma_ftz(a, b, c));
}
#define MUL_f16       half_mul
#define MUL_f16z      half_mul_ftz
#define MUL_SAT_f16   half_mul_sat
#define MUL_SAT_f16z  half_mul_ftz_sat
#define FMA_f16       alu_fma_f16
#define FMA_f16z      half_fma_ftz
#define FMA_SAT_f16   half_fma_sat
#define FMA_SAT_f16z  half_fma_ftz_sat
#define FMA_RELU_f16  half_fma_relu
#define FMA_RELU_f16z half_fma_ftz_relu

ALU_INLINE float brain_ex2(float a) {
    const float x = exp2f(a);
    return x < 0x1p-126f ? 0 : x;
}
ALU_INLINE float brain(double odd) {
    return get_bf16((uint32_t)alu_soft_from_f64(odd, ALU_BF16, ALU_RN));
}
ALU_INLINE float brain_fma(float a, float b, float c) {
    return brain(alu_soft_fma(a, b, c, ALU_ODD));
}
ALU_INLINE float brain_fma_relu(float a, float b, float c) {
    return relu(brain_fma(a, b, c));
}
ALU_INLINE float brain_add(float a, float b) {
    return brain(alu_soft_add(a, b, ALU_ODD));
}
ALU_INLINE float brain_sub(float a, float b) {
    return brain_add(a, -b);
}
ALU_INLINE float brain_mul(float a, float b) {
    return brain(alu_soft_mul(a, b, ALU_ODD));
}

#define ALU_DEF   "alu_half.def"
#define ALU_TABLE alu_forms_half
#include "alu_emit.h"

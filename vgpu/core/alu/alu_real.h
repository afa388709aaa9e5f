/* SPDX-License-Identifier: MIT
 *
 * alu_real.h: floating-point operations of one lane. Those written with a type
 * parameter serve f32, f64 and (held in a float) f16 and bf16.
 */
#pragma once

#include <math.h>

#include "alu_lanes.h"
#include "alu_soft.h"

/* .sat: to [+0, 1]; NaN and -0 become +0. */
#define ALU_SAT(T, x) ((x) > 0 ? ((x) < 1 ? (x) : (T)1) : (T)0)

/* minNum and maxNum of IEEE 754-2008, with -0 below +0. Equal operands differ
 * in the sign of zero at most, so joining their bits picks the right one. */
#define ALU_MINMAX(T, bits, from)                                              \
    ALU_INLINE T alu_min_##T(T a, T b) {                                       \
        T m = a < b ? a : b < a ? b : from(bits(a) | bits(b));                 \
        return a != a ? b : b != b ? a : m;                                    \
    }                                                                          \
    ALU_INLINE T alu_max_##T(T a, T b) {                                       \
        T m = a > b ? a : b > a ? b : from(bits(a) & bits(b));                 \
        return a != a ? b : b != b ? a : m;                                    \
    }                                                                          \
    ALU_INLINE T alu_min_nan_##T(T a, T b) {                                   \
        return a != a ? a : b != b ? b : alu_min_##T(a, b);                    \
    }                                                                          \
    ALU_INLINE T alu_max_nan_##T(T a, T b) {                                   \
        return a != a ? a : b != b ? b : alu_max_##T(a, b);                    \
    }
ALU_MINMAX(float, bits_of_f32, f32_of_bits)
ALU_MINMAX(double, bits_of_f64, f64_of_bits)

/* .xorsign.abs: magnitudes compared, the sign is that of the product. */
#define ALU_XORSIGN(op, a, b)                                                  \
    f32_of_bits(bits_of_f32(op(fabsf(a), fabsf(b))) ^                          \
                ((bits_of_f32(a) ^ bits_of_f32(b)) & 0x80000000u))

/* s = p + c rounded to odd, p and c floats, s a double or float (T): the error
 * of the sum, found exactly, says whether and where the last bit must go. */
ALU_INLINE double alu_odd_sum_f64(double p, double c) {
    double s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
    uint64_t bits = bits_of_f64(s);
    uint64_t step = (e > 0) == (s > 0) ? 1u : ~0ull;
    bits += (e > 0 || e < 0) && !(bits & 1u) ? step : 0;
    return f64_of_bits(bits);
}
ALU_INLINE float alu_odd_sum_f32(float p, float c) {
    float s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
    uint32_t bits = bits_of_f32(s);
    uint32_t step = (e > 0) == (s > 0) ? 1u : ~0u;
    bits += (e > 0 || e < 0) && !(bits & 1u) ? step : 0;
    return f32_of_bits(bits);
}

/* One rounding, also where the processor has no fused instruction: the product
 * of two floats is exact in double. */
ALU_INLINE float alu_fma_f32(float a, float b, float c) {
#if defined __FMA__ || defined __aarch64__
    return __builtin_fmaf(a, b, c);
#else
    return (float)alu_odd_sum_f64((double)a * b, c);
#endif
}
/* Halves: the product is exact in float, and put_f16 rounds an odd sum right.
 */
ALU_INLINE float alu_fma_f16(float a, float b, float c) {
    return alu_odd_sum_f32(a * b, c);
}

/* .ftz looks at the result as if exponents had no end: what 24 bits would round
 * to less than the smallest normal number is flushed, also where the coarser
 * subnormal numbers would round it up. exact tells it (to odd will do). */
ALU_INLINE bool alu_is_tiny(double exact, enum alu_rounding mode) {
    const double normal = 0x1p-126, below = normal - 0x1p-150;
    if (mode == ALU_RN) return fabs(exact) < normal - 0x1p-151;
    if (mode == ALU_RP && exact > 0) return exact <= below;
    if (mode == ALU_RM && exact < 0) return exact >= -below;
    return fabs(exact) < normal;
}
ALU_INLINE float alu_flush_f32z(double exact, float rounded,
                                enum alu_rounding mode) {
    return alu_is_tiny(exact, mode) ? copysignf(0, rounded) : rounded;
}
ALU_INLINE float alu_mul_f32(float a, float b) {
    return a * b;
}
ALU_INLINE float alu_mul_f32z(float a, float b) {
    return alu_flush_f32z((double)a * b, a * b, ALU_RN);
}
ALU_INLINE float alu_fma_f32z(float a, float b, float c) {
    return alu_flush_f32z(alu_odd_sum_f64((double)a * b, c),
                          alu_fma_f32(a, b, c), ALU_RN);
}

ALU_INLINE float alu_div_f32(float a, float b) {
    return a / b;
}
ALU_INLINE float alu_div_f32z(float a, float b) {
    return alu_flush_f32z((double)a / b, a / b, ALU_RN);
}

/* ---- NaNs of f64: payloads survive, made quiet, last operand first ---- */
ALU_INLINE uint64_t alu_quiet(double x) {
    return bits_of_f64(x) | 0x0008000000000000u;
}
/* A NaN that comes of numbers has its sign set, as x86-64's has, but not
 * everyone's. */
ALU_INLINE double alu_f64_made(double r) {
#ifndef __x86_64__
    if (r != r) return f64_of_bits(0xfff8000000000000u);
#endif
    return r;
}
ALU_INLINE uint64_t alu_f64_1(double a, double r) {
    return a != a ? alu_quiet(a) : bits_of_f64(alu_f64_made(r));
}
ALU_INLINE uint64_t alu_f64_2(double a, double b, double r) {
    return b != b ? alu_quiet(b) : alu_f64_1(a, r);
}
/* of a * b + c: b, then c, then a */
ALU_INLINE uint64_t alu_f64_3(double a, double b, double c, double r) {
    return b != b ? alu_quiet(b) : c != c ? alu_quiet(c) : alu_f64_1(a, r);
}
/* Division and roots take the first operand's, as x86-64 does. */
ALU_INLINE double alu_f64_first(double a, double b, double r) {
#ifndef __x86_64__
    if (a != a || b != b) return f64_of_bits(alu_quiet(a != a ? a : b));
#endif
    (void)a, (void)b;
    return alu_f64_made(r);
}
ALU_INLINE uint64_t alu_f64_bits(double r) {
    return bits_of_f64(r);
}
ALU_INLINE double alu_f64_quiet(double r) {
    return r != r ? f64_of_bits(alu_quiet(r)) : r;
}

/* ---- f32 in a given rounding, through f64 rounded to odd ---- */
ALU_INLINE float alu_narrow_f32(double x, enum alu_rounding mode) {
    return f32_of_bits((uint32_t)alu_soft_from_f64(x, ALU_F32, mode));
}
/* An exact zero has its sign from the rounding that was asked for. */
#define ALU_DIRECTED(op, list, ...)                                            \
    ALU_INLINE float alu_##op##_f32_in list {                                  \
        double x = alu_soft_##op(__VA_ARGS__, ALU_ODD);                        \
        if (x == 0) x = alu_soft_##op(__VA_ARGS__, mode);                      \
        return alu_narrow_f32(x, mode);                                        \
    }                                                                          \
    ALU_INLINE float alu_##op##_f32z_in list {                                 \
        const double x = alu_soft_##op(__VA_ARGS__, ALU_ODD);                  \
        return alu_flush_f32z(x, alu_##op##_f32_in(__VA_ARGS__, mode), mode);  \
    }
ALU_DIRECTED(add, (float a, float b, enum alu_rounding mode), a, b)
ALU_DIRECTED(mul, (float a, float b, enum alu_rounding mode), a, b)
ALU_DIRECTED(div, (float a, float b, enum alu_rounding mode), a, b)
ALU_DIRECTED(sqrt, (float a, enum alu_rounding mode), a)
ALU_DIRECTED(fma, (float a, float b, float c, enum alu_rounding mode), a, b, c)

/* ---- approximations ---- */
/* PTX ISA 9.7.3.8: beyond 2^126 the divisor's reciprocal is taken as zero. */
ALU_INLINE float alu_div_approx(float a, float b) {
    bool huge = fabsf(b) > 0x1p126f && !isinf(b);
    return huge ? a * copysignf(0, b) : (float)((double)a / b);
}
/* rcp.approx.ftz.f64 and rsqrt's see and give the upper 32 bits only: a NaN
 * that has only lower ones is an infinity. */
ALU_INLINE double alu_upper(double x) {
    uint64_t b = bits_of_f64(x) & 0xffffffff00000000ull;
    if (!(b & 0x7ff0000000000000ull)) b &= 0x8000000000000000ull;
    bool is_nan = (b & 0x7fffffff00000000ull) > 0x7ff0000000000000ull;
    return f64_of_bits(is_nan ? 0x7fffffff00000000u : b);
}

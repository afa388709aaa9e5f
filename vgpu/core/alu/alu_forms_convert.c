/* SPDX-License-Identifier: MIT
 *
 * alu_forms_convert.c: cvt. The forms are in alu_convert.def.
 *
 * Float to integer clamps to the destination's range. NaN becomes 0, except
 * where f64 or a 64-bit integer takes part: then it becomes the value with only
 * the top bit set (PTX ISA 9.7.9.21, notes on saturation).
 */
#include "alu_bits.h"
#include "alu_real.h"

/* The register of a result may be wider than its type, and the sign must fill
 * it: a 16-bit one has it in its lower half, a 32-bit one needs it all. What
 * reads 16 bits looks at no more. */
ALU_INLINE uint32_t put_s8_wide(int32_t v) {
    return (uint32_t)(int8_t)v;
}
ALU_INLINE uint32_t put_s16_wide(int32_t v) {
    return (uint32_t)(int16_t)v;
}
#define put_s8  put_s8_wide
#define put_s16 put_s16_wide

/* ---- ranges ---- */
#define MIN_u8  0
#define MIN_u16 0
#define MIN_u32 0
#define MIN_u64 0
#define MIN_s8  INT8_MIN
#define MIN_s16 INT16_MIN
#define MIN_s32 INT32_MIN
#define MIN_s64 INT64_MIN
#define MAX_u8  UINT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_u64 UINT64_MAX
#define MAX_s8  INT8_MAX
#define MAX_s16 INT16_MAX
#define MAX_s32 INT32_MAX
#define MAX_s64 INT64_MAX
/* Range checks of types that hold every value are always false; so be it. */
#pragma GCC diagnostic ignored "-Wtype-limits"

/* From an unsigned value, from a signed one */
#define ALU_CLAMP_U(D, a)                                                      \
    ((uint64_t)(a) > (uint64_t)MAX_##D ? (val_##D)MAX_##D : (val_##D)(a))
#define ALU_CLAMP_S(D, a)                                                      \
    ((int64_t)(a) < (int64_t)MIN_##D ? MIN_##D                                 \
     : (a) > 0 && (uint64_t)(int64_t)(a) > (uint64_t)MAX_##D                   \
         ? (val_##D)MAX_##D                                                    \
         : (val_##D)(a))

/* limit is the first value beyond the range; both ends are exact in F. */
#define TO_INTEGER(D, F, x, limit, nan)                                        \
    ALU_INLINE val_##D to_##D##_##x(F a) {                                     \
        const bool in = a >= (F)MIN_##D && a < (F)(limit);                     \
        const val_##D inside = (val_##D)(in ? a : 0);                          \
        const val_##D out = a > 0   ? (val_##D)MAX_##D                         \
                            : a < 0 ? (val_##D)MIN_##D                         \
                                    : (val_##D)(nan);                          \
        return in ? inside : out;                                              \
    }
#define TO_INTEGERS(D, limit, nan32, nan64)                                    \
    TO_INTEGER(D, float, f, limit, nan32) TO_INTEGER(D, double, d, limit, nan64)
TO_INTEGERS(u8, 0x1p8, 0, 0x80)
TO_INTEGERS(s8, 0x1p7, 0, INT8_MIN)
TO_INTEGERS(u16, 0x1p16, 0, 0x8000)
TO_INTEGERS(s16, 0x1p15, 0, INT16_MIN)
TO_INTEGERS(u32, 0x1p32, 0, 0x80000000u)
TO_INTEGERS(s32, 0x1p31, 0, INT32_MIN)
TO_INTEGERS(u64, 0x1p64, 0x8000000000000000u, 0x8000000000000000u)
TO_INTEGERS(s64, 0x1p63, INT64_MIN, INT64_MIN)

#define rint_f  rintf
#define floor_f floorf
#define ceil_f  ceilf
#define trunc_f truncf
#define rint_d  rint
#define floor_d floor
#define ceil_d  ceil
#define trunc_d trunc
/* The host's functions may hand a signalling NaN through. */
#define rint_q(x)  alu_f64_quiet(rint(x))
#define floor_q(x) alu_f64_quiet(floor(x))
#define ceil_q(x)  alu_f64_quiet(ceil(x))
#define trunc_q(x) alu_f64_quiet(trunc(x))

/* Narrowing. NaNs of f32 and less become the canonical one; those of f64 keep
 * sign and the upper part of their payload. */
ALU_INLINE uint32_t narrow_nan(double a, enum alu_format format) {
    const uint64_t b = bits_of_f64(a) | 0x0008000000000000u;
    const uint32_t f32 = (uint32_t)(b >> 32 & 0x80000000u) | 0x7f800000u |
                         (uint32_t)(b >> 29 & 0x7fffffu);
    return format == ALU_F32 ? f32
           : format == ALU_BF16
               ? f32 >> 16
               : (f32 >> 16 & 0x8000u) | 0x7c00u | (f32 >> 13 & 0x3ffu);
}
ALU_INLINE uint32_t narrow_f64(double a, enum alu_format format,
                               enum alu_rounding mode) {
    return a != a ? narrow_nan(a, format)
                  : (uint32_t)alu_soft_from_f64(a, format, mode);
}
#define narrow_f32(a, format, mode)                                            \
    ((uint32_t)alu_soft_from_f64(a, format, mode))
#define narrow_f32z   narrow_f32
#define narrow_f16    narrow_f32
#define narrow_bf16   narrow_f32
#define flush_f32(x)  (x)
#define flush_f16(x)  (x)
#define flush_bf16(x) (x)
#define flush_f32z(x) (fabs(x) < 0x1p-126 ? copysign(0, x) : (x))

ALU_INLINE float same(float x) {
    return x;
}
ALU_INLINE float relu(float x) {
    return x != x || x > 0 ? x : 0;
}

/* .satfinite: the largest finite number in place of infinity */
ALU_INLINE uint32_t same16(uint64_t x, uint32_t infinity) {
    (void)infinity;
    return (uint32_t)x;
}
ALU_INLINE uint32_t finite16(uint64_t x, uint32_t infinity) {
    return (uint32_t)x - ((x & 0x7fffu) == infinity);
}

/* Ten bits of fraction; what is added first makes the rounding. */
ALU_INLINE uint32_t to_tf32(uint32_t a, uint32_t add) {
    bool finite = (a & 0x7f800000u) != 0x7f800000u;
    bool nan = (a & 0x7fffffffu) > 0x7f800000u;
    return nan ? ALU_NAN32 & ~0x1fffu : finite ? (a + add) & ~0x1fffu : a;
}
ALU_INLINE uint32_t to_tf32_rna(uint32_t a) {
    bool nan = (a & 0x7fffffffu) > 0x7f800000u;
    return nan ? a & ~0x1fffu : to_tf32(a, 0x1000u);
}

ALU_INLINE uint32_t pack2(int32_t a, int32_t b, int32_t low, int32_t high,
                          unsigned bits) {
    const uint32_t mask = (uint32_t)alu_low(bits);
    a = a < low ? low : a > high ? high : a;
    b = b < low ? low : b > high ? high : b;
    return ((uint32_t)a & mask) << bits | ((uint32_t)b & mask);
}
#define PACK2(T, bits)                                                         \
    ALU_INLINE uint32_t pack2_##T(int32_t a, int32_t b) {                      \
        return pack2(a, b, MIN_##T, MAX_##T, bits);                            \
    }
PACK2(u8, 8)
PACK2(s8, 8)
PACK2(u16, 16)
PACK2(s16, 16)

#define ALU_DEF   "alu_convert.def"
#define ALU_TABLE alu_forms_convert
#include "alu_emit.h"

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

/* The flush of .ftz after a conversion that gave bits */
#define ALU_FLUSHED(D, x)   ALU_JOIN2(ALU_FLUSHED, D)(x)
#define ALU_FLUSHED_f32(x)  (x)
#define ALU_FLUSHED_f16(x)  (x)
#define ALU_FLUSHED_bf16(x) (x)
#define ALU_FLUSHED_f32z(x) alu_flush32((uint32_t)(x))

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
    return nan ? ALU_NAN32 : finite ? (a + add) & ~0x1fffu : a;
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

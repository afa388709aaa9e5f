/* SPDX-License-Identifier: MIT
 *
 * alu_bits.h: integer operations of one lane that need more than an
 * expression. Each follows the pseudo code of PTX ISA 9.0, section 9.7.1 or
 * 9.7.7 (logic and shifts). All are total: no input is undefined behaviour.
 */
#pragma once

#include "alu_lanes.h"

__extension__ typedef unsigned __int128 alu_u128;
__extension__ typedef __int128 alu_s128;

/* Division by zero: all ones, quotient and remainder alike; this is what
 * NVIDIA's division sequences return. The smallest integer divided by -1
 * wraps. */
#define ALU_DIVIDE(T, U)                                                       \
    ALU_INLINE val_##T alu_div_##T(val_##T a, val_##T b) {                     \
        return b == 0 ? (val_##T) ~(val_##U)0 : a / b;                         \
    }                                                                          \
    ALU_INLINE val_##T alu_rem_##T(val_##T a, val_##T b) {                     \
        return b == 0 ? (val_##T) ~(val_##U)0 : a % b;                         \
    }
#define ALU_DIVIDE_SIGNED(T, U)                                                \
    ALU_INLINE val_##T alu_div_##T(val_##T a, val_##T b) {                     \
        return b == 0 ? -1 : b == -1 ? (val_##T)(0 - (val_##U)a) : a / b;      \
    }                                                                          \
    ALU_INLINE val_##T alu_rem_##T(val_##T a, val_##T b) {                     \
        return b == 0 ? -1 : b == -1 ? 0 : a % b;                              \
    }
ALU_DIVIDE(u32, u32)
ALU_DIVIDE(u64, u64)
ALU_DIVIDE(u16, u16)
ALU_DIVIDE_SIGNED(s32, u32)
ALU_DIVIDE_SIGNED(s64, u64)
ALU_DIVIDE_SIGNED(s16, u16)

ALU_INLINE uint64_t alu_mulhi_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((alu_u128)a * b >> 64);
}
ALU_INLINE uint64_t alu_mulhi_s64(int64_t a, int64_t b) {
    return (uint64_t)((alu_s128)a * b >> 64);
}

ALU_INLINE int32_t alu_clamp_s32(int64_t x) {
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

ALU_INLINE int32_t alu_s24(uint32_t a) {
    uint32_t low = a & 0xffffffu;
    return (int32_t)(low ^ 0x800000u) - 0x800000;
}

/* ---- counting ---- */
ALU_INLINE uint32_t alu_popc32(uint32_t a) {
    return (uint32_t)__builtin_popcount(a);
}
ALU_INLINE uint32_t alu_popc64(uint64_t a) {
    return (uint32_t)__builtin_popcountll(a);
}
ALU_INLINE uint32_t alu_clz32(uint32_t a) {
    return a ? (uint32_t)__builtin_clz(a) : 32u;
}
ALU_INLINE uint32_t alu_clz64(uint64_t a) {
    return a ? (uint32_t)__builtin_clzll(a) : 64u;
}
/* Place of the highest one; shift: how far left it must go. */
ALU_INLINE uint32_t alu_bfind32(uint32_t a, bool shift) {
    uint32_t z = alu_clz32(a);
    return a == 0 ? ~0u : shift ? z : 31u - z;
}
ALU_INLINE uint32_t alu_bfind64(uint64_t a, bool shift) {
    uint32_t z = alu_clz64(a);
    return a == 0 ? ~0u : shift ? z : 63u - z;
}
/* The one offset without a negative gives 0 on hardware. */
ALU_INLINE uint32_t alu_fns(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == INT32_MIN) return 0;
    if (base > 31) return ~0u;
    if (offset == 0) return (mask >> base) & 1u ? base : ~0u;
    int32_t step = offset > 0 ? 1 : -1;
    uint32_t left = offset > 0 ? (uint32_t)offset : 0u - (uint32_t)offset;
    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
        if ((mask >> at) & 1u && --left == 0) return (uint32_t)at;
    return ~0u;
}

/* ---- bit fields ---- */
ALU_INLINE uint32_t alu_brev32(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
ALU_INLINE uint64_t alu_brev64(uint64_t x) {
    return (uint64_t)alu_brev32((uint32_t)x) << 32 |
           alu_brev32((uint32_t)(x >> 32));
}
/* The low n bits; n may be anything. */
ALU_INLINE uint64_t alu_low(uint32_t n) {
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}
/* width 32 or 64; a 32-bit value comes zero-extended. Place and length count
 * modulo 256 for 32 bits; hardware takes them whole for 64. */
ALU_INLINE uint64_t alu_bfe(uint64_t a, uint32_t b, uint32_t c, uint32_t width,
                            bool is_signed) {
    uint32_t limit = width == 32 ? 0xffu : ~0u;
    uint32_t at = b & limit, n = c & limit;
    if (n == 0) return 0;
    at = at > 255 ? 255 : at;
    n = n > 255 ? 255 : n;
    uint32_t have = at >= width ? 0 : at + n > width ? width - at : n;
    uint64_t field = at >= width ? 0 : (a >> at) & alu_low(have);
    uint32_t top = at + n - 1 > width - 1 ? width - 1 : at + n - 1;
    bool fill = is_signed && (a >> top & 1u);
    return fill ? field | ~alu_low(have) : field;
}
ALU_INLINE uint64_t alu_bfi(uint64_t a, uint64_t b, uint32_t at, uint32_t n) {
    uint64_t mask = at > 63 ? 0 : alu_low(n) << at;
    uint64_t moved = at > 63 ? 0 : a << at;
    return (b & ~mask) | (moved & mask);
}
ALU_INLINE uint32_t alu_szext(uint32_t a, uint32_t b, bool wrap,
                              bool is_signed) {
    uint32_t n = wrap ? b & 31u : b;
    if (n > 31) return a;
    uint32_t low = a & (uint32_t)alu_low(n);
    bool fill = is_signed && n && (a >> (n - 1) & 1u);
    return fill ? low | ~(uint32_t)alu_low(n) : low;
}
ALU_INLINE uint32_t alu_bmsk(uint32_t a, uint32_t b, bool wrap) {
    uint32_t at = wrap ? a & 31u : a;
    uint32_t n = wrap ? b & 31u : b > 32 ? 32u : b;
    return at > 31 ? 0 : (uint32_t)(alu_low(n) << at);
}

/* ---- shifts: PTX clamps an amount beyond the width ---- */
ALU_INLINE uint32_t alu_shl32(uint32_t a, uint32_t n) {
    return n > 31 ? 0 : a << (n & 31u);
}
ALU_INLINE uint64_t alu_shl64(uint64_t a, uint32_t n) {
    return n > 63 ? 0 : a << (n & 63u);
}
ALU_INLINE uint32_t alu_shr32(uint32_t a, uint32_t n) {
    return n > 31 ? 0 : a >> (n & 31u);
}
ALU_INLINE uint64_t alu_shr64(uint64_t a, uint32_t n) {
    return n > 63 ? 0 : a >> (n & 63u);
}
ALU_INLINE int32_t alu_sar32(int32_t a, uint32_t n) {
    return a >> (n > 31 ? 31 : n);
}
ALU_INLINE int64_t alu_sar64(int64_t a, uint32_t n) {
    uint64_t by = n > 63 ? 63 : n;
    return a >> by;
}
/* b is the high word, a the low one; n at most 32. */
ALU_INLINE uint32_t alu_funnel_left(uint32_t a, uint32_t b, uint32_t n) {
    return (uint32_t)(((uint64_t)b << 32 | a) << n >> 32);
}
ALU_INLINE uint32_t alu_funnel_right(uint32_t a, uint32_t b, uint32_t n) {
    return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

/* ---- bytes ---- */
ALU_INLINE uint32_t alu_prmt(uint32_t a, uint32_t b, uint32_t select) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t s = select >> (4 * k);
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7u))) & 0xffu;
        byte = s & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte;
        r |= byte << (8 * k);
    }
    return r;
}
/* The named modes of prmt are selectors chosen by the low two bits of c. */
#define ALU_PRMT_MODE(name, s0, s1, s2, s3)                                    \
    ALU_INLINE uint32_t alu_prmt_##name(uint32_t a, uint32_t b, uint32_t c) {  \
        static const uint32_t select[4] = {s0, s1, s2, s3};                    \
        return alu_prmt(a, b, select[c & 3u]);                                 \
    }
ALU_PRMT_MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
ALU_PRMT_MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
ALU_PRMT_MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
ALU_PRMT_MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
ALU_PRMT_MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
ALU_PRMT_MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

ALU_INLINE uint32_t alu_part(uint32_t x, unsigned k, unsigned bits, bool sign) {
    uint32_t field = x >> (k * bits) & (uint32_t)alu_low(bits);
    uint32_t top = 1u << (bits - 1);
    return sign ? (field ^ top) - top : field;
}
ALU_INLINE uint32_t alu_dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa,
                             bool sb) {
    for (unsigned k = 0; k < 4; k++)
        c += alu_part(a, k, 8, sa) * alu_part(b, k, 8, sb);
    return c;
}
ALU_INLINE uint32_t alu_dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa,
                             bool sb, unsigned from) {
    for (unsigned k = 0; k < 2; k++)
        c += alu_part(a, k, 16, sa) * alu_part(b, from + k, 8, sb);
    return c;
}

/* ---- two 16-bit halves ---- */
#define ALU_PAIR(T, a, b, expr_of)                                             \
    (put_##T(expr_of(get_##T(a), get_##T(b))) |                                \
     put_##T(expr_of(get_##T((a) >> 16), get_##T((b) >> 16))) << 16)
#define ALU_ADD(x, y)  ((x) + (y))
#define ALU_MIN(x, y)  ((x) < (y) ? (x) : (y))
#define ALU_MAX(x, y)  ((x) > (y) ? (x) : (y))
#define ALU_RELU(x)    ((x) > 0 ? (x) : 0)
#define ALU_MINR(x, y) ALU_RELU(ALU_MIN(x, y))
#define ALU_MAXR(x, y) ALU_RELU(ALU_MAX(x, y))

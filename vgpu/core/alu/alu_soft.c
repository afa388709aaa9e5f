/* SPDX-License-Identifier: MIT
 *
 * alu_soft.c: alu_soft.h by 128-bit integers. A finite number is sign, exponent
 * and a significand whose top bit is set; bits that fall off the end are kept
 * as a one in the last place ("sticky"), which no rounding can tell from them.
 */
#include <math.h>

#include "alu_lanes.h"
#include "alu_soft.h"

__extension__ typedef unsigned __int128 u128;

struct layout {
    unsigned exponent_bits, fraction_bits;
    uint64_t nan;
};
static const struct layout layouts[] = {
    [ALU_F16] = {5, 10, 0x7fff},
    [ALU_BF16] = {8, 7, 0x7fff},
    [ALU_F32] = {8, 23, 0x7fffffff},
    [ALU_F64] = {11, 52, 0x7fffffffffffffff}};

/* value = significand * 2^(exponent - 127), top bit of significand set */
struct number {
    bool negative;
    int exponent;
    u128 significand;
};

static void normalise(struct number *x) {
    uint64_t high = (uint64_t)(x->significand >> 64);
    unsigned n = high ? (unsigned)__builtin_clzll(high)
                      : 64 + (unsigned)__builtin_clzll(
                                 (unsigned long long)x->significand);
    x->significand <<= n;
    x->exponent -= (int)n;
}

/* x is finite and not zero */
static struct number unpack(double x) {
    uint64_t b = bits_of_f64(x), fraction = b & 0xfffffffffffffull;
    int e = (int)(b >> 52 & 0x7ff);
    if (e) fraction |= 1ull << 52;
    struct number r = {b >> 63, (e ? e : 1) - 1023 + 75, fraction};
    normalise(&r);
    return r;
}

static u128 shift_right_sticky(u128 x, unsigned n) {
    if (n == 0) return x;
    if (n > 127) return x != 0;
    return x >> n | ((x << (128 - n)) != 0);
}

static bool rounds_up(enum alu_rounding mode, bool negative, bool odd,
                      bool half, bool rest) {
    switch (mode) {
    case ALU_RN: return half && (rest || odd);
    case ALU_RNA: return half;
    case ALU_RM: return negative && (half || rest);
    case ALU_RP: return !negative && (half || rest);
    case ALU_ODD: return !odd && (half || rest);
    case ALU_RZ: break;
    }
    return false;
}

static uint64_t too_large(const struct layout *f, bool negative,
                          enum alu_rounding mode) {
    uint64_t infinity = ((1ull << f->exponent_bits) - 1) << f->fraction_bits;
    bool finite = mode == ALU_RZ || mode == ALU_ODD ||
                  (mode == ALU_RM && !negative) || (mode == ALU_RP && negative);
    return infinity - finite;
}

static uint64_t pack(const struct number *x, enum alu_format format,
                     enum alu_rounding mode) {
    const struct layout *f = &layouts[format];
    int bias = (1 << (f->exponent_bits - 1)) - 1, lowest = 1 - bias;
    uint64_t sign = (uint64_t)x->negative
                    << (f->exponent_bits + f->fraction_bits);
    if (x->exponent > bias) return sign | too_large(f, x->negative, mode);
    unsigned drop = 127 - f->fraction_bits;
    bool normal = x->exponent >= lowest;
    if (!normal) {
        int more = lowest - x->exponent;
        drop = more > 200 ? 327 : drop + (unsigned)more;
    }
    /* two extra places: the half and the rest */
    u128 kept =
        drop > 127 + 2 ? (u128)1 : shift_right_sticky(x->significand, drop - 2);
    uint64_t k = (uint64_t)(kept >> 2);
    k += rounds_up(mode, x->negative, k & 1, kept & 2, kept & 1);
    if (normal) k += (uint64_t)(x->exponent - lowest) << f->fraction_bits;
    uint64_t infinity = ((1ull << f->exponent_bits) - 1) << f->fraction_bits;
    if (k >= infinity) k = too_large(f, x->negative, mode);
    return sign | k;
}

/* The sum of two non-zero numbers; false: exactly zero. */
static bool sum(struct number a, struct number b, struct number *r) {
    bool swap = a.exponent < b.exponent ||
                (a.exponent == b.exponent && a.significand < b.significand);
    struct number big = swap ? b : a, small = swap ? a : b;
    /* one bit of room for the carry */
    big.significand >>= 1;
    u128 s = shift_right_sticky(small.significand >> 1,
                                (unsigned)(big.exponent - small.exponent));
    big.exponent++;
    if (big.negative == small.negative)
        big.significand += s;
    else
        big.significand -= s;
    if (!big.significand) return false;
    normalise(&big);
    *r = big;
    return true;
}

static double zero_sum(bool a_negative, bool b_negative,
                       enum alu_rounding mode) {
    bool negative = a_negative == b_negative ? a_negative : mode == ALU_RM;
    return negative ? -0.0 : 0.0;
}

double alu_soft_fma(double a, double b, double c, enum alu_rounding mode) {
    if (!isfinite(a) || !isfinite(b) || !isfinite(c)) {
        double x = isinf(a) || isinf(b) || isnan(a) || isnan(b) ? a * b : 0;
        return isinf(x) || isnan(x) ? x + c : c;
    }
    bool negative = signbit(a) != signbit(b);
    if (a == 0 || b == 0)
        return c == 0 ? zero_sum(negative, signbit(c), mode) : c;
    struct number x = unpack(a), y = unpack(b), r;
    struct number p = {negative, x.exponent + y.exponent + 1,
                       (x.significand >> 64) * (y.significand >> 64)};
    normalise(&p);
    if (c == 0)
        r = p;
    else if (!sum(p, unpack(c), &r))
        return zero_sum(true, false, mode);
    return f64_of_bits(pack(&r, ALU_F64, mode));
}

double alu_soft_add(double a, double b, enum alu_rounding mode) {
    return alu_soft_fma(a, 1, b, mode);
}

double alu_soft_mul(double a, double b, enum alu_rounding mode) {
    return alu_soft_fma(a, b, signbit(a) != signbit(b) ? -0.0 : 0.0, mode);
}

double alu_soft_div(double a, double b, enum alu_rounding mode) {
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) return a / b;
    struct number x = unpack(a), y = unpack(b);
    /* 53 significant bits each: a quotient of at least 66 bits and its rest */
    u128 dividend = x.significand >> 1, divisor = y.significand >> 75;
    u128 q = dividend / divisor;
    q = q << 1 | (dividend % divisor != 0);
    struct number r = {x.negative != y.negative, x.exponent - y.exponent + 52,
                       q};
    normalise(&r);
    return f64_of_bits(pack(&r, ALU_F64, mode));
}

double alu_soft_sqrt(double a, enum alu_rounding mode) {
    if (!isfinite(a) || a <= 0) return sqrt(a);
    struct number x = unpack(a);
    /* value = s * 2^e with e even and s below 2^126 */
    int e = x.exponent - 127;
    u128 s = x.significand;
    unsigned down = e & 1 ? 1 : 2; /* lossless: 53 bits of 128 are in use */
    s >>= down;
    e += (int)down;
    u128 root = 0;
    for (int k = 63; k >= 0; k--) {
        u128 t = root | (u128)1 << k;
        if (t * t <= s) root = t;
    }
    struct number r = {false, e / 2 + 127 - 2, root << 2 | (root * root != s)};
    normalise(&r);
    return f64_of_bits(pack(&r, ALU_F64, mode));
}

uint64_t alu_soft_from_f64(double v, enum alu_format format,
                           enum alu_rounding mode) {
    const struct layout *f = &layouts[format];
    if (isnan(v)) return f->nan;
    uint64_t sign = (uint64_t)(signbit(v) != 0)
                    << (f->exponent_bits + f->fraction_bits);
    if (isinf(v))
        return sign | ((1ull << f->exponent_bits) - 1) << f->fraction_bits;
    if (v == 0) return sign;
    struct number x = unpack(v);
    return pack(&x, format, mode);
}

uint64_t alu_soft_from_u64(uint64_t v, enum alu_format format,
                           enum alu_rounding mode) {
    if (!v) return 0;
    struct number x = {false, 127, v};
    normalise(&x);
    return pack(&x, format, mode);
}

uint64_t alu_soft_from_s64(int64_t v, enum alu_format format,
                           enum alu_rounding mode) {
    if (v >= 0) return alu_soft_from_u64((uint64_t)v, format, mode);
    struct number x = {true, 127, 0 - (uint64_t)v};
    normalise(&x);
    return pack(&x, format, mode);
}

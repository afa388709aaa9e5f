/* SPDX-License-Identifier: MIT
 *
 * reference.h: products of matrices in plain C, as rule.py has the rule:
 * numbers are doubles, which hold every product exactly.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cases.h"

enum element_type { F16, BF16, TF32, F32, S32, S8, U8, S4, U4, B1 };

static inline uint32_t bits_of_type(enum element_type t) {
    static const uint8_t bits[] = {16, 16, 32, 32, 32, 8, 8, 4, 4, 1};
    return bits[t];
}

static inline const char *name_of_type(enum element_type t) {
    static const char *const names[] = {"f16", "bf16", "tf32", "f32", "s32",
                                        "s8",  "u8",   "s4",   "u4",  "b1"};
    return names[t];
}

static inline bool is_real_type(enum element_type t) {
    return t <= F32;
}

/* For cases.h. */
static inline enum matrix_type numbers_of_type(enum element_type t) {
    return t == F16    ? IS_F16
           : t == BF16 ? IS_BF16
           : t == TF32 ? IS_TF32
           : t == F32  ? IS_F32
                       : IS_BITS;
}

static inline double reference_real(uint32_t bits, enum element_type t) {
    if (t == F16) {
        int e = bits >> 10 & 31, m = bits & 1023;
        double x = e == 31 ? (m ? NAN : INFINITY)
                           : ldexp(e ? m | 1024 : m, (e ? e : 1) - 25);
        return bits >> 15 ? -x : x;
    }
    uint32_t word = t == BF16   ? bits << 16
                    : t == TF32 ? bits >> 13 << 13
                                : bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* Of a factor or of c; a subnormal number has that of the least normal one. */
static inline int reference_exponent(double x, enum element_type t) {
    int least = t == F16 ? -14 : -126, e = ilogb(x);
    return e < least ? least : e;
}

static inline uint32_t reference_pack(double v, enum element_type to) {
    int least = to == F16 ? -14 : -126, fraction = to == F16 ? 10 : 23;
    uint32_t sign = signbit(v) ? 1u << (to == F16 ? 15 : 31) : 0;
    if (isnan(v)) return to == F16 ? 0x7fff : 0x7fffffff;
    if (v == 0) return 0;
    if (!isinf(v)) {
        int e = ilogb(v) < least ? least : ilogb(v);
        double unit = ldexp(1, e - fraction);
        v = to == F16 ? nearbyint(v / unit) * unit : trunc(v / unit) * unit;
        if (v == 0) return 0;
    }
    v = fabs(v);
    if (to == F32) {
        float f = v < 0x1p128 ? (float)v : INFINITY;
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        return sign | word;
    }
    if (v >= 65536) return sign | 0x7c00;
    int e = ilogb(v);
    if (e < least) return sign | (uint32_t)ldexp(v, 24);
    return sign | (uint32_t)(e + 15) << 10 |
           ((uint32_t)ldexp(v, 10 - e) & 1023);
}

/* c + a[0] * b[0] + ... + a[n-1] * b[n-1]. */
static inline uint32_t reference_sum(const uint32_t *a, const uint32_t *b,
                                     uint32_t n, enum element_type t,
                                     uint32_t c, enum element_type of_c,
                                     enum element_type to) {
    enum { KEPT = 25 };
    double term = reference_real(c, of_c), plain = term, sum = 0;
    int most = term == 0 || !isfinite(term) ? INT32_MIN
                                            : reference_exponent(term, of_c);
    for (uint32_t k = 0; k < n; k++) {
        double x = reference_real(a[k], t), y = reference_real(b[k], t);
        plain += x * y;
        if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y)) continue;
        int e = reference_exponent(x, t) + reference_exponent(y, t);
        if (e > most) most = e;
    }
    if (!isfinite(plain)) return reference_pack(plain, to);
    if (most == INT32_MIN) return 0;
    sum = trunc(ldexp(term, KEPT - most));
    for (uint32_t k = 0; k < n; k++)
        sum += trunc(ldexp(reference_real(a[k], t) * reference_real(b[k], t),
                           KEPT - most));
    return reference_pack(ldexp(sum, most - KEPT), to);
}

static inline int32_t reference_whole(uint32_t bits, enum element_type t) {
    switch (t) {
    case S8: return (int8_t)bits;
    case S4: return bits & 8 ? (int32_t)bits - 16 : (int32_t)bits;
    default: return (int32_t)bits;
    }
}

enum integers { WRAP, SATURATE, BITS_XOR, BITS_AND };

static inline uint32_t reference_whole_sum(const uint32_t *a, const uint32_t *b,
                                           uint32_t n, enum element_type of_a,
                                           enum element_type of_b, uint32_t c,
                                           enum integers how) {
    int64_t sum = (int32_t)c;
    for (uint32_t k = 0; k < n; k++) {
        int32_t x = reference_whole(a[k], of_a);
        int32_t y = reference_whole(b[k], of_b);
        sum += how == BITS_XOR ? x ^ y : how == BITS_AND ? x & y : x * y;
    }
    if (how == SATURATE && sum > INT32_MAX) sum = INT32_MAX;
    if (how == SATURATE && sum < INT32_MIN) sum = INT32_MIN;
    return (uint32_t)(uint64_t)sum;
}

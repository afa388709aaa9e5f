/* SPDX-License-Identifier: MIT
 *
 * alu_matrix.c: see alu_matrix.h.
 *
 * How to read this: factors become a whole number and an exponent, which no
 * zero has; NONE stands for that. A sum in which there is a NaN or an infinity
 * goes another way (special).
 */
#include "alu_matrix.h"

#include <stddef.h>

enum { KEPT = 25, NONE = -(1 << 20), DEEPEST = 16 /* of reals */ };

uint32_t matrix_bits(enum matrix_type t) {
    static const uint8_t bits[] = {
#define X(name, word, bits) bits,
        MATRIX_TYPES(X)
#undef X
    };
    return bits[t];
}

/* Bits of the exponent and of the fraction; tf32 stands in the upper bits. */
struct real_form {
    int exponent, fraction, below;
};
static struct real_form form_of(enum matrix_type t) {
    switch (t) {
    case MATRIX_F16: return (struct real_form){5, 10, 0};
    case MATRIX_BF16: return (struct real_form){8, 7, 0};
    case MATRIX_TF32: return (struct real_form){8, 10, 13};
    default: return (struct real_form){8, 23, 0};
    }
}

/* Numbers of a row or a column: value[k] * 2^(exponent[k] - fraction). */
struct numbers {
    int32_t value[DEEPEST], exponent[DEEPEST];
    bool special; /* one is a NaN or infinite */
};

/* True: it is a NaN, or infinite. */
static bool take_apart(uint32_t bits, struct real_form f, int32_t *value,
                       int32_t *exponent) {
    bits >>= f.below;
    uint32_t most = (1u << f.exponent) - 1, e = bits >> f.fraction & most;
    uint32_t m = bits & ((1u << f.fraction) - 1);
    int32_t bias = (1 << (f.exponent - 1)) - 1;
    if (e) m |= 1u << f.fraction;
    *value = bits >> (f.exponent + f.fraction) ? -(int32_t)m : (int32_t)m;
    *exponent = !m ? NONE : e ? (int32_t)e - bias : 1 - bias;
    return e == most;
}

static void take_all(const uint32_t *bits, uint32_t k, struct real_form f,
                     struct numbers *x) {
    x->special = false;
    for (uint32_t j = 0; j < k; j++)
        x->special |= take_apart(bits[j], f, &x->value[j], &x->exponent[j]);
}

/* ---- NaN and infinities ---- */

enum real_kind { ZERO, FINITE, INFINITE, NAN_KIND };
static enum real_kind real_kind_of(uint32_t bits, struct real_form f,
                                   bool *negative) {
    bits >>= f.below;
    uint32_t most = (1u << f.exponent) - 1, e = bits >> f.fraction & most;
    uint32_t m = bits & ((1u << f.fraction) - 1);
    *negative = bits >> (f.exponent + f.fraction);
    if (e == most) return m ? NAN_KIND : INFINITE;
    return e || m ? FINITE : ZERO;
}

struct infinities {
    bool positive, negative, nan;
};
static void add_infinity(struct infinities *s, bool negative) {
    if (negative)
        s->negative = true;
    else
        s->positive = true;
}

/* A sum of which a factor or c is no finite number. */
static uint32_t special(const struct alu_matrix *x, const uint32_t *a,
                        const uint32_t *b, uint32_t c) {
    struct real_form f = form_of(x->type_a), to = form_of(x->type_d);
    struct infinities s = {false, false, false};
    bool n, o;
    enum real_kind p = real_kind_of(c, form_of(x->type_c), &n);
    if (p == INFINITE) add_infinity(&s, n);
    s.nan = p == NAN_KIND;
    for (uint32_t j = 0; j < x->depth; j++) {
        enum real_kind q = real_kind_of(b[j], f, &o);
        p = real_kind_of(a[j], f, &n);
        if (p == NAN_KIND || q == NAN_KIND) s.nan = true;
        if (p != INFINITE && q != INFINITE) continue;
        if (p == ZERO || q == ZERO) s.nan = true;
        add_infinity(&s, n != o);
    }
    uint32_t all = (1u << (to.exponent + to.fraction)) - 1;
    if (s.nan || (s.positive && s.negative)) return all;
    return (uint32_t)s.negative << (to.exponent + to.fraction) |
           (all & ~((1u << to.fraction) - 1));
}

/* ---- sums ---- */

static int length_of(uint64_t v) {
    return 64 - __builtin_clzll(v);
}

/* v * 2^last as a real: cut, or rounded to nearest even. */
static uint32_t put_together(int64_t sum, int last, struct real_form f,
                             bool nearest) {
    int bias = (1 << (f.exponent - 1)) - 1, top = f.exponent + f.fraction;
    uint64_t v = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    if (!v) return 0;
    int lowest = 1 - bias, e = length_of(v) - 1 + last;
    int unit = (e > lowest ? e : lowest) - f.fraction, drop = unit - last;
    uint64_t m = drop <= 0 ? v << -drop : drop < 64 ? v >> drop : 0;
    if (nearest && drop > 0 && drop < 63) {
        uint64_t rest = v & ((1ull << drop) - 1), half = 1ull << (drop - 1);
        m += rest > half || (rest == half && m & 1);
    }
    if (!m) return 0;
    e = length_of(m) - 1 + unit;
    uint32_t sign = (uint32_t)(sum < 0) << top;
    if (e > bias) return sign | ((1u << f.exponent) - 1) << f.fraction;
    if (m >> f.fraction == 0) return sign | (uint32_t)m;
    m >>= length_of(m) - 1 - f.fraction;
    uint32_t fraction = (uint32_t)m & ((1u << f.fraction) - 1);
    return sign | (uint32_t)(e + bias) << f.fraction | fraction;
}

/* A number whose exponent is `less` below the sum's, KEPT bits below that. */
static inline int64_t aligned(int32_t value, int up, int32_t less) {
    uint32_t size = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
    size = less > 31 ? 0 : size << up >> less;
    return value < 0 ? -(int64_t)size : (int64_t)size;
}

static uint32_t real_sum(const struct alu_matrix *x, const struct numbers *a,
                         const struct numbers *b, int32_t c, int32_t e_c) {
    struct real_form f = form_of(x->type_a), to = form_of(x->type_d);
    int up = KEPT - 2 * f.fraction;
    int32_t product[DEEPEST], e[DEEPEST], most = e_c;
    for (uint32_t j = 0; j < x->depth; j++) {
        product[j] = a->value[j] * b->value[j];
        e[j] = a->exponent[j] + b->exponent[j];
        most = e[j] > most ? e[j] : most;
    }
    if (most <= NONE / 2) return 0;
    int64_t sum = aligned(c, KEPT - form_of(x->type_c).fraction, most - e_c);
    for (uint32_t j = 0; j < x->depth; j++)
        sum += aligned(product[j], up, most - e[j]);
    return put_together(sum, most - KEPT, to, x->type_d == MATRIX_F16);
}

/* The part of all sums that begins with the factors number `first`. */
static void real_part(struct alu_matrix *x, uint32_t first,
                      const uint32_t *sums) {
    struct numbers columns[32], row;
    struct real_form f = form_of(x->type_a), of_c = form_of(x->type_c);
    for (uint32_t j = 0; j < x->n; j++)
        take_all(x->b + j * x->k + first, x->depth, f, &columns[j]);
    for (uint32_t i = 0; i < x->m; i++) {
        const uint32_t *a = x->a + i * x->k + first;
        take_all(a, x->depth, f, &row);
        for (uint32_t j = 0; j < x->n; j++) {
            int32_t c, e;
            uint32_t at = i * x->n + j;
            const uint32_t *b = x->b + j * x->k + first;
            bool odd = take_apart(sums[at], of_c, &c, &e);
            odd |= row.special | columns[j].special;
            x->d[at] = odd ? special(x, a, b, sums[at])
                           : real_sum(x, &row, &columns[j], c, e);
        }
    }
}

/* ---- integers ---- */

static int32_t whole(uint32_t bits, enum matrix_type t) {
    switch (t) {
    case MATRIX_S8: return (int8_t)bits;
    case MATRIX_S4: return (int32_t)(bits << 28) >> 28;
    default: return (int32_t)bits;
    }
}

static int32_t whole_sum(const struct alu_matrix *x, const uint32_t *a,
                         const uint32_t *b, uint32_t c) {
    int64_t sum = (int32_t)c;
    for (uint32_t j = 0; j < x->k; j++)
        if (x->type_a == MATRIX_B1)
            sum += __builtin_popcount(x->by_and ? a[j] & b[j] : a[j] ^ b[j]);
        else
            sum += whole(a[j], x->type_a) * whole(b[j], x->type_b);
    if (!x->saturates) return (int32_t)(uint32_t)(uint64_t)sum;
    return sum > INT32_MAX   ? INT32_MAX
           : sum < INT32_MIN ? INT32_MIN
                             : (int32_t)sum;
}

void alu_matrix(struct alu_matrix *x) {
    if (x->type_d != MATRIX_S32) {
        for (uint32_t k = 0; k < x->k; k += x->depth)
            real_part(x, k, k ? x->d : x->c);
        return;
    }
    for (uint32_t i = 0; i < x->m; i++)
        for (uint32_t j = 0; j < x->n; j++)
            x->d[i * x->n + j] = (uint32_t)whole_sum(
                x, x->a + i * x->k, x->b + j * x->k, x->c[i * x->n + j]);
}

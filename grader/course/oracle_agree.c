/* SPDX-License-Identifier: MIT
 *
 * oracle_agree.c: is an output the answer? Whole numbers must be equal; sums of
 * floats may be rounded as another order of additions would round them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* How far a float may be off, as a part of the sum of absolute values: some
 * ten roundings more than a balanced tree makes. */
#define SLACK_F32 0x1p-18
#define SLACK_F64 0x1p-47

static double value_of(enum element e, const int32_t *words, size_t i) {
    float narrow;
    double wide;
    if (e == ELEMENT_f32) {
        memcpy(&narrow, words + i, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, words + 2 * i, sizeof wide);
    return wide;
}

/* in with every sign taken away, through the oracle: the sums of absolute
 * values. NULL: no memory. */
static int32_t *magnitudes(int oracle, const struct rule *rule,
                           const struct parameters *p, const int32_t *in,
                           size_t n) {
    enum element e = oracle_element(oracle, BUFFER_IN);
    size_t words = element_words(e);
    int32_t *absolute = calloc(words * n + 1, sizeof *absolute);
    int32_t *sums = calloc(words * n + 1, sizeof *sums);
    if (sums && rule) {
        oracle_rule_sizes(rule, p, (const float *)in, n, (float *)sums);
    } else if (absolute && sums) {
        for (size_t i = 0; i < words * n; i++)
            absolute[i] = i % words == words - 1 ? in[i] & INT32_MAX : in[i];
        oracle_apply(oracle, p, absolute, n, sums);
    }
    free(absolute);
    return sums;
}

static bool floats_agree(int oracle, const struct rule *rule,
                         const struct parameters *p, const int32_t *in,
                         size_t n, const int32_t *expected,
                         const int32_t *got) {
    enum element e = oracle_element(oracle, BUFFER_OUT);
    double slack = e == ELEMENT_f32 ? SLACK_F32 : SLACK_F64;
    int32_t *sums = magnitudes(oracle, rule, p, in, n);
    bool agree = sums != NULL;
    for (size_t i = 0; agree && i < n; i++) {
        double off = fabs(value_of(e, expected, i) - value_of(e, got, i));
        agree = off <= slack * value_of(e, sums, i); /* false for a NaN */
    }
    free(sums);
    return agree;
}

static bool is_float(enum element e) {
    return e == ELEMENT_f32 || e == ELEMENT_f64;
}

size_t oracle_compared(int oracle, size_t n, size_t n_expected) {
    return oracle_shape(oracle) == OUTPUT_COMPACT ? n_expected : n;
}

bool oracle_agrees(int oracle, const struct rule *rule,
                   const struct parameters *p, const int32_t *in, size_t n,
                   const int32_t *expected, size_t n_expected,
                   const int32_t *got, size_t n_got) {
    size_t words = element_words(oracle_element(oracle, BUFFER_OUT));
    size_t words2 = element_words(oracle_element(oracle, BUFFER_OUT2));
    size_t second = signature_even(n * words);
    size_t compared = oracle_compared(oracle, n, n_expected);
    if (n_got != n_expected) return false;
    if (memcmp(expected + second, got + second,
               compared * words2 * sizeof *got) != 0)
        return false;
    if (memcmp(expected, got, compared * words * sizeof *got) == 0) return true;
    return is_float(oracle_element(oracle, BUFFER_OUT)) &&
           floats_agree(oracle, rule, p, in, n, expected, got);
}

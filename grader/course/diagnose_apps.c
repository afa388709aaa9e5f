/* SPDX-License-Identifier: MIT
 *
 * diagnose_apps.c: what is wrong with a selection, a partition, a list of runs
 * or a sorted array (lab 8). One function per task; each looks for the few
 * shapes that its usual mistakes leave.
 */
#include "diagnose_parts.h"

#include <stdlib.h>

/* ---- selection, partition ---- */

static bool of_select(const struct diagnose_case *c, struct diagnosis *d) {
    int32_t pivot = c->parameters->value[PARAMETER_pivot];
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    for (size_t i = 0; i < n; i++) {
        if (c->got[i] < pivot) continue;
        return shape_is(d, FACT(SELECT_OTHERS, {V(i), V(c->got[i])}));
    }
    if (c->n_got != c->n_expected ||
        !diagnose_same_elements(c->got, c->expected, c->n_expected))
        return false;
    return shape_is(d, FACT(SELECT_ORDER));
}

static bool of_partition(const struct diagnose_case *c, struct diagnosis *d) {
    size_t kept = c->n_expected, rest = c->n - kept;
    const int32_t *got = c->got + kept, *expected = c->expected + kept;
    if (!diagnose_equal(c->got, c->expected, kept)) return false;
    bool forwards = rest > 1;
    for (size_t i = 0; i < rest; i++)
        forwards = forwards && got[i] == expected[rest - 1 - i];
    if (!forwards && !diagnose_same_elements(got, expected, rest)) return false;
    return shape_is(d, forwards ? FACT(PARTITION_FORWARDS)
                                : FACT(PARTITION_ORDER));
}

/* ---- runs ---- */

static bool of_runs(const struct diagnose_case *c, struct diagnosis *d) {
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    const int32_t *length =
        c->got + signature_offset(c->signature, BUFFER_OUT2, c->n);
    for (size_t i = 1; i < n; i++) {
        if (c->got[i] != c->got[i - 1]) continue;
        return shape_is(d, FACT(RUN_TWICE, {V(i - 1), V(i)}));
    }
    if (c->n_got + 1 == c->n_expected &&
        diagnose_equal(c->got, c->expected, c->n_got))
        return shape_is(d, FACT(RUN_LAST));
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (uint32_t)length[i];
    if (c->oracle != ORACLE_run_length || c->n_got != c->n_expected ||
        !diagnose_equal(c->got, c->expected, n) || sum == c->n)
        return false;
    return shape_is(d, sum > c->n ? FACT(RUN_LENGTHS_MORE, {V(sum), V(c->n)})
                                  : FACT(RUN_LENGTHS_LESS, {V(sum), V(c->n)}));
}

/* ---- sorting ---- */

/* Sorted by the bits of mask, equal ones in the order they came in? flip: bits
 * that are turned over before, to compare signed numbers. */
static bool sorted_by(const struct diagnose_case *c, uint32_t mask,
                      uint32_t flip) {
    for (size_t i = 1; i < c->n; i++) {
        uint32_t before = ((uint32_t)c->got[i - 1] ^ flip) & mask;
        if (before > (((uint32_t)c->got[i] ^ flip) & mask)) return false;
    }
    return true;
}

static bool of_elements(const struct diagnose_case *c, struct diagnosis *d) {
    int32_t *now = diagnose_sorted(c->got, c->n),
            *was = diagnose_sorted(c->in, c->n);
    size_t i = 0;
    while (now && was && i < c->n && now[i] == was[i]) i++;
    bool other = now && was && i < c->n, more = other && now[i] < was[i];
    uint32_t value = !other ? 0 : (uint32_t)(more ? now[i] : was[i]);
    free(now);
    free(was);
    return other && shape_is(d, more ? FACT(SORT_MORE, {V(value)})
                                     : FACT(SORT_LESS, {V(value)}));
}

static bool of_digit(const struct diagnose_case *c, struct diagnosis *d) {
    int bit = c->parameters->value[PARAMETER_bit];
    if (of_elements(c, d)) return true;
    if (!sorted_by(c, (uint32_t)255 << bit, 0)) return false;
    return shape_is(d, FACT(SORT_DIGIT_ORDER));
}

static bool of_sort(const struct diagnose_case *c, struct diagnosis *d) {
    if (of_elements(c, d)) return true;
    if (c->n < 8) return false; /* a few numbers are soon in any order */
    if (sorted_by(c, UINT32_MAX, (uint32_t)1 << 31))
        return shape_is(d, FACT(SORT_SIGNED));
    for (int bits = 24; bits > 0; bits -= 4)
        if (sorted_by(c, ((uint32_t)1 << bits) - 1, 0))
            return shape_is(d, FACT(SORT_LOW_BITS, {V(bits)}));
    return !sorted_by(c, 0xff, 0) && sorted_by(c, 0xff000000, 0) &&
           shape_is(d, FACT(SORT_HIGH_ONLY));
}

static bool of_pairs(const struct diagnose_case *c, struct diagnosis *d) {
    size_t second = signature_offset(c->signature, BUFFER_OUT2, c->n);
    const int32_t *got = c->got + second, *expected = c->expected + second;
    if (!diagnose_equal(c->got, c->expected, c->n)) return of_sort(c, d);
    for (size_t i = 0, end; i < c->n; i = end) {
        for (end = i; end < c->n && c->got[end] == c->got[i];) end++;
        if (!diagnose_equal(got + i, expected + i, end - i) &&
            !diagnose_same_elements(got + i, expected + i, end - i))
            return shape_is(d, FACT(PAIRS_LOST));
    }
    return shape_is(d, FACT(PAIRS_ORDER));
}

bool diagnose_apps(const struct diagnose_case *c, struct diagnosis *d) {
    switch (c->oracle) {
    case ORACLE_select_less: return of_select(c, d);
    case ORACLE_partition_less: return of_partition(c, d);
    case ORACLE_run_length:
    case ORACLE_sum_by_key: return of_runs(c, d);
    case ORACLE_sort_digit: return of_digit(c, d);
    case ORACLE_sort_u32: return of_sort(c, d);
    case ORACLE_sort_pairs: return of_pairs(c, d);
    default: return false;
    }
}

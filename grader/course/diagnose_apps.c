/* SPDX-License-Identifier: MIT
 *
 * diagnose_apps.c: see diagnose_apps.h. One function per task; each looks for
 * the few shapes that its usual mistakes leave.
 */
#include "diagnose_apps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static bool say(struct diagnosis *d, enum diagnosis_shape kind,
                const char *cause) {
    d->kind = kind;
    snprintf(d->cause, sizeof d->cause, "%s", cause);
    return true;
}

static int by_value(const void *a, const void *b) {
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int32_t *sorted(const int32_t *values, size_t n) {
    int32_t *copy = malloc((n + 1) * sizeof *copy);
    if (copy && n) {
        memcpy(copy, values, n * sizeof *copy);
        qsort(copy, n, sizeof *copy, by_value);
    }
    return copy;
}

/* The same elements, in whatever order. false as well without memory. */
static bool same_elements(const int32_t *a, const int32_t *b, size_t n) {
    int32_t *x = sorted(a, n), *y = sorted(b, n);
    bool same = x && y && memcmp(x, y, n * sizeof *x) == 0;
    free(x);
    free(y);
    return same;
}

static bool equal(const int32_t *a, const int32_t *b, size_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

/* ---- selection, partition ---- */

static bool of_select(const struct plain_case *c, struct diagnosis *d) {
    int32_t pivot = c->parameters->value[PARAMETER_pivot];
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    for (size_t i = 0; i < n; i++) {
        if (c->got[i] < pivot) continue;
        snprintf(d->shape, sizeof d->shape,
                 "out[%zu] is %" PRId32 ", which is not less than the pivot", i,
                 c->got[i]);
        return say(d, SHAPE_KEEPS_OTHERS, "");
    }
    if (c->n_got != c->n_expected ||
        !same_elements(c->got, c->expected, c->n_expected))
        return false;
    snprintf(d->shape, sizeof d->shape,
             "They are the right elements, in another order");
    return say(d, SHAPE_WRONG_ORDER,
               "Each kept element must go to the index that counts those kept "
               "before it.");
}

static bool of_partition(const struct plain_case *c, struct diagnosis *d) {
    size_t kept = c->n_expected, rest = c->n - kept;
    const int32_t *got = c->got + kept, *expected = c->expected + kept;
    if (!equal(c->got, c->expected, kept)) return false;
    bool forwards = rest > 1;
    for (size_t i = 0; i < rest; i++)
        forwards = forwards && got[i] == expected[rest - 1 - i];
    if (!forwards && !same_elements(got, expected, rest)) return false;
    snprintf(d->shape, sizeof d->shape,
             forwards ? "The first part is right; the second stands in order, "
                        "not in reverse order"
                      : "The first part is right; the second has the right "
                        "elements in another order");
    return say(d, SHAPE_WRONG_ORDER,
               "The j-th element that is not kept (j from 0) goes to out[n - 1 "
               "- j].");
}

/* ---- runs ---- */

static bool of_runs(const struct plain_case *c, struct diagnosis *d) {
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    const int32_t *length =
        c->got + signature_offset(c->signature, BUFFER_OUT2, c->n);
    for (size_t i = 1; i < n; i++) {
        if (c->got[i] != c->got[i - 1]) continue;
        snprintf(d->shape, sizeof d->shape,
                 "The first output has the same value at [%zu] and [%zu]: a "
                 "run was written twice",
                 i - 1, i);
        return say(d, SHAPE_DUPLICATES,
                   "A run that goes on behind the edge of a tile or of a "
                   "thread's items does not end there.");
    }
    if (c->n_got + 1 == c->n_expected && equal(c->got, c->expected, c->n_got)) {
        snprintf(d->shape, sizeof d->shape, "Only the last run is missing");
        return say(d, SHAPE_LAST_ONLY,
                   "The last element of all ends its run, too.");
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (uint32_t)length[i];
    if (c->oracle != ORACLE_run_length || c->n_got != c->n_expected ||
        !equal(c->got, c->expected, n) || sum == c->n)
        return false;
    snprintf(d->shape, sizeof d->shape,
             "The values are right; the lengths add up to %" PRIu64
             ", not to n = %zu",
             sum, c->n);
    return say(d, SHAPE_OTHER_OPERATOR,
               sum > c->n ? "What was summed up before a run ended is added "
                            "to the next one, too."
                          : "What was summed up before the edge of a tile or "
                            "of a thread's items is lost.");
}

/* ---- sorting ---- */

/* Sorted by the bits of mask, equal ones in the order they came in? flip: bits
 * that are turned over before, to compare signed numbers. */
static bool sorted_by(const struct plain_case *c, uint32_t mask,
                      uint32_t flip) {
    for (size_t i = 1; i < c->n; i++) {
        uint32_t before = ((uint32_t)c->got[i - 1] ^ flip) & mask;
        if (before > (((uint32_t)c->got[i] ^ flip) & mask)) return false;
    }
    return true;
}

static bool of_elements(const struct plain_case *c, struct diagnosis *d) {
    int32_t *is = sorted(c->got, c->n), *was = sorted(c->in, c->n);
    size_t i = 0;
    while (is && was && i < c->n && is[i] == was[i]) i++;
    bool other = is && was && i < c->n;
    if (other && is[i] < was[i])
        snprintf(d->shape, sizeof d->shape,
                 "It has %" PRIu32 " more often than the input",
                 (uint32_t)is[i]);
    else if (other)
        snprintf(d->shape, sizeof d->shape,
                 "It has %" PRIu32 " less often than the input",
                 (uint32_t)was[i]);
    free(is);
    free(was);
    return other && say(d, SHAPE_DUPLICATES,
                        "Two elements were sent to the same place.");
}

static bool of_digit(const struct plain_case *c, struct diagnosis *d) {
    int bit = c->parameters->value[PARAMETER_bit];
    if (of_elements(c, d)) return true;
    if (!sorted_by(c, (uint32_t)255 << bit, 0)) return false;
    snprintf(d->shape, sizeof d->shape,
             "The digits are in order, but keys with the same digit are not in "
             "the order they came in");
    return say(d, SHAPE_WRONG_ORDER,
               "Tiles, warps, rounds and lanes must be counted in the order of "
               "the elements.");
}

static bool of_sort(const struct plain_case *c, struct diagnosis *d) {
    if (of_elements(c, d)) return true;
    if (c->n < 8) return false; /* a few numbers are soon in any order */
    if (sorted_by(c, UINT32_MAX, (uint32_t)1 << 31)) {
        snprintf(d->shape, sizeof d->shape, "It is sorted as signed numbers");
        return say(d, SHAPE_WRONG_ORDER,
                   "0x80000000 to 0xffffffff are the largest, not negative.");
    }
    for (int bits = 24; bits > 0; bits -= 4) {
        if (!sorted_by(c, ((uint32_t)1 << bits) - 1, 0)) continue;
        snprintf(d->shape, sizeof d->shape,
                 "It is sorted by the lowest %d bits alone", bits);
        return say(d, SHAPE_WRONG_ORDER,
                   "There are passes missing for the digits above.");
    }
    if (!sorted_by(c, 0xff, 0) && sorted_by(c, 0xff000000, 0)) {
        snprintf(d->shape, sizeof d->shape,
                 "The highest digits are in order, the others are not");
        return say(d, SHAPE_WRONG_ORDER,
                   "Each pass must leave keys with the same digit in the order "
                   "they came in.");
    }
    return false;
}

static bool of_pairs(const struct plain_case *c, struct diagnosis *d) {
    size_t second = signature_offset(c->signature, BUFFER_OUT2, c->n);
    const int32_t *got = c->got + second, *expected = c->expected + second;
    if (!equal(c->got, c->expected, c->n)) return of_sort(c, d);
    for (size_t i = 0, end; i < c->n; i = end) {
        for (end = i; end < c->n && c->got[end] == c->got[i];) end++;
        if (equal(got + i, expected + i, end - i) ||
            same_elements(got + i, expected + i, end - i))
            continue;
        snprintf(d->shape, sizeof d->shape,
                 "The keys are right; values have left their keys");
        return say(d, SHAPE_SCATTERED,
                   "In each pass a value goes where its key goes, from the "
                   "array into which the pass before put it.");
    }
    snprintf(d->shape, sizeof d->shape,
             "The values of equal keys are not in the order they came in");
    return say(d, SHAPE_WRONG_ORDER, "A pass is not stable.");
}

bool diagnose_apps(const struct plain_case *c, struct diagnosis *d) {
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

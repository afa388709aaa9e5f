/* SPDX-License-Identifier: MIT
 *
 * diagnose_compact.c: the shapes of wrong compactions. The output is got[0..k)
 * where k is what the function says it kept, cut to the buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"

#define SAY(d, ...) diagnose_say((d)->shape, sizeof(d)->shape, __VA_ARGS__)

struct compact_view {
    const struct diagnose_case *c;
    const int32_t *got;
    size_t n_got; /* cut to n */
};

typedef bool (*recogniser)(const struct compact_view *, struct diagnosis *);

static bool is(struct diagnosis *d, enum diagnosis_shape kind) {
    d->kind = kind;
    return true;
}

static bool equal(const int32_t *a, const int32_t *b, size_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool count_wrong(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    if (!equal(v->got, c->expected, c->n_expected)) return false;
    SAY(d,
        "the kept elements are right; the number returned, %zu, is not: "
        "%zu were to be kept",
        c->n_got, c->n_expected);
    return is(d, SHAPE_WRITES_PAST);
}

static bool never_written(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    if (c->in_place) return false;
    size_t count = 0, first = 0;
    for (size_t i = 0; i < c->n_expected; i++)
        if (v->got[i] == c->poison && c->expected[i] != c->poison &&
            count++ == 0)
            first = i;
    if (count == 0) return false;
    if (count == c->n_expected) {
        SAY(d, "nothing was written: out still holds what the grader had "
               "filled it with");
        return is(d, SHAPE_NOT_WRITTEN);
    }
    SAY(d,
        "%zu of the %zu elements to be kept were never written, the first "
        "is out[%zu]",
        count, c->n_expected, first);
    return is(d, SHAPE_PARTLY_WRITTEN);
}

static bool keeps_zeros(const struct compact_view *v, struct diagnosis *d) {
    size_t zeros = 0, first = 0;
    for (size_t i = 0; i < v->n_got; i++)
        if (v->got[i] == 0 && zeros++ == 0) first = i;
    if (zeros == 0) return false;
    if (v->n_got == v->c->n && equal(v->got, v->c->in, v->c->n)) {
        SAY(d, "out is a copy of in: nothing was left out");
        return is(d, SHAPE_COPIES_INPUT);
    }
    if (zeros == v->n_got) {
        SAY(d, "every kept element is zero");
        return is(d, SHAPE_ALL_ZERO);
    }
    SAY(d, "%zu of the kept elements %s zero, the first is out[%zu]", zeros,
        zeros == 1 ? "is" : "are", first);
    return is(d, SHAPE_KEEPS_ZEROS);
}

static bool keeps_others(const struct compact_view *v, struct diagnosis *d) {
    for (int positive = 0; positive <= 1; positive++) {
        size_t kept = 0;
        bool same = true;
        for (size_t i = 0; same && i < v->c->n; i++) {
            int32_t x = v->c->in[i];
            if (positive ? x <= 0 : x >= 0) continue;
            same = kept < v->n_got && v->got[kept] == x;
            kept++;
        }
        if (!same || kept != v->n_got || kept == 0) continue;
        SAY(d, "only the %s elements were kept",
            positive ? "positive" : "negative");
        return is(d, SHAPE_KEEPS_OTHERS);
    }
    return false;
}

static bool shifted(const struct compact_view *v, struct diagnosis *d) {
    size_t n = v->c->n_expected;
    if (n < 4) return false;
    bool right = n < v->c->n ? equal(v->got + 1, v->c->expected, n)
                             : equal(v->got + 1, v->c->expected, n - 1);
    bool left = equal(v->got, v->c->expected + 1, n - 1);
    if (!right && !left) return false;
    SAY(d, "out[i] holds what belongs in out[i %c 1]", right ? '-' : '+');
    return is(d, SHAPE_SHIFTED);
}

static int by_value(const void *a, const void *b) {
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int32_t *sorted(const int32_t *values, size_t n) {
    int32_t *copy = malloc((n + 1) * sizeof *copy);
    if (!copy) return NULL;
    if (n > 0) memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_value);
    return copy;
}

static bool wrong_order(const struct compact_view *v, struct diagnosis *d) {
    if (v->n_got != v->c->n_expected) return false;
    int32_t *got = sorted(v->got, v->n_got);
    int32_t *expected = sorted(v->c->expected, v->n_got);
    bool same = got && expected && equal(got, expected, v->n_got);
    free(got);
    free(expected);
    if (!same) return false;
    SAY(d, "the right elements in another order");
    return is(d, SHAPE_WRONG_ORDER);
}

/* Is b[0..m) what is left of a[0..n) without some elements? Then *first is the
 * first one left out. */
static bool is_subsequence(const int32_t *a, size_t n, const int32_t *b,
                           size_t m, size_t *first) {
    size_t taken = 0;
    *first = n;
    for (size_t i = 0; i < n; i++) {
        if (taken < m && a[i] == b[taken])
            taken++;
        else if (*first == n)
            *first = i;
    }
    return taken == m;
}

/* The place in the input of the kept element with this number. */
static size_t input_of(const struct diagnose_case *c, size_t kept) {
    for (size_t i = 0; i < c->n; i++)
        if (c->in[i] != 0 && kept-- == 0) return i;
    return c->n;
}

static bool drops(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    size_t first;
    if (v->n_got >= c->n_expected ||
        !is_subsequence(c->expected, c->n_expected, v->got, v->n_got, &first))
        return false;
    size_t dropped = c->n_expected - v->n_got;
    SAY(d,
        "%zu element%s %s dropped, the first is in[%zu], which belongs in "
        "out[%zu]",
        dropped, dropped == 1 ? "" : "s", dropped == 1 ? "was" : "were",
        input_of(c, first), first);
    return is(d, SHAPE_DROPS);
}

static bool duplicates(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    size_t first;
    if (v->n_got <= c->n_expected ||
        !is_subsequence(v->got, v->n_got, c->expected, c->n_expected, &first))
        return false;
    SAY(d, "%zu element%s too many, the first is out[%zu]",
        v->n_got - c->n_expected, v->n_got - c->n_expected == 1 ? "" : "s",
        first);
    return is(d, SHAPE_DUPLICATES);
}

static bool scattered(const struct compact_view *v, struct diagnosis *d) {
    size_t least = v->n_got < v->c->n_expected ? v->n_got : v->c->n_expected;
    struct difference all;
    oracle_compare(v->c->expected, v->got, least, &all);
    SAY(d, "%zu of the first %zu kept elements differ", all.count, least);
    return is(d, SHAPE_SCATTERED);
}

static const recogniser recognisers[] = {
    count_wrong, never_written, keeps_zeros, keeps_others, shifted,
    wrong_order, drops,         duplicates,  scattered};

void diagnose_compact_shape(const struct diagnose_case *c,
                            struct diagnosis *diagnosis) {
    struct compact_view view = {c, c->got, c->n_got < c->n ? c->n_got : c->n};
    size_t i = 0;
    while (!recognisers[i](&view, diagnosis)) i++;
}

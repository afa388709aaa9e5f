/* SPDX-License-Identifier: MIT
 *
 * diagnose_compact.c: the shapes of wrong compactions. The output is got[0..k)
 * where k is what the function says it kept, cut to the buffer.
 */

#include <stdlib.h>

#include "diagnose_parts.h"
#include "translate.h"

struct compact_view {
    const struct diagnose_case *c;
    const int32_t *got;
    size_t n_got; /* cut to n */
};

typedef bool (*recogniser)(const struct compact_view *, struct diagnosis *);

static bool count_garbage(const struct compact_view *v, struct diagnosis *d) {
    enum { FAR = 1000 };
    const struct diagnose_case *c = v->c;
    if (c->n_got == SIZE_MAX || c->n_got / FAR <= c->n) return false;
    return shape_is(d, FACT(COUNT_GARBAGE, {V(c->n_got), V(c->n)}));
}

static bool keeps_all(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    return !c->in_place && c->n_got == c->n && c->n_expected < c->n &&
           diagnose_equal(v->got, c->in, c->n) && shape_is(d, FACT(KEPT_ALL));
}

static bool count_wrong(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    if (!diagnose_equal(v->got, c->expected, c->n_expected)) return false;
    return shape_is(d, FACT(COUNT_WRONG, {V(c->n_got), V(c->n_expected)}));
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
    if (count == c->n_expected) return shape_is(d, FACT(KEPT_NOT_WRITTEN));
    bool overwritten = v->got[0] != c->expected[0];
    if (overwritten && diagnose_is_narrow(first))
        return shape_is(
            d, FACT(KEPT_NARROW, {V(count), V(c->n_expected), V(first)}));
    return shape_is(
        d, FACT(KEPT_PARTLY_WRITTEN, {V(count), V(c->n_expected), V(first)}));
}

static bool keeps_zeros(const struct compact_view *v, struct diagnosis *d) {
    size_t zeros = 0, first = 0;
    for (size_t i = 0; i < v->n_got; i++)
        if (v->got[i] == 0 && zeros++ == 0) first = i;
    if (zeros == 0) return false;
    if (zeros == v->n_got) return shape_is(d, FACT(KEPT_ALL_ZERO));
    return shape_is(d, FACT(KEEPS_ZEROS, {V(zeros), V(first)}));
}

/* What other conditions than x != 0 would keep. */
enum condition { NEGATIVE, POSITIVE, NEW, N_CONDITIONS };

static bool holds(enum condition condition, const int32_t *in, size_t i) {
    if (condition != NEW) return condition == POSITIVE ? in[i] > 0 : in[i] < 0;
    return in[i] != 0 && (i == 0 || in[i] != in[i - 1]);
}

static bool kept_by(const struct compact_view *v, enum condition condition) {
    size_t kept = 0;
    for (size_t i = 0; i < v->c->n; i++) {
        if (!holds(condition, v->c->in, i)) continue;
        if (kept == v->n_got || v->got[kept] != v->c->in[i]) return false;
        kept++;
    }
    return kept == v->n_got && kept > 0;
}

static bool keeps_others(const struct compact_view *v, struct diagnosis *d) {
    enum condition by = NEGATIVE;
    while (by < N_CONDITIONS && !kept_by(v, by)) by++;
    if (by == NEW) return shape_is(d, FACT(DROPS_REPEATS));
    const char *sign = by == POSITIVE ? N_("positive") : N_("negative");
    return by < NEW && shape_is(d, FACT(KEEPS_OTHERS, {V(sign)}));
}

/* What is kept of a longer input of which everything is to be kept? The
 * shortest inputs cannot tell where elements are lost. */
static bool drops_end(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    size_t n = diagnose_longer(c);
    if (!c->run || n < 3 || c->n_got >= c->n_expected) return false;
    int32_t *in = malloc(2 * n * sizeof *in), *out = in + n;
    if (!in) return false;
    for (size_t i = 0; i < n; i++) in[i] = (int32_t)i + 1;
    d->runs++;
    bool ran = c->run(c->user, in, out, n) && out[n - 1] == c->poison;
    bool last = ran && diagnose_equal(out, in, n - 1);
    bool first = ran && diagnose_equal(out, in + 1, n - 1);
    free(in);
    if (!last && !first) return false;
    return shape_is(d, last ? FACT(DROPS_LAST, {V(n)})
                            : FACT(DROPS_FIRST, {V(n)}));
}

/* Nothing kept is what a condition on the sign leaves of numbers of the other
 * sign, or a count that is never set. */
static bool keeps_none(const struct compact_view *v, struct diagnosis *d) {
    size_t positive = 0;
    if (v->n_got > 0) return false;
    for (size_t i = 0; i < v->c->n_expected; i++)
        positive += v->c->expected[i] > 0;
    if (positive > 0 && positive < v->c->n_expected) return false;
    return shape_is(
        d, FACT(KEEPS_NONE, {V(positive ? N_("positive") : N_("negative"))}));
}

static bool shifted(const struct compact_view *v, struct diagnosis *d) {
    size_t n = v->c->n_expected;
    if (n < 4) return false;
    bool right = n < v->c->n
                     ? diagnose_equal(v->got + 1, v->c->expected, n)
                     : diagnose_equal(v->got + 1, v->c->expected, n - 1);
    bool left = diagnose_equal(v->got, v->c->expected + 1, n - 1);
    if (!right && !left) return false;
    return shape_is(d, right ? FACT(SHIFTED_RIGHT, {V(1)})
                             : FACT(SHIFTED_LEFT, {V(1)}));
}

static bool wrong_order(const struct compact_view *v, struct diagnosis *d) {
    return v->n_got == v->c->n_expected &&
           diagnose_same_elements(v->got, v->c->expected, v->n_got) &&
           shape_is(d, FACT(KEPT_ORDER));
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
    return shape_is(d,
                    FACT(DROPS, {V(dropped), V(input_of(c, first)), V(first)}));
}

static bool duplicates(const struct compact_view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    size_t first;
    if (v->n_got <= c->n_expected ||
        !is_subsequence(v->got, v->n_got, c->expected, c->n_expected, &first))
        return false;
    return shape_is(d,
                    FACT(DUPLICATES, {V(v->n_got - c->n_expected), V(first)}));
}

static bool scattered(const struct compact_view *v, struct diagnosis *d) {
    size_t least = v->n_got < v->c->n_expected ? v->n_got : v->c->n_expected;
    struct difference all;
    oracle_compare(v->c->expected, v->got, least, &all);
    return shape_is(d, FACT(KEPT_SCATTERED, {V(all.count), V(least)}));
}

static const recogniser recognisers[] = {
    count_garbage, keeps_all,     drops_end,   count_wrong, keeps_none,
    keeps_others,  never_written, keeps_zeros, shifted,     wrong_order,
    drops,         duplicates,    scattered};

void diagnose_compact_shape(const struct diagnose_case *c,
                            struct diagnosis *diagnosis) {
    struct compact_view view = {c, c->got, c->n_got < c->n ? c->n_got : c->n};
    size_t i = 0;
    while (!recognisers[i](&view, diagnosis)) i++;
}

/* SPDX-License-Identifier: MIT
 *
 * diagnose_shapes.c: the shapes of wrong scans. Each recogniser looks at one
 * failed output and either says "this is it", with its numbers, or nothing.
 * They are tried in the order of the table at the end: the more a shape
 * explains, the earlier it stands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"

typedef bool (*recogniser)(const struct scan_view *, struct diagnosis *);

#define SAY(d, ...) diagnose_say((d)->shape, sizeof(d)->shape, __VA_ARGS__)

static bool is(struct diagnosis *d, enum diagnosis_shape kind) {
    d->kind = kind;
    return true;
}

/* Is got[i] the sum of in[from(i)..i + own) for every i? */
#define EVERY(v, i, condition)                                                 \
    for (size_t i = 0; i < (v)->n; i++)                                        \
        if (!(condition)) return false

static size_t low_bit(size_t x) {
    return x & (~x + 1);
}

static size_t gcd(size_t a, size_t b) {
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* ---- not written ---- */
static bool never_written(const struct scan_view *v, struct diagnosis *d) {
    if (v->c->in_place) return false;
    uint32_t poison = (uint32_t)v->c->poison;
    size_t count = 0, first = 0, last = 0;
    for (size_t i = v->difference.first; i <= v->difference.last; i++) {
        if (v->got[i] != poison || v->expected[i] == poison) continue;
        if (count++ == 0) first = i;
        last = i;
    }
    if (count == 0) return false;
    if (count == v->n) {
        SAY(d, "nothing was written: every element of out still holds what "
               "the grader had filled it with");
        return is(d, SHAPE_NOT_WRITTEN);
    }
    if (count == last - first + 1)
        diagnose_say_range(d->shape, sizeof d->shape, "out", first, last);
    else
        SAY(d, "%zu elements, the first out[%zu], the last out[%zu],", count,
            first, last);
    SAY(d, " %s never written", count == 1 ? "was" : "were");
    if (count < v->difference.count)
        SAY(d, "; %zu others are wrong", v->difference.count - count);
    return is(d, SHAPE_PARTLY_WRITTEN);
}

static bool all_zero(const struct scan_view *v, struct diagnosis *d) {
    if (v->n == 1 && v->own) return false; /* as likely an exclusive scan */
    EVERY(v, i, v->got[i] == 0);
    SAY(d, "every element of out is zero");
    return is(d, SHAPE_ALL_ZERO);
}

static bool copies_input(const struct scan_view *v, struct diagnosis *d) {
    EVERY(v, i, v->got[i] == v->in[i]);
    SAY(d, "out is a copy of in: nothing was added");
    return is(d, SHAPE_COPIES_INPUT);
}

/* ---- the right numbers in the wrong place ---- */
static bool other_kind(const struct scan_view *v, struct diagnosis *d) {
    size_t own = 1 - v->own;
    EVERY(v, i, v->got[i] == v->prefix[i + own]);
    const char *got = own ? "inclusive" : "exclusive";
    const char *asked = own ? "exclusive" : "inclusive";
    if (v->n == 1)
        SAY(d, "out[0] is %s, as in an %s scan; in an %s one it is %s",
            own ? "in[0]" : "0", got, asked, own ? "0" : "in[0]");
    else
        SAY(d,
            "out is the %s scan, asked for is the %s one: out[i] must %scount "
            "in[i]",
            got, asked, own ? "not " : "");
    return is(d, own ? SHAPE_INCLUSIVE : SHAPE_EXCLUSIVE);
}

static bool constant(const uint32_t *values, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[0]) return false;
    return true;
}

static bool shifted(const struct scan_view *v, struct diagnosis *d) {
    enum { LEAST_MATCH = 3, MAX_SHIFT = 1024 };
    for (size_t s = 1; s <= MAX_SHIFT && s + LEAST_MATCH <= v->n; s++) {
        size_t bytes = (v->n - s) * sizeof *v->got;
        bool right = memcmp(v->got + s, v->expected, bytes) == 0;
        bool left = memcmp(v->got, v->expected + s, bytes) == 0;
        if (!(right || left) ||
            constant(v->expected + (left ? s : 0), v->n - s))
            continue;
        SAY(d, "out[i] holds what belongs in out[i %c %zu]", right ? '-' : '+',
            s);
        return is(d, SHAPE_SHIFTED);
    }
    return false;
}

static bool reversed(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 3) return false;
    EVERY(v, i, v->got[i] == v->expected[v->n - 1 - i]);
    SAY(d,
        "out is the right scan, stored from the back: out[i] holds what "
        "belongs in out[%zu - i]",
        v->n - 1);
    return is(d, SHAPE_REVERSED);
}

static bool suffix(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 2) return false;
    bool with = true, without = true;
    for (size_t i = 0; i < v->n; i++) {
        with &= v->got[i] == range_sum(v, i, v->n);
        without &= v->got[i] == range_sum(v, i + 1, v->n);
    }
    if (!with && !without) return false;
    SAY(d, "the scan runs from the right: out[i] is the sum of in[%s..%zu]",
        with ? "i" : "i+1", v->n - 1);
    return is(d, SHAPE_SUFFIX);
}

/* ---- another operator ---- */
static uint32_t fold_max(uint32_t a, uint32_t b) {
    return (int32_t)a > (int32_t)b ? a : b;
}

static uint32_t fold_min(uint32_t a, uint32_t b) {
    return (int32_t)a < (int32_t)b ? a : b;
}

static uint32_t fold_xor(uint32_t a, uint32_t b) {
    return a ^ b;
}

static uint32_t fold_or(uint32_t a, uint32_t b) {
    return a | b;
}

static uint32_t fold_product(uint32_t a, uint32_t b) {
    return a * b;
}

static uint32_t fold_difference(uint32_t a, uint32_t b) {
    return a - b;
}

/* out[i] for i >= 1 - own; what an exclusive scan puts into out[0] is free. */
static bool is_fold(const struct scan_view *v,
                    uint32_t (*fold)(uint32_t, uint32_t)) {
    uint32_t value = v->in[0];
    for (size_t i = 1 - v->own; i < v->n; i++) {
        size_t newest = i + v->own - 1;
        if (newest > 0) value = fold(value, v->in[newest]);
        if (v->got[i] != value) return false;
    }
    return true;
}

static bool other_operator(const struct scan_view *v, struct diagnosis *d) {
    static const struct {
        const char *name;
        uint32_t (*fold)(uint32_t, uint32_t);
    } operators[] = {
        {"the maximum", fold_max},      {"the minimum", fold_min},
        {"the exclusive or", fold_xor}, {"the bitwise or", fold_or},
        {"the product", fold_product},  {"the difference", fold_difference}};
    if (v->n < 4) return false;
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
        if (!is_fold(v, operators[o].fold)) continue;
        SAY(d, "out[i] is %s of in[0..%s], not their sum", operators[o].name,
            v->own ? "i" : "i-1");
        return is(d, SHAPE_OTHER_OPERATOR);
    }
    return false;
}

static bool negated(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 2) return false;
    EVERY(v, i, v->got[i] == 0u - v->expected[i]);
    SAY(d, "every element has the right size and the wrong sign");
    return is(d, SHAPE_NEGATED);
}

/* ---- the scan stops, or starts again ---- */
static bool stops_after_w(const struct scan_view *v, struct diagnosis *d) {
    size_t w = v->difference.first + v->own - 1; /* the first to miss in[0] */
    if (v->difference.first + v->own < 3) return false;
    /* One element says enough when the steps are missing from a power of two.
     */
    if (v->difference.count < 2 && low_bit(w) != w) return false;
    EVERY(v, i,
          v->got[i] ==
              range_sum(v, i + v->own < w ? 0 : i + v->own - w, i + v->own));
    SAY(d, "each element holds the sum of the last %zu inputs only", w);
    if (low_bit(w) == w)
        SAY(d, ": the steps at distances %zu and more are missing", w);
    return is(d, SHAPE_WINDOW);
}

/* After the up-sweep element i holds the sum of as many inputs, ending at i, as
 * the largest power of two that divides i + 1. An exclusive scan may have put 0
 * at the root already. */
static bool up_sweep_only(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 4) return false;
    size_t last = v->n - (low_bit(v->n) == v->n && !v->own);
    for (size_t i = 0; i < last; i++)
        if (v->got[i] != range_sum(v, i + 1 - low_bit(i + 1), i + 1))
            return false;
    SAY(d, "out holds the partial sums of the up-sweep: out[i] is the sum of "
           "the last 1, 2, 4, ... inputs, as many as divide i + 1");
    return is(d, SHAPE_UP_SWEEP_ONLY);
}

static bool restarts(const struct scan_view *v, struct diagnosis *d) {
    size_t block = v->difference.first;
    if (v->own == 0 && block > 0 && v->got[block] != 0) return false;
    if (block < 2 || (v->difference.count < 2 && block % 32 != 0)) return false;
    EVERY(v, i, v->got[i] == range_sum(v, i - i % block, i + v->own));
    if (v->n > 2 * block)
        SAY(d,
            "the scan starts again every %zu elements: sums of earlier "
            "blocks are not added",
            block);
    else
        SAY(d,
            "the scan starts again at out[%zu]: the sum of what stands "
            "before is not added",
            block);
    return is(d, SHAPE_RESTARTS);
}

static bool one_block_back(const struct scan_view *v, struct diagnosis *d) {
    size_t block = v->difference.first / 2;
    if (block < 2 || v->difference.first % 2 || v->difference.count < 2)
        return false;
    EVERY(v, i,
          v->got[i] == range_sum(v, i / block > 0 ? (i / block - 1) * block : 0,
                                 i + v->own));
    SAY(d,
        "each block of %zu elements adds only the sum of the one block "
        "before it",
        block);
    return is(d, SHAPE_ONE_BLOCK_BACK);
}

/* Where expected - got changes, and what divides all those places. */
struct steps {
    size_t count, first, unit;
};

static struct steps find_steps(const struct scan_view *v) {
    struct steps steps = {0};
    uint32_t before = 0;
    for (size_t i = 0; i < v->n; i++) {
        uint32_t difference = v->expected[i] - v->got[i];
        if (difference == before) continue;
        if (steps.count++ == 0) steps.first = i;
        steps.unit = gcd(i, steps.unit);
        before = difference;
    }
    return steps;
}

static bool constant_per_block(const struct scan_view *v, struct diagnosis *d) {
    struct steps steps = find_steps(v);
    if (steps.count < 2 || steps.unit < 4) return false;
    SAY(d,
        "inside each block of %zu elements the sums are right, but all of a "
        "block are off by the same number; the first such block begins at "
        "out[%zu]",
        steps.unit, steps.first);
    return is(d, SHAPE_CARRY_PER_BLOCK);
}

static bool constant_from(const struct scan_view *v, struct diagnosis *d) {
    struct steps steps = find_steps(v);
    if (steps.count != 1 || v->difference.count < 2) return false;
    size_t k = steps.first;
    int32_t by = (int32_t)(v->got[k] - v->expected[k]);
    if (k == 0) {
        SAY(d, "every element is off by the same %d", by);
        return is(d, SHAPE_CONSTANT_FROM);
    }
    SAY(d, "right up to out[%zu]; from out[%zu] on all are off by the same %d",
        k - 1, k, by);
    if (low_bit(k) >= 32)
        SAY(d, ". %zu is a multiple of %zu: does a carry get lost there?", k,
            low_bit(k));
    return is(d, SHAPE_CONSTANT_FROM);
}

/* ---- single elements ---- */
static bool own_input(const struct scan_view *v, struct diagnosis *d) {
    size_t misses = 0, twice = 0, nonzero = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (v->got[i] == v->expected[i]) continue;
        nonzero += v->in[i] != 0;
        misses += v->got[i] == v->expected[i] - v->in[i];
        twice += v->got[i] == v->expected[i] + v->in[i];
    }
    size_t count = v->difference.count;
    if (nonzero < count || count < 3) return false;
    if (twice == count) {
        SAY(d, "%s elements count their own input, in[i], %s",
            count + 1 >= v->n ? "all" : "the wrong",
            v->own ? "twice" : "which an exclusive scan does not");
        return is(d, v->own ? SHAPE_TWICE_OWN : SHAPE_INCLUSIVE);
    }
    if (misses < count || !v->own) return false;
    SAY(d, "the wrong elements miss exactly their own input, in[i]");
    return is(d, SHAPE_MISSES_OWN);
}

static bool one_end(const struct scan_view *v, struct diagnosis *d) {
    if (v->difference.count != 1 || v->n < 2) return false;
    if (v->difference.first == v->n - 1) {
        SAY(d, "only the last element, out[%zu], is wrong", v->n - 1);
        return is(d, SHAPE_LAST_ONLY);
    }
    if (v->difference.first != 0) return false;
    SAY(d, "only the first element, out[0], is wrong");
    return is(d, SHAPE_FIRST_ONLY);
}

static bool periodic(const struct scan_view *v, struct diagnosis *d) {
    size_t first = v->difference.first, step = 0;
    if (v->difference.count < 3) return false;
    for (size_t i = first; i <= v->difference.last; i++)
        if (v->got[i] != v->expected[i]) step = gcd(i - first, step);
    /* Most of the places must be wrong, or the step means nothing. */
    if (step < 2 ||
        v->difference.count * 2 < (v->difference.last - first) / step)
        return false;
    SAY(d,
        "only every %zu%s element is wrong: out[%zu], out[%zu], out[%zu], "
        "...",
        step,
        step == 2   ? "nd"
        : step == 3 ? "rd"
                    : "th",
        first, first + step, first + 2 * step);
    return is(d, SHAPE_PERIODIC);
}

/* ---- the end is wrong ---- */
static bool all_from_first(const struct scan_view *v) {
    size_t tail = v->n - v->difference.first;
    return v->difference.count * 8 >= tail * 7; /* some agree by chance */
}

static bool power_of_two(const struct scan_view *v, struct diagnosis *d) {
    size_t k = v->difference.first;
    if (k < 4 || low_bit(k) != k || v->n >= 2 * k || !all_from_first(v))
        return false;
    SAY(d,
        "right up to out[%zu], wrong from out[%zu] on: %zu is the largest "
        "power of two in n = %zu",
        k - 1, k, k, v->n);
    return is(d, SHAPE_POWER_OF_TWO);
}

static bool tail(const struct scan_view *v, struct diagnosis *d) {
    size_t k = v->difference.first;
    if (k == 0 || low_bit(k) < 32 || v->n - k >= low_bit(k) ||
        !all_from_first(v))
        return false;
    SAY(d,
        "right up to out[%zu]; only the end, out[%zu..%zu], is wrong, which "
        "fills no whole block",
        k - 1, k, v->n - 1);
    return is(d, SHAPE_TAIL);
}

static bool scattered(const struct scan_view *v, struct diagnosis *d) {
    const struct difference *all = &v->difference;
    if (all->count == all->last - all->first + 1 && all->count > 1)
        SAY(d, "out[%zu..%zu] is wrong, each by another number", all->first,
            all->last);
    else if (all->count == 1)
        SAY(d, "one element is wrong, out[%zu]", all->first);
    else
        SAY(d, "%zu elements between out[%zu] and out[%zu] are wrong",
            all->count, all->first, all->last);
    return is(d, SHAPE_SCATTERED);
}

static const recogniser recognisers[] = {never_written,
                                         all_zero,
                                         other_kind,
                                         copies_input,
                                         shifted,
                                         reversed,
                                         suffix,
                                         other_operator,
                                         negated,
                                         up_sweep_only,
                                         stops_after_w,
                                         restarts,
                                         one_end,
                                         one_block_back,
                                         constant_from,
                                         own_input,
                                         periodic,
                                         power_of_two,
                                         constant_per_block,
                                         tail,
                                         scattered};

void diagnose_scan_shape(const struct scan_view *view,
                         struct diagnosis *diagnosis) {
    size_t i = 0;
    while (!recognisers[i](view, diagnosis)) i++;
}

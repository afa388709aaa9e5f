/* SPDX-License-Identifier: MIT
 *
 * diagnose_shapes.c: the shapes of wrong scans. Each recogniser looks at one
 * failed output and either makes a fact, with its numbers, or nothing.
 * They are tried in the order of the table at the end: the more a shape
 * explains, the earlier it stands.
 */
#include <string.h>

#include "diagnose_parts.h"
#include "translate.h"

typedef bool (*recogniser)(const struct scan_view *, struct diagnosis *);

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
/* Nothing at all is another shape; so are one element and one zero. */
static bool skips_zeros(const struct scan_view *v, struct diagnosis *d) {
    size_t count = 0, first = 0;
    for (size_t i = v->n; i-- > 0;) {
        bool unwritten = v->got[i] == (uint32_t)v->c->poison;
        if (unwritten != (v->in[i] == 0)) return false;
        if (unwritten) count++, first = i;
    }
    if (v->c->in_place || !count || count == v->n) return false;
    return shape_is(d, FACT(UNWRITTEN_ZEROS, {V(count), V(first)}));
}

/* Where 4 n bytes were to be written n were: part of an element, and nothing
 * behind it. */
static bool n_bytes(const struct scan_view *v, struct diagnosis *d) {
    const size_t width = sizeof *v->got, whole = v->n / width;
    const size_t part = v->n % width;
    const uint32_t poison = (uint32_t)v->c->poison;
    const uint32_t low = (1u << 8 * part) - 1;
    if (v->c->in_place || !part || v->difference.first != whole) return false;
    if (((v->got[whole] ^ v->expected[whole]) & low) != 0 ||
        ((v->got[whole] ^ poison) & ~low) != 0)
        return false;
    for (size_t i = whole + 1; i < v->n; i++)
        if (v->got[i] != poison) return false;
    return shape_is(d, FACT(N_BYTES, {V(v->n)}));
}

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
    size_t others = v->difference.count - count;
    if (count == v->n) return shape_is(d, FACT(NOT_WRITTEN));
    if (count == 1)
        return shape_is(d, FACT(PARTLY_WRITTEN_ONE, {V(first), V(others)}));
    if (count == last - first + 1)
        return shape_is(
            d, FACT(PARTLY_WRITTEN_RANGE, {V(first), V(last), V(others)}));
    return shape_is(
        d, FACT(PARTLY_WRITTEN, {V(count), V(first), V(last), V(others)}));
}

/* Of one element no shape is seen: a longer input has to tell. */
static bool one_element(const struct scan_view *v, struct diagnosis *d) {
    return v->n == 1 && diagnose_alone(v->c, v->own, d);
}

static bool all_zero(const struct scan_view *v, struct diagnosis *d) {
    if (v->n == 1) return false;
    EVERY(v, i, v->got[i] == 0);
    return shape_is(d, FACT(ALL_ZERO));
}

static bool copies_input(const struct scan_view *v, struct diagnosis *d) {
    if (v->n == 1) return false;
    EVERY(v, i, v->got[i] == v->in[i]);
    return shape_is(d, FACT(COPIES_INPUT));
}

/* ---- the right numbers in the wrong place ---- */
static bool other_kind(const struct scan_view *v, struct diagnosis *d) {
    size_t own = 1 - v->own;
    EVERY(v, i, v->got[i] == v->prefix[i + own]);
    if (v->n == 1) return false;
    return shape_is(d, own ? FACT(INCLUSIVE) : FACT(EXCLUSIVE));
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
        return shape_is(d, right ? FACT(SHIFTED_RIGHT, {V(s)})
                                 : FACT(SHIFTED_LEFT, {V(s)}));
    }
    return false;
}

static bool reversed(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 3) return false;
    EVERY(v, i, v->got[i] == v->expected[v->n - 1 - i]);
    return shape_is(d, FACT(REVERSED, {V(v->n - 1)}));
}

static bool suffix(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 2) return false;
    bool with = true, without = true;
    for (size_t i = 0; i < v->n; i++) {
        with &= v->got[i] == range_sum(v, i, v->n);
        without &= v->got[i] == range_sum(v, i + 1, v->n);
    }
    if (!with && !without) return false;
    return shape_is(d, with ? FACT(SUFFIX_WITH, {V(v->n - 1)})
                            : FACT(SUFFIX_WITHOUT, {V(v->n - 1)}));
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
    } operators[] = {{N_("the maximum"), fold_max},
                     {N_("the minimum"), fold_min},
                     {N_("the exclusive or"), fold_xor},
                     {N_("the bitwise or"), fold_or},
                     {N_("the product"), fold_product},
                     {N_("the difference"), fold_difference}};
    if (v->n < 4) return false;
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
        if (!is_fold(v, operators[o].fold)) continue;
        const char *up_to = v->own ? "i" : "i-1";
        return shape_is(d,
                        FACT(OTHER_OPERATOR, {V(operators[o].name), V(up_to)}));
    }
    return false;
}

static bool negated(const struct scan_view *v, struct diagnosis *d) {
    if (v->n < 2) return false;
    EVERY(v, i, v->got[i] == 0u - v->expected[i]);
    return shape_is(d, FACT(NEGATED));
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
    size_t distance = low_bit(w) == w ? w : 0;
    return shape_is(d, FACT(WINDOW, {V(w), V(distance)}));
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
    return shape_is(d, FACT(UP_SWEEP_ONLY));
}

static bool restarts(const struct scan_view *v, struct diagnosis *d) {
    size_t block = v->difference.first;
    if (v->own == 0 && block > 0 && v->got[block] != 0) return false;
    if (block < 2 || (v->difference.count < 2 && block % 32 != 0)) return false;
    EVERY(v, i, v->got[i] == range_sum(v, i - i % block, i + v->own));
    if (v->n <= 2 * block) return shape_is(d, FACT(RESTARTS_AT, {V(block)}));
    /* What is less than a warp has belongs to a thread. */
    return shape_is(d, block < 32 ? FACT(RESTARTS_THREAD, {V(block)})
                                  : FACT(RESTARTS_EVERY, {V(block)}));
}

static bool one_block_back(const struct scan_view *v, struct diagnosis *d) {
    size_t block = v->difference.first / 2;
    if (block < 2 || v->difference.first % 2 || v->difference.count < 2)
        return false;
    EVERY(v, i,
          v->got[i] == range_sum(v, i / block > 0 ? (i / block - 1) * block : 0,
                                 i + v->own));
    return shape_is(d, FACT(ONE_BLOCK_BACK, {V(block)}));
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

/* From `first` on each block has its own sum too many: the sums of blocks were
 * scanned inclusively. */
static bool adds_own_block(const struct scan_view *v, size_t block,
                           size_t first) {
    for (size_t i = first; i < v->n; i++) {
        size_t begin = i - i % block;
        size_t end = v->n - begin < block ? v->n : begin + block;
        if (v->got[i] - v->expected[i] != range_sum(v, begin, end))
            return false;
    }
    return true;
}

static bool constant_per_block(const struct scan_view *v, struct diagnosis *d) {
    struct steps steps = find_steps(v);
    if (steps.count < 2 || steps.unit < 4) return false;
    if (adds_own_block(v, steps.unit, steps.first))
        return shape_is(
            d, FACT(CARRY_PER_BLOCK_OWN, {V(steps.unit), V(steps.first)}));
    return shape_is(d, FACT(CARRY_PER_BLOCK, {V(steps.unit), V(steps.first)}));
}

static bool constant_from(const struct scan_view *v, struct diagnosis *d) {
    struct steps steps = find_steps(v);
    if (steps.count != 1 || v->difference.count < 2) return false;
    size_t k = steps.first;
    int32_t by = (int32_t)(v->got[k] - v->expected[k]);
    size_t multiple_of = low_bit(k) >= 32 ? low_bit(k) : 0;
    if (k == 0) return shape_is(d, FACT(CONSTANT, {V(by)}));
    return shape_is(
        d, FACT(CONSTANT_FROM, {V(k - 1), V(k), V(by), V(multiple_of)}));
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
    const char *which = count + 1 >= v->n ? N_("all") : N_("the wrong");
    if (twice == count)
        return shape_is(d, v->own ? FACT(TWICE_OWN, {V(which)})
                                  : FACT(INCLUSIVE_OWN, {V(which)}));
    if (misses < count || !v->own) return false;
    return shape_is(d, FACT(MISSES_OWN));
}

static bool one_end(const struct scan_view *v, struct diagnosis *d) {
    if (v->difference.count != 1 || v->n < 2) return false;
    if (v->difference.first == v->n - 1)
        return shape_is(d, FACT(LAST_ONLY, {V(v->n - 1)}));
    return v->difference.first == 0 && shape_is(d, FACT(FIRST_ONLY));
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
    return shape_is(d, FACT(PERIODIC, {V(step), V(first), V(first + step),
                                       V(first + 2 * step)}));
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
    return shape_is(d, FACT(POWER_OF_TWO, {V(k - 1), V(k), V(v->n)}));
}

static bool tail(const struct scan_view *v, struct diagnosis *d) {
    size_t k = v->difference.first;
    if (k == 0 || low_bit(k) < 32 || v->n - k >= low_bit(k) ||
        !all_from_first(v))
        return false;
    return shape_is(d, FACT(TAIL, {V(k - 1), V(k), V(v->n - 1)}));
}

static bool scattered(const struct scan_view *v, struct diagnosis *d) {
    const struct difference *all = &v->difference;
    if (all->count == 1)
        return shape_is(d, FACT(SCATTERED_ONE, {V(all->first)}));
    if (all->count == all->last - all->first + 1)
        return shape_is(d,
                        FACT(SCATTERED_RANGE, {V(all->first), V(all->last)}));
    return shape_is(
        d, FACT(SCATTERED, {V(all->count), V(all->first), V(all->last)}));
}

static const recogniser recognisers[] = {
    skips_zeros, n_bytes,        never_written,      one_element,
    all_zero,    other_kind,     copies_input,       shifted,
    reversed,    suffix,         other_operator,     diagnose_numbers,
    negated,     up_sweep_only,  stops_after_w,      restarts,
    one_end,     one_block_back, constant_from,      own_input,
    periodic,    power_of_two,   constant_per_block, tail,
    scattered};

void diagnose_scan_shape(const struct scan_view *view,
                         struct diagnosis *diagnosis) {
    size_t i = 0;
    while (!recognisers[i](view, diagnosis)) i++;
}

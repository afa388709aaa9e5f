/* SPDX-License-Identifier: MIT
 *
 * diagnose_apps.c: what is wrong with a selection, a partition, a list of runs
 * or a sorted array (lab 8). One function per task; each looks for the few
 * shapes that its usual mistakes leave.
 */
#include "diagnose_parts.h"

#include <stdlib.h>

enum { FEW = 8 }; /* fewer numbers are soon in any order */

/* ---- selection, partition ---- */

typedef bool kept_rule(int32_t x, int32_t pivot);

static bool up_to(int32_t x, int32_t pivot) {
    return x <= pivot;
}

static bool sign_bit(int32_t x, int32_t pivot) {
    return ((uint32_t)x - (uint32_t)pivot) >> 31;
}

/* Were exactly those kept for which the rule holds, in order? *at, *place: the
 * first input for which it says something else than "less", and its place among
 * those kept. */
static bool kept_by(const struct diagnose_case *c, kept_rule *rule, size_t *at,
                    size_t *place) {
    int32_t pivot = c->parameters->value[PARAMETER_pivot];
    size_t kept = 0;
    *at = c->n;
    for (size_t i = 0; i < c->n; i++) {
        bool keeps = rule(c->in[i], pivot);
        if (keeps != (c->in[i] < pivot) && *at == c->n) {
            *at = i;
            *place = kept;
        }
        if (!keeps) continue;
        if (kept >= c->n_got || c->got[kept] != c->in[i]) return false;
        kept++;
    }
    return kept == c->n_got && *at < c->n;
}

/* Fewer than FEW elements may be kept by any rule: those of a longer input,
 * too? How many of it were kept is not known, but all that should be are. */
static bool keeps_by(const struct diagnose_case *c, kept_rule *rule, size_t *at,
                     size_t *place) {
    size_t n = c->n >= FEW ? 0 : diagnose_longer(c), ignored;
    int32_t pivot = c->parameters->value[PARAMETER_pivot];
    if (!kept_by(c, rule, at, place)) return false;
    if (c->n >= FEW) return true;
    int32_t *buffer = calloc(2 * n + 1, sizeof *buffer);
    struct diagnose_case longer = *c;
    longer.in = buffer;
    longer.got = buffer + n;
    longer.n = n;
    bool keeps = buffer && n && c->run && diagnose_look_at(c, n, buffer);
    for (size_t i = longer.n_got = 0; keeps && i < n; i++)
        longer.n_got += rule(buffer[i], pivot);
    keeps = keeps && kept_by(&longer, rule, &ignored, &ignored);
    free(buffer);
    return keeps;
}

bool diagnose_other_rule(const struct diagnose_case *c, struct diagnosis *d) {
    int32_t pivot = c->parameters->value[PARAMETER_pivot];
    size_t at, place = 0;
    if (kept_by(c, up_to, &at, &place))
        return shape_is(d, FACT(KEEPS_PIVOT, {V(place), V(pivot)}));
    return keeps_by(c, sign_bit, &at, &place) &&
           shape_is(d, FACT(SELECT_SIGN_BIT, {V(pivot), V(at), V(c->in[at])}));
}

static bool of_select(const struct diagnose_case *c, struct diagnosis *d) {
    int32_t pivot = c->parameters->value[PARAMETER_pivot];
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    if (diagnose_other_rule(c, d)) return true;
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
    bool further = rest > 2, nearer = rest > 2, differ = false;
    for (size_t i = 0; i < rest; i++) {
        differ |= expected[i] != expected[0];
        forwards = forwards && got[i] == expected[rest - 1 - i];
        further = further && (!i || got[i] == expected[i - 1]);
        nearer = nearer && (i + 1 == rest || got[i] == expected[i + 1]);
    }
    if (differ && (further || nearer))
        return shape_is(d, further ? FACT(PARTITION_FURTHER)
                                   : FACT(PARTITION_NEARER));
    if (!forwards && !diagnose_same_elements(got, expected, rest)) return false;
    return shape_is(d, forwards ? FACT(PARTITION_FORWARDS)
                                : FACT(PARTITION_ORDER));
}

/* ---- runs ---- */

/* The runs are the right ones. */
static bool of_lengths(const struct diagnose_case *c, const int32_t *length,
                       struct diagnosis *d) {
    const int32_t *right = c->expected + (length - c->got);
    bool more = false, less = false;
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n_got; i++) {
        sum += (uint32_t)length[i];
        more |= (uint32_t)length[i] > (uint32_t)right[i];
        less |= (uint32_t)length[i] < (uint32_t)right[i];
    }
    if (!more && !less) return false;
    return shape_is(d, more && less ? FACT(RUN_LENGTHS_MIXED)
                       : more       ? FACT(RUN_LENGTHS_MORE, {V(sum), V(c->n)})
                              : FACT(RUN_LENGTHS_LESS, {V(sum), V(c->n)}));
}

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
    return c->oracle == ORACLE_run_length && c->n_got == c->n_expected &&
           diagnose_equal(c->got, c->expected, n) && of_lengths(c, length, d);
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

/* Sorted by a digit, but of a warp's neighbours the last come first? */
static bool is_turned(const struct diagnose_case *c, int bit) {
    enum { LANES = 32 };
    size_t place = 0;
    for (uint32_t digit = 0; digit < 256; digit++)
        for (size_t first = 0; first < c->n; first += LANES)
            for (size_t lane = LANES; lane-- > 0;) {
                size_t i = first + lane;
                if (i >= c->n || ((uint32_t)c->in[i] >> bit & 255) != digit)
                    continue;
                if (c->got[place++] != c->in[i]) return false;
            }
    return true;
}

static bool of_digit(const struct diagnose_case *c, struct diagnosis *d) {
    int bit = c->parameters->value[PARAMETER_bit];
    if (of_elements(c, d)) return true;
    if (is_turned(c, bit)) return shape_is(d, FACT(SORT_DIGIT_TURNED));
    if (sorted_by(c, (uint32_t)255 << bit, 0))
        return shape_is(d, FACT(SORT_DIGIT_ORDER));
    return c->n >= FEW && sorted_by(c, (uint32_t)255 << bit, 128u << bit) &&
           shape_is(d, FACT(SORT_DIGIT_SIGNED));
}

/* A number's digits of so many bits, the lowest first. */
static uint32_t turned(uint32_t key, int bits) {
    uint32_t mask = ((uint32_t)1 << bits) - 1, all = 0;
    for (int done = 0; done < 32; done += bits, key >>= bits)
        all = all << bits | (key & mask);
    return all;
}

/* Equal lowest digits: in the order of the next higher one, and not in that of
 * the input? Then the passes ran the other way. Where no two are equal, nobody
 * can tell. */
static bool of_low_bits(const struct diagnose_case *c, int bits,
                        struct diagnosis *d) {
    enum { LARGEST_DIGIT = 8 };
    bool turned_order = bits <= LARGEST_DIGIT, equal = false;
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    for (size_t i = 1; i < c->n; i++) {
        uint32_t a = (uint32_t)c->got[i - 1], b = (uint32_t)c->got[i];
        equal |= a != b && (a & mask) == (b & mask);
        turned_order &= turned(a, bits) <= turned(b, bits);
    }
    if (bits > LARGEST_DIGIT || (equal && !turned_order))
        return shape_is(d, FACT(SORT_LOW_BITS, {V(bits)}));
    return shape_is(d, FACT(SORT_LOW_DIGIT_LAST, {V(bits)}));
}

static bool of_sort(const struct diagnose_case *c, struct diagnosis *d) {
    if (of_elements(c, d)) return true;
    if (c->n < FEW) return false;
    if (sorted_by(c, UINT32_MAX, (uint32_t)1 << 31))
        return shape_is(d, FACT(SORT_SIGNED));
    for (int bits = 24; bits > 0; bits -= 4)
        if (sorted_by(c, ((uint32_t)1 << bits) - 1, 0))
            return of_low_bits(c, bits, d);
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

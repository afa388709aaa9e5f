/* SPDX-License-Identifier: MIT
 *
 * diagnose_carry.c: a part of the array (a tile, a chunk, a row) that is off by
 * the same number from its first element on: what did it take over from the
 * parts before it, in place of their sum? All is said from the numbers of the
 * failed case: a sum of 32 bits or more is that of other parts by chance once
 * in 4 * 10^9 / (the sums that are tried).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"

enum {
    MOST_PARTS = 1024,    /* whose sums are looked through */
    MOST_PAIRS = 128,     /* the same, two at a time */
    MOST_TRIED = 1 << 20, /* sums of one part, once to so many times */
    MOST_POLLS = 200,
    LEAST_PARTS = 4,
    LOST_BITS = 8, /* tried at the upper end of a value */
    LOOKED_AT = 32 /* inputs: are they random? */
};

struct carry {
    const struct diagnose_case *c;
    const struct edge *edge;
    size_t words;      /* of an element: 1 or 2 */
    bool is_xor;       /* or a sum */
    bool own;          /* out[i] holds in[i], too */
    size_t step;       /* between elements of one scan */
    size_t from;       /* parts from .. number - 1 are due */
    uint64_t mask;     /* of an element */
    uint64_t due, got; /* what is taken over */
    uint64_t *sums;    /* of each part */
    size_t n_sums;
};

static uint64_t element(const struct carry *y, const int32_t *words, size_t i) {
    uint64_t value = (uint32_t)words[i * y->words];
    if (y->words == 2) value |= (uint64_t)(uint32_t)words[2 * i + 1] << 32;
    return value;
}

static uint64_t plus(const struct carry *y, uint64_t a, uint64_t b) {
    return y->is_xor ? a ^ b : (a + b) & y->mask;
}

static uint64_t minus(const struct carry *y, uint64_t a, uint64_t b) {
    return y->is_xor ? a ^ b : (a - b) & y->mask;
}

/* ---- which functions ---- */

static bool of_operator(struct carry *y) {
    enum { SUM, MAX, XOR };
    int op = y->c->parameters->value[PARAMETER_op];
    y->is_xor = op == XOR;
    return op == SUM || op == XOR;
}

static bool of_orders(struct carry *y) {
    const int *value = y->c->parameters->value;
    y->step = (size_t)value[PARAMETER_tuple];
    return value[PARAMETER_order] == 1;
}

/* false: what a part takes over is no sum. */
static bool is_sum(struct carry *y) {
    struct due due;
    y->own = true;
    y->step = 1;
    switch (y->c->oracle) {
    case ORACLE_scan_op_i32: return of_operator(y);
    case ORACLE_scan_op_i64: return of_operator(y);
    case ORACLE_sam_scan_i32: return of_orders(y);
    case ORACLE_sam_scan_i64: return of_orders(y);
    case ORACLE_inclusive_sum: return true;
    case ORACLE_exclusive_sum: y->own = false; return true;
    case ORACLE_total_before_4096:
        y->own = false;
        y->from = y->edge->number - 1;
        return true;
    default:
        if (!diagnose_due(y->c, y->edge->first, &due)) return false;
        y->own = y->c->oracle != ORACLE_tile_exclusive;
        y->from = due.from / y->edge->size;
        return due.from % y->edge->size == 0;
    }
}

/* Sums of the same few numbers are equal by chance. */
static bool is_random(const struct carry *y) {
    size_t n = y->c->n < LOOKED_AT ? y->c->n : LOOKED_AT, other = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && element(y, y->c->in, k) != element(y, y->c->in, i)) k++;
        other += k == i;
    }
    return 2 * other > n;
}

/* ---- the numbers ---- */

static bool add_up(struct carry *y) {
    const struct diagnose_case *c = y->c;
    size_t size = y->edge->size, slot = y->edge->first % y->step;
    y->n_sums = (c->n + size - 1) / size;
    if (y->n_sums > MOST_PARTS) return false;
    y->sums = calloc(y->n_sums, sizeof *y->sums);
    for (size_t i = slot; y->sums && i < c->n; i += y->step)
        y->sums[i / size] = plus(y, y->sums[i / size], element(y, c->in, i));
    for (size_t k = y->from; y->sums && k < y->edge->number; k++)
        y->due = plus(y, y->due, y->sums[k]);
    return y->sums != NULL;
}

static uint64_t off_by(const struct carry *y, size_t i) {
    return minus(y, element(y, y->c->got, i), element(y, y->c->expected, i));
}

static size_t end_of(const struct carry *y) {
    size_t end = y->edge->first + y->edge->size;
    return end < y->c->n ? end : y->c->n;
}

/* What was taken over by the first element. false: it is no sum of this. */
static bool take_over(struct carry *y) {
    size_t k = y->edge->first;
    uint64_t own = y->own ? element(y, y->c->in, k) : 0;
    y->got = minus(y, element(y, y->c->got, k), own);
    return minus(y, element(y, y->c->expected, k), own) == y->due;
}

/* True if every element of this part is off by the same amount. */
static bool is_even(const struct carry *y) {
    uint64_t off = off_by(y, y->edge->first);
    for (size_t i = y->edge->first; i < end_of(y); i += y->step)
        if (off_by(y, i) != off) return false;
    return true;
}

/* ---- what it is ---- */

/* All facts of this file begin with the place; two numbers may follow. */
static bool is(const struct carry *y, struct diagnosis *d, struct fact fact,
               size_t a, size_t b) {
    const struct edge *e = y->edge;
    const struct value values[] = {V(e->first), V(e->part),  V(e->number),
                                   V(e->size),  V(e->round), V(e->blocks),
                                   V(a),        V(b)};
    memcpy(fact.values, values, sizeof values);
    return shape_is(d, fact_keep(fact));
}

static bool no_sum(const struct carry *y, struct diagnosis *d) {
    if (y->got == 0) return is(y, d, FACT(CARRY_NOTHING), 0, 0);
    return y->got == y->mask && is(y, d, FACT(CARRY_ONES), 0, 0);
}

/* How many parts right before part t make up what it took over; -1: no such
 * number. */
static int count_before(const struct carry *y, size_t t) {
    size_t i = t * y->edge->size;
    uint64_t own = y->own ? element(y, y->c->in, i) : 0,
             got = minus(y, element(y, y->c->got, i), own), sum = 0;
    for (size_t k = 0; k <= t; k++) {
        if (sum == got) return (int)k;
        if (k < t) sum = plus(y, sum, y->sums[t - 1 - k]);
    }
    return -1;
}

/* Whoever looks back adds up what the parts before say of themselves, as far as
 * he comes, which the schedule decides, and nothing that they took over. */
static bool no_prefix(const struct carry *y, struct diagnosis *d) {
    int least = INT_MAX, most = 0, signature = y->c->signature;
    bool looks_back = signature_takes(signature, PARAMETER_threads) ||
                      signature_takes(signature, PARAMETER_op);
    if (!looks_back || y->edge->blocks || y->from || y->n_sums < LEAST_PARTS)
        return false;
    for (size_t t = 1; t < y->n_sums; t++) {
        int k = count_before(y, t);
        if (k < 0) return false;
        least = k < least ? k : least;
        most = k > most ? k : most;
    }
    return least < most && (size_t)most + 1 < y->n_sums &&
           is(y, d, FACT(CARRY_NO_PREFIX), (size_t)most, 0);
}

/* The right value, with bits missing at its upper end. */
static bool lost_bits(const struct carry *y, struct diagnosis *d) {
    for (size_t lost = 1; lost <= LOST_BITS; lost++)
        if (y->got == (y->due & (y->mask >> lost)))
            return is(y, d, FACT(CARRY_BITS), 32 * y->words - lost, 0);
    return false;
}

static bool of_halves(const struct carry *y, struct diagnosis *d) {
    uint64_t low = y->due & UINT32_MAX;
    if (y->words != 2 || (y->got & UINT32_MAX) != low) return false;
    if (y->got == low || y->got == (uint64_t)(int64_t)(int32_t)(uint32_t)low)
        return is(y, d, FACT(CARRY_BITS), 32, 0);
    if (y->got == (low << 32 | low))
        return is(y, d, FACT(CARRY_SAME_HALVES), 0, 0);
    return is(y, d, FACT(CARRY_OTHER_HALF), 0, 0);
}

/* Neighbours that are missing. */
static bool lacks(const struct carry *y, struct diagnosis *d) {
    uint64_t missing = minus(y, y->due, y->got);
    size_t end = y->edge->number;
    for (size_t a = y->from; a < end; a++) {
        uint64_t sum = 0;
        for (size_t b = a; b < end; b++) {
            sum = plus(y, sum, y->sums[b]);
            if (sum == missing && a > y->from && a + 1 == end)
                return is(y, d, FACT(CARRY_LACKS_LAST), a, 0);
            if (sum == missing)
                return is(y, d, FACT(CARRY_LACKS), a, b > a ? b : 0);
        }
    }
    return false;
}

static bool one_alone(const struct carry *y, struct diagnosis *d) {
    size_t number = y->edge->number, before = number - 1;
    if (y->got == y->sums[number]) return is(y, d, FACT(CARRY_OWN), 0, 0);
    return y->got == y->sums[before] && before > y->from &&
           is(y, d, FACT(CARRY_ALONE), before, 0);
}

/* How many times the sum is that of part a; 0: not so often. */
static size_t count_of(const struct carry *y, size_t a, uint64_t sum,
                       size_t most) {
    uint64_t all = y->sums[a];
    size_t n = 1;
    while (y->sums[a] && n <= most && all != sum) {
        all = plus(y, all, y->sums[a]);
        n++;
    }
    return y->sums[a] && n <= most ? n : 0;
}

/* One that is counted more than once. */
static bool too_often(const struct carry *y, struct diagnosis *d) {
    uint64_t more = minus(y, y->got, y->due);
    for (size_t a = y->from; !y->is_xor && a < y->edge->number; a++) {
        size_t n = count_of(y, a, more, MOST_TRIED / y->n_sums);
        if (n) return is(y, d, FACT(CARRY_AGAIN), a, n + 1);
    }
    return false;
}

/* The same, by each thread another number of times. */
static bool unevenly_often(const struct carry *y, struct diagnosis *d) {
    for (size_t a = y->from; !y->is_xor && a < y->edge->number; a++) {
        size_t i = y->edge->first,
               first = count_of(y, a, off_by(y, i), MOST_POLLS);
        while (i < end_of(y) &&
               (off_by(y, i) == 0 || count_of(y, a, off_by(y, i), MOST_POLLS)))
            i += y->step;
        if (first && i >= end_of(y))
            return is(y, d, FACT(CARRY_AGAIN), a, first + 1);
    }
    return false;
}

/* One in the place of another. */
static bool exchanged(const struct carry *y, struct diagnosis *d) {
    uint64_t more = minus(y, y->got, y->due);
    if (y->is_xor || y->n_sums > MOST_PAIRS) return false;
    for (size_t a = y->from; a < y->edge->number; a++)
        for (size_t b = 0; b < y->n_sums; b++)
            if (a != b && minus(y, y->sums[b], y->sums[a]) == more)
                return is(y, d, FACT(CARRY_EXCHANGED), b, a);
    return false;
}

bool diagnose_carry(const struct diagnose_case *c, const struct edge *edge,
                    struct diagnosis *d) {
    static bool (*const looks[])(const struct carry *, struct diagnosis *) = {
        no_prefix, no_sum, lost_bits, of_halves,
        one_alone, lacks,  too_often, exchanged};
    struct carry y = {.c = c, .edge = edge};
    bool found = false;
    y.words = element_words(signature_element(c->signature, BUFFER_IN));
    y.mask = y.words == 2 ? UINT64_MAX : UINT32_MAX;
    if (edge->number == 0 || y.words > 2 || !is_sum(&y) || !is_random(&y) ||
        edge->number <= y.from)
        return false;
    if (add_up(&y) && take_over(&y)) {
        bool even = is_even(&y);
        for (size_t i = 0; i < sizeof looks / sizeof *looks && !found; i++)
            found = even && looks[i](&y, d);
        found = found || (!even && unevenly_often(&y, d));
    }
    free(y.sums);
    return found;
}

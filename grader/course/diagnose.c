/* SPDX-License-Identifier: MIT
 *
 * diagnose.c: leads the diagnosis: the first difference, whether a second run
 * gives the same output, the shape, and what the first wrong output contains.
 */
#include "diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"

/* How many elements of the output count, and are compared. */
static size_t n_compared(const struct diagnose_case *c) {
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    return n < c->n_expected ? n : c->n_expected;
}

void diagnose_window(struct diagnosis *d, const struct window_source *s) {
    struct window *w = &d->window;
    size_t center = d->count ? d->first : d->compared;
    const struct {
        const int32_t *from;
        int32_t *to;
        size_t n, words, *n_to;
    } parts[] = {
        {s->in, w->in, s->n_in, element_words(d->in_element), &w->n_in},
        {s->expected, w->expected, s->n_expected, element_words(d->element),
         &w->n_expected},
        {s->got, w->got, s->n_got, element_words(d->element), &w->n_got}};
    w->from = center > WINDOW_BEFORE ? center - WINDOW_BEFORE : 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t rest = parts[i].n > w->from ? parts[i].n - w->from : 0;
        *parts[i].n_to = rest < WINDOW ? rest : WINDOW;
        if (rest)
            memcpy(parts[i].to, parts[i].from + w->from * parts[i].words,
                   *parts[i].n_to * parts[i].words * sizeof *parts[i].to);
    }
}

void diagnosis_free(struct diagnosis *d) {
    fact_free(&d->shape);
}

static void note_first(const struct diagnose_case *c,
                       const struct difference *difference,
                       struct diagnosis *d) {
    d->buffer = BUFFER_OUT;
    d->element = d->in_element = ELEMENT_i32;
    d->n_expected = c->n_expected;
    d->n_got = c->n_got;
    d->compared = n_compared(c);
    d->count = difference->count;
    d->first = difference->first;
    d->last = difference->last;
    *d->expected = difference->expected;
    *d->got = difference->got;
    if (difference->count && *d->got == c->poison && !c->in_place)
        d->state = FIRST_NOT_WRITTEN;
    else if (difference->count && *d->got == UNWRITTEN_WORD)
        d->state = FIRST_UNSET;
    diagnose_window(d, &(struct window_source){c->in, c->n, c->expected,
                                               c->n_expected, c->got, c->n});
}

/* A second run on the same input. true: it gave another output. */
static bool changes(const struct diagnose_case *c, struct prober *prober) {
    struct diagnosis *d = prober->diagnosis;
    memcpy(prober->in, c->in, c->n * sizeof *prober->in);
    if (!diagnose_probe(prober)) return false;
    struct difference again;
    if (oracle_compare(c->got, prober->out, n_compared(c), &again))
        return false;
    d->shape = FACT(CHANGES, {V(again.first), V(again.expected), V(again.got)});
    return true;
}

static void diagnose_scan(const struct diagnose_case *c,
                          const struct difference *difference,
                          struct prober *prober) {
    uint32_t *prefix = malloc((c->n + 1) * sizeof *prefix);
    if (!prefix) return;
    prefix[0] = 0;
    for (size_t i = 0; i < c->n; i++)
        prefix[i + 1] = prefix[i] + (uint32_t)c->in[i];
    struct scan_view view = {.c = c,
                             .in = (const uint32_t *)c->in,
                             .expected = (const uint32_t *)c->expected,
                             .got = (const uint32_t *)c->got,
                             .prefix = prefix,
                             .n = c->n,
                             .own = c->oracle == ORACLE_inclusive_sum,
                             .difference = *difference};
    diagnose_scan_shape(&view, prober->diagnosis);
    enum fact_row shape = prober->diagnosis->shape.row;
    bool explained = shape == FACT_SUMS_CUT || shape == FACT_SUMS_ROUNDED ||
                     shape == FACT_SUMS_SHORT || shape == FACT_NOT_WRITTEN ||
                     shape == FACT_ALL_ZERO || shape == FACT_OTHER_OPERATOR ||
                     prober->diagnosis->state == FIRST_NOT_WRITTEN;
    if (!explained && prober->in) diagnose_contains(&view, prober);
    free(prefix);
}

/* The usual cause of a shape that says little, such as "only the last element",
 * is not it when inputs were counted twice: then the caller knows better. */
static bool cause_fits(const struct diagnosis *d) {
    static const enum fact_row weak[] = {FACT_LAST_ONLY, FACT_FIRST_ONLY,
                                         FACT_TAIL, FACT_POWER_OF_TWO,
                                         FACT_PERIODIC};
    bool again = false, is_weak = false;
    for (size_t i = 0; i < d->contents.n_counted; i++)
        again |= d->contents.counted[i].due && d->contents.counted[i].count;
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        is_weak |= d->shape.row == weak[i];
    return !(is_weak && again);
}

static bool is_among(enum fact_row row, const enum fact_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (rows[i] == row) return true;
    return false;
}

/* A shape that says no more than the first difference and its count do makes
 * room for what the element contains. Of few elements a shape says little: any
 * mistake leaves "only the last" wrong, "every" zero, or a copy of the input.
 */
static void drop_weak(struct diagnosis *d) {
    enum { FEW = 4 };
    static const enum fact_row repeats[] = {FACT_SCATTERED_RANGE,
                                            FACT_SCATTERED_ONE, FACT_SCATTERED,
                                            FACT_ANY_BEGINS},
                               of_few[] = {FACT_LAST_ONLY, FACT_FIRST_ONLY},
                               chance[] = {FACT_ALL_ZERO, FACT_COPIES_INPUT};
    enum fact_row row = d->shape.row;
    bool few = d->compared <= FEW,
         told = d->contents.n_counted > 0 || d->compared == 1;
    bool weak =
        (is_among(row, repeats, sizeof repeats / sizeof *repeats) && told) ||
        (few && is_among(row, of_few, sizeof of_few / sizeof *of_few));
    if (few && is_among(row, chance, sizeof chance / sizeof *chance))
        d->cause_fits = false;
    if (!weak) return;
    fact_free(&d->shape);
    d->shape = (struct fact){0};
}

static int by_value(const void *a, const void *b) {
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

int32_t *diagnose_sorted(const int32_t *values, size_t n) {
    int32_t *copy = malloc((n + 1) * sizeof *copy);
    if (copy && n) {
        memcpy(copy, values, n * sizeof *copy);
        qsort(copy, n, sizeof *copy, by_value);
    }
    return copy;
}

bool diagnose_same_elements(const int32_t *a, const int32_t *b, size_t n) {
    int32_t *x = diagnose_sorted(a, n), *y = diagnose_sorted(b, n);
    bool same = x && y && memcmp(x, y, n * sizeof *x) == 0;
    free(x);
    free(y);
    return same;
}

bool diagnose_equal(const int32_t *a, const int32_t *b, size_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static void diagnose_sums(const struct diagnose_case *c, struct diagnosis *d) {
    *d = (struct diagnosis){0};
    struct difference difference;
    oracle_compare(c->expected, c->got, n_compared(c), &difference);
    if (difference.count == 0 && c->n_got == c->n_expected) return;
    note_first(c, &difference, d);
    struct prober prober = {.c = c,
                            .diagnosis = d,
                            .deadline_ms =
                                diagnose_clock_ms() + c->time_limit_ms};
    bool again = false;
    if (c->run && c->n > 0) {
        prober.in = malloc(2 * c->n * sizeof *prober.in);
        if (prober.in) {
            prober.out = prober.in + c->n;
            again = changes(c, &prober);
        }
    }
    if (!again && !diagnose_way(c, d)) {
        if (oracle_shape(c->oracle) == OUTPUT_COMPACT)
            diagnose_compact_shape(c, d);
        else if (difference.count > 0)
            diagnose_scan(c, &difference, &prober);
    }
    free(prober.in);
}

void diagnose(const struct diagnose_case *c, struct diagnosis *d) {
    bool sums = c->oracle == ORACLE_inclusive_sum ||
                c->oracle == ORACLE_exclusive_sum ||
                c->oracle == ORACLE_compact_nonzero;
    (sums ? diagnose_sums : diagnose_plain)(c, d);
    diagnose_edge(c, d);
    d->cause_fits = cause_fits(d);
    drop_weak(d);
}

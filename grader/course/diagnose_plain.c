/* SPDX-License-Identifier: MIT
 *
 * diagnose_plain.c: functions that cannot be probed: other types, several
 * buffers, parameters. One function per shape, tried in order; the first that
 * holds makes its fact.
 */
#include "diagnose_parts.h"

#include <stdlib.h>
#include <string.h>

/* One output buffer. */
struct side {
    enum buffer buffer;
    enum element element;
    size_t words;
    const int32_t *expected, *got;
};

struct view {
    const struct diagnose_case *c;
    struct side side;
    size_t compared;           /* elements */
    size_t count, first, last; /* of those that differ */
};

static bool same(const struct side *s, size_t i, const int32_t *values,
                 size_t k) {
    return memcmp(s->got + i * s->words, values + k * s->words,
                  s->words * sizeof *values) == 0;
}

static bool poisoned(const struct view *v, size_t i) {
    for (size_t w = 0; w < v->side.words; w++)
        if (v->side.got[i * v->side.words + w] != v->c->poison) return false;
    return !v->c->in_place;
}

/* The buffer that differs, and where. false: none does. */
static bool diagnose_plain_look(struct view *v, enum buffer b) {
    const struct diagnose_case *c = v->c;
    size_t at = signature_offset(c->signature, b, c->n);
    enum element e = signature_element(c->signature, b);
    if (e == ELEMENT_none) return false;
    v->side =
        (struct side){b, e, element_words(e), c->expected + at, c->got + at};
    v->compared = oracle_compared(c->oracle, c->n, c->n_expected);
    v->count = 0;
    for (size_t i = 0; i < v->compared; i++) {
        if (same(&v->side, i, v->side.expected, i)) continue;
        if (v->count++ == 0) v->first = i;
        v->last = i;
    }
    return v->count > 0;
}

static bool unwritten(const struct view *v, size_t i) {
    const int32_t *words = v->side.got + i * v->side.words;
    for (size_t k = 0; k < v->side.words; k++)
        if (words[k] != UNWRITTEN_WORD) return false;
    return true;
}

static void note_first(const struct view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    const struct side *s = &v->side;
    size_t bytes = s->words * sizeof *s->got;
    d->buffer = s->buffer;
    d->element = s->element;
    d->in_element = signature_element(c->signature, BUFFER_IN);
    d->compared = v->compared;
    d->count = v->count;
    d->first = v->first;
    d->last = v->last;
    memcpy(d->expected, s->expected + v->first * s->words, bytes);
    memcpy(d->got, s->got + v->first * s->words, bytes);
    d->state = poisoned(v, v->first)    ? FIRST_NOT_WRITTEN
               : unwritten(v, v->first) ? FIRST_UNSET
                                        : FIRST_WRITTEN;
    diagnose_window(d, &(struct window_source){c->in, c->n, s->expected,
                                               v->compared, s->got, c->n});
}

/* ---- shapes ---- */

static bool not_written(const struct view *v, struct diagnosis *d) {
    size_t n = 0;
    for (size_t i = 0; i < v->compared; i++) n += poisoned(v, i);
    if (n == 0) return false;
    return shape_is(d, n == v->compared ? FACT(ANY_NOT_WRITTEN)
                                        : FACT(ANY_PARTLY_WRITTEN, {V(n)}));
}

/* The answer for one other value of one parameter. */
static bool other_value(const struct diagnose_case *c, enum parameter p,
                        int value, int32_t *answer, struct diagnosis *d) {
    struct parameters other = *c->parameters;
    char now[24], was[24];
    other.value[p] = value;
    size_t n =
        oracle_apply_rule(c->oracle, c->rule, &other, c->in, c->n, answer);
    if (!oracle_agrees(c->oracle, c->rule, &other, c->in, c->n, answer, n,
                       c->got, c->n_got))
        return false;
    parameter_print(p, value, now, sizeof now);
    parameter_print(p, c->parameters->value[p], was, sizeof was);
    return shape_is(
        d, FACT(ANY_OTHER_VALUE, {V(parameter_name(p)), V(now), V(was)}));
}

enum {
    MOST_VALUES = 33, /* of a parameter that are tried */
    FEW_ELEMENTS = 8  /* fewer may be the answer to anything */
};

static bool of_application(const struct view *v, struct diagnosis *d) {
    return diagnose_apps(v->c, d);
}

static bool of_way(const struct view *v, struct diagnosis *d) {
    return v->c->n_got == v->c->n_expected && diagnose_way(v->c, d);
}

static bool is_of_other(const struct diagnose_case *c, struct diagnosis *d) {
    int32_t *answer =
        calloc(signature_out_words(c->signature, c->n) + 2, sizeof *answer);
    bool found = false, try = answer != NULL;
    for (enum parameter p = 0; try && p < N_PARAMETERS && !found; p++) {
        int least, most;
        parameter_range(p, &least, &most);
        if (!signature_takes(c->signature, p) ||
            (int64_t)most - least >= MOST_VALUES)
            continue;
        for (int i = least; i <= most && !found; i++)
            found =
                i != c->parameters->value[p] && other_value(c, p, i, answer, d);
    }
    free(answer);
    return found;
}

/* Few elements may be the answer to anything: then a longer input tells. */
static bool other_question(const struct view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    struct diagnose_case longer = *c;
    bool found = false;
    if (c->n >= FEW_ELEMENTS) return is_of_other(c, d);
    size_t n = v->side.words == 1 && c->run ? diagnose_longer(c) : 0;
    int32_t *buffer = calloc(2 * n + 1, sizeof *buffer);
    if (buffer && n >= FEW_ELEMENTS && ++d->runs &&
        signature_out_words(c->signature, n) == n &&
        diagnose_look_at(c, n, buffer)) {
        longer.in = buffer;
        longer.got = buffer + n;
        longer.n = longer.n_got = longer.n_expected = n;
        found = is_of_other(&longer, d);
    }
    free(buffer);
    return found;
}

/* Of the words of nodes; before another map is looked for, which may agree. */
static bool first_leaf(const struct view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    bool plain = c->parameters->value[PARAMETER_map] == 0;
    if (c->oracle != ORACLE_node_word || !plain || c->n < FEW_ELEMENTS)
        return false;
    for (size_t i = 0; i < c->n; i++) {
        size_t node = (uint32_t)c->in[i] % (2 * c->n), first = node;
        while (node && first < c->n) first *= 2;
        if (node && (size_t)(uint32_t)c->got[i] != first - c->n) return false;
    }
    return shape_is(d, FACT(FIRST_LEAF));
}

/* Words of a padded tree, with a word left free after every so many. */
static bool is_padded(const struct diagnose_case *c, size_t every) {
    for (size_t i = 0; i < c->n; i++) {
        size_t node = (uint32_t)c->in[i] % (2 * c->n), leaf = node;
        while (node && leaf < c->n) leaf = 2 * leaf + 1; /* its last one */
        leaf -= c->n;
        if (node && (size_t)(uint32_t)c->got[i] != leaf + leaf / every)
            return false;
    }
    return true;
}

static bool pads_otherwise(const struct view *v, struct diagnosis *d) {
    enum { PADDING = 1, MOST_WORDS = 64 };
    const struct diagnose_case *c = v->c;
    size_t banks = (size_t)c->parameters->value[PARAMETER_banks], every = 2;
    if (c->oracle != ORACLE_node_word || c->n < FEW_ELEMENTS ||
        c->parameters->value[PARAMETER_map] != PADDING)
        return false;
    while (every <= MOST_WORDS && !is_padded(c, every)) every++;
    return every <= MOST_WORDS && every != banks &&
           shape_is(d, FACT(PADS_OTHERWISE, {V(every), V(banks)}));
}

static bool copies_input(const struct view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    if (signature_element(c->signature, BUFFER_IN) != v->side.element ||
        c->n < FEW_ELEMENTS ||
        memcmp(c->in, v->side.got,
               v->compared * v->side.words * sizeof *c->in) != 0)
        return false;
    return shape_is(d, FACT(ANY_COPIES_INPUT));
}

/* Of order k by k - 1 places of its slot: each order adds the one below it
 * before that has this element. */
static bool shifted_by_order(const struct view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    const int *value = c->parameters->value;
    size_t order = (size_t)value[PARAMETER_order],
           by = (order - 1) * (size_t)value[PARAMETER_tuple];
    if (!signature_takes(c->signature, PARAMETER_order) || order < 2 ||
        v->compared < by + 2)
        return false;
    for (size_t i = by; i < v->compared; i++)
        if (!same(&v->side, i, v->side.expected, i - by)) return false;
    return shape_is(d, FACT(ANY_SHIFTED_ORDER, {V(by), V(order)}));
}

static bool shifted(const struct view *v, struct diagnosis *d) {
    bool left = v->compared > 2, right = left;
    for (size_t i = 1; i < v->compared && (left || right); i++) {
        right = right && same(&v->side, i, v->side.expected, i - 1);
        left = left && same(&v->side, i - 1, v->side.expected, i);
    }
    if (!left && !right) return false;
    return shape_is(d, left ? FACT(ANY_SHIFTED_LEFT) : FACT(ANY_SHIFTED_RIGHT));
}

/* Of one buffer of 32-bit integers each. */
static struct scan_view scan_view_of(const struct view *v) {
    const struct diagnose_case *c = v->c;
    return (struct scan_view){
        .c = c,
        .in = (const uint32_t *)c->in,
        .expected = (const uint32_t *)c->expected,
        .got = (const uint32_t *)c->got,
        .n = c->n,
        .difference = {.count = v->count, .first = v->first, .last = v->last}};
}

static bool of_windows(const struct view *v, struct diagnosis *d) {
    struct scan_view view = scan_view_of(v);
    return diagnose_window_shape(&view, d);
}

/* What the first wrong element holds, if it is to hold a sum. */
static void look_inside(const struct view *v, struct diagnosis *d) {
    const struct diagnose_case *c = v->c;
    struct due due;
    if (!c->run || c->n == 0 || v->side.element != ELEMENT_i32 ||
        d->state == FIRST_NOT_WRITTEN || !diagnose_due(c, v->first, &due))
        return;
    struct scan_view view = scan_view_of(v);
    struct prober prober = {.c = c,
                            .diagnosis = d,
                            .deadline_ms =
                                diagnose_clock_ms() + c->time_limit_ms,
                            .in = malloc(2 * c->n * sizeof *prober.in)};
    if (!prober.in) return;
    prober.out = prober.in + c->n;
    diagnose_contains(&view, &prober);
    free(prober.in);
}

static bool one_slot(const struct view *v, struct diagnosis *d) {
    int tuple = v->c->parameters->value[PARAMETER_tuple];
    if (!signature_takes(v->c->signature, PARAMETER_tuple) || tuple < 2 ||
        v->count < 2)
        return false;
    for (size_t i = 0; i < v->compared; i++)
        if (i % (size_t)tuple != v->first % (size_t)tuple &&
            !same(&v->side, i, v->side.expected, i))
            return false;
    return shape_is(
        d, FACT(ANY_ONE_SLOT, {V(v->first % (size_t)tuple), V(tuple)}));
}

static bool begins_wrong(const struct view *v, struct diagnosis *d) {
    return v->first > 0 && shape_is(d, FACT(ANY_BEGINS, {V(v->first)}));
}

void diagnose_plain(const struct diagnose_case *c, struct diagnosis *d) {
    static bool (*const shapes[])(const struct view *, struct diagnosis *) = {
        not_written,      of_way,         first_leaf, of_application,
        other_question,   pads_otherwise, of_windows, copies_input,
        shifted_by_order, shifted,        one_slot,   begins_wrong};
    struct view v = {.c = c};
    *d = (struct diagnosis){.plain = true,
                            .cause_fits = true,
                            .buffer = BUFFER_OUT,
                            .n_expected = c->n_expected,
                            .n_got = c->n_got,
                            .shape = FACT(ANY)};
    d->two = signature_element(c->signature, BUFFER_OUT2) != ELEMENT_none;
    if (!diagnose_plain_look(&v, BUFFER_OUT) &&
        !diagnose_plain_look(&v, BUFFER_OUT2)) {
        bool is_select = c->oracle == ORACLE_select_less;
        if (!is_select || !diagnose_other_rule(c, d))
            d->shape = FACT(ANY_COUNT_WRONG);
        return;
    }
    note_first(&v, d);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i](&v, d)) break;
    if (!diagnose_is_slip(d)) look_inside(&v, d);
}

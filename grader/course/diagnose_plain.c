/* SPDX-License-Identifier: MIT
 *
 * diagnose_plain.c: see diagnose_plain.h. One function per shape, tried in
 * order; the first that holds writes its sentence.
 */
#include "diagnose_plain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_apps.h"
#include "diagnose_parts.h"
#include "oracle.h"

/* One output buffer. */
struct side {
    const char *name;
    enum element element;
    size_t words;
    const int32_t *expected, *got;
};

struct view {
    const struct plain_case *c;
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

static void print(const struct side *s, const int32_t *values, size_t i,
                  char text[32]) {
    int64_t wide;
    float f32;
    double f64;
    switch (s->element) {
    case ELEMENT_u32:
        snprintf(text, 32, "%" PRIu32, (uint32_t)values[i]);
        break;
    case ELEMENT_i64:
        memcpy(&wide, values + 2 * i, sizeof wide);
        snprintf(text, 32, "%" PRId64, wide);
        break;
    case ELEMENT_f32:
        memcpy(&f32, values + i, sizeof f32);
        snprintf(text, 32, "%.9g", (double)f32);
        break;
    case ELEMENT_f64:
        memcpy(&f64, values + 2 * i, sizeof f64);
        snprintf(text, 32, "%.17g", f64);
        break;
    default: snprintf(text, 32, "%" PRId32, values[i]); break;
    }
}

/* The buffer that differs, and where. false: none does. */
static bool look(struct view *v, enum buffer b) {
    const struct plain_case *c = v->c;
    size_t at = signature_offset(c->signature, b, c->n);
    enum element e = signature_element(c->signature, b);
    bool two = signature_element(c->signature, BUFFER_OUT2) != ELEMENT_none;
    if (e == ELEMENT_none) return false;
    v->side = (struct side){!two               ? "out"
                            : b == BUFFER_OUT2 ? "second output"
                                               : "first output",
                            e, element_words(e), c->expected + at, c->got + at};
    v->compared =
        oracle_shape(c->oracle) == OUTPUT_COMPACT ? c->n_expected : c->n;
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

static void say_first(const struct view *v, struct diagnosis *d) {
    char expected[32], got[32];
    const char *name = v->side.name;
    print(&v->side, v->side.expected, v->first, expected);
    print(&v->side, v->side.got, v->first, got);
    snprintf(d->first, sizeof d->first,
             "%s[%zu]: expected %s, got %s%s; %zu of %zu elements differ, the "
             "last is [%zu]",
             name, v->first, expected, got,
             poisoned(v, v->first)    ? " (not written)"
             : unwritten(v, v->first) ? UNWRITTEN_WORDS
                                      : "",
             v->count, v->compared, v->last);
}

/* ---- shapes ---- */

static bool not_written(const struct view *v, struct diagnosis *d) {
    size_t n = 0;
    for (size_t i = 0; i < v->compared; i++) n += poisoned(v, i);
    if (n == 0) return false;
    d->kind = n == v->compared ? SHAPE_NOT_WRITTEN : SHAPE_PARTLY_WRITTEN;
    snprintf(d->shape, sizeof d->shape,
             n == v->compared ? "Nothing was written to it"
                              : "%zu of its elements were never written",
             n);
    return true;
}

/* The answer for one other value of one parameter. */
static bool other_value(const struct view *v, enum parameter p, int value,
                        int32_t *answer, struct diagnosis *d) {
    const struct plain_case *c = v->c;
    struct parameters other = *c->parameters;
    char is[24], was[24];
    other.value[p] = value;
    size_t n = oracle_apply(c->oracle, &other, c->in, c->n, answer);
    if (!oracle_agrees(c->oracle, &other, c->in, c->n, answer, n, c->got,
                       c->n_got))
        return false;
    parameter_print(p, value, is, sizeof is);
    parameter_print(p, c->parameters->value[p], was, sizeof was);
    d->kind = SHAPE_OTHER_OPERATOR;
    snprintf(d->shape, sizeof d->shape,
             "This is the answer for %s = %s; asked was %s", parameter_name(p),
             is, was);
    snprintf(d->cause, sizeof d->cause, "%s is not followed everywhere.",
             parameter_name(p));
    return true;
}

enum {
    MOST_VALUES = 33, /* of a parameter that are tried */
    FEW_ELEMENTS = 8  /* fewer may be the answer to anything */
};

static bool of_application(const struct view *v, struct diagnosis *d) {
    return diagnose_apps(v->c, d);
}

static bool other_question(const struct view *v, struct diagnosis *d) {
    const struct plain_case *c = v->c;
    int32_t *answer =
        calloc(signature_out_words(c->signature, c->n) + 2, sizeof *answer);
    bool found = false, try = answer && c->n >= FEW_ELEMENTS;
    for (enum parameter p = 0; try && p < N_PARAMETERS && !found; p++) {
        int least, most;
        parameter_range(p, &least, &most);
        if (!signature_takes(c->signature, p) ||
            (int64_t)most - least >= MOST_VALUES)
            continue;
        for (int i = least; i <= most && !found; i++)
            found =
                i != c->parameters->value[p] && other_value(v, p, i, answer, d);
    }
    free(answer);
    return found;
}

static bool copies_input(const struct view *v, struct diagnosis *d) {
    const struct plain_case *c = v->c;
    if (signature_element(c->signature, BUFFER_IN) != v->side.element ||
        memcmp(c->in, v->side.got,
               v->compared * v->side.words * sizeof *c->in) != 0)
        return false;
    d->kind = SHAPE_COPIES_INPUT;
    snprintf(d->shape, sizeof d->shape, "It is the input, unchanged");
    return true;
}

static bool shifted(const struct view *v, struct diagnosis *d) {
    bool left = v->compared > 2, right = left;
    for (size_t i = 1; i < v->compared && (left || right); i++) {
        right = right && same(&v->side, i, v->side.expected, i - 1);
        left = left && same(&v->side, i - 1, v->side.expected, i);
    }
    if (!left && !right) return false;
    d->kind = SHAPE_SHIFTED;
    snprintf(d->shape, sizeof d->shape,
             "Every element stands one place too far to the %s",
             left ? "left" : "right");
    return true;
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
    d->kind = SHAPE_PERIODIC;
    snprintf(d->shape, sizeof d->shape,
             "Only slot %zu of the tuples of %d is wrong",
             v->first % (size_t)tuple, tuple);
    return true;
}

static bool begins_wrong(const struct view *v, struct diagnosis *d) {
    if (v->first == 0) return false;
    d->kind = SHAPE_CONSTANT_FROM;
    snprintf(d->shape, sizeof d->shape, "Everything before [%zu] is right",
             v->first);
    return true;
}

void diagnose_plain(const struct plain_case *c, struct diagnosis *d) {
    static bool (*const shapes[])(const struct view *, struct diagnosis *) = {
        not_written, of_application, other_question, copies_input,
        shifted,     one_slot,       begins_wrong};
    struct view v = {.c = c};
    *d = (struct diagnosis){.kind = SHAPE_SCATTERED};
    bool differs = look(&v, BUFFER_OUT) || look(&v, BUFFER_OUT2);
    if (c->n_got != c->n_expected) {
        snprintf(d->first, sizeof d->first,
                 "the function says %zu elements, expected %zu", c->n_got,
                 c->n_expected);
        if (c->n_got == SIZE_MAX)
            snprintf(d->first, sizeof d->first,
                     "the function did not set *n_out, expected %zu",
                     c->n_expected);
    }
    if (!differs) {
        d->kind = SHAPE_WRITES_PAST;
        snprintf(d->shape, sizeof d->shape, "The elements are right");
        return;
    }
    if (!*d->first) say_first(&v, d);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i](&v, d)) return;
}

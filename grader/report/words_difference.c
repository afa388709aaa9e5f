/* SPDX-License-Identifier: MIT
 *
 * words_difference.c: a wrong output in sentences. Ranges are folded, long
 * lists end in "and 12 more".
 */
#include "signature.h"
#include "words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "translate.h"

static const char unset[] = N_(" (shared or local memory that nothing has "
                               "written)");

const char *words_buffer(const struct diagnosis *d) {
    return !d->two                    ? "out"
           : d->buffer == BUFFER_OUT2 ? _("second output")
                                      : _("first output");
}

static void first_expected(struct text *t, const struct diagnosis *d,
                           const char *not_written) {
    char expected[ELEMENT_TEXT], got[ELEMENT_TEXT];
    element_print(d->element, d->expected, expected);
    element_print(d->element, d->got, got);
    text_add(t, _("%s[%zu]: expected %s, got %s%s"), words_buffer(d), d->first,
             expected, got,
             d->state == FIRST_NOT_WRITTEN ? not_written
             : d->state == FIRST_UNSET     ? _(unset)
                                           : "");
}

static void first_of_any(struct text *t, const struct diagnosis *d) {
    if (d->n_got == SIZE_MAX && d->n_got != d->n_expected) {
        text_add(t, _("the function did not set *n_out, expected %zu"),
                 d->n_expected);
    } else if (d->n_got != d->n_expected) {
        text_add(t, _("the function says %zu elements, expected %zu"), d->n_got,
                 d->n_expected);
    } else if (d->count) {
        first_expected(t, d, _(" (not written)"));
        if (d->compared > 1)
            text_add(t, _("; %zu of %zu elements differ, the last is %s[%zu]"),
                     d->count, d->compared, words_buffer(d), d->last);
    }
}

void words_first(struct text *t, const struct diagnosis *d) {
    if (d->plain) {
        first_of_any(t, d);
        return;
    }
    if (d->n_got != d->n_expected)
        text_add(t, _("expected %zu kept, got %zu%s"), d->n_expected, d->n_got,
                 d->count ? "; " : "");
    if (d->count == 0) return;
    first_expected(t, d, _(" (never written)"));
    if (d->count > 1 && d->count == d->compared)
        text_add(t, _("; all %zu elements differ"), d->compared);
    else if (d->count > 1)
        text_add(t, _("; %zu of %zu elements differ, the last is out[%zu]"),
                 d->count, d->compared, d->last);
}

/* Sentences begin with a capital letter, unless it is the name out. */
void words_shape(struct text *t, const struct diagnosis *d) {
    size_t start = t->size;
    fact_words(t, &d->shape);
    if (t->size == start) return;
    char *text = t->bytes + start;
    if (strncmp(text, "out", 3) != 0 || isalpha((unsigned char)text[3]))
        *text = (char)toupper((unsigned char)*text);
}

static void add_runs(struct text *t, const struct counted *c) {
    if (c->stride > 1) {
        text_add(t, "in[%zu], in[%zu], in[%zu], ... in[%zu]", c->from[0],
                 c->from[0] + c->stride, c->from[0] + 2 * c->stride, c->last);
        return;
    }
    size_t listed = 0;
    for (size_t i = 0; i < c->n_runs && i < DIAGNOSIS_RUNS; i++) {
        text_add(t, "%sin[%zu",
                 i == 0               ? ""
                 : i + 1 == c->n_runs ? _(" and ")
                                      : ", ",
                 c->from[i]);
        if (c->to[i] > c->from[i]) text_add(t, "..%zu", c->to[i]);
        text_add(t, "]");
        listed += c->to[i] - c->from[i] + 1;
    }
    if (listed < c->n_inputs)
        text_add(t, _(" and %zu more"), c->n_inputs - listed);
}

static void add_times(struct text *t, int count) {
    if (count == 2)
        text_add(t, _(" twice"));
    else if (count < 0)
        text_add(t, _(" with the sign turned"));
    else if (count > 2)
        text_add(t, _(" %d times"), count);
}

static void add_counted(struct text *t, const struct contents *all,
                        const struct counted *c) {
    if (c != all->counted) text_add(t, _(" and "));
    if (c->due && c->count == 0 && c->n_inputs == all->n_due) {
        text_add(t, _("contains none of the inputs it should"));
        return;
    }
    text_add(t, "%s",
             !c->due    ? _("adds ")
             : c->count ? _("counts ")
                        : _("misses "));
    add_runs(t, c);
    add_times(t, c->count);
    if (!c->due)
        text_add(t, _(", which %s not belong there"),
                 c->n_inputs == 1 ? _("does") : _("do"));
}

void words_contents(struct text *t, const struct diagnosis *d) {
    const struct contents *c = &d->contents;
    enum { MOST = 383 }; /* bytes: after that nobody reads on */
    struct text all = {0};
    if (c->kind == CONTENTS_UNKNOWN) return;
    text_add(&all, "out[%zu] ", d->first);
    if (c->kind == CONTENTS_BY_VALUE)
        text_add(&all, _("is right on random input of the same length: it "
                         "depends on the values"));
    for (size_t i = 0; i < c->n_counted; i++)
        add_counted(&all, c, &c->counted[i]);
    text_add(t, "%.*s", MOST, text_string(&all));
    text_free(&all);
}

char *words_writer(const struct check_result *r) {
    const struct outcome *o = &r->outcome;
    const struct writer *w = &o->writer;
    struct text t = {0};
    if (!o->difference || !w->place.file) return NULL;
    text_add(&t, _("%s[%zu] is written at "), words_buffer(o->difference),
             o->difference->first);
    words_place(&t, &w->place);
    text_add(&t, ".");
    if (!w->read.file) return t.bytes;
    text_add(&t,
             _(" The last word that its block had read before by a volatile "
               "or atomic load, at "));
    words_place(&t, &w->read);
    text_add(&t, _(", held "));
    words_status_read(&t, o);
    text_add(&t, ".");
    return t.bytes;
}

char *words_repair(const struct check_result *r, bool all) {
    const struct repair *repair = r->outcome.repair;
    struct text t = {0};
    if (!repair) return NULL;
    if (all)
        fact_words(&t, &repair->said);
    else
        text_add(&t, _("a small change of one line makes this case pass; with "
                       "V=1 (-v) the report says which"));
    return t.bytes;
}

/* In what is not small, two numbers are packed, for some operators. */
static bool has_small(const struct steps_view *v) {
    enum { SMALL = 999 };
    size_t words = signature_in_words(v->signature, v->n);
    for (size_t i = 0; i < words; i++)
        if (v->in[i] > SMALL || v->in[i] < -SMALL) return false;
    return true;
}

char *words_steps(const struct check_result *r) {
    const struct steps_view *v = r->outcome.steps;
    struct text t = {0};
    if (!v || !v->fault) return NULL;
    text_add(&t,
             has_small(v) ? _("Called on %zu small number%s, ")
                          : _("Called on %zu number%s, "),
             v->n, v->n == 1 ? "" : "s");
    size_t at = t.size;
    steps_fault_words(&t, v);
    if (t.bytes && t.size > at)
        t.bytes[at] = (char)tolower((unsigned char)t.bytes[at]);
    return t.bytes;
}

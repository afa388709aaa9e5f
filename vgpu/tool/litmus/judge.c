/* SPDX-License-Identifier: MIT
 *
 * judge.c: what the outcomes of a litmus test mean, and how they are printed.
 */
#include <inttypes.h>
#include <string.h>

#include "litmus.h"

/* The condition on every single end: what the quantifier speaks of. */
static bool matches(const struct litmus *t, const int32_t *values) {
    return litmus_holds(&t->condition, values);
}

static bool is_listed(const struct litmus_outcome *list, uint32_t n,
                      const int32_t *values) {
    for (uint32_t k = 0; k < n; k++)
        if (!memcmp(list[k].values, values, sizeof list[k].values)) return true;
    return false;
}

bool litmus_misses(const struct litmus *t, const struct litmus_result *r) {
    for (uint32_t k = 0; k < t->n_allowed; k++)
        if (!is_listed(r->outcomes, r->n, t->allowed[k].values) &&
            !is_listed(t->unseen, t->n_unseen, t->allowed[k].values))
            return true;
    return false;
}

static void judge_lists(const struct litmus *t, const struct litmus_result *r,
                        struct litmus_verdict *v) {
    for (uint32_t k = 0; k < r->n; k++)
        v->forbidden |=
            !is_listed(t->allowed, t->n_allowed, r->outcomes[k].values);
    for (uint32_t k = 0; k < t->n_allowed; k++) {
        const int32_t *values = t->allowed[k].values;
        bool seen = is_listed(r->outcomes, r->n, values);
        v->unseen |= !seen;
        v->unlisted |= seen && is_listed(t->unseen, t->n_unseen, values);
    }
    v->unlisted |= litmus_misses(t, r);
}

/* exists is a question, unless somebody says what the answer is; ~exists and
 * forall are claims. */
void litmus_judge(const struct litmus *t, const struct litmus_result *r,
                  enum litmus_expected expected, struct litmus_verdict *v) {
    *v = (struct litmus_verdict){0};
    uint64_t all = 0;
    for (uint32_t k = 0; k < r->n; k++) {
        all += r->outcomes[k].count;
        if (matches(t, r->outcomes[k].values))
            v->matching += r->outcomes[k].count;
    }
    bool forall = t->quantifier == LITMUS_FORALL;
    bool seen = forall ? v->matching < all : v->matching > 0;
    /* May there be an end of the kind that is looked for? */
    bool claims = t->quantifier != LITMUS_EXISTS;
    if (expected == LITMUS_UNKNOWN && claims) expected = LITMUS_YES;
    bool may = (expected == LITMUS_YES) != claims;
    if (expected != LITMUS_UNKNOWN && r->runs > r->unfinished) {
        v->forbidden = seen && !may;
        v->unseen = !seen && may;
    }
    if (t->lists_allowed) judge_lists(t, r, v);
}

void litmus_print_place(struct text *to, const struct litmus *t,
                        uint32_t observed) {
    const struct litmus_place *p = &t->observed[observed];
    const struct litmus_thread *of = &t->threads[p->thread];
    if (p->is_register)
        text_add(to, "P%u:%s", of->number, of->registers[p->reg]);
    else
        text_add(to, "%s", t->words[p->word]);
}

static void judge_print_line(FILE *to, const struct litmus *t, uint64_t count,
                             const int32_t *values, const char *note) {
    struct text line = {0};
    for (uint32_t k = 0; k < t->n_observed; k++) {
        litmus_print_place(&line, t, k);
        text_add(&line, "=%" PRId32 " ", values[k]);
    }
    fprintf(to, "%10" PRIu64 " %c %s%s\n", count,
            matches(t, values) ? '*' : ' ', text_string(&line), note);
    text_free(&line);
}

void litmus_print(FILE *to, const struct litmus *t,
                  const struct litmus_result *r, enum litmus_expected expected,
                  const struct litmus_verdict *v) {
    static const char *const quantifiers[] = {"exists", "~exists", "forall"};
    fprintf(to, "Test %s\n", t->name);
    for (uint32_t k = 0; k < r->n; k++) {
        const struct litmus_outcome *o = &r->outcomes[k];
        bool listed =
            !t->lists_allowed || is_listed(t->allowed, t->n_allowed, o->values);
        judge_print_line(to, t, o->count, o->values,
                         listed ? "" : "  not allowed");
    }
    for (uint32_t k = 0; k < t->n_allowed; k++)
        if (!is_listed(r->outcomes, r->n, t->allowed[k].values))
            judge_print_line(to, t, 0, t->allowed[k].values, "  allowed");
    if (r->filtered) fprintf(to, "%10" PRIu64 "   filtered\n", r->filtered);
    if (r->unfinished)
        fprintf(to, "%10" PRIu64 "   did not end\n", r->unfinished);
    fprintf(to, "  %s: %" PRIu64 " of %" PRIu64 " runs%s%s\n",
            quantifiers[t->quantifier], v->matching, r->runs,
            expected == LITMUS_YES  ? ", holds in the model"
            : expected == LITMUS_NO ? ", does not hold in the model"
                                    : "",
            v->forbidden  ? ": FORBIDDEN, and seen"
            : v->unlisted ? ": not as the file says"
            : v->unseen   ? ": allowed, and not seen"
                          : "");
}

/* SPDX-License-Identifier: MIT
 *
 * words_lost.c: which group of sizes, which bound or rule took a failed check's
 * points; which sizes ran.
 */
#include <inttypes.h>
#include <string.h>

#include "translate.h"
#include "words.h"

static void add_group(struct text *t, const struct group_result *g,
                      const char *between) {
    double lost = g->group->points * (1 - g->earned);
    if (g->earned > 0)
        text_add(t, _("%s%s (%.1f of %d, at n = %zu)"), between,
                 _(g->group->name), lost, g->group->points, g->tried.n);
    else
        text_add(t, _("%s%s (%d, at n = %zu)"), between, _(g->group->name),
                 g->group->points, g->tried.n);
}

/* The named groups that did not earn all of theirs. */
static void add_groups(struct text *t, const struct check_result *r) {
    const char *between = "";
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct group_result *g = &r->groups[i];
        if (!g->failed || g->earned >= 1 || !g->group->name) continue;
        add_group(t, g, between);
        between = ", ";
    }
}

/* The bound that earned least. */
static const struct bound_count *worst_bound(const struct measured *m) {
    const struct bound_count *worst = NULL;
    for (size_t i = 0; i < m->n_bounds; i++)
        if (!m->bounds[i].holds &&
            (!worst || m->bounds[i].earned < worst->earned))
            worst = &m->bounds[i];
    return worst;
}

static void add_bound(struct text *t, const struct bound_count *b) {
    const char *name = vgpu_counter_name((vgpu_counter)b->bound->counter);
    if (!b->known)
        text_add(t, "%s", name);
    else if (bound_is_passed(b))
        text_add(t,
                 _("%s is %" PRIu64 ": all points up to %" PRId64
                   ", none from %" PRId64 " on"),
                 name, b->count, b->limit, b->zero);
    else
        text_add(t,
                 _("%s is %" PRIu64 ": all points from %" PRId64
                   " on, none up to %" PRId64),
                 name, b->count, b->limit, b->zero);
}

/* Half a point counts as one: check.c. */
static bool bound_explains(const struct bound_count *b, int lost, int points) {
    return (1 - b->earned) * points + 0.5 >= lost || lost == 1;
}

/* Of a check of counts: what a call that goes wrong earns of them. */
static void add_wrong(struct text *t, const struct check_result *r) {
    const struct tried *c = &r->outcome.tried;
    bool goes_wrong = r->outcome.difference || r->outcome.finding;
    if (r->check->kind != CHECK_EFFICIENT || !goes_wrong) return;
    if (!r->outcome.difference && !r->score) return;
    text_add(t, "%s", t->size ? "; " : "");
    if (r->score > 0)
        text_add(t,
                 _("the call at n = %zu goes wrong, and earns half of what "
                   "its counts would earn"),
                 c->n);
    else if (!*c->schedule || strcmp(c->schedule, "in-order") == 0)
        text_add(t,
                 _("the answer at n = %zu is wrong, and a bound asks for the "
                   "right one"),
                 c->n);
    else
        text_add(t,
                 _("the answer at n = %zu is wrong under schedule %s, and a "
                   "bound asks for the right one in that order, too"),
                 c->n, c->schedule);
}

/* Of a check without groups, or whose call ended before it was counted. */
static void add_case(struct text *t, const struct check_result *r) {
    const struct tried *c = &r->outcome.tried;
    if (!c->function) return;
    if (r->check->kind == CHECK_EFFICIENT)
        text_add(t, _("the call at n = %zu is not counted: it goes wrong"),
                 c->n);
    else
        text_add(t, _("sizes earn them together, and n = %zu fails"), c->n);
}

static bool is_built_on_wrong(const struct check_result *r) {
    return r->outcome.n_facts && r->outcome.facts[0].row == FACT_GIVEN;
}

/* Half of a correct check: charged.c. */
static void add_charged(struct text *t, const struct check_result *r,
                        int lost) {
    if (is_built_on_wrong(r))
        text_add(
            t,
            _("what it is built on is wrong; check %s takes the points for "
              "that"),
            r->charged_by->id);
    else if (r->check->kind == CHECK_CORRECT && lost > 1)
        text_add(
            t,
            _("the answer is right all the same, but stores go far past "
              "the end, where other data may lie: half; check %s takes its "
              "points for this, too"),
            r->charged_by->id);
    else
        text_add(
            t,
            _("the answer is right all the same; check %s takes the points "
              "for this"),
            r->charged_by->id);
}

char *words_lost(const struct check_result *r) {
    int lost = r->check->points - r->score;
    struct text t = {0}, why = {0};
    const struct bound_count *b = worst_bound(&r->measured);
    if (r->status != STATUS_FAIL || check_is_todo(r)) return NULL;
    if (lost <= 0 && r->charged_by && is_built_on_wrong(r))
        return text_format(_("no points: what it is built on is wrong; check "
                             "%s, and others before it, take the points for "
                             "that"),
                           r->charged_by->id);
    if (lost <= 0 && r->charged_by)
        return text_format(_("no points: the answer is right all the same; "
                             "check %s, and others before it, take the points "
                             "for this"),
                           r->charged_by->id);
    if (lost <= 0) return NULL;
    if (r->charged_by)
        add_charged(&why, r, lost);
    else
        add_groups(&why, r);
    if (!r->charged_by) add_wrong(&why, r);
    if (b && r->outcome.kind == OUTCOME_BOUND) {
        text_add(&why, "%s", why.size ? "; " : "");
        add_bound(&why, b);
        if (!r->n_groups || !r->groups[0].group->name)
            if (!bound_explains(b, lost, r->check->points))
                text_add(&why, "%s", _("; other sizes lose more"));
    }
    if (!why.size) add_case(&why, r);
    if (why.size)
        text_add(&t, _("%d of %d point%s: %s"), lost, r->check->points,
                 r->check->points == 1 ? "" : "s", text_string(&why));
    text_free(&why);
    return t.bytes;
}

char *words_sizes(const struct check_result *r) {
    struct text t = {0};
    for (size_t i = 0; i < r->n_sizes; i++)
        text_add(&t, "%s%zu", i ? ", " : "", r->sizes[i]);
    return t.bytes;
}

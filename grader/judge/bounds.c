/* SPDX-License-Identifier: MIT
 *
 * bounds.c: see bounds.h.
 */
#include "bounds.h"

#include <stdlib.h>

/* No points from twice the bound on, or from half of it where more is asked
 * for. */
static int64_t usual_zero(const struct bound_count *b) {
    bool more = !bound_is_passed(b);
    return more                       ? b->limit / 2
           : b->limit > INT64_MAX / 2 ? INT64_MAX
                                      : 2 * b->limit;
}

/* A straight line from 1 at the bound to 0 at `zero`. A bound "==" can be
 * missed from above and from below: a zero mark in lab.ini is the one above,
 * and below half of the bound earns nothing. */
static double earned(const struct bound_count *b) {
    double count = (double)b->count, limit = (double)b->limit,
           zero = (double)b->zero;
    if (!b->known) return 0;
    if (b->holds) return 1;
    double part = limit == zero ? 0 : (zero - count) / (zero - limit);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* Of several calls compared (reach.h) what the spec knows; else as many as any
 * bound asks, until somebody compares. */
static uint64_t bounds_count(const struct case_spec *s, int counter,
                             const struct harness_call *call) {
    const struct vgpu_reach *r = s->reach;
    switch (counter) {
    case VGPU_COUNT_REACH_LAUNCHES: return r ? r->launches : INT32_MAX;
    case VGPU_COUNT_EARLY_REACH: return r ? r->early : INT32_MAX;
    default: return call->counts[counter];
    }
}

static struct bound_count measure(const struct case_spec *s,
                                  const struct lab_bound *bound,
                                  const struct formula_env *env,
                                  const struct harness_call *call) {
    struct bound_count b = {.bound = bound,
                            .count = bounds_count(s, bound->counter, call)};
    char error[FORMULA_ERROR];
    b.known = formula_eval(bound->limit, env, &b.limit, error);
    b.holds = b.known && formula_holds(bound->compare, b.count, b.limit);
    bool own =
        bound->zero && (bound->compare != FORMULA_EQ || bound_is_passed(&b));
    if (b.known && own)
        b.known = formula_eval(bound->zero, env, &b.zero, error);
    else if (b.known)
        b.zero = usual_zero(&b);
    b.earned = earned(&b);
    return b;
}

bool bounds_measure(const struct case_spec *s, const struct harness_call *call,
                    size_t kept, struct measured *m) {
    uint64_t blocks = call->counts[VGPU_COUNT_BLOCKS];
    const struct formula_env env = {
#define X(name, least, most, usual, values, text)                              \
    .name = s->parameters.value[PARAMETER_##name],
#include "parameters.def"
#undef X
        .n = (int64_t)s->n,
        .kept = (int64_t)kept,
        .blocks = (int64_t)(blocks ? blocks : 1),
        .messages = (int64_t)call->counts[VGPU_COUNT_LONGEST_CHAIN]};
    size_t n = s->check->n_bounds;
    bool all = true;
    measured_free(m);
    if (!case_is_bounded(s)) return true;
    *m = (struct measured){.tried = case_tried(s),
                           .env = env,
                           .bounds = calloc(n, sizeof *m->bounds)};
    if (!m->bounds) return true;
    for (m->n_bounds = 0; m->n_bounds < n; m->n_bounds++) {
        struct bound_count *b = &m->bounds[m->n_bounds];
        *b = measure(s, &s->check->bounds[m->n_bounds], &env, call);
        all = all && b->holds;
    }
    return all;
}

double bounds_earned(const struct measured *m) {
    double least = 1;
    for (size_t i = 0; i < m->n_bounds; i++)
        if (m->bounds[i].earned < least) least = m->bounds[i].earned;
    return least;
}

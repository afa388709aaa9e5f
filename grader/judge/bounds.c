/* SPDX-License-Identifier: MIT
 *
 * bounds.c: see bounds.h.
 */
#include "bounds.h"

#include <stdlib.h>

static struct bound_count measure(const struct lab_bound *bound,
                                  const struct formula_env *env,
                                  const struct harness_call *call) {
    struct bound_count b = {.bound = bound,
                            .count = call->counts[bound->counter]};
    char error[FORMULA_ERROR];
    b.known = formula_eval(bound->limit, env, &b.limit, error);
    b.holds = b.known && formula_holds(bound->compare, b.count, b.limit);
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
        *b = measure(&s->check->bounds[m->n_bounds], &env, call);
        all = all && b->holds;
    }
    return all;
}

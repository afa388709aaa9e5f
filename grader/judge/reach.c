/* SPDX-License-Identifier: MIT
 *
 * reach.c: see reach.h.
 */
#include "reach.h"

#include "changed_call.h"
#include "run_case.h"

/* Which elements: a part of n each, and of large n the first of a tile of any
 * power of two up to TILE. */
static const double parts[] = {0.21, 0.52, 0.79};
enum { N_PARTS = 3, TILE = 2048, LEAST_N = 64, MOST_N = 1 << 19 };

static bool is_reach(int counter) {
    return counter == VGPU_COUNT_REACH_LAUNCHES ||
           counter == VGPU_COUNT_EARLY_REACH;
}

static bool is_bounded(const struct case_spec *s) {
    for (size_t i = 0; case_is_bounded(s) && i < s->check->n_bounds; i++)
        if (is_reach(s->check->bounds[i].counter)) return true;
    return false;
}

static void take_states(void *user, vgpu_device *device,
                        const struct case_seen *seen) {
    struct vgpu_states **states = user;
    (void)seen;
    vgpu_states_free(*states);
    *states = vgpu_take_states(device);
}

/* changed: 0: nothing, else one more than the element. */
static struct vgpu_states *states_of(const struct case_spec *s,
                                     size_t changed) {
    struct vgpu_states *states = NULL;
    struct case_spec again = *s;
    again.keeps_states = true;
    changed_call(&again, changed, take_states, &states);
    return states;
}

static size_t reach_element(const struct case_spec *s, int part) {
    size_t e = (size_t)(parts[part] * (double)s->n);
    return e >= 2 * TILE ? e / TILE * TILE : e;
}

static bool reach_of(const struct case_spec *s, struct vgpu_reach *reach) {
    struct vgpu_states *plain = states_of(s, 0);
    bool any = false;
    *reach = (struct vgpu_reach){0, 0};
    for (int i = 0; i < N_PARTS && plain; i++) {
        struct vgpu_states *changed = states_of(s, 1 + reach_element(s, i));
        struct vgpu_reach r;
        if (changed && vgpu_states_reach(plain, changed, &r)) {
            any = true;
            if (r.launches > reach->launches) reach->launches = r.launches;
            if (r.early > reach->early) reach->early = r.early;
        }
        vgpu_states_free(changed);
    }
    vgpu_states_free(plain);
    return any;
}

/* Do the bounds hold with these numbers? Then the result has them. NULL: it was
 * not looked at, and the result says nothing of it. */
static bool note_reach(struct measured *m, const struct vgpu_reach *r) {
    bool all = true;
    size_t kept = 0;
    for (size_t i = 0; i < m->n_bounds; i++) {
        struct bound_count *b = &m->bounds[i];
        if (is_reach(b->bound->counter) && !r) continue;
        if (is_reach(b->bound->counter)) {
            b->count = b->bound->counter == VGPU_COUNT_EARLY_REACH
                           ? r->early
                           : r->launches;
            all = all && formula_holds(b->bound->compare, b->count, b->limit);
        }
        m->bounds[kept++] = *b;
    }
    m->n_bounds = kept;
    return all;
}

static bool is_looked_at(const struct case_spec *s,
                         const struct case_result *r) {
    bool is_bound = r->verdict == CASE_FAIL && r->outcome.kind == OUTCOME_BOUND;
    return s->n >= LEAST_N && s->n <= MOST_N && s->device == WIRE_VGPU &&
           (r->verdict == CASE_PASS || is_bound);
}

void reach_take(const struct case_spec *s, struct case_result *r) {
    struct vgpu_reach reach;
    struct case_result second;
    struct case_spec again = *s;
    if (s->reach || s->is_rerun || !is_bounded(s)) return;
    bool known = is_looked_at(s, r) && reach_of(s, &reach);
    if (note_reach(&r->measured, known ? &reach : NULL)) return;
    again.reach = &reach;
    case_run_once(&again, &second);
    case_result_free(r);
    *r = second;
}

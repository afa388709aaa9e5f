/* SPDX-License-Identifier: MIT
 *
 * race_kin.c: launches that kernels ask for (children.h). A host's launch and
 * all that comes of it have one state, in which each has its numbers of blocks.
 *
 * What the launching thread knew, the launched kernel knows; and all that the
 * launches have done that it comes behind, with all that came of those. Each
 * launch runs with all that comes of it before the next one begins, so these
 * are one run of blocks.
 */
#include "race_inside.h"

#include "children.h"

enum { LATER_THAN_ALL = INT32_MAX };

static clock_tree *known_of(struct child *k) {
    return (clock_tree *)&k->slots[OBSERVER_RACE];
}

/* All accesses of these blocks: as few, and as wide, steps as there can be. */
static void know_blocks(struct clock_pool *p, clock_tree *at, uint64_t first,
                        uint64_t end) {
    enum { STEP = 5, MOST = 40 };
    while (first < end) {
        unsigned width = 0;
        while (width < MOST && !(first & ((32ull << width) - 1)) &&
               first + (32ull << width) <= end)
            width += STEP;
        clock_raise(p, at, first << CLOCK_BLOCK, CLOCK_BLOCK + width,
                    LATER_THAN_ALL);
        first += 1ull << width;
    }
}

/* A tail launch comes behind the grid that asked for it and all that came of
 * that so far. */
static clock_tree known_at_begin(struct race_state *r, struct machine *m) {
    struct clock_pool *p = &r->clocks;
    struct child *k = m->child;
    clock_tree known = clock_keep(*known_of(k));
    uint64_t above = k->parent ? k->parent->first_block : 0;
    if (k->is_tail) know_blocks(p, &known, above, m->first_block);
    for (uint32_t i = 0; i < k->n_after; i++) {
        clock_join(p, &known, *known_of(k->after[i]));
        know_blocks(p, &known, k->after[i]->first_block,
                    k->after[i]->end_block);
    }
    /* Who comes behind it comes behind these, too. */
    clock_drop(p, known_of(k));
    *known_of(k) = clock_keep(known);
    return known;
}

bool race_kin_join(struct machine *m, struct race_state *r) {
    r->has_kin = true;
    struct race_grid *g = race_grid_add(m, r);
    if (!g) return false;
    m->family->slots[OBSERVER_RACE] = r;
    g->child = m->child;
    if (m->child) g->known = known_at_begin(r, m);
    return true;
}

void race_kin_leave(struct machine *m) {
    struct race_state *r = race_of(m);
    race_report_unnamed(m);
    r->unnamed = NULL;
    r->n_unnamed = 0;
    m->slots[OBSERVER_RACE] = NULL;
}

void race_launches(struct context *c, uint32_t lane, struct child *k) {
    if (race_of(c->machine) && race_of(c->machine)->has_kin)
        *known_of(k) = race_all_known(c, lane);
}

void race_child_forgotten(struct machine *m, struct child *k) {
    struct race_state *r = m->family ? m->family->slots[OBSERVER_RACE] : NULL;
    if (r) clock_drop(&r->clocks, known_of(k));
}

void race_family_ends(struct machine *m) {
    struct race_state *r = m->family->slots[OBSERVER_RACE];
    if (!r) return;
    m->slots[OBSERVER_RACE] = r;
    m->family->slots[OBSERVER_RACE] = NULL;
    race_state_end(m, r);
}

bool race_is_above(const struct machine *m, const struct race_grid *g) {
    const struct child *k = m->child;
    while (k && k != g->child) k = k->parent;
    return k == g->child;
}

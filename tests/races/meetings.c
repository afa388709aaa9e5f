/* SPDX-License-Identifier: MIT
 *
 * meetings.c: fences, barriers, lanes that meet (clocks.h; docs/race-model.md,
 * "Barriers", "Fences and flags").
 */
#include <string.h>

#include "clocks.h"

/* It acquires what its thread has read, and then stands before what its thread
 * will store. */
void referee_fence(struct referee *r, const struct event *e) {
    bool wide = r->program->ops[e->op].scope != SCOPE_cta;
    for (uint32_t m = e->lanes; m; m &= m - 1) {
        uint32_t t = thread_of(r, e, (uint32_t)__builtin_ctz(m));
        struct knowledge *k = &r->threads[t].knows;
        clocks_join(r, k->before, k->seen);
        if (wide) clocks_join(r, k->before, k->seen_wide);
        clocks_join(r, k->fenced, k->before);
        if (wide) clocks_join(r, k->fenced_wide, k->before);
    }
}

static void arrive(struct referee *r, struct meeting *at, const struct event *e,
                   bool waits) {
    if (!at->arrived) knowledge_new(r, &at->all);
    for (uint32_t m = e->lanes; m; m &= m - 1) {
        uint32_t t = thread_of(r, e, (uint32_t)__builtin_ctz(m));
        knowledge_join(r, &at->all, &r->threads[t].knows);
    }
    at->arrived += (uint32_t)__builtin_popcount(e->lanes);
    at->here[e->warp] |= e->lanes;
    if (waits) at->waits[e->warp] |= e->lanes;
}

static void let_go(struct referee *r, struct meeting *at,
                   const struct event *e) {
    struct event warp = *e;
    for (warp.warp = 0; warp.warp < r->program->n_warps; warp.warp++)
        for (uint32_t m = at->waits[warp.warp]; m; m &= m - 1) {
            uint32_t t = thread_of(r, &warp, (uint32_t)__builtin_ctz(m));
            knowledge_join(r, &r->threads[t].knows, &at->all);
        }
    memset(at, 0, sizeof *at);
}

void referee_barrier(struct referee *r, const struct event *e) {
    const struct op *o = &r->program->ops[e->op];
    struct meeting *at = &r->barriers[e->block][o->id % BARRIERS];
    uint32_t count = o->count ? o->count : r->program->n_warps * LANES;
    arrive(r, at, e, o->kind == OP_bar);
    if (at->arrived >= count) let_go(r, at, e);
}

void referee_lanes(struct referee *r, const struct event *e) {
    const struct program *p = r->program;
    uint32_t all = p->ops[e->op].lanes, first = 0;
    while (p->ops[first].kind != OP_syncwarp || p->ops[first].lanes != all)
        first++;
    struct meeting *at = &r->lanes[e->block][e->warp][first];
    arrive(r, at, e, true);
    if ((at->here[e->warp] & all) == all) let_go(r, at, e);
}

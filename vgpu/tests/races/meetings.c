/* SPDX-License-Identifier: MIT
 *
 * meetings.c: fences, barriers, lanes that meet (clocks.h;
 * vgpu/docs/race-model.md, "Barriers", "Fences and flags").
 */
#include <string.h>

#include "clocks.h"

/* It acquires what its thread has read, and then stands before what its thread
 * will store. */
void referee_fence(struct referee *r, const struct event *e) {
    const struct op *o = &r->program->ops[e->op];
    bool wide = op_is_wide(o);
    bool all = wide && (r->program->n_gpus < 2 || op_is_system(o));
    for (uint32_t m = e->lanes; m; m &= m - 1) {
        uint32_t t = thread_of(r, e, (uint32_t)__builtin_ctz(m));
        struct knowledge *k = &r->threads[t].knows;
        clocks_join(r, k->before, k->seen);
        if (wide) clocks_join(r, k->before, k->seen_wide);
        if (all) clocks_join(r, k->before, k->seen_system);
        if (wide) clocks_join(r, k->done, k->seen_done);
        clocks_join(r, k->fenced, k->before);
        if (wide) clocks_join(r, k->fenced_wide, k->before);
        if (all) clocks_join(r, k->fenced_system, k->before);
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

/* Where all threads of a block wait, their loads have returned. */
static void note_returned(struct referee *r, struct meeting *at, uint32_t b) {
    for (uint32_t w = 0; w < r->program->n_warps; w++)
        if (~(at->waits[w] | r->exited[b][w])) return;
    clocks_join(r, at->all.done, at->all.seen_done);
    r->done[b] = clocks_copy(r, at->all.done);
    uint32_t n = r->program->n_warps * LANES;
    for (uint32_t t = b * n; t < (b + 1) * n; t++)
        r->done[b][t] = at->all.before[t];
}

static void let_go(struct referee *r, struct meeting *at,
                   const struct event *e) {
    struct event warp = *e;
    if (at->for_all) knowledge_join(r, &at->all, &r->gone[e->block]);
    note_returned(r, at, e->block);
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
    at->for_all = !o->count;
    if (at->for_all) count -= r->n_exited[e->block];
    if (at->arrived >= count) let_go(r, at, e);
}

/* Who waits is behind all who have come, and behind nothing that these did
 * after that. */
static void try_cluster(struct referee *r, uint32_t block) {
    struct cluster *at = &r->clusters[block];
    bool some = false;
    for (uint32_t w = 0; w < r->program->n_warps; w++) {
        some |= at->here[w];
        if (~(at->here[w] | r->exited[block][w])) return;
    }
    if (!some) return;
    knowledge_join(r, &at->come, &r->gone[block]);
    at->met = at->come;
    knowledge_new(r, &at->come);
    memset(at->here, 0, sizeof at->here);
}

void referee_cluster(struct referee *r, const struct event *e) {
    struct cluster *at = &r->clusters[e->block];
    enum op_kind kind = r->program->ops[e->op].kind;
    for (uint32_t m = e->lanes; m; m &= m - 1) {
        struct knowledge *k =
            &r->threads[thread_of(r, e, (uint32_t)__builtin_ctz(m))].knows;
        if (kind == OP_clusterwait)
            knowledge_join(r, k, &at->met);
        else if (kind == OP_clusterrelaxed)
            clocks_join(r, at->come.before, k->fenced);
        else
            knowledge_join(r, &at->come, k);
    }
    if (kind == OP_clusterwait) return;
    at->here[e->warp] |= e->lanes;
    try_cluster(r, e->block);
}

void referee_exit(struct referee *r, const struct event *e) {
    uint32_t all = r->program->n_warps * LANES;
    for (uint32_t m = e->lanes; m; m &= m - 1) {
        uint32_t t = thread_of(r, e, (uint32_t)__builtin_ctz(m));
        knowledge_join(r, &r->gone[e->block], &r->threads[t].knows);
    }
    r->exited[e->block][e->warp] |= e->lanes;
    r->n_exited[e->block] += (uint32_t)__builtin_popcount(e->lanes);
    try_cluster(r, e->block);
    for (uint32_t k = 0; k < BARRIERS; k++) {
        struct meeting *at = &r->barriers[e->block][k];
        if (at->for_all && at->arrived >= all - r->n_exited[e->block])
            let_go(r, at, e);
    }
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

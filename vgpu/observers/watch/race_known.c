/* SPDX-License-Identifier: MIT
 *
 * race_known.c: what threads know of each other's accesses, and how they learn
 * it: barriers, fences.
 *
 * How to read this: all threads of a block know what race_block.view says, and
 * what was before the block's last barrier (race_block.barrier) and their
 * warp's (race_warp.sync). Few know more; those have a race_thread, until the
 * next barrier of the block makes it known to all.
 */
#include "race_inside.h"

#include <stdlib.h>
#include <string.h>

static struct clock_pool *pool_of(const struct context *c) {
    return &race_of(c->machine)->clocks;
}

/* Of the lane; made when it is the first to know more. NULL: no memory. */
struct race_thread *race_thread_at(struct context *c, uint32_t lane) {
    struct warp *w = c->warp;
    if (!race_warp_of(w)->threads)
        race_warp_of(w)->threads =
            charges_zeroed(&c->machine->memory->charges,
                           WARP_LANES * sizeof *race_warp_of(w)->threads, NULL);
    if (!race_warp_of(w)->threads) {
        pool_of(c)->lacks = true;
        return NULL;
    }
    race_warp_of(w)->parted |= 1u << lane;
    race_block_of(context_block(c))->parted = true;
    return &race_warp_of(w)->threads[lane];
}

static const struct race_thread *thread_if_any(const struct context *c,
                                               uint32_t lane) {
    return race_warp_of(c->warp)->parted >> lane & 1
               ? &race_warp_of(c->warp)->threads[lane]
               : NULL;
}

/* ---- views ---- */

bool race_knows(const struct context *c, uint32_t lane, enum race_view v,
                const struct race_by *before) {
    const struct clock_pool *p = pool_of(c);
    const struct race_thread *t = thread_if_any(c, lane);
    return before->stamp < clock_of(p, race_block_of(context_block(c))->view[v],
                                    before->who) ||
           (t && before->stamp < clock_of(p, t->view[v], before->who));
}

clock_tree race_whole_view(struct context *c, uint32_t lane, enum race_view v) {
    const struct race_thread *t = thread_if_any(c, lane);
    clock_tree all = clock_keep(race_block_of(context_block(c))->view[v]);
    if (!t) return all;
    clock_join(pool_of(c), &all, t->view[v]);
    uint32_t own = v == RACE_FENCED          ? t->fenced
                   : v == RACE_FENCED_DEVICE ? t->fenced_device
                   : v == RACE_FENCED_BLOCK  ? t->fenced_block
                                             : 0;
    if (own) clock_raise(pool_of(c), &all, who(c, lane), CLOCK_LANE, own);
    return all;
}

clock_tree race_known_of_others(struct context *c, uint32_t lane) {
    const struct block *b = context_block(c);
    clock_tree all = race_whole_view(c, lane, RACE_KNOWN);
    uint64_t thread = who(c, lane);
    if (race_block_of(b)->barrier)
        clock_raise(pool_of(c), &all, thread, CLOCK_BLOCK,
                    race_block_of(b)->barrier);
    if (race_warp_of(c->warp)->sync > race_block_of(b)->barrier)
        clock_raise(pool_of(c), &all, thread, CLOCK_WARP,
                    race_warp_of(c->warp)->sync);
    return all;
}

clock_tree race_all_known(struct context *c, uint32_t lane) {
    clock_tree all = race_known_of_others(c, lane);
    clock_raise(pool_of(c), &all, who(c, lane), CLOCK_LANE,
                ++race_block_of(context_block(c))->clock);
    return all;
}

void race_learn(struct context *c, uint32_t lane, enum race_view v,
                clock_tree more) {
    struct race_thread *t = more ? race_thread_at(c, lane) : NULL;
    if (t) clock_join(pool_of(c), &t->view[v], more);
}

void race_learn_of(struct context *c, uint32_t lane, uint64_t thread,
                   unsigned width, uint32_t stamp) {
    struct race_thread *t = race_thread_at(c, lane);
    if (t) clock_raise(pool_of(c), &t->view[RACE_KNOWN], thread, width, stamp);
}

/* ---- fences ---- */

/* What the lane has seen, or its block, it knows from now on. */
static void acquire(struct context *c, uint32_t lane, enum race_view seen,
                    enum race_view known) {
    const struct race_block *b = race_block_of(context_block(c));
    const struct race_thread *t = thread_if_any(c, lane);
    race_learn(c, lane, known, b->view[seen]);
    if (!t || !t->view[seen]) return;
    race_learn(c, lane, known, t->view[seen]);
    clock_drop(pool_of(c), &race_warp_of(c->warp)->threads[lane].view[seen]);
}

static void set_view(struct context *c, struct race_thread *t, enum race_view v,
                     clock_tree known) {
    clock_drop(pool_of(c), &t->view[v]);
    t->view[v] = clock_keep(known);
}

/* Neighbours often know the same: like is the lane before, and known what it
 * knew of others. */
static void fence(struct context *c, uint32_t lane, enum race_scope scope,
                  clock_tree *like, clock_tree *known) {
    bool of_block = scope == SCOPE_BLOCK;
    bool has_groups = race_has_groups(c->machine);
    acquire(c, lane, RACE_SEEN_BLOCK, RACE_KNOWN);
    if (!of_block && has_groups) acquire(c, lane, RACE_SEEN_DEVICE, RACE_KNOWN);
    if (scope == SCOPE_SYSTEM) acquire(c, lane, RACE_SEEN, RACE_KNOWN);
    if (!of_block) acquire(c, lane, RACE_SEEN_DONE, RACE_DONE);
    struct race_thread *t = race_thread_at(c, lane);
    if (!t) return;
    if (scope == SCOPE_SYSTEM) race_unacquired_drop(pool_of(c), &t->unacquired);
    if (!*known || t->view[RACE_KNOWN] != *like) {
        clock_drop(pool_of(c), known);
        *known = race_known_of_others(c, lane);
        *like = t->view[RACE_KNOWN];
    }
    set_view(c, t, RACE_FENCED_BLOCK, *known);
    t->fenced_block = race_block_of(context_block(c))->clock;
    if (!of_block && has_groups) {
        set_view(c, t, RACE_FENCED_DEVICE, *known);
        t->fenced_device = race_block_of(context_block(c))->clock;
    }
    if (scope != SCOPE_SYSTEM) return;
    set_view(c, t, RACE_FENCED, *known);
    t->fenced = race_block_of(context_block(c))->clock;
}

static void fence_lanes(struct context *c, enum race_scope scope) {
    clock_tree like = 0, known = 0;
    if (!race_of(c->machine)) return;
    race_block_of(context_block(c))->clock++;
    for (uint32_t k = c->lanes->mask; k; k &= k - 1)
        fence(c, (uint32_t)__builtin_ctz(k), scope, &like, &known);
    clock_drop(pool_of(c), &known);
}

void race_fenced(struct context *c) {
    fence_lanes(c, race_scope_of(c));
}

void race_block_fenced(struct context *c) {
    fence_lanes(c, SCOPE_BLOCK);
}

/* ---- barriers ---- */

/* `into` becomes the join of itself and the lane's views, the writes that the
 * lane itself fenced included. */
static void pour(struct clock_pool *p, clock_tree *into,
                 const struct race_thread *t, uint64_t thread) {
    for (int v = 0; v < RACE_VIEWS; v++) clock_join(p, &into[v], t->view[v]);
    if (t->fenced)
        clock_raise(p, &into[RACE_FENCED], thread, CLOCK_LANE, t->fenced);
    if (t->fenced_device)
        clock_raise(p, &into[RACE_FENCED_DEVICE], thread, CLOCK_LANE,
                    t->fenced_device);
    if (t->fenced_block)
        clock_raise(p, &into[RACE_FENCED_BLOCK], thread, CLOCK_LANE,
                    t->fenced_block);
}

void race_drop_views(struct clock_pool *p, clock_tree *views) {
    for (int v = 0; v < RACE_VIEWS; v++) clock_drop(p, &views[v]);
}

static void join_warp(struct block *b, struct warp *w) {
    struct clock_pool *p = &race_of(b->machine)->clocks;
    for (uint32_t k = race_warp_of(w)->parted; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        pour(p, race_block_of(b)->view, &race_warp_of(w)->threads[l],
             b->linear << 10 | (w->index * WARP_LANES + l));
        race_drop_views(p, race_warp_of(w)->threads[l].view);
        race_warp_of(w)->threads[l] = (struct race_thread){
            .unacquired = race_warp_of(w)->threads[l].unacquired};
    }
    race_warp_of(w)->parted = 0;
}

void race_met(struct block *b) {
    if (!race_of(b->machine)) return;
    race_block_of(b)->barrier = ++race_block_of(b)->clock;
    if (!race_block_of(b)->parted) return;
    for (uint32_t k = 0; k < b->n_warps; k++) join_warp(b, &b->warps[k]);
    race_block_of(b)->parted = false;
    clock_join(&race_of(b->machine)->clocks, &race_block_of(b)->view[RACE_DONE],
               race_block_of(b)->view[RACE_SEEN_DONE]);
}

void race_known_share(struct context *c, uint32_t lanes,
                      const clock_tree *views) {
    for (; lanes; lanes &= lanes - 1) {
        struct race_thread *t =
            race_thread_at(c, (uint32_t)__builtin_ctz(lanes));
        for (int v = 0; t && v < RACE_VIEWS; v++)
            clock_join(pool_of(c), &t->view[v], views[v]);
    }
}

void race_bring(struct context *c, uint32_t lanes, clock_tree *views) {
    struct clock_pool *p = pool_of(c);
    struct block *b = context_block(c);
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    for (uint32_t k = lanes & race_warp_of(c->warp)->parted; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        pour(p, views, &race_warp_of(c->warp)->threads[l], who(c, l));
    }
    if (lanes == c->warp->live) {
        clock_raise(p, &views[RACE_KNOWN], who(c, first), CLOCK_WARP,
                    race_block_of(b)->clock);
        return;
    }
    if (race_warp_of(c->warp)->sync > race_block_of(b)->barrier)
        clock_raise(p, &views[RACE_KNOWN], who(c, first), CLOCK_WARP,
                    race_warp_of(c->warp)->sync);
    for (uint32_t k = lanes; k; k &= k - 1)
        clock_raise(p, &views[RACE_KNOWN], who(c, (uint32_t)__builtin_ctz(k)),
                    CLOCK_LANE, race_block_of(b)->clock);
}

void race_lanes_met(struct context *c, uint32_t lanes) {
    struct block *b = context_block(c);
    clock_tree views[RACE_VIEWS] = {0};
    if (!race_of(c->machine) || !(lanes & (lanes - 1))) return;
    bool all = lanes == c->warp->live;
    if (all && b->n_warps == 1) {
        race_met(b);
        return;
    }
    race_block_of(b)->clock++;
    if (all) race_warp_of(c->warp)->sync = race_block_of(b)->clock;
    if (all && !race_warp_of(c->warp)->parted) return;
    race_bring(c, lanes, views);
    race_known_share(c, lanes, views);
    race_drop_views(pool_of(c), views);
}

struct race_meeting *race_meeting_at(struct block *b, uint32_t barrier) {
    struct race_meeting **at = &race_block_of(b)->meetings[barrier];
    if (!*at)
        *at = charges_zeroed(&b->machine->memory->charges, sizeof **at, NULL);
    if (!*at) race_of(b->machine)->clocks.lacks = true;
    return *at;
}

void race_came(struct context *c, uint32_t barrier, uint32_t lanes) {
    struct block *b = context_block(c);
    if (!race_of(c->machine)) return;
    struct race_meeting *at = race_meeting_at(b, barrier);
    race_block_of(b)->clock++;
    if (!at) return;
    if (barrier == CLUSTER_BARRIER)
        race_cluster_came(c, lanes, at->view);
    else
        race_bring(c, lanes, at->view);
}

void race_some_met(struct block *b, uint32_t barrier) {
    if (!race_of(b->machine)) return;
    if (barrier == CLUSTER_BARRIER) {
        race_cluster_met(b);
        return;
    }
    if (!race_block_of(b)->meetings[barrier]) return;
    clock_tree *views = race_block_of(b)->meetings[barrier]->view;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct context c = {.machine = b->machine, .warp = &b->warps[k]};
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            const struct group *g = &b->warps[k].groups[j];
            if (g->state == GROUP_AT_BARRIER && g->barrier == barrier)
                race_known_share(&c, g->mask, views);
        }
    }
    race_drop_views(&race_of(b->machine)->clocks, views);
}

/* SPDX-License-Identifier: MIT
 *
 * race_sync.c: flags. A word that one thread writes strongly after a fence, and
 * another reads, passes on what the first one knew at its fence
 * (vgpu/docs/race-model.md, "Fences and flags").
 */
#include "race_inside.h"

static void drop_parts(struct clock_pool *p, struct race_part **at) {
    while (*at) {
        struct race_part *next = (*at)->next;
        clock_drop(p, &(*at)->known);
        charges_free(p->charges, *at);
        *at = next;
    }
}

void race_sync_drop(struct clock_pool *p, struct race_sync *s) {
    clock_drop(p, &s->released);
    drop_parts(p, &s->parts);
    clock_drop(p, &s->done);
}

void race_sync_add_part(struct clock_pool *p, struct race_sync *s,
                        uint64_t block, clock_tree known) {
    struct race_part **at = &s->parts;
    if (!known) return;
    while (*at && (*at)->block != block) at = &(*at)->next;
    if (!*at) *at = charges_zeroed(p->charges, sizeof **at, NULL);
    if (!*at) {
        p->lacks = true;
        return;
    }
    (*at)->block = block;
    clock_join(p, &(*at)->known, known);
}

static clock_tree part_of(const struct race_sync *s, uint64_t block) {
    const struct race_part *at = s->parts;
    while (at && at->block != block) at = at->next;
    return at ? at->known : 0;
}

/* ---- writes ---- */

/* A write for its block may be followed by others for the device, which hand on
 * what a fence for the device has released. */
struct race_release race_release_of(struct context *c, uint32_t lane) {
    struct clock_pool *p = &race_of(c->machine)->clocks;
    enum memory_order o = c->insn->order;
    struct race_release r = {.itself = o == ORDER_RELEASE ||
                                       o == ORDER_ACQ_REL || o == ORDER_SC};
    bool scoped = race_of(c->machine)->scoped;
    r.all = race_whole_view(c, lane, RACE_FENCED);
    if (scoped) r.block = race_whole_view(c, lane, RACE_FENCED_BLOCK);
    if (scoped) r.device = race_whole_view(c, lane, RACE_FENCED_DEVICE);
    if (r.itself) {
        r.known = race_all_known(c, lane);
        if (race_scope_of(c) == SCOPE_SYSTEM) clock_join(p, &r.all, r.known);
        if (scoped && race_scope_of(c) != SCOPE_BLOCK)
            clock_join(p, &r.device, r.known);
        if (scoped) clock_join(p, &r.block, r.known);
    }
    return r;
}

void race_release_drop(struct clock_pool *p, struct race_release *r) {
    clock_drop(p, &r->all);
    clock_drop(p, &r->block);
    clock_drop(p, &r->device);
    clock_drop(p, &r->known);
}

clock_tree race_done_of(struct context *c) {
    struct block *b = context_block(c);
    struct race_block *r = race_block_of(b);
    struct clock_pool *p = &race_of(c->machine)->clocks;
    if (!race_block_of(b)->barrier || c->insn->kind == KIND_ATOMIC ||
        c->machine->options->reads_want_release)
        return 0;
    if (r->done_barrier != race_block_of(b)->barrier) {
        clock_drop(p, &r->done);
        r->done = clock_keep(r->view[RACE_DONE]);
        clock_raise(p, &r->done, b->linear << 10, CLOCK_BLOCK,
                    race_block_of(b)->barrier);
        r->done_barrier = race_block_of(b)->barrier;
    }
    return r->done;
}

/* ---- reads ---- */

void race_unacquired_drop(struct clock_pool *p, struct race_unacquired **at) {
    while (*at) {
        struct race_unacquired *next = (*at)->next;
        clock_drop(p, &(*at)->all);
        clock_drop(p, &(*at)->block);
        clock_drop(p, &(*at)->device);
        charges_free(p->charges, *at);
        *at = next;
    }
}

static struct race_unacquired *race_sync_find(const struct context *c,
                                              uint32_t lane,
                                              const struct race_strong *a) {
    struct race_unacquired *u =
        race_warp_of(c->warp)->threads
            ? race_warp_of(c->warp)->threads[lane].unacquired
            : NULL;
    while (u && (u->name != a->name || u->bytes != a->bytes)) u = u->next;
    return u;
}

/* Only where the program has acquiring reads at all. */
static void race_sync_keep(struct context *c, uint32_t lane,
                           const struct race_strong *a, clock_tree all,
                           clock_tree device, clock_tree block) {
    struct clock_pool *p = &race_of(c->machine)->clocks;
    struct race_thread *t = race_thread_at(c, lane);
    struct race_unacquired *u = race_sync_find(c, lane, a);
    if (!u && t) {
        u = charges_zeroed(p->charges, sizeof *u, NULL);
        p->lacks |= !u;
        if (!u) return;
        u->name = a->name;
        u->bytes = a->bytes;
        u->next = t->unacquired;
        t->unacquired = u;
        race_block_of(context_block(c))->unacquired = true;
    }
    if (u) clock_join(p, &u->all, all);
    if (u) clock_join(p, &u->device, device);
    if (u) clock_join(p, &u->block, block);
}

static void race_sync_take(struct context *c, uint32_t lane,
                           const struct race_strong *a) {
    struct clock_pool *p = &race_of(c->machine)->clocks;
    struct race_unacquired *u = race_sync_find(c, lane, a);
    if (!u) return;
    race_learn(c, lane, RACE_KNOWN, u->block);
    clock_drop(p, &u->block);
    if (race_scope_of(c) == SCOPE_BLOCK) return;
    race_learn(c, lane, RACE_KNOWN, u->device);
    clock_drop(p, &u->device);
    if (race_scope_of(c) != SCOPE_SYSTEM) return;
    race_learn(c, lane, RACE_KNOWN, u->all);
    clock_drop(p, &u->all);
}

void race_sync_learn(struct context *c, uint32_t lane,
                     const struct race_strong *a, const struct race_sync *s) {
    enum memory_order o = c->insn->order;
    bool acquires = o == ORDER_ACQUIRE || o == ORDER_ACQ_REL || o == ORDER_SC;
    clock_tree block = s ? part_of(s, context_block(c)->linear) : 0;
    clock_tree all = s ? s->released : 0;
    clock_tree device = s ? part_of(s, race_group_part(race_own_group(c))) : 0;
    if (acquires)
        race_sync_take(c, lane, a);
    else if ((all || device || block) && c->machine->program->acquires)
        race_sync_keep(c, lane, a, all, device, block);
    if (!s) return;
    if (c->insn->kind == KIND_LOAD) race_of(c->machine)->has_flags = true;
    race_learn(c, lane, acquires ? RACE_KNOWN : RACE_SEEN_BLOCK, block);
    acquires &= race_scope_of(c) != SCOPE_BLOCK;
    race_learn(c, lane, acquires ? RACE_KNOWN : RACE_SEEN_DEVICE, device);
    race_learn(c, lane, acquires ? RACE_DONE : RACE_SEEN_DONE, s->done);
    acquires &= race_scope_of(c) == SCOPE_SYSTEM;
    race_learn(c, lane, acquires ? RACE_KNOWN : RACE_SEEN, all);
}

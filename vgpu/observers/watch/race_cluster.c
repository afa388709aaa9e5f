/* SPDX-License-Identifier: MIT
 *
 * race_cluster.c: what threads learn of each other at barrier.cluster; and
 * whether the shared memory of a block that ends may still be in use.
 *
 * How to read this: each block of a cluster has two meetings: of its threads
 * that have come, and of the last time that the barrier opened. When it opens,
 * the first ones of all blocks become everybody's second one.
 */
#include "race_inside.h"

#include "fault.h"

/* barrier.cluster.arrive.relaxed hands on what the lanes have fenced. */
static void bring_fenced(struct context *c, uint32_t lanes, clock_tree *views) {
    struct clock_pool *p = &race_of(c->machine)->clocks;
    enum race_view v =
        cluster_in(c->machine) ? RACE_FENCED_DEVICE : RACE_FENCED_BLOCK;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        clock_tree fenced = race_whole_view(c, l, v);
        clock_join(p, &views[RACE_KNOWN], fenced);
        clock_drop(p, &fenced);
    }
}

/* What all threads of a block know, other blocks have to learn. */
static void bring_block(const struct block *b, clock_tree *views) {
    struct clock_pool *p = &race_of(b->machine)->clocks;
    const struct race_block *r = race_block_of(b);
    if (!cluster_in(b->machine)) return;
    for (int v = 0; v < RACE_VIEWS; v++) clock_join(p, &views[v], r->view[v]);
    if (r->barrier)
        clock_raise(p, &views[RACE_KNOWN], b->linear << 10, CLOCK_BLOCK,
                    r->barrier);
}

void race_cluster_came(struct context *c, uint32_t lanes, clock_tree *views) {
    if (c->insn->order == ORDER_RELAXED) {
        bring_fenced(c, lanes, views);
        return;
    }
    race_bring(c, lanes, views);
    bring_block(context_block(c), views);
}

/* Threads that have ended count as having come. */
static void bring_ended(struct block *b, clock_tree *views) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct context c = {.machine = b->machine, .warp = &b->warps[k]};
        if (~b->warps[k].live) race_bring(&c, ~b->warps[k].live, views);
    }
    if (b->n_done == b->n_warps) bring_block(b, views);
}

/* All threads have come, or exited. What they bring is for those who will wait,
 * and not for those who have come and not waited yet. */
void race_cluster_met(struct block *b) {
    struct clock_pool *p = &race_of(b->machine)->clocks;
    struct block *first = cluster_first(b);
    uint32_t n = b->machine->cluster_blocks;
    clock_tree all[RACE_VIEWS] = {0};
    for (uint32_t k = 0; k < n; k++) {
        struct race_meeting *came = race_meeting_at(&first[k], CLUSTER_BARRIER);
        if (!came) continue;
        race_block_of(&first[k])->clock++;
        bring_ended(&first[k], came->view);
        for (int v = 0; v < RACE_VIEWS; v++)
            clock_join(p, &all[v], came->view[v]);
        race_drop_views(p, came->view);
    }
    for (uint32_t k = 0; k < n; k++) {
        struct race_meeting *met =
            race_meeting_at(&first[k], CLUSTER_BARRIER + 1);
        if (!met) continue;
        race_drop_views(p, met->view);
        for (int v = 0; v < RACE_VIEWS; v++) met->view[v] = clock_keep(all[v]);
    }
    race_drop_views(p, all);
}

void race_passed(struct context *c, uint32_t lanes) {
    if (!race_of(c->machine)) return;
    struct race_meeting *met =
        race_meeting_at(context_block(c), CLUSTER_BARRIER + 1);
    if (met) race_known_share(c, lanes, met->view);
}

/* ---- a block that ends ---- */

static struct race_remote *remotes_of(struct block *b) {
    const struct machine *m = b->machine;
    struct race_block *r = race_block_of(b);
    if (!r->remotes)
        r->remotes = charges_zeroed(&m->memory->charges,
                                    (size_t)m->cluster_blocks * b->n_warps *
                                        WARP_LANES * sizeof *r->remotes,
                                    NULL);
    if (!r->remotes) race_of(m)->clocks.lacks = true;
    r->has_remotes = true;
    return r->remotes;
}

void race_remotes_note(struct context *c, const struct access *x,
                       const struct race_now *now) {
    const struct block *own = context_block(c);
    if (x->one == &own->shared) return;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct block *b = cluster_of_region(access_region(x, l));
        struct race_remote *all = b == own ? NULL : remotes_of(b);
        uint32_t at = (own->rank * own->n_warps + c->warp->index) * WARP_LANES;
        if (!all) continue;
        uint64_t address = x->address[x->shape.sparse ? x->shape.first : l];
        all[at + l] = (struct race_remote){c->insn, (uint32_t)now->when,
                                           (uint32_t)address, x->write};
    }
}

static void race_cluster_report(struct block *owner,
                                const struct race_remote *a, uint64_t who) {
    struct machine *m = owner->machine;
    struct race_state *r = race_of(m);
    struct vgpu_message where;
    for (uint32_t k = 0; k < r->n_ends_named; k++)
        if (r->ends_named[k] == a->insn) return;
    if (r->n_ends_named == MOST_UNNAMED) return;
    r->ends_named[r->n_ends_named++] = a->insn;
    struct context c = {.machine = m, .insn = a->insn};
    struct block *by =
        cluster_first(owner) + (uint32_t)(who >> 10) % m->cluster_blocks;
    struct vgpu_finding f = {.kind = VGPU_FINDING_SHARED_RACE,
                             .address = a->address,
                             .bytes = 4,
                             .has_thread = true,
                             .writes = a->writes};
    c.warp = &by->warps[thread_of(who) / WARP_LANES];
    race_describe_thread(m, by->linear << 10 | thread_of(who), f.block,
                         f.thread);
    f.where = exec_access_source(m, a->insn->source);
    exec_say_shared_of(&c, owner, a->address, &where);
    VGPU_SAY(&f.message, RACE_END, .writes = a->writes, .where = &where,
             .block = owner->index);
    exec_report_finding(&c, &f);
}

/* All that some thread of the block knew when it ended. */
static clock_tree known_at_end(struct block *b) {
    struct clock_pool *p = &race_of(b->machine)->clocks;
    clock_tree views[RACE_VIEWS] = {0};
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct context c = {.machine = b->machine, .warp = &b->warps[k]};
        race_bring(&c, FULL_MASK, views);
    }
    bring_block(b, views);
    clock_tree known = clock_keep(views[RACE_KNOWN]);
    race_drop_views(p, views);
    return known;
}

static void check_remotes(struct block *b) {
    struct race_block *r = race_block_of(b);
    const struct machine *m = b->machine;
    uint32_t lanes = b->n_warps * WARP_LANES;
    if (!r->has_remotes || !r->remotes) return;
    r->has_remotes = false;
    struct clock_pool *p = &race_of(m)->clocks;
    clock_tree known = known_at_end(b);
    bool over = m->status == VGPU_OK && !race_of(m)->stopped;
    for (uint32_t k = 0; k < m->cluster_blocks * lanes; k++) {
        struct race_remote *a = &r->remotes[k];
        const struct block *by = cluster_first(b) + k / lanes;
        if (over && a->insn &&
            a->stamp >= clock_of(p, known, by->linear << 10 | k % lanes))
            race_cluster_report(b, a, (uint64_t)(k / lanes) << 10 | k % lanes);
        a->insn = NULL;
    }
    clock_drop(p, &known);
}

void race_cluster_ends(struct block *first) {
    if (!race_of(first->machine)) return;
    for (uint32_t k = 0; k < first->machine->cluster_blocks; k++)
        check_remotes(&first[k]);
}

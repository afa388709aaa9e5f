/* SPDX-License-Identifier: MIT
 *
 * barrier.c: block barriers. A warp has arrived when all its live threads have;
 * threads that exited do not hold anybody up.
 */
#include "barrier.h"
#include "cluster.h"
#include "fault.h"
#include "groups.h"
#include "watch.h"

static uint32_t value(const struct context *c, uint32_t at, uint32_t literal) {
    if (at == NO_REGISTER) return literal;
    const uint32_t *r = (const uint32_t *)(c->registers + at);
    return r[__builtin_ctz(c->lanes->mask)];
}

static void give_result(struct block *b, const struct barrier *at,
                        struct group *g) {
    const struct insn *i = &g->frame->function->code[g->pc - 1];
    if (i->kind != KIND_BARRIER) return;
    const struct barrier_op *op = i->extra;
    if (!op->is_red) return;
    uint8_t *r = g->frame->registers + op->destination;
    if (b->machine->track_data) {
        uint32_t *taint = &g->frame->taint[op->destination >> 5];
        taint[0] = at->red_data ? taint[0] | g->mask : taint[0] & ~g->mask;
        taint[1] &= ~g->mask;
    }
    if (op->red == RED_POPC) {
        for (uint32_t m = g->mask; m; m &= m - 1)
            ((uint32_t *)r)[__builtin_ctz(m)] = at->red_count;
        return;
    }
    bool yes = op->red == RED_AND ? !at->red_false : at->red_count > 0;
    uint32_t *p = (uint32_t *)r;
    *p = yes ? *p | g->mask : *p & ~g->mask;
}

static struct vgpu_source place_of(const struct machine *m,
                                   const struct insn *i) {
    return program_source(m->program->ptx, i->source->loc);
}

/* One group that waits at barrier 0, of those at the lowest or highest line. */
static bool find_waiting(struct block *b, bool highest, struct context *c,
                         struct vgpu_source *place) {
    bool some = false;
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state != GROUP_AT_BARRIER || g->barrier) continue;
            const struct insn *i = &g->frame->function->code[g->pc - 1];
            const struct barrier_op *op = i->extra;
            if (op->count != NO_REGISTER || op->count_value || !op->aligned)
                return false;
            if (some && i == c->insn) continue;
            struct vgpu_source here = place_of(b->machine, i);
            if (!here.line) return false;
            if (some &&
                (highest ? here.line <= place->line : here.line >= place->line))
                continue;
            some = true;
            c->warp = &b->warps[k];
            c->group = g;
            c->insn = i;
            *place = here;
        }
    return some;
}

/* All that wait at barrier 0 wait at one instruction: no need for its line. */
static bool wait_together(const struct block *b) {
    const struct insn *at = NULL;
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            const struct group *g = &b->warps[k].groups[j];
            if (g->state != GROUP_AT_BARRIER || g->barrier) continue;
            const struct insn *i = &g->frame->function->code[g->pc - 1];
            if (at && i != at) return false;
            at = i;
        }
    return true;
}

/* __syncthreads() at two places of the source opens, but one part of the
 * block has taken another way. (Copies that the compiler made of one
 * __syncthreads() are at one line.) */
static void check_same_place(struct block *b) {
    if (!(b->machine->checks & VGPU_CHECK_SYNCCHECK) || wait_together(b))
        return;
    struct context c = {.machine = b->machine}, d = c;
    struct vgpu_source here, there;
    struct vgpu_message m;
    if (!find_waiting(b, false, &c, &here) ||
        !find_waiting(b, true, &d, &there) || here.line == there.line)
        return;
    VGPU_SAY(&m, TWO_BARRIERS, .line = here.line,
             .thread = d.warp->index * WARP_LANES +
                       (uint32_t)__builtin_ctz(d.group->mask),
             .other = there.line);
    exec_report(
        &c, VGPU_FINDING_BARRIER_DIVERGENCE,
        (struct fault_at){.lane = (uint32_t)__builtin_ctz(c.group->mask)}, &m);
}

/* Every thread that has not exited waits there. A warp that is gone may have
 * arrived without waiting, and gone on. */
static bool is_for_all(const struct block *b, uint32_t id) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const struct warp *w = &b->warps[k];
        uint32_t waiting = 0;
        for (uint32_t j = 0; j < w->n_groups; j++)
            if (w->groups[j].state == GROUP_AT_BARRIER &&
                w->groups[j].barrier == id)
                waiting |= w->groups[j].mask;
        if (!w->live || w->live & ~waiting) return false;
    }
    return true;
}

/* Reports that __syncthreads() opens although threads have ended. */
static void remark_ended(struct block *b, uint32_t id) {
    struct context c = {.machine = b->machine};
    struct vgpu_message m;
    uint32_t threads = b->machine->threads_per_block, live = 0;
    if (!(b->machine->checks & VGPU_CHECK_SYNCCHECK)) return;
    for (uint32_t k = 0; k < b->n_warps; k++)
        live += (uint32_t)__builtin_popcount(b->warps[k].live);
    if (live >= threads) return;
    for (uint32_t k = 0; k < b->n_warps && !c.group; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state != GROUP_AT_BARRIER || g->barrier != id) continue;
            c.warp = &b->warps[k];
            c.group = g;
            c.insn = &g->frame->function->code[g->pc - 1];
            break;
        }
    if (!c.group) return;
    VGPU_SAY(&m, THREADS_LEFT_BARRIER, .ended = threads - live,
             .threads = threads);
    exec_report(
        &c, VGPU_FINDING_BARRIER_LEFT,
        (struct fault_at){.lane = (uint32_t)__builtin_ctz(c.group->mask)}, &m);
}

static void release(struct block *b, uint32_t id) {
    struct barrier *at = &b->barriers[id];
    if (!id) check_same_place(b);
    if (!at->expected) remark_ended(b, id);
    bool all = !at->expected ||
               (at->expected >= b->n_warps * WARP_LANES && is_for_all(b, id));
    if (!all) watch_some_met(b->machine->watching, b, id);
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        for (uint32_t j = 0; j < w->n_groups; j++) {
            struct group *g = &w->groups[j];
            if (g->state != GROUP_AT_BARRIER || g->barrier != id) continue;
            if (at->is_red) give_result(b, at, g);
            g->state = GROUP_READY;
        }
        w->at_barrier[id] = 0;
    }
    *at = (struct barrier){0};
    b->barriers_passed++;
    if (all) watch_met(b->machine->watching, b);
    b->machine->progress++;
}

static inline void try_release(struct block *b, uint32_t id) {
    struct barrier *at = &b->barriers[id];
    if (!at->arrived) return;
    uint32_t all = (b->n_warps - b->n_done) * WARP_LANES;
    uint32_t need = at->expected ? at->expected : all;
    if (at->arrived >= need) release(b, id);
}

/* __syncthreads(), to which a whole warp has come: most barriers. */
static inline bool exec_usual(struct context *c, struct block *b) {
    struct group *g = c->group;
    struct warp *w = c->warp;
    b->barriers_used |= 1;
    w->at_barrier[0] |= g->mask;
    g->state = GROUP_AT_BARRIER;
    g->barrier = 0;
    b->barriers[0].arrived += WARP_LANES;
    watch_warp_came(c->machine->watching, c->warp, c->insn);
    try_release(b, 0);
    return false;
}

static bool bad_count(struct context *c, uint32_t count) {
    struct vgpu_message m;
    VGPU_SAY(&m, BARRIER_COUNT, .threads = count);
    return exec_fault(
        c, VGPU_ILLEGAL_INSTRUCTION, VGPU_FINDING_BARRIER_DIVERGENCE,
        (struct fault_at){.lane = (uint32_t)__builtin_ctz(c->lanes->mask)}, &m);
}

/* ---- meetings (edit.h) ---- */

static bool exec_meeting(struct context *c, struct block *b) {
    c->group->state = GROUP_AT_MBARRIER;
    c->group->barrier = AT_MEETING;
    b->meets = true;
    group_waits(c->warp, c->group);
    return false;
}

void block_meet(struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++)
            if (b->warps[k].groups[j].state == GROUP_READY) return;
    b->meets = false;
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state == GROUP_AT_MBARRIER && g->barrier == AT_MEETING)
                g->state = GROUP_READY;
        }
    b->barriers_passed++;
    watch_met(b->machine->watching, b);
    b->machine->progress++;
}

/* ---- barriers ---- */

bool exec_barrier(struct context *c) {
    const struct barrier_op *op = c->insn->extra;
    struct block *b = context_block(c);
    struct warp *w = c->warp;
    if (op->is_usual && c->lanes->mask == w->live) return exec_usual(c, b);
    if (op->is_meeting) return exec_meeting(c, b);
    uint32_t id = value(c, op->id, op->id_value) & (N_BARRIERS - 1);
    uint32_t count = value(c, op->count, op->count_value);
    struct barrier *at = &b->barriers[id];
    if (count % WARP_LANES) return bad_count(c, count);
    b->barriers_used |= 1u << id;
    if (count) at->expected = count;
    if (op->is_red) {
        at->is_red = true;
        uint32_t p = *(uint32_t *)(c->registers + op->predicate);
        uint32_t yes = (p ^ op->predicate_flip) & c->lanes->mask;
        at->red_count += (uint32_t)__builtin_popcount(yes);
        at->red_false |= yes != c->lanes->mask;
    }
    watch_barrier_reached(c->machine->watching, c);
    w->at_barrier[id] |= c->lanes->mask;
    if (op->arrive_only || at->expected)
        watch_came(b->machine->watching, c, id, c->lanes->mask);
    if (!op->arrive_only) {
        c->group->state = GROUP_AT_BARRIER;
        c->group->barrier = id;
        group_waits(w, c->group);
    }
    bool warp_came = (w->at_barrier[id] & w->live) == w->live;
    if (warp_came) {
        at->arrived += WARP_LANES;
        watch_warp_came(c->machine->watching, c->warp, c->insn);
        if (op->arrive_only) w->at_barrier[id] = 0;
        try_release(b, id);
    }
    return op->arrive_only;
}

/* ---- barrier.cluster ---- */

static bool all_at_cluster(const struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (b->warps[k].live & ~b->warps[k].at_cluster) return false;
    return true;
}

static void open_cluster(struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        w->at_cluster = 0;
        for (uint32_t j = 0; j < w->n_groups; j++)
            if (w->groups[j].state == GROUP_AT_MBARRIER &&
                w->groups[j].barrier == AT_CLUSTER_BARRIER)
                w->groups[j].state = GROUP_READY;
    }
    b->barriers_passed++;
}

static void try_cluster(struct block *b) {
    struct block *first = cluster_first(b);
    uint32_t n = b->machine->cluster_blocks;
    if (!first->cluster_used) return;
    for (uint32_t k = 0; k < n; k++)
        if (!all_at_cluster(&first[k])) return;
    for (uint32_t k = 0; k < n; k++) open_cluster(&first[k]);
    first->cluster_used = false;
    watch_some_met(b->machine->watching, b, CLUSTER_BARRIER);
    b->machine->progress++;
}

bool exec_cluster_barrier(struct context *c) {
    const struct insn *i = c->insn;
    struct warp *w = c->warp;
    uint32_t here = c->lanes->mask;
    if (!i->mode) {
        w->at_cluster |= here;
        cluster_first(w->block)->cluster_used = true;
        watch_came(c->machine->watching, c, CLUSTER_BARRIER, here);
        if ((w->at_cluster & w->live) == w->live)
            watch_warp_came(c->machine->watching, w, i);
        uint32_t passed = w->block->barriers_passed;
        try_cluster(w->block);
        /* With a clock the time at which it opened is this one's. */
        return !cluster_in(c->machine) || passed == w->block->barriers_passed;
    }
    if (!(w->at_cluster & here)) {
        watch_passed(c->machine->watching, c, here);
        return true;
    }
    /* It will be executed again and counted then. */
    watch_put_back(c->machine->watching, c);
    c->group->pc--;
    c->group->state = GROUP_AT_MBARRIER;
    c->group->barrier = AT_CLUSTER_BARRIER;
    return false;
}

void block_warp_exited(struct block *b, struct warp *w) {
    (void)w;
    b->n_done++;
    try_cluster(b);
    for (uint32_t m = b->barriers_used; m; m &= m - 1)
        try_release(b, (uint32_t)__builtin_ctz(m));
}

void barrier_threads_exited(struct warp *w) {
    try_cluster(w->block);
    /* The rest of the warp may be complete at a barrier now. */
    for (uint32_t m = w->live ? w->block->barriers_used : 0; m; m &= m - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(m);
        uint32_t waiting = w->at_barrier[id];
        if (!waiting || (waiting & w->live) != w->live) continue;
        w->block->barriers[id].arrived += WARP_LANES;
        for (uint32_t j = 0; j < w->n_groups; j++) {
            struct group *g = &w->groups[j];
            if (g->state != GROUP_AT_BARRIER || g->barrier != id) continue;
            watch_warp_came(w->block->machine->watching, w,
                            &g->frame->function->code[g->pc - 1]);
            break;
        }
        try_release(w->block, id);
    }
}

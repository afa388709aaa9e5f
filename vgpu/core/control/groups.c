/* SPDX-License-Identifier: MIT
 *
 * groups.c: divergence: how the threads of a warp part and meet.
 *
 * Invariant: a thread belongs to exactly one group, or has arrived at exactly
 * one join, or has exited. It is expected at its join and at every parent of
 * that join. To break a join means: the threads that have arrived are no longer
 * expected there and run on, with the parent join as theirs; the others will
 * meet at the join without them.
 *
 * Groups become one again only where their threads have met: at a join, in a
 * warp operation that names both, where they wait at a barrier for the same
 * phase, and at an instruction to which no way leads back. That two groups
 * stand at one instruction of a loop says nothing: they may be in different
 * rounds, and a branch on its counter would then part threads that wait for
 * each other.
 */
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "barrier.h"
#include "fault.h"
#include "frames.h"
#include "watch.h"

struct group *group_add(struct warp *w, uint32_t mask, uint32_t pc,
                        struct frame *frame, struct join *join) {
    uint32_t k = 0;
    while (k < w->n_groups && w->groups[k].state != GROUP_FREE) k++;
    if (k == w->n_groups) w->n_groups++;
    struct group *g = &w->groups[k];
    memset(g, 0, sizeof *g);
    g->state = GROUP_READY;
    g->mask = mask;
    g->pc = pc;
    g->frame = frame;
    g->join = join;
    frame->references++;
    return g;
}

static void stop_waiting(struct warp *w, struct group *g) {
    struct machine *m = w->block->machine;
    watch_works(m->watching, m, g);
}

static void group_remove(struct warp *w, struct group *g) {
    g->state = GROUP_FREE;
    stop_waiting(w, g);
    frame_release(w->block->machine, g->frame);
    while (w->n_groups && w->groups[w->n_groups - 1].state == GROUP_FREE)
        w->n_groups--;
}

bool group_stands_with(const struct group *g, const struct group *h) {
    bool at_barrier =
        g->state == GROUP_AT_BARRIER || g->state == GROUP_AT_MBARRIER;
    return h->state == g->state && h->pc == g->pc && h->frame == g->frame &&
           (!at_barrier || h->barrier == g->barrier);
}

uint32_t group_lanes_here(const struct warp *w, const struct group *g) {
    uint32_t here = 0;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (group_stands_with(g, &w->groups[k])) here |= w->groups[k].mask;
    return here;
}

void group_waits(struct warp *w, const struct group *g) {
    if (w->n_groups > 1) groups_met(w, group_lanes_here(w, g));
}

/* Those of the later groups that have some of these lanes join it. */
static void take_in(struct warp *w, struct group *g, uint32_t lanes) {
    for (struct group *h = g + 1; h < w->groups + w->n_groups; h++) {
        if (!group_stands_with(g, h) || !(h->mask & lanes) || h->polls.same ||
            h->join != g->join)
            continue;
        g->mask |= h->mask;
        stop_waiting(w, g); /* a trace belongs to the lanes
                             * that made it */
        group_remove(w, h);
    }
}

void groups_met(struct warp *w, uint32_t lanes) {
    for (uint32_t k = 0; k + 1 < w->n_groups; k++) {
        struct group *g = &w->groups[k];
        if (g->state != GROUP_FREE && g->mask & lanes && !g->polls.same)
            take_in(w, g, lanes);
    }
}

void groups_merge(struct warp *w) {
    for (uint32_t k = 0; k + 1 < w->n_groups; k++) {
        struct group *g = &w->groups[k];
        if (g->state == GROUP_READY && !g->polls.same &&
            !g->frame->function->code[g->pc].in_loop)
            take_in(w, g, FULL_MASK);
    }
}

void group_split(struct warp *w, struct group *g, uint32_t lanes) {
    lanes &= g->mask;
    if (!lanes || lanes == g->mask) return;
    g->mask &= ~lanes;
    group_add(w, lanes, g->pc, g->frame, g->join);
}

static struct join *join_new(struct context *c, uint32_t at,
                             const struct ptx_insn *branch) {
    struct machine *m = c->machine;
    struct join *j = m->free_joins;
    if (j)
        m->free_joins = j->next;
    else
        j = charges_bytes(&m->memory->charges, sizeof *j,
                          "branches where its threads part");
    if (!j) return NULL;
    j->at = at;
    j->expected = c->group->mask;
    j->arrived = 0;
    j->frame = c->group->frame;
    j->parted = branch;
    j->parent = c->group->join;
    j->next = c->warp->joins;
    j->polls = (struct polls){0}; /* `seen` is as it was */
    j->frame->references++;
    c->warp->joins = j;
    return j;
}

static void join_free(struct warp *w, struct join *j) {
    struct join **p = &w->joins;
    while (*p != j) p = &(*p)->next;
    *p = j->next;
    struct machine *m = w->block->machine;
    struct frame *f = j->frame;
    j->next = m->free_joins;
    m->free_joins = j;
    frame_release(m, f);
}

bool group_branch(struct context *c, uint32_t taken, const struct insn *i) {
    struct group *g = c->group;
    uint32_t stays = g->mask & ~taken;
    struct join *join = g->join;
    bool same = join && join->at == i->join && join->frame == g->frame;
    if (i->join != NO_TARGET && !same) {
        join = join_new(c, i->join, i->source);
        if (!join) {
            c->machine->status = VGPU_OUT_OF_MEMORY;
            return false;
        }
    }
    /* Under a random schedule either part may go first. */
    bool swap = c->machine->options->schedule == VGPU_REVERSE ||
                (c->machine->options->schedule == VGPU_RANDOM &&
                 (random_next(&c->machine->random) & 1));
    uint32_t first = swap ? taken : stays, second = swap ? stays : taken;
    uint32_t first_pc = swap ? i->target : g->pc;
    uint32_t second_pc = swap ? g->pc : i->target;
    g->mask = first;
    g->pc = first_pc;
    g->join = join;
    struct group *other = group_add(c->warp, second, second_pc, g->frame, join);
    watch_group_parts(c->machine->watching, c, g, other);
    return true;
}

bool group_branch_index(struct context *c) {
    struct group *g = c->group;
    const struct branch_table *t = c->insn->extra;
    const uint32_t *r =
        (const uint32_t *)(c->registers + c->insn->operands.at[0]);
    uint32_t lane = (uint32_t)__builtin_ctz(g->mask), agree = 0;
    if (r[lane] >= t->n) {
        struct vgpu_message m;
        VGPU_SAY(&m, TRAP_BRANCH, .index = r[lane], .targets = t->n);
        return exec_fault(c, VGPU_ILLEGAL_INSTRUCTION, VGPU_FINDING_TRAP,
                          (struct fault_at){.lane = lane}, &m);
    }
    for (uint32_t m = g->mask; m; m &= m - 1)
        if (r[__builtin_ctz(m)] == r[lane]) agree |= 1u << __builtin_ctz(m);
    watch_chosen(c->machine->watching, c, c->insn->operands.at[0], agree);
    if (agree == g->mask) {
        g->pc = t->targets[r[lane]];
        return true;
    }
    struct insn way = *c->insn;
    way.target = t->targets[r[lane]];
    uint32_t again = g->pc - 1;
    watch_parted(c->machine->watching, c);
    g->pc = again;
    return group_branch(c, agree, &way);
}

/* All expected threads have arrived: they go on behind the JOIN as one group.
 */
static void join_complete(struct warp *w, struct join *j) {
    if (j->expected && j->arrived == j->expected)
        group_add(w, j->arrived, j->at, j->frame, j->parent);
    else if (j->expected)
        return;
    join_free(w, j);
}

bool group_arrive(struct context *c) {
    struct group *g = c->group;
    while (group_meets(g, g->pc)) {
        struct join *j = g->join;
        j->arrived |= g->mask;
        watch_group_arrives(c->machine->watching, c->warp, j, g);
        if (j->arrived != j->expected) {
            group_remove(c->warp, g);
            return false;
        }
        if (g->mask != j->arrived)
            watch_works(c->machine->watching, c->machine, g);
        g->mask = j->arrived;
        watch_group_goes_on(c->machine->watching, c->warp, g, j);
        g->join = j->parent;
        join_free(c->warp, j);
    }
    return true;
}

void group_exit(struct context *c, uint32_t mask) {
    struct warp *w = c->warp;
    struct group *g = c->group;
    struct join *j = g->join;
    w->live &= ~mask;
    g->mask &= ~mask;
    c->machine->progress++;
    if (!g->mask) group_remove(w, g);
    while (j) {
        struct join *parent = j->parent;
        j->expected &= ~mask;
        join_complete(w, j);
        j = parent;
    }
    if (!w->live)
        block_warp_exited(w->block, w);
    else
        barrier_threads_exited(w);
}

bool warp_break_join(struct warp *w) {
    /* The innermost join at which somebody waits: the newest is first in the
     * list. */
    for (struct join *j = w->joins; j; j = j->next) {
        if (!j->arrived) continue;
        uint32_t released = j->arrived;
        j->expected &= ~released;
        j->arrived = 0;
        group_add(w, released, j->at, j->frame, j->parent);
        if (!j->expected) join_free(w, j);
        return true;
    }
    return false;
}

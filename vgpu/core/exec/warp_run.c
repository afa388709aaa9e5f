/* SPDX-License-Identifier: MIT
 *
 * warp_run.c: chooses among the groups of a warp, and sets free what waits for
 * threads that cannot come.
 */
#include "fault.h"
#include "group_run.h"
#include "groups.h"
#include "run.h"

enum { MAX_OUT_OF_STEP = 3 };

/* A ready group, not one of those that only spin; -1: none. */
static int warp_run_choose(struct machine *m, const struct warp *w,
                           uint32_t spinning) {
    if (w->n_groups == 1 && !spinning)
        return w->groups[0].state == GROUP_READY ? 0 : -1;
    int ready[WARP_LANES];
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (w->groups[k].state == GROUP_READY && !(spinning >> k & 1))
            ready[n++] = (int)k;
    if (!n) return -1;
    if (m->options->schedule == VGPU_RANDOM && n > 1)
        return ready[random_next(&m->random) % n];
    return ready[0];
}

static uint32_t warp_run_line(const struct machine *m,
                              const struct ptx_insn *i) {
    return i ? program_source(m->program->ptx, i->loc).line : 0;
}

/* A group waits at a barrier, and others of its warp behind a branch for it. */
static void report_barrier(struct context *c, struct group *at,
                           const struct join *join) {
    struct vgpu_message m;
    uint32_t arrived = 0;
    for (const struct join *j = c->warp->joins; j; j = j->next)
        arrived |= j->arrived;
    c->group = at;
    c->insn = &at->frame->function->code[at->pc - 1];
    VGPU_SAY(&m, BARRIER_OF_LANES, .lanes = group_lanes_here(c->warp, at),
             .warp = c->warp->index, .arrived = arrived,
             .parted = warp_run_line(c->machine, join->parted));
    exec_report(c, VGPU_FINDING_BARRIER_DIVERGENCE,
                (struct fault_at){.lane = (uint32_t)__builtin_ctz(at->mask)},
                &m);
}

/* Nothing of the warp can run: threads wait at joins, barriers, warp
 * operations. True: something was set free. */
static bool unstick(struct context *c) {
    struct warp *w = c->warp;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (w->groups[k].state == GROUP_AT_MBARRIER) return false;
    bool at_barrier = false;
    struct group *at = NULL;
    for (uint32_t k = 0; k < w->n_groups; k++) {
        struct group *g = &w->groups[k];
        if (g->state == GROUP_AT_WARP_OP) return exec_warp_op_forced(c, g);
        if (g->state == GROUP_AT_BARRIER) at_barrier = true, at = g;
    }
    const struct join *join = NULL; /* the innermost where somebody waits */
    for (const struct join *j = w->joins; j && !join; j = j->next)
        if (j->arrived) join = j;
    if (!join) return false;
    if (at_barrier) report_barrier(c, at, join);
    return warp_break_join(w);
}

/* Under a random schedule the threads of a warp do not keep step: nothing but
 * warp operations promises that they do. Groups that call a function one by one
 * have frames of their own, in which warp operations do not find each other: so
 * those of a kernel that calls any stay together. */
static void lose_step(struct machine *m, struct warp *w, struct group *g) {
    if (m->options->schedule != VGPU_RANDOM || w->n_groups >= MAX_OUT_OF_STEP ||
        g->frame->caller || g->frame->function->needs_stack || g->polls.same ||
        (g->polls.at && g->polls.at->order != ORDER_WEAK))
        return;
    group_split(w, g, (uint32_t)random_next(&m->random));
}

/* All of the warp, and so nothing else can go on: what unstick would say. */
static inline bool is_at_barrier(const struct warp *w) {
    return w->n_groups == 1 && w->groups[0].state == GROUP_AT_BARRIER &&
           !w->joins;
}

enum run_result warp_run(struct machine *m, struct warp *w, uint32_t turn) {
    struct context *c = m->context;
    c->warp = w;
    uint32_t spinning = 0;
    uint64_t end = m->executed + turn;
    while (m->executed < end) {
        if (w->n_groups > 1) groups_merge(w);
        int k = warp_run_choose(m, w, spinning);
        if (k < 0) {
            if (!w->live) return RUN_DONE;
            if (!exec_warp_op_resumed(c)) {
                if (spinning) return RUN_SPINNING;
                if (!unstick(c)) return RUN_WAITING;
            }
            if (m->status != VGPU_OK) return RUN_STOPPED;
            continue;
        }
        struct group *g = &w->groups[k];
        lose_step(m, w, g);
        uint32_t left = (uint32_t)(end - m->executed);
        if (m->options->schedule == VGPU_RANDOM && left > 32)
            left = 1 + (uint32_t)(random_next(&m->random) & 31);
        enum group_result r = group_run(c, g, left);
        if (r >= GROUP_STOPPED)
            return r == GROUP_STOPPED ? RUN_STOPPED : RUN_STALLED;
        if (m->pauses) {
            m->pauses = false;
            return w->live ? RUN_PAUSES : RUN_DONE;
        }
        if (r == GROUP_WAITS && m->executed < end && is_at_barrier(w))
            return RUN_WAITING;
        if (r == GROUP_WAITS && g->state == GROUP_AT_MBARRIER)
            group_waits(w, g);
        if (r == GROUP_SPINS) spinning |= 1u << k;
    }
    return w->live ? RUN_TURN_OVER : RUN_DONE;
}

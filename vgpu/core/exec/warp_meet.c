/* SPDX-License-Identifier: MIT
 *
 * warp_meet.c: who takes part in a warp operation, and when it happens.
 *
 * The .sync forms name the lanes that take part. When some of them are in
 * other groups, the group waits; the last to come does the operation for all
 * (PTX ISA, "shfl.sync": waits until all non-exited threads of the mask have
 * executed it).
 */
#include "fault.h"
#include "groups.h"
#include "run.h"
#include "watch.h"

static const uint32_t *masks(const struct context *c) {
    return (const uint32_t *)(c->registers + c->insn->operands.at[3]);
}

/* The lanes that the masks of the lanes that are here name; *others: lanes that
 * are here and whose own bit is not in their mask. */
WIDER static uint32_t any_bits(const uint32_t *r, const uint32_t *active,
                               uint32_t *others) {
    uint32_t any = 0, without = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        any |= r[l] & active[l];
        without |= ~r[l] & active[l] & 1u << l;
    }
    *others = without;
    return any;
}

static bool meets(const struct group *g, const struct context *c) {
    if (g->state != GROUP_AT_WARP_OP) return false;
    const struct insn *i = &g->frame->function->code[g->pc - 1];
    if (c->insn->kind == KIND_WARP_SYNC) return i->kind == KIND_WARP_SYNC;
    return i == c->insn && g->frame == c->group->frame;
}

/* Which lanes a lane of a group that has come to a warp operation names. */
static uint32_t names(const struct warp *w, const struct group *g, uint32_t l) {
    const struct insn *i = &g->frame->function->code[g->pc - 1];
    const void *r = g->frame->registers + i->operands.at[3];
    return ((const uint32_t *)r)[l] & w->live;
}

/* The lanes that the lane names have come, and to bar.warp.sync with the same
 * mask (PTX ISA, "bar.warp.sync"). */
static bool is_complete(const struct context *c, const uint32_t *named,
                        uint32_t all, uint32_t l) {
    if (named[l] & ~all) return false;
    for (uint32_t m = named[l]; c->insn->kind == KIND_WARP_SYNC && m;
         m &= m - 1)
        if (named[__builtin_ctz(m)] != named[l]) return false;
    return true;
}

/* Of the lanes that have come, those that need wait for no other: a warp may be
 * in several parts, each with a mask of its own (tiles of a warp). named: whom
 * each names. */
static uint32_t complete(const struct context *c, uint32_t all,
                         uint32_t named[static WARP_LANES]) {
    const struct warp *w = c->warp;
    uint32_t ready = 0;
    for (uint32_t k = 0; k < w->n_groups; k++) {
        const struct group *g = &w->groups[k];
        for (uint32_t m = meets(g, c) ? g->mask : 0; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            named[l] = names(w, g, l);
        }
    }
    for (uint32_t m = all; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (is_complete(c, named, all, l)) ready |= 1u << l;
    }
    return ready;
}

/* The lanes that are done go on as a group of their own. */
static void warp_meet_release(struct warp *w, struct group *g, uint32_t ready) {
    if (!(g->mask & ~ready)) {
        g->state = GROUP_READY;
        return;
    }
    group_split(w, g, ready);
    g->wants = 0;
    for (uint32_t m = g->mask; m; m &= m - 1)
        g->wants |= names(w, g, (uint32_t)__builtin_ctz(m));
}

/* The lanes of all groups that stand at the context's operation. */
static uint32_t met(const struct context *c) {
    uint32_t all = 0;
    for (uint32_t k = 0; k < c->warp->n_groups; k++)
        if (meets(&c->warp->groups[k], c)) all |= c->warp->groups[k].mask;
    return all;
}

void warp_lanes_meet(struct context *c, uint32_t here) {
    const struct warp *w = c->warp;
    uint32_t named[WARP_LANES] = {0};
    for (uint32_t k = 0; k < w->n_groups; k++) {
        const struct group *g = &w->groups[k];
        if (g != c->group && !meets(g, c)) continue;
        for (uint32_t m = g->mask & here; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            named[l] = names(w, g, l);
        }
    }
    for (uint32_t left = here; left;) {
        uint32_t first = left & -left;
        uint32_t part = named[__builtin_ctz(left)] & here;
        if (part & first) watch_lanes_met(c->machine->watching, c, part);
        left &= ~(part | first);
    }
}

/* Does the operation for lanes whose named lanes have all come. Each has then
 * met the lanes that it names, and no others. False: there are no such lanes.
 */
static bool perform_for(struct context *c) {
    struct warp *w = c->warp;
    uint32_t named[WARP_LANES] = {0}, ready = complete(c, met(c), named);
    if (!ready) return false;
    warp_op_perform(c, ready);
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (meets(&w->groups[k], c)) warp_meet_release(w, &w->groups[k], ready);
    for (uint32_t left = ready; left;) {
        uint32_t part = named[__builtin_ctz(left)] & ready;
        groups_met(w, part);
        left &= left - 1;
        left &= ~part;
    }
    return true;
}

/* Undefined by PTX. An H200 says "illegal instruction" to __ballot_sync, and
 * gave some value to shuffles, matches and sums (2026-11-22). */
static bool refuse_mask(struct context *c, uint32_t others) {
    uint32_t lane = (uint32_t)__builtin_ctz(others);
    struct vgpu_message m;
    VGPU_SAY(&m, LANE_NOT_NAMED, .lane = lane, .form = exec_form_name(c->insn),
             .mask = masks(c)[lane]);
    return exec_fault(c, VGPU_ILLEGAL_INSTRUCTION, VGPU_FINDING_INACTIVE_LANE,
                      (struct fault_at){.lane = lane}, &m);
}

bool exec_warp_op(struct context *c) {
    uint32_t here = c->lanes->mask, others;
    uint32_t named = any_bits(masks(c), c->lanes->w, &others);
    if (others) return refuse_mask(c, others);
    named &= c->warp->live;
    if (!(named & ~here)) {
        warp_op_perform(c, here);
        return true;
    }
    c->group->state = GROUP_AT_WARP_OP;
    c->group->wants = named;
    perform_for(c);
    return false;
}

/* Lanes that a guard leaves out do not come later. */
bool exec_matrix_op(struct context *c) {
    bool waits = false;
    if (c->lanes->mask != c->group->mask)
        warp_op_perform(c, c->lanes->mask);
    else
        waits = !exec_warp_op(c);
    return !waits && c->machine->status == VGPU_OK;
}

/* Sets the context to the instruction at which the group waits. */
static void stand_at(struct context *c, struct group *g) {
    c->group = g;
    c->registers = g->frame->registers;
    c->insn = &g->frame->function->code[g->pc - 1];
    lane_set_fill(&c->of_group, g->mask);
    c->lanes = &c->of_group;
}

bool exec_warp_op_resumed(struct context *c) {
    for (uint32_t k = 0; k < c->warp->n_groups; k++) {
        struct group *g = &c->warp->groups[k];
        if (g->state != GROUP_AT_WARP_OP) continue;
        stand_at(c, g);
        if (perform_for(c)) return true;
    }
    return false;
}

/* Lanes that the group's mask names are elsewhere. */
static void report_missing(struct context *c, const struct group *g,
                           uint32_t here) {
    const struct warp *w = c->warp;
    uint32_t together = group_lanes_here(w, g), wants = 0;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (group_stands_with(g, &w->groups[k])) wants |= w->groups[k].wants;
    uint32_t missing = wants & w->live & ~here;
    struct vgpu_message m;
    VGPU_SAY(&m, LANES_MISSING, .form = exec_form_name(c->insn), .lanes = wants,
             .missing = missing);
    exec_report(c, VGPU_FINDING_INACTIVE_LANE,
                (struct fault_at){.lane = (uint32_t)__builtin_ctz(together)},
                &m);
}

bool exec_warp_op_forced(struct context *c, struct group *g) {
    stand_at(c, g);
    struct warp *w = c->warp;
    uint32_t here = met(c);
    if (c->insn->kind != KIND_MATRIX) report_missing(c, g, here);
    warp_op_perform(c, here);
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (meets(&w->groups[k], c)) w->groups[k].state = GROUP_READY;
    groups_met(w, here);
    return true;
}

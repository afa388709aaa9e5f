/* SPDX-License-Identifier: MIT
 *
 * why_issue.c: see why.h: the steps of an instruction and of its access.
 */
#include "timeline.h"
#include "why_inside.h"

static const uint8_t of_class[N_COSTS] = {
#define X(NAME, unit, instead, cause, holds) [COST_##NAME] = VGPU_CAUSE_##cause,
#include "clock_classes.def"
#undef X
};

/* The step of the last of its registers to be there, if that is behind `time`;
 * else s. */
static uint32_t last_of(const struct clock *k, const struct clock_op *o,
                        uint32_t s, uint64_t time) {
    const struct clock_warp *w = k->warp;
    const struct why_warp *at = why_of(k, w);
    for (uint32_t r = 0; r < o->n_from; r++)
        if (w->ready[o->from[r]] > time) {
            time = w->ready[o->from[r]];
            s = at->ready[o->from[r]];
        }
    return o->drains && w->latest > time ? at->latest : s;
}

static void begins(struct clock *k, const struct insn *i,
                   const struct function *f) {
    struct why *y = k->why;
    y->at = y->first[f - f->program->functions] + (uint32_t)(i - f->code);
    y->block = k->block;
}

void why_waited(struct clock *k, const struct insn *i, const struct function *f,
                const struct clock_op *o) {
    struct why_warp *w = why_of(k, k->warp);
    const struct step *steps = k->why->steps;
    begins(k, i, f);
    uint32_t s = last_of(k, o, w->now, k->warp->time);
    if (o->joins && k->warp->moved > steps[s].time) s = w->moved;
    why_moves(k, w, s);
}

void why_passed(struct clock *k, const struct insn *i, const struct function *f,
                const struct clock_op *o) {
    struct why *y = k->why;
    begins(k, i, f);
    why_take(y, &y->done,
             last_of(k, o, why_of(k, k->warp)->now, k->warp->time));
}

void why_moved(struct clock *k, const struct clock_op *o, uint64_t slot,
               uint64_t unit) {
    struct why *y = k->why;
    uint32_t *moved = &why_of(k, k->warp)->moved;
    why_go_on(y, &y->done, VGPU_CAUSE_ISSUE, slot);
    why_go_on(y, &y->done, of_class[o->class], unit);
    if (y->steps[*moved].time < k->warp->moved) {
        why_take(y, moved, y->done);
        why_go_on(y, moved, VGPU_CAUSE_ISSUE, k->warp->moved);
    }
    why_take(y, &y->issued, y->done);
}

void why_passes(struct clock *k, const struct clock_op *o) {
    struct why *y = k->why;
    uint32_t s = last_of(k, o, 0, 0);
    why_take(y, &y->done, s);
    why_results(k, o, y->steps[s].time);
}

void why_issues(struct clock *k, const struct clock_op *o, uint64_t slot,
                uint64_t unit) {
    struct why *y = k->why;
    struct why_warp *w = why_of(k, k->warp);
    why_take(y, &y->done, w->now);
    why_go_on(y, &y->done, VGPU_CAUSE_ISSUE, slot);
    why_go_on(y, &y->done, of_class[o->class], unit);
    why_take(y, &y->issued, y->done);
    why_moves(k, w, y->done);
}

void why_later(struct clock *k, vgpu_cause c) {
    struct why *y = k->why;
    struct why_warp *w = why_of(k, k->warp);
    why_take(y, &y->next, w->now);
    why_go_on(y, &y->next, c, k->warp->time);
    why_moves(k, w, y->next);
}

void why_goes_by(struct clock *k, const struct clock_op *o) {
    bool waits = o->class == COST_CONTROL || o->class == COST_FENCE ||
                 o->class == COST_BARRIER;
    why_later(k, waits ? of_class[o->class] : VGPU_CAUSE_ISSUE);
}

static void is_there(struct clock *k, uint32_t at) {
    why_take(k->why, &why_of(k, k->warp)->ready[at], k->why->done);
}

static void is_latest(struct clock *k, uint64_t time) {
    if (k->warp->latest == time)
        why_take(k->why, &why_of(k, k->warp)->latest, k->why->done);
}

void why_results(struct clock *k, const struct clock_op *o, uint64_t time) {
    why_until(k, of_class[o->class], time);
    for (uint32_t r = 0; r < o->n_to; r++) is_there(k, o->to[r]);
    is_latest(k, time);
}

void why_counts(struct context *c, const struct insn *i) {
    struct clock *k = clock_in(c->machine);
    vgpu_cause cause = VGPU_CAUSE_ISSUE;
    if (i->kind == KIND_BARRIER) cause = VGPU_CAUSE_BARRIER;
    if (i->space == PTX_SHARED) cause = VGPU_CAUSE_SHARED;
    if (i->kind == KIND_ALU) cause = VGPU_CAUSE_ALU;
    begins(k, i, c->group->frame->function);
    why_later(k, cause);
}

/* ---- accesses ---- */

/* Again for each piece of an access that has several. */
void why_accesses(struct clock *k) {
    struct why *y = k->why;
    y->message = 0;
    why_take(y, &y->done, y->issued);
}

void why_until(struct clock *k, vgpu_cause c, uint64_t time) {
    why_go_on(k->why, &k->why->done, c, time);
}

void why_read(struct clock *k, const struct insn *i, uint64_t time,
              vgpu_cause rest) {
    uint32_t n = i->kind == KIND_LOAD ? i->n_elements : 1;
    why_until(k, rest, time);
    if (k->timeline && k->why->message)
        timeline_message(k, why_of(k, k->warp), time);
    for (uint32_t e = 0; e < n && e < ALU_MAX_OPERANDS; e++) {
        uint32_t number = clock_number_at(k, i->operands.at[e]);
        if (number) is_there(k, number);
    }
    is_latest(k, time);
}

vgpu_cause why_waits(struct clock *k, bool message) {
    struct why *y = k->why;
    struct why_warp *w = why_of(k, k->warp);
    if (message || w->woken)
        why_take(y, &y->done, message ? y->message : y->issued);
    message |= w->woken;
    w->woken = false;
    return message ? VGPU_CAUSE_MESSAGE : VGPU_CAUSE_ATOMIC;
}

void why_stored(struct clock *k, vgpu_cause c) {
    struct why *y = k->why;
    uint32_t *stored = &why_of(k, k->warp)->stored;
    if (y->steps[*stored].time >= k->warp->stored) return;
    why_take(y, stored, y->done);
    why_go_on(y, stored, c, k->warp->stored);
}

void why_sends(struct clock *k, uint64_t time) {
    struct why *y = k->why;
    why_take(y, &y->next, y->done);
    why_go_on(y, &y->next, VGPU_CAUSE_MESSAGE, time);
}

void why_sent(struct clock *k, uint32_t *step) {
    why_take(k->why, step, k->why->next);
}

void why_reads(struct clock *k, const struct message *e) {
    struct why *y = k->why;
    const struct clock_cause *own = &k->warp->cause;
    bool last = y->steps[e->step].time > y->steps[y->message].time;
    if (y->counts_steps)
        last = e->cause.depth + k->profile->instruction_steps > own->depth;
    if (last) y->message = e->step;
}

/* ---- steps ---- */

void why_sets(struct clock *k) {
    struct why *y = k->why;
    struct why_warp *w = why_of(k, k->warp);
    if (y->message) {
        why_take(y, &y->next, y->message);
        why_go_on(y, &y->next, VGPU_CAUSE_MESSAGE, k->warp->time);
        why_moves(k, w, y->next);
    }
    why_take(y, &y->done, w->now);
}

void why_polls(struct clock *k, bool back) {
    struct why_warp *w = why_of(k, k->warp);
    if (back)
        why_take(k->why, &w->now, w->poll);
    else
        why_take(k->why, &w->poll, w->now);
}

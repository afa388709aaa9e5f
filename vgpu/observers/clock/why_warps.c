/* SPDX-License-Identifier: MIT
 *
 * why_warps.c: see why.h: steps, and the time that they give to causes.
 */
#include "timeline.h"
#include "why_inside.h"

/* ---- steps ---- */

static uint32_t make_step(struct why *y) {
    uint32_t s = y->unused;
    if (s) {
        y->unused = y->steps[s].before;
        return s;
    }
    if (y->n == y->room && !why_grows(y)) {
        y->cut = true;
        return 0;
    }
    return y->n++;
}

static void leave(struct why *y, uint32_t s) {
    while (s && !--y->steps[s].refs) {
        uint32_t before = y->steps[s].before;
        y->steps[s].before = y->unused;
        y->unused = s;
        s = before;
    }
}

void why_take(struct why *y, uint32_t *place, uint32_t s) {
    if (y->cut || *place == s) return;
    if (s) y->steps[s].refs++;
    leave(y, *place);
    *place = s;
}

/* The place's time goes on until `time`, because of this. */
void why_go_on(struct why *y, uint32_t *place, vgpu_cause c, uint64_t time) {
    if (y->cut || y->steps[*place].time >= time) return;
    uint32_t s = make_step(y);
    if (!s) return;
    y->steps[s] = (struct step){.time = time,
                                .before = *place,
                                .refs = 1,
                                .at = y->at | (uint32_t)c << AT_BITS,
                                .block = y->block};
    *place = s;
}

/* ---- warps ---- */

/* The warp's time is this step's end: what it did or waited for meanwhile. Who
 * waits for another warp waits all the time, whatever that one did. */
void why_moves(struct clock *k, struct why_warp *w, uint32_t s) {
    struct why *y = k->why;
    uint64_t since = y->steps[w->now].time, longest = 0;
    vgpu_cause most = VGPU_CAUSE_ISSUE;
    uint32_t where = 0;
    for (uint32_t p = s; !y->cut && !y->counts_steps && p;) {
        const struct step *e = &y->steps[p];
        vgpu_cause c = cause_of(e);
        if (e->time <= since) break;
        bool others = c == VGPU_CAUSE_MESSAGE || c == VGPU_CAUSE_BARRIER;
        uint64_t from = y->steps[e->before].time;
        if (others || from < since) from = since;
        y->waits[(uint64_t)at_of(e) * VGPU_N_CAUSES + c] += e->time - from;
        if (e->time - from > longest) {
            longest = e->time - from;
            most = c;
            where = at_of(e);
        }
        if (from == since) break;
        p = e->before;
    }
    if (k->timeline && longest)
        timeline_phase(k, w, (int)most, where, since, y->steps[s].time);
    why_take(y, &w->now, s);
}

void why_starts(struct clock *k, uint32_t slot, const struct block *b,
                uint64_t time) {
    struct why *y = k->why;
    uint32_t *ended = &y->ended[slot];
    bool waited = *ended && y->steps[*ended].time + k->at.block == time;
    y->block = (uint32_t)b->linear;
    y->at = 0;
    why_take(y, &y->next, waited ? *ended : y->started);
    why_go_on(y, &y->next, waited ? VGPU_CAUSE_BLOCK : VGPU_CAUSE_LAUNCH, time);
    why_take(y, &y->started, y->next);
    for (uint32_t n = 0; n < k->warps_per_block; n++) {
        struct why_warp *w = &y->warps[slot * k->warps_per_block + n];
        w->block = y->block;
        w->woken = false;
        w->phase = VGPU_CAUSE_ISSUE;
        w->phase_from = time;
        w->phase_at = 0;
        w->phase_longest = 0;
        w->heard = 0;
        why_take(y, &w->now, y->next);
        why_take(y, &w->latest, 0);
        why_take(y, &w->stored, 0);
        why_take(y, &w->moved, 0);
        why_take(y, &w->poll, 0);
        for (uint32_t r = 0; r < k->n_registers; r++)
            why_take(y, &w->ready[r], 0);
    }
}

/* Before it is counted to the launch's end (clock_block_ended). */
void why_ends(struct clock *k, const struct clock_warp *w, uint64_t time) {
    struct why *y = k->why;
    struct why_warp *at = why_of(k, w);
    if (k->timeline) timeline_warp_ends(k, at, w->time);
    uint64_t slot = (uint64_t)(w - k->warps) / k->warps_per_block;
    uint64_t now = later(w->time, w->stored);
    if (y->counts_steps ? w->cause.depth > k->most.depth : now > k->end)
        why_take(y, &y->end, now > w->time ? at->stored : at->now);
    if (w->time > time) why_take(y, &y->ended[slot], at->now);
}

void why_goes_on(struct clock *k, const struct clock_warp *w,
                 const struct clock_warp *last) {
    if (w != last) why_moves(k, why_of(k, w), why_of(k, last)->now);
}

static uint32_t number_of(const struct clock *k, const struct insn *i) {
    const struct program *p = k->machine->program;
    for (uint32_t f = 0; f < p->n_functions; f++) {
        const struct function *fn = &p->functions[f];
        if (fn->decoded && i >= fn->code && i < fn->code + fn->n_code)
            return k->why->first[f] + (uint32_t)(i - fn->code);
    }
    return 0;
}

void why_looks(struct clock *k) {
    k->why->message = 0;
}

/* It goes on before the message is there, with a poll that just sees it. */
void why_wakes(struct clock *k, const struct clock_warp *w) {
    struct why *y = k->why;
    struct why_warp *at = why_of(k, w);
    uint32_t s = y->message;
    if (y->cut || y->steps[at->now].time >= w->time) return;
    y->at = w->n_polls ? number_of(k, w->polls->at) : 0;
    y->block = at->block;
    while (s && y->steps[s].time > w->time) s = y->steps[s].before;
    why_take(y, &y->next, s ? s : at->now);
    why_go_on(y, &y->next, VGPU_CAUSE_MESSAGE, w->time);
    why_moves(k, at, y->next);
    at->woken = true;
}

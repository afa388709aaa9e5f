/* SPDX-License-Identifier: MIT
 *
 * clock_poll.c: a warp that polls in vain sleeps until one of the words that it
 * polls changes; then it goes on with a poll that just sees the change. What it
 * does meanwhile is no step: a wait takes as long as what it waits for. But its
 * polls take issue slots, the way to L2, and L2: clock_charges_polls takes them
 * window by window, a round of the loop after another, without running it.
 */
#include "clock_inside.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

/* Others may still make the word change while it polls for real. */
enum { VAIN_SHARED = 1000, VAIN_MANY = 10000, MOST_ROUND_PS = 1 << 30 };

static void clock_poll_remember(struct clock *k, struct clock_warp *w,
                                const struct access *x, const struct insn *i) {
    if (!w->polls)
        w->polls =
            charges_bytes(k->charges, CLOCK_POLLS * sizeof *w->polls, NULL);
    if (!w->polls) return;
    uint32_t n = 0;
    while (n < w->n_polls && n < CLOCK_POLLS && w->polls[n].at != i) n++;
    if (n == w->n_polls || n == CLOCK_POLLS) w->n_polls = n + 1;
    if (n == CLOCK_POLLS) return;
    struct clock_poll *p = &w->polls[n];
    p->at = i;
    p->mask = x->mask;
    p->bytes = x->bytes;
    p->shared = x->space == PTX_SHARED;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        p->region[l] = access_region(x, l);
        p->address[l] = x->address[l];
    }
}

void clock_notes_poll(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    struct clock_warp *w = k->warp;
    const struct insn *i = c->insn;
    access_spread(x);
    uint64_t address = x->address[x->shape.first];
    if (!c->group->trace) w->n_polls = w->n_vain = 0;
    if (w->poll_at == i && w->poll_address == address && c->group->trace) {
        uint64_t round = k->issued - w->polled_at;
        w->round_ps = round < MOST_ROUND_PS ? (uint32_t)round : 0;
        w->round_steps =
            (uint32_t)(w->cause.depth - w->poll_cause.depth - w->learnt);
        w->learnt = 0;
        w->polled_at = k->issued;
        w->cause = w->poll_cause;
        if (k->why && k->profile->counts_steps) why_polls(k, true);
        clock_poll_remember(k, w, x, i);
    } else if (!c->group->trace || !w->poll_at) {
        w->poll_at = i;
        w->poll_address = address;
        w->poll_cause = w->cause;
        w->polled_at = k->issued;
        w->round_ps = 0;
        w->learnt = 0;
        if (k->why && k->profile->counts_steps) why_polls(k, false);
    } else {
        clock_poll_remember(k, w, x, i);
    }
}

/* A persistent block's ticket is no poll: between two of them it stores. */
bool clock_adds_again(struct clock_warp *w, const struct insn *i,
                      const struct access *x) {
    uint64_t at = x->address[__builtin_ctz(x->mask)];
    for (uint32_t n = 0; n < w->n_added && n < CLOCK_POLLS; n++)
        if (w->added[n].by == i && w->added[n].at == at) return true;
    w->added[w->n_added++ % CLOCK_POLLS] = (struct clock_added){i, at};
    return false;
}

/* Of all words that the warp polls. */
static uint64_t value_of(const struct clock_warp *w) {
    uint64_t h = 1;
    for (uint32_t n = 0; n < w->n_polls && n < CLOCK_POLLS; n++) {
        const struct clock_poll *p = &w->polls[n];
        for (uint32_t m = p->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            const struct region *r = p->region[l];
            uint64_t v[2] = {0, 0};
            if (r->bytes)
                memcpy(v, r->bytes + (p->address[l] - r->base), p->bytes);
            h = (h ^ v[0]) * 0x9e3779b97f4a7c15ull;
            h = (h ^ v[1] ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
        }
    }
    return h;
}

/* Sectors and lines that a round reads from L2; neighbours share one. */
static void sizes_of_round(struct clock_warp *w) {
    w->round_sectors = w->round_lines = 0;
    for (uint32_t n = 0; n < w->n_polls && n < CLOCK_POLLS; n++) {
        const struct clock_poll *p = &w->polls[n];
        uint64_t sector = UINT64_MAX, line = UINT64_MAX;
        for (uint32_t m = p->shared ? 0 : p->mask; m; m &= m - 1) {
            uint64_t a = p->address[__builtin_ctz(m)];
            w->round_sectors += a >> SECTOR_SHIFT != sector;
            w->round_lines += a >> LINE_SHIFT != line;
            sector = a >> SECTOR_SHIFT;
            line = a >> LINE_SHIFT;
        }
    }
}

void clock_charges_polls(struct clock *k, struct clock_warp *w, uint64_t from,
                         uint64_t until) {
    uint64_t round = w->round_ps;
    if (!round || k->profile->counts_steps) return;
    if (w->next_poll < from)
        w->next_poll += (from - w->next_poll + round - 1) / round * round;
    while (w->next_poll < until) {
        struct clock_sm *sm = w->sm;
        uint64_t bytes = SECTOR * (uint64_t)w->round_sectors;
        uint64_t at = slots_take(&sm->scheduler[w->scheduler], w->next_poll,
                                 w->round_steps * k->at.cycle);
        if (bytes) {
            at = slots_take(&sm->lines, at, w->round_lines * k->at.line);
            at =
                slots_take(&sm->port, at, bytes * 1000 / k->profile->port_rate);
            at = calendar_take(&k->l2, at, bytes);
        }
        w->next_poll = at + round; /* it waits for each */
    }
}

bool clock_sleeps(struct clock *k, struct clock_warp *w) {
    w->n_vain++;
    if (!w->n_polls) return false;
    bool shared = false, many = w->n_polls > CLOCK_POLLS;
    for (uint32_t n = 0; n < w->n_polls && !many; n++)
        shared |= w->polls[n].shared;
    if (many && w->n_vain < VAIN_MANY) return false;
    if (shared && !k->profile->counts_steps && w->n_vain < VAIN_SHARED)
        return false;
    sizes_of_round(w);
    w->asleep_since = w->next_poll = w->time;
    w->asleep_value = value_of(w);
    return true;
}

/* When L2 had what changed; 0: an ordinary store did it. */
static uint64_t time_of_change(struct clock *k, const struct clock_warp *w) {
    uint64_t time = 0;
    struct clock_warp *running = k->warp, reader = *w;
    uint32_t block = k->block, number = k->number;
    k->warp = &reader; /* whose cause is not this one's yet */
    k->block = w->block;
    k->number = (uint32_t)(w - k->warps);
    for (uint32_t n = 0; n < w->n_polls && n < CLOCK_POLLS; n++) {
        const struct clock_poll *p = &w->polls[n];
        struct access x = {.mask = p->mask, .bytes = p->bytes};
        memcpy(x.address, p->address, sizeof x.address);
        if (!p->shared) time = later(time, clock_reads(k, &x, true));
    }
    k->warp = running;
    k->block = block;
    k->number = number;
    return time;
}

bool clock_wakes(struct clock *k, struct clock_warp *w, uint64_t now) {
    if (value_of(w) == w->asleep_value) return false;
    if (k->profile->counts_steps) return true;
    if (k->why) why_looks(k);
    uint64_t change = time_of_change(k, w), half = k->at.l2 / 2;
    if (!change) change = now;
    if (change > half) w->time = later(w->time, change - half);
    if (k->why) why_wakes(k, w);
    return true;
}

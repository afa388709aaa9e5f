/* SPDX-License-Identifier: MIT
 *
 * timed.c: whose turn it is when there is model time.
 *
 * Model time passes in windows. In a window one multiprocessor after another is
 * simulated alone, in it one block after another, and in a block one warp after
 * another, each to the window's end. What they share (schedulers, units, banks,
 * L2, DRAM) has calendars, in which a warp that is simulated later finds the
 * time that earlier ones left (slots.h, calendar.h). So the order inside a
 * window only decides which of two goes first when both want a unit at the same
 * time. A window is no longer than the time in which a block can see what
 * another one stores: the look-ahead of conservative parallel simulation
 * (Chandy, Misra 1979). What other blocks cannot see goes on beyond it for a
 * while, so that a warp's registers stay in this computer's cache. What a warp
 * reads from another block is there no earlier than the message takes
 * (clock_messages.c), whichever of the two was simulated first. Blocks that
 * send no messages have longer windows.
 *
 * A warp that polls in vain sleeps until a word changes (clock_poll.c). At the
 * end of a window places that have become free get their next blocks.
 */
#include <stddef.h>
#include <stdlib.h>

#include "async.h"
#include "cluster.h"
#include "stuck.h"
#include "timed.h"
#include "watch.h"

enum { AHEAD = 12, TURN = 20000 };

/* ---- blocks ---- */

static bool timed_start(struct schedule *s, uint32_t slot, uint64_t from) {
    if (!grid_start(s->m, s->grid, slot)) return false;
    struct block *b = &s->grid->slots[slot];
    uint64_t time = clock_next_start(s->clock, from);
    s->clocks[slot] = clock_block_starts(s->m, slot, b, time);
    s->queued[slot] = (struct queued){.first = NEVER, .window = NEVER};
    for (uint32_t k = 0; k < s->n_warps; k++) queue(s, slot * s->n_warps + k);
    return true;
}

static int by_time(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int by_slot(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* A cluster starts when the places of all its blocks are free. */
static void start_clusters(struct schedule *s) {
    uint32_t n = s->m->cluster_blocks, left = 0, k = 0;
    if (s->n_places > 1)
        qsort(s->places, s->n_places, sizeof *s->places, by_slot);
    while (k < s->n_places) {
        struct place *p = &s->places[k];
        uint32_t here = 0, first = p->slot - p->slot % n;
        uint64_t time = 0;
        for (; k + here < s->n_places && p[here].slot < first + n; here++)
            if (p[here].time > time) time = p[here].time;
        bool starts = here == n && s->grid->next < s->grid->n_blocks;
        for (uint32_t j = 0; j < here; j++)
            if (!starts || !timed_start(s, p[j].slot, time))
                s->places[left++] = p[j];
        k += here;
    }
    s->n_places = left;
}

/* The places that have become free, the earliest first. */
static void start_blocks(struct schedule *s) {
    if (cluster_in(s->m)) {
        start_clusters(s);
        return;
    }
    if (s->n_places > 1)
        qsort(s->places, s->n_places, sizeof *s->places, by_time);
    uint32_t n = 0;
    while (n < s->n_places && s->grid->next < s->grid->n_blocks &&
           timed_start(s, s->places[n].slot, s->places[n].time))
        n++;
    s->n_places = 0; /* no block is left for the others */
}

static void block_ends(struct schedule *s, struct block *b) {
    uint32_t slot = (uint32_t)(b - s->grid->slots);
    grid_block_ends(s->m, b);
    uint64_t time = clock_block_ended(s->clock, s->clocks[slot], s->n_warps);
    s->places[s->n_places++] = (struct place){time, slot};
}

/* ---- a warp's turn ---- */

/* Threads of the block have met: those that waited go on together. */
static void timed_release(struct schedule *s, struct block *b, uint32_t last) {
    struct clock_meeting met = {0};
    uint32_t first = last - last % s->n_warps;
    clock_comes(&met, warp_clock(s, last));
    for (uint32_t k = 0; k < s->n_warps; k++)
        if (s->states[first + k] == WARP_PARKED && can_run(&b->warps[k]))
            clock_comes(&met, warp_clock(s, first + k));
    clock_goes_on(s->clock, &met, warp_clock(s, last));
    for (uint32_t k = 0; k < s->n_warps; k++) {
        uint32_t n = first + k;
        if (s->states[n] != WARP_PARKED || !can_run(&b->warps[k])) continue;
        clock_goes_on(s->clock, &met, warp_clock(s, n));
        queue(s, n);
    }
}

/* Threads of a cluster have met: those that waited, of all its blocks. */
static void timed_release_cluster(struct schedule *s, const struct block *b,
                                  uint32_t last) {
    struct clock_meeting met = {0};
    uint32_t first = cluster_first(b)->slot * s->n_warps;
    uint32_t n = s->m->cluster_blocks * s->n_warps;
    clock_comes(&met, warp_clock(s, last));
    for (uint32_t k = first; k < first + n; k++)
        if (s->states[k] == WARP_PARKED && can_run(warp_of(s, k)))
            clock_comes(&met, warp_clock(s, k));
    clock_meets_far(s->clock, &met);
    clock_goes_on(s->clock, &met, warp_clock(s, last));
    for (uint32_t k = first; k < first + n; k++) {
        if (s->states[k] != WARP_PARKED || !can_run(warp_of(s, k))) continue;
        clock_goes_on(s->clock, &met, warp_clock(s, k));
        queue(s, k);
    }
}

static enum warp_state waits_at(const struct warp *w) {
    for (uint32_t g = 0; g < w->n_groups; g++)
        if (w->groups[g].state == GROUP_AT_MBARRIER &&
            w->groups[g].barrier != AT_CLUSTER_BARRIER)
            return WARP_AT_MBARRIER;
    return WARP_PARKED;
}

static void after_turn(struct schedule *s, uint32_t n, enum run_result r) {
    struct clock_warp *w = warp_clock(s, n);
    struct warp *warp = warp_of(s, n);
    if (r == RUN_DONE || !warp->live) {
        leave_queue(s, n, WARP_GONE);
        if (warp->block->n_done == s->n_warps) block_ends(s, warp->block);
    } else if (r == RUN_WAITING && !can_run(warp)) {
        leave_queue(s, n, waits_at(warp));
    } else if (r == RUN_SPINNING && clock_sleeps(s->clock, w)) {
        leave_queue(s, n, WARP_ASLEEP);
        s->asleep[s->n_asleep++] = n;
    } else {
        queue(s, n);
    }
}

/* All that resident warps have is more than a cache holds. So what a warp needs
 * is fetched while others run: at first what lies at known places, and then
 * what that leads to. */
enum { LINE = 64 };
static inline void fetch(const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch((const uint8_t *)from + at);
}

static void fetch_state(const struct schedule *s, uint32_t n) {
    const struct machine *m = s->m;
    uint32_t slot = n / s->n_warps;
    fetch(&s->clocks[slot][n % s->n_warps], sizeof **s->clocks);
    fetch(&s->grid->slots[slot], LINE);
    fetch(&s->grid->slots[slot].running, 1);
    if (m->all_warps) fetch(m->all_warps + n, offsetof(struct warp, groups[2]));
}

/* The registers of its next instructions, and when they are there; what it has
 * done since it polled. */
static void fetch_ahead(const struct schedule *s, uint32_t n) {
    const struct warp *w =
        &s->grid->slots[n / s->n_warps].warps[n % s->n_warps];
    uint32_t ready = 0;
    while (ready < w->n_groups && w->groups[ready].state != GROUP_READY)
        ready++;
    if (ready == w->n_groups) return;
    const struct group *g = &w->groups[ready];
    clock_fetch(&s->clocks[n / s->n_warps][n % s->n_warps]);
    watch_group_is_next(s->m->watching, g);
    if (g->polls.n) fetch(w->seen + ready * POLL_SLOTS, 1);
    const struct function *f = g->frame->function;
    const uint8_t *registers = g->frame->registers;
    const struct insn *i = &f->code[g->pc], *end = f->code + f->n_code;
    if (end - i > AHEAD) end = i + AHEAD;
    for (; i < end && (i->kind <= KIND_ATOMIC || i->kind == KIND_BRANCH); i++)
        for (uint32_t k = 0; k < ALU_MAX_OPERANDS; k++) {
            uint32_t at = i->operands.at[k];
            if (at == NO_REGISTER || at >= f->register_bytes) continue;
            __builtin_prefetch(registers + at);
            __builtin_prefetch(registers + at + 64);
        }
}

static bool run_warp(struct schedule *s, uint32_t n) {
    struct machine *m = s->m;
    struct warp *warp = warp_of(s, n);
    struct block *b = warp->block;
    clock_runs(s->clock, warp_clock(s, n), b, s->end - 1, s->far - 1);
    uint32_t passed = b->barriers_passed;
    enum run_result r = warp_run(m, warp, TURN);
    if (r == RUN_STOPPED || m->status != VGPU_OK) return false;
    after_turn(s, n, r);
    if (cluster_in(m) && b->barriers_passed != passed)
        timed_release_cluster(s, b, n);
    if (!b->running) return true;
    if (b->barriers_passed != passed) timed_release(s, b, n);
    if (b->async) timed_look_again(s, n / s->n_warps);
    return true;
}

/* Nobody of the block can go on without its copies: all have ended, wait, or
 * have just polled in vain. */
static bool needs_copies(const struct schedule *s, uint32_t slot) {
    for (uint32_t k = 0; k < s->n_warps; k++)
        if (s->states[slot * s->n_warps + k] == WARP_QUEUED &&
            !s->clocks[slot][k].n_vain)
            return false;
    return true;
}

/* Copies arrive, and let those go on that wait for them: at their time, where a
 * warp waits at an mbarrier. False: none does. */
static bool land(struct schedule *s, uint32_t slot) {
    struct block *b = &s->grid->slots[slot];
    if (!b->running || !b->async || !b->async->n_flying) return false;
    bool waits = false;
    for (uint32_t k = 0; k < s->n_warps; k++)
        waits |= s->states[slot * s->n_warps + k] == WARP_AT_MBARRIER;
    if (!(waits && async_land_until(b, s->end - 1)) &&
        !(needs_copies(s, slot) && async_land(b)))
        return false;
    return timed_look_again(s, slot);
}

/* The slot's next queued warp from `from` on; n_warps: there is none. */
static uint32_t next_queued(const struct schedule *s, uint32_t slot,
                            uint32_t from) {
    if (from >= s->n_warps) return s->n_warps;
    uint32_t left = s->queued[slot].mask >> from << from;
    return left ? (uint32_t)__builtin_ctz(left) : s->n_warps;
}

/* Runs a block's warps, each to the window's end, and those that meet at
 * barriers once more. False: the launch is over. */
static bool run_block(struct schedule *s, uint32_t slot) {
    uint32_t first = slot * s->n_warps;
    const struct block *b = &s->grid->slots[slot];
    for (bool again = true; again && b->running;) {
        again = false;
        for (uint32_t k = next_queued(s, slot, 0); k < s->n_warps;
             k = next_queued(s, slot, k + 1)) {
            if (window_of(s, &s->clocks[slot][k]) >= s->end) continue;
            uint32_t next = next_queued(s, slot, k + 1);
            if (next < s->n_warps) fetch_ahead(s, first + next);
            if (!run_warp(s, first + k)) return false;
            again = true;
        }
        again = again || land(s, slot);
    }
    return true;
}

/* False: the launch is over. */
static bool run_slot(struct schedule *s, uint32_t slot) {
    struct queued *q = &s->queued[slot];
    if (!run_block(s, slot)) return false;
    const struct block *b = &s->grid->slots[slot];
    q->first = q->window = NEVER;
    q->copies = b->running && b->async;
    for (uint32_t k = next_queued(s, slot, 0); k < s->n_warps;
         k = next_queued(s, slot, k + 1))
        note(s, slot, &s->clocks[slot][k]);
    return true;
}

/* The slots that have a turn in this window, in order: one multiprocessor's
 * after another's. */
static uint32_t list_turns(struct schedule *s) {
    uint32_t n = 0;
    for (uint32_t sm = 0; sm < s->n_sms; sm++) {
        if (s->earliest[sm] >= s->end) continue;
        s->earliest[sm] = NEVER;
        for (uint32_t k = sm; k < s->grid->n_prepared; k += s->n_sms) {
            const struct queued *q = &s->queued[k];
            if (q->window < s->end || q->copies)
                s->turns[n++] = k;
            else if (q->first < s->earliest[sm])
                s->earliest[sm] = q->first;
        }
    }
    return n;
}

/* Two turns ahead and one: see above. */
static void fetch_turns(const struct schedule *s, const uint32_t *turns,
                        uint32_t n) {
    if (n > 2)
        for (uint32_t k = next_queued(s, turns[2], 0); k < s->n_warps;
             k = next_queued(s, turns[2], k + 1))
            fetch_state(s, turns[2] * s->n_warps + k);
    uint32_t first = n > 1 ? next_queued(s, turns[1], 0) : s->n_warps;
    if (first < s->n_warps) fetch_ahead(s, turns[1] * s->n_warps + first);
}

static void run_window(struct schedule *s) {
    uint32_t n = list_turns(s);
    for (uint32_t k = 0; k < n && s->m->status == VGPU_OK; k++) {
        fetch_turns(s, s->turns + k, n - k);
        if (!run_slot(s, s->turns[k])) break;
        if (k + 1 == n || s->turns[k + 1] % s->n_sms != s->turns[k] % s->n_sms)
            grid_check(s->m, s->grid);
    }
}

/* ---- the launch ---- */

static uint64_t earliest(const struct schedule *s) {
    uint64_t time = NEVER;
    for (uint32_t k = 0; k < s->n_sms; k++)
        if (s->earliest[k] < time) time = s->earliest[k];
    return time;
}

static bool make_lists(struct schedule *s) {
    uint32_t slots = s->grid->n_slots;
    size_t n = (size_t)slots * s->n_warps;
    s->earliest = malloc(s->n_sms * sizeof *s->earliest);
    s->clocks = calloc(slots, sizeof *s->clocks);
    s->states = calloc(n, 1);
    s->queued = calloc(slots, sizeof *s->queued);
    s->asleep = calloc(n, sizeof *s->asleep);
    s->places = calloc(slots, sizeof *s->places);
    s->turns = calloc(slots, sizeof *s->turns);
    if (!s->turns || !s->earliest || !s->clocks || !s->states || !s->queued ||
        !s->asleep || !s->places)
        return false;
    for (uint32_t k = 0; k < s->n_sms; k++) s->earliest[k] = NEVER;
    return true;
}

bool timed_make(struct schedule *s, struct machine *m, struct grid *grid) {
    *s = (struct schedule){.m = m,
                           .grid = grid,
                           .clock = clock_in(m),
                           .n_warps = (m->threads_per_block + WARP_LANES - 1) /
                                      WARP_LANES,
                           .n_sms = (uint32_t)m->profile->sms};
    if (!make_lists(s)) {
        m->status = VGPU_OUT_OF_MEMORY;
        return false;
    }
    if (!clock_launch_begins(m, grid->n_slots)) return false;
    s->window = clock_window(s->clock);
    s->reach = clock_far_window(s->clock);
    s->ahead = s->reach - s->window;
    for (uint32_t k = 0; k < grid->n_slots; k++)
        s->places[s->n_places++] =
            (struct place){clock_launch_start(s->clock), k};
    return true;
}

void timed_end(struct schedule *s) {
    clock_launch_ends(s->m);
    free(s->earliest);
    free(s->clocks);
    free(s->states);
    free(s->queued);
    free(s->asleep);
    free(s->places);
    free(s->turns);
}

uint64_t timed_next(struct schedule *s) {
    start_blocks(s);
    return earliest(s);
}

void timed_window(struct schedule *s, uint64_t time) {
    /* since the last window; or since others have run ahead */
    uint64_t from = time > s->end + s->reach ? time - s->reach : s->end;
    s->end = time + s->window;
    s->far = time + s->reach;
    for (uint32_t k = 0; k < s->n_asleep; k++)
        clock_charges_polls(s->clock, warp_clock(s, s->asleep[k]), from,
                            s->end);
    run_window(s);
    timed_wake(s);
}

/* Nobody goes on by himself. False: the launch is over. */
static bool set_free(struct schedule *s, uint32_t round) {
    struct machine *m = s->m;
    if (m->status != VGPU_OK || !timed_waits(s)) return false;
    if (timed_set_free(s, round)) return true;
    report_deadlock(m, s->grid->slots, s->grid->n_prepared,
                    s->grid->n_blocks - s->grid->next);
    return false;
}

/* A loop of mbarrier.try_wait never sleeps: each try ends after a while, and
 * the loop looks at the time. If every thread waits, and no word has changed
 * for so many windows, it may be a deadlock, although model time goes on. */
static bool all_wait_for_long(const struct schedule *s, uint64_t windows,
                              uint32_t quiet) {
    enum { LONG = 4096, AGAIN = 256 };
    return windows >= LONG + (uint64_t)AGAIN * quiet && grid_all_wait(s->grid);
}

static void run_all(struct schedule *s) {
    struct machine *m = s->m;
    uint32_t quiet = 0;
    uint64_t then = m->progress, windows = 0;
    while (m->status == VGPU_OK) {
        uint64_t time = timed_next(s);
        if (m->progress != then) windows = quiet = 0;
        then = m->progress;
        if (time != NEVER && !all_wait_for_long(s, ++windows, quiet))
            timed_window(s, time);
        else if (!set_free(s, quiet++))
            break;
    }
}

void timed_run(struct machine *m, struct grid *grid) {
    struct schedule s;
    if (timed_make(&s, m, grid)) run_all(&s);
    timed_end(&s);
}

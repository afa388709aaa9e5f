/* SPDX-License-Identifier: MIT
 *
 * timed_wait.c: warps that wait: at mbarriers, asleep until a word changes, and
 * for threads that cannot come.
 */
#include "async.h"
#include "timed.h"

enum { QUIET_ROUNDS = 48, LAST_TURN = 2000 };

bool timed_look_again(struct schedule *s, uint32_t slot) {
    const struct block *b = &s->grid->slots[slot];
    uint32_t first = slot * s->n_warps;
    bool some = false;
    for (uint32_t k = 0; k < s->n_warps; k++) {
        uint32_t n = first + k;
        if (s->states[n] != WARP_AT_MBARRIER || !can_run(&b->warps[k]))
            continue;
        queue(s, n);
        some = true;
    }
    return some;
}

/* ---- sleepers ---- */

void timed_wake(struct schedule *s) {
    if (s->m->progress == s->woken_at) return;
    s->woken_at = s->m->progress;
    uint32_t left = 0;
    for (uint32_t k = 0; k < s->n_asleep; k++) {
        uint32_t n = s->asleep[k];
        struct clock_warp *w = warp_clock(s, n);
        if (clock_wakes(s->clock, w, s->end))
            queue(s, n);
        else
            s->asleep[left++] = n;
    }
    s->n_asleep = left;
}

/* A thread that counts its polls may go on by itself: lets sleepers poll for a
 * while. */
static void run_sleepers(struct schedule *s) {
    struct machine *m = s->m;
    uint64_t then = m->progress;
    m->patient = true;
    for (uint32_t k = 0; k < s->n_asleep && m->progress == then; k++) {
        uint32_t n = s->asleep[k];
        clock_runs(s->clock, warp_clock(s, n), warp_of(s, n)->block, NEVER - 1,
                   NEVER - 1);
        if (warp_run(m, warp_of(s, n), LAST_TURN) == RUN_STOPPED) break;
    }
    m->patient = false;
}

static void wake_all(struct schedule *s) {
    for (uint32_t k = 0; k < s->n_asleep; k++) queue(s, s->asleep[k]);
    s->n_asleep = 0;
    uint32_t n = s->grid->n_prepared * s->n_warps;
    for (uint32_t k = 0; k < n; k++)
        if ((s->states[k] == WARP_PARKED || s->states[k] == WARP_AT_MBARRIER) &&
            can_run(warp_of(s, k)))
            queue(s, k);
}

bool timed_waits(const struct schedule *s) {
    bool waits = s->n_asleep != 0;
    for (uint32_t k = 0; k < s->grid->n_prepared; k++)
        waits |= s->grid->slots[k].running;
    return waits;
}

bool timed_set_free(struct schedule *s, uint32_t round) {
    struct machine *m = s->m;
    bool landed = false;
    for (uint32_t k = 0; k < s->grid->n_prepared; k++) {
        struct block *b = &s->grid->slots[k];
        if (b->running && b->async && b->async->n_flying)
            landed |= async_land(b);
    }
    if (!landed) {
        landed = async_drain(m);
        while (grid_break_join(m, s->grid)) landed = true;
    }
    if (round >= QUIET_ROUNDS / 2) run_sleepers(s);
    if (round >= QUIET_ROUNDS && !landed && !grid_skip_time(m) &&
        !grid_host_may_move(m, s->grid))
        return false;
    wake_all(s);
    return true;
}

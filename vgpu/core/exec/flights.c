/* SPDX-License-Identifier: MIT
 *
 * flights.c: launches of several GPUs that run at the same time.
 *
 * Each has a grid and a machine of its own; they take rounds, one after
 * another, as the blocks of one grid take turns (grid.c). What one of them
 * changes, the others may wait for: only where none of them can go on, there is
 * a deadlock.
 */
#include "clock.h"
#include "run.h"
#include "stuck.h"
#include "weak.h"

void flight_begin(struct flight *f, struct machine *m) {
    f->machine = m;
    f->grid.ended = !grid_begin(m, &f->grid, &f->context);
    if (f->grid.ended || !clock_in(m)) return;
    f->timed = timed_new(m, &f->grid);
    f->grid.ended = !f->timed;
}

void flight_end(struct flight *f) {
    weak_land(f->machine);
    timed_free(f->timed);
    if (f->grid.slots) grid_end(f->machine, &f->grid);
}

bool flight_is_over(const struct flight *f) {
    return f->grid.ended || f->machine->status != VGPU_OK;
}

/* What any of them changes, all may see. */
static uint64_t progress_of_all(struct flight *const *all, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += all[k]->machine->progress;
    return sum;
}

/* One round of each; the random schedule may leave some out. True: one is over.
 */
static bool round_of_all(struct flight *const *all, uint32_t n,
                         bool may_leave) {
    bool over = false;
    for (uint32_t j = 0; j < n; j++) {
        vgpu_schedule s = all[0]->machine->options->schedule;
        struct flight *f = all[s == VGPU_REVERSE ? n - 1 - j : j];
        struct machine *m = f->machine;
        if (s == VGPU_RANDOM && may_leave && random_next(&m->random) & 1)
            continue;
        m->memory->gpu = m->gpu;
        f->grid.ended = !flight_is_over(f) && !grid_round(m, &f->grid);
        over |= flight_is_over(f);
    }
    return over;
}

static bool all_of_all_wait(struct flight *const *all, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (!all[k]->machine->patient && !grid_all_wait(&all[k]->grid))
            return false;
    return true;
}

/* As all_quiet. True: something was set free. */
static bool some_freed(struct flight *const *all, uint32_t n) {
    bool some = false;
    for (uint32_t k = 0; k < n; k++)
        some |= grid_set_free(all[k]->machine, &all[k]->grid);
    return some;
}

static bool some_time_skipped(struct flight *const *all, uint32_t n) {
    bool some = false;
    for (uint32_t k = 0; k < n; k++) some |= grid_skip_time(all[k]->machine);
    return some;
}

static void set_patient(struct flight *const *all, uint32_t n, bool patient) {
    for (uint32_t k = 0; k < n; k++) all[k]->machine->patient = patient;
}

bool flights_run(struct flight *const *all, uint32_t n) {
    uint32_t quiet = 0;
    if (clock_in(all[0]->machine)) return timed_flights_run(all, n);
    set_patient(all, n, false);
    for (;;) {
        uint64_t before = progress_of_all(all, n);
        if (round_of_all(all, n, n > 1 && !quiet)) return true;
        bool changed = progress_of_all(all, n) != before;
        if (changed) set_patient(all, n, false);
        if (changed) quiet = 0;
        if (changed || !all_of_all_wait(all, n)) continue;
        if (++quiet < grid_enough_passes(all[0]->machine)) continue;
        if (!all[0]->machine->patient && some_freed(all, n)) quiet = 0;
        set_patient(all, n, quiet >= QUIET_PASSES);
        if (quiet < QUIET_PASSES + LAST_PASSES) continue;
        if (!some_time_skipped(all, n)) return false;
        quiet = 0;
    }
}

void flights_are_stuck(struct flight *const *all, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const struct grid *g = &all[k]->grid;
        report_deadlock(all[k]->machine, g->slots, g->n_prepared,
                        g->n_blocks - g->next);
        if (all[k]->machine->status != VGPU_OK) return;
    }
}

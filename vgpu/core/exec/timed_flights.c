/* SPDX-License-Identifier: MIT
 *
 * timed_flights.c: launches of several GPUs, in the order of model time: each
 * has a schedule of its own (timed.c), and all have their windows at the same
 * time. A window is no longer than a message between blocks of one GPU takes,
 * and one between GPUs takes longer.
 */
#include <stdlib.h>

#include "timed.h"

struct schedule *timed_new(struct machine *m, struct grid *grid) {
    struct schedule *s = calloc(1, sizeof *s);
    if (!s) {
        m->status = VGPU_OUT_OF_MEMORY;
        return NULL;
    }
    if (timed_make(s, m, grid)) return s;
    timed_free(s);
    return NULL;
}

void timed_free(struct schedule *s) {
    if (!s) return;
    timed_end(s);
    free(s);
}

static uint64_t timed_progress(struct flight *const *all, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += all[k]->machine->progress;
    return sum;
}

/* When the earliest warp of all goes on. *over: one has ended. */
static uint64_t next_of_all(struct flight *const *all, uint32_t n, bool *over) {
    uint64_t first = NEVER;
    for (uint32_t k = 0; k < n; k++) {
        struct flight *f = all[k];
        f->machine->memory->gpu = f->machine->gpu;
        uint64_t time = flight_is_over(f) ? NEVER : timed_next(f->timed);
        if (time == NEVER && !timed_waits(f->timed)) f->grid.ended = true;
        if (time < first) first = time;
        *over |= flight_is_over(f);
    }
    return first;
}

/* What one GPU has changed, those of others may poll. */
static void windows_of_all(struct flight *const *all, uint32_t n,
                           uint64_t time) {
    uint64_t before = timed_progress(all, n);
    for (uint32_t k = 0; k < n; k++) {
        all[k]->machine->memory->gpu = all[k]->machine->gpu;
        timed_window(all[k]->timed, time);
    }
    if (timed_progress(all, n) == before) return;
    for (uint32_t k = 0; k < n; k++) {
        all[k]->timed->woken_at = NEVER;
        timed_wake(all[k]->timed);
    }
}

static bool some_timed_free(struct flight *const *all, uint32_t n,
                            uint32_t round) {
    bool some = false;
    for (uint32_t k = 0; k < n; k++)
        some |= timed_set_free(all[k]->timed, round);
    return some;
}

bool timed_flights_run(struct flight *const *all, uint32_t n) {
    uint32_t quiet = 0;
    uint64_t then = timed_progress(all, n);
    for (;;) {
        bool over = false;
        uint64_t time = next_of_all(all, n, &over);
        if (over) return true;
        if (timed_progress(all, n) != then) quiet = 0;
        then = timed_progress(all, n);
        if (time != NEVER)
            windows_of_all(all, n, time);
        else if (!some_timed_free(all, n, quiet++))
            return false;
    }
}

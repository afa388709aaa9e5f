/* SPDX-License-Identifier: MIT
 *
 * timed.h: the schedule of model time, shared by timed.c (windows, turns) and
 * timed_wait.c (who waits, and is woken).
 */
#pragma once

#include "clock.h"
#include "run.h"

#define NEVER UINT64_MAX

enum warp_state {
    WARP_GONE,
    WARP_QUEUED,
    WARP_PARKED,
    WARP_AT_MBARRIER, /* parked at a wait, which it executes again when a phase
                     is complete */
    WARP_ASLEEP
};

struct place {     /* of a block */
    uint64_t time; /* free from then on */
    uint32_t slot;
};

struct queued {      /* warps of a slot */
    uint32_t mask;   /* those that are queued */
    bool copies;     /* its block has copies, which may land in any window */
    uint64_t first;  /* a lower bound of their times */
    uint64_t window; /* a lower bound of window_of: no warp of the slot has a
                        turn in a window that ends at this time or before */
};

struct schedule {
    struct machine *m;
    struct grid *grid;
    struct clock *clock;
    uint32_t n_warps, n_sms;    /* n_warps: of a block */
    struct clock_warp **clocks; /* of a slot's first warp */
    uint8_t *states;            /* enum warp_state */
    struct queued *queued;      /* by slot */
    uint64_t *earliest; /* for each multiprocessor: a lower bound of the times
                       of its queued warps */
    uint32_t *asleep, n_asleep; /* warps by number among all places of warps */
    uint32_t *turns;            /* slots that have a turn in the window */
    struct place *places;
    uint32_t n_places;
    uint64_t end, far; /* end of the window; and for instructions that other
                      blocks do not notice */
    uint64_t window, reach; /* how long they are */
    uint64_t ahead;         /* far - end */
    uint64_t woken_at;      /* progress when sleepers were looked at last */
};

static inline struct clock_warp *warp_clock(struct schedule *s, uint32_t warp) {
    return s->clocks[warp / s->n_warps] + warp % s->n_warps;
}

/* The warp has a turn in a window that ends after this time. */
static inline uint64_t window_of(const struct schedule *s,
                                 const struct clock_warp *w) {
    if (w->at_message) return w->time;
    return w->time > s->ahead ? w->time - s->ahead : 0;
}

static inline void note(struct schedule *s, uint32_t slot,
                        const struct clock_warp *w) {
    struct queued *q = &s->queued[slot];
    uint64_t window = window_of(s, w);
    if (window < q->window) q->window = window;
    if (w->time < q->first) q->first = w->time;
    uint64_t *earliest = &s->earliest[slot % s->n_sms];
    if (w->time < *earliest) *earliest = w->time;
}

static inline void queue(struct schedule *s, uint32_t warp) {
    uint32_t slot = warp / s->n_warps;
    s->states[warp] = WARP_QUEUED;
    s->queued[slot].mask |= 1u << warp % s->n_warps;
    note(s, slot, warp_clock(s, warp));
}

static inline void leave_queue(struct schedule *s, uint32_t warp,
                               enum warp_state state) {
    s->states[warp] = (uint8_t)state;
    s->queued[warp / s->n_warps].mask &= ~(1u << warp % s->n_warps);
}

static inline struct warp *warp_of(struct schedule *s, uint32_t warp) {
    return &s->grid->slots[warp / s->n_warps].warps[warp % s->n_warps];
}

static inline bool can_run(const struct warp *w) {
    for (uint32_t g = 0; g < w->n_groups; g++)
        if (w->groups[g].state == GROUP_READY) return true;
    return false;
}

/* ---- a launch, in parts (timed.c) ---- */
/* timed_make: the schedule of a launch. False: it has to end at once, as
 * machine.status says; timed_end is called all the same. */
bool timed_make(struct schedule *, struct machine *, struct grid *);
void timed_end(struct schedule *);
/* Starts blocks in places that have become free; when the earliest warp goes
 * on; NEVER: none does. */
uint64_t timed_next(struct schedule *);
/* Runs the window that begins at this time. */
void timed_window(struct schedule *, uint64_t time);

/* ---- waiting (timed_wait.c) ---- */
/* Some block has not ended. */
bool timed_waits(const struct schedule *);
/* Warps of the block in this slot that wait at mbarriers execute their waits
 * again. */
bool timed_look_again(struct schedule *, uint32_t slot);
/* Wakes the sleeping warps whose polled word has changed. */
void timed_wake(struct schedule *);
/* Called when no warp is ready, for the round-th time in a row: makes one ready
 * (breaks a join, skips time, ...). False: nothing is left that could. */
bool timed_set_free(struct schedule *, uint32_t round);

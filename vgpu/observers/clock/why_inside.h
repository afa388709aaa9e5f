/* SPDX-License-Identifier: MIT
 *
 * why_inside.h: the record of why (why.h), shared by its files.
 */
#pragma once

#include "clock_inside.h"
#include "why.h"

struct step {
    uint64_t time; /* its end */
    uint32_t before, refs;
    uint32_t at; /* instruction; cause << AT_BITS */
    uint32_t block;
};

/* The steps behind the times of a clock_warp. */
struct why_warp {
    uint32_t now, latest, stored, moved, poll, block;
    bool woken; /* it polls, and sees a message now */
    /* For the timeline: what it does, since when; the last message it had. */
    uint8_t phase;
    uint32_t heard_block;
    uint64_t phase_from, heard;
    uint32_t phase_at; /* the instruction that its longest part waits for */
    uint64_t phase_longest;
    uint32_t *ready;
};

struct why {
    struct charges *charges;
    struct step *steps;
    uint32_t n, room, unused; /* unused: a list of free ones, by before */
    bool cut;                 /* there was no room for more */
    bool counts_steps;
    uint32_t n_functions, n_at;
    uint32_t *first; /* number of a function's first instruction */
    uint64_t *waits; /* of all warps: [instruction][cause] */
    uint32_t at;     /* the instruction that runs; 0: none */
    uint32_t block;  /* its block */
    struct why_warp *warps;
    uint32_t *ready;
    uint32_t *ended;  /* by slot: the last step of the block that was there */
    uint32_t started; /* of the last block that the device started */
    uint32_t issued, done, next; /* of the instruction that runs */
    uint32_t message;            /* not counted: the last one that it read */
    uint32_t end;
};

enum { AT_BITS = 24, ROOT = 1 /* the step of the launch's start */ };

static inline uint32_t at_of(const struct step *s) {
    return s->at & ((1u << AT_BITS) - 1);
}

static inline vgpu_cause cause_of(const struct step *s) {
    return (vgpu_cause)(s->at >> AT_BITS);
}

bool why_grows(struct why *); /* room for more steps (path.c) */

static inline struct why_warp *why_of(const struct clock *k,
                                      const struct clock_warp *w) {
    return &k->why->warps[w - k->warps];
}

/* Stores the step in *place, with its reference. */
void why_take(struct why *, uint32_t *place, uint32_t step);
/* Extends the time of *place until `time`, by a step with this cause. */
void why_go_on(struct why *, uint32_t *place, vgpu_cause, uint64_t time);
/* The warp's time is this step's end. */
void why_moves(struct clock *, struct why_warp *, uint32_t step);

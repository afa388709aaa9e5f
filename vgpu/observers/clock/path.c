/* SPDX-License-Identifier: MIT
 *
 * path.c: what is known of a launch when it is over: its critical path, which
 * is the chain of steps (why.h) behind its end, and what its warps waited for.
 */
#include "why_inside.h"

#include <string.h>

enum { FIRST_STEPS = 1 << 14, MOST_STEPS = 1 << 22 };

bool why_grows(struct why *y) {
    uint32_t room = y->room ? y->room * 2 : FIRST_STEPS;
    if (room > MOST_STEPS) return false;
    struct step *steps = charges_bytes(y->charges, room * sizeof *steps, NULL);
    if (!steps) return false;
    if (y->n) memcpy(steps, y->steps, y->n * sizeof *steps);
    charges_free(y->charges, y->steps);
    y->steps = steps;
    y->room = room;
    return true;
}

/* Instruction 0 is none. */
static bool number_instructions(struct why *y, const struct program *p) {
    y->n_functions = p->n_functions;
    y->first = charges_zeroed(y->charges,
                              (y->n_functions + 1) * sizeof *y->first, NULL);
    uint64_t n = 1;
    for (uint32_t f = 0; y->first && f < p->n_functions; f++) {
        y->first[f] = (uint32_t)n;
        if (p->functions[f].decoded) n += p->functions[f].n_code;
    }
    y->n_at = (uint32_t)n;
    return y->first && n < 1u << AT_BITS;
}

static bool make_warps(struct why *y, const struct clock *k) {
    uint64_t n = (uint64_t)k->n_slots * k->warps_per_block;
    y->warps = charges_zeroed(y->charges, n * sizeof *y->warps, NULL);
    y->ready =
        charges_zeroed(y->charges, n * k->n_registers * sizeof *y->ready, NULL);
    y->ended = charges_zeroed(y->charges, k->n_slots * sizeof *y->ended, NULL);
    y->waits = charges_zeroed(
        y->charges, (uint64_t)y->n_at * VGPU_N_CAUSES * sizeof *y->waits, NULL);
    if (!y->warps || !y->ready || !y->ended || !y->waits) return false;
    for (uint64_t w = 0; w < n; w++)
        y->warps[w].ready = y->ready + w * k->n_registers;
    return true;
}

void why_free(struct clock *k) {
    struct why *y = k->why;
    if (!y) return;
    charges_free(y->charges, y->steps);
    charges_free(y->charges, y->warps);
    charges_free(y->charges, y->ready);
    charges_free(y->charges, y->ended);
    charges_free(y->charges, y->waits);
    charges_free(y->charges, y->first);
    charges_free(y->charges, y);
    k->why = NULL;
}

bool why_begins(struct machine *m, struct clock *k) {
    struct why *y = k->why = charges_zeroed(k->charges, sizeof *y, NULL);
    if (!y) return false;
    y->charges = k->charges;
    y->counts_steps = k->profile->counts_steps;
    if (number_instructions(y, m->program) && make_warps(y, k) &&
        why_grows(y)) {
        y->n = ROOT + 1;
        y->steps[0] = (struct step){0};
        y->steps[ROOT] = (struct step){.time = k->begin, .refs = 1};
        why_take(y, &y->started, ROOT);
        why_go_on(y, &y->started, VGPU_CAUSE_LAUNCH,
                  y->counts_steps ? 0 : clock_launch_start(k));
        return true;
    }
    why_free(k);
    return false;
}

/* ---- for the device ---- */

bool clock_path(const struct clock *k, clock_path_fn *each, void *user) {
    const struct why *y = k->why;
    uint64_t path = k->profile->counts_steps
                        ? k->most.depth * k->profile->cycle_ps
                        : k->launch.ps;
    if (!y || y->cut || y->steps[y->end].time != k->begin + path) return false;
    for (uint32_t s = y->end; s > ROOT; s = y->steps[s].before) {
        const struct step *e = &y->steps[s];
        each(user, &(struct clock_piece){.at = at_of(e),
                                         .block = e->block,
                                         .cause = cause_of(e),
                                         .from = y->steps[e->before].time,
                                         .to = e->time});
    }
    return true;
}

uint64_t clock_launch_begin(const struct clock *k) {
    return k->begin;
}

void clock_forget_why(struct clock *k) {
    why_free(k);
}

uint32_t clock_instructions(const struct clock *k) {
    return k->why->n_at;
}

uint32_t clock_instruction(const struct clock *k, uint32_t function) {
    return k->why->first[function];
}

const uint64_t *clock_waits(const struct clock *k, uint32_t at) {
    return k->why->waits + (uint64_t)at * VGPU_N_CAUSES;
}

bool clock_has_why(const struct clock *k) {
    return k->why != NULL;
}

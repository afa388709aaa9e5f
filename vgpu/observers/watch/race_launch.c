/* SPDX-License-Identifier: MIT
 *
 * race_launch.c: what racecheck does when launches and blocks begin and end.
 */
#include "race_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CLOCK_BYTES (1ull << 29)

/* Eras have few bits: before they start again at 1, all shadows are cleared. */
static uint32_t next_era(const struct machine *m) {
    uint32_t era = (uint32_t)(m->grid_id % LAST_ERA) + 1;
    for (size_t k = 0; era == 1 && k < m->memory->n_allocations; k++) {
        struct allocation *a = m->memory->allocations[k];
        if (a->race) m->memory->raced_bytes -= a->size;
        charges_free(&m->memory->charges, a->race);
        a->race = NULL;
    }
    return era;
}

/* They keep their numbers until another function is decoded. */
static void number_function(struct function *f, uint32_t first) {
    uint32_t n = f->n_code;
    if (!n || f->code[n - 1].number == first + n - 1) return;
    for (uint32_t k = 0; k < n; k++) f->code[k].number = first + k;
}

/* Gives every instruction a number. False: out of memory, or too many
 * instructions. */
static bool number_insns(const struct machine *m, struct race_state *r) {
    struct program *p = m->program;
    uint64_t n = 0;
    r->first_insn = calloc(p->n_functions, sizeof *r->first_insn);
    if (!r->first_insn) return false;
    for (uint32_t f = 0; f < p->n_functions; f++) {
        r->first_insn[f] = (uint32_t)n;
        number_function(&p->functions[f], (uint32_t)n);
        n += p->functions[f].n_code;
    }
    return n < 1ull << INSN_BITS;
}

void race_stop(struct machine *m, const char *what, const char *mend) {
    if (m->race && m->race->stopped) return;
    if (m->race) m->race->stopped = true;
    m->incomplete(m->user, VGPU_CHECK_RACECHECK, what, mend);
}

void race_launch_begins(struct machine *m) {
    struct race_state *r = calloc(1, sizeof *r);
    uint64_t n_blocks = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    uint64_t numbered =
        m->program->copies_later ? n_blocks * (1 + RACE_CHANNELS) : n_blocks;
    if (!r || !number_insns(m, r) || numbered > UINT32_MAX) {
        if (r) free(r->first_insn);
        free(r);
        race_stop(m,
                  numbered > UINT32_MAX ? "the grid has too many blocks"
                                        : "there is no memory for its state",
                  "fewer blocks");
        return;
    }
    r->mores.charges = &m->memory->charges;
    r->era = next_era(m);
    r->n_blocks = n_blocks;
    r->scoped = m->program->block_scopes;
    bool weak = m->options->memory_model == VGPU_MEMORY_WEAK;
    bool flags = weak || m->program->has_flags;
    if (flags) r->versions = race_versions_new(weak, &m->memory->charges);
    r->exact[true] = m->program->parts_blocks || m->program->copies_later;
    r->orders = m->program->has_fences || r->exact[true];
    r->exact[false] = r->orders;
    clock_pool_init(&r->clocks, numbered, MOST_CLOCK_BYTES,
                    &m->memory->charges);
    r->clocks.lacks = flags && !r->versions;
    m->race = r;
}

void race_launch_ends(struct machine *m) {
    struct race_state *r = m->race;
    if (!r) return;
    if (r->clocks.lacks)
        race_stop(m, "no memory is left for what threads know of each other",
                  "fewer blocks");
    race_report_unnamed(m);
    race_versions_free(&r->clocks, r->versions);
    race_more_free(&r->mores);
    clock_pool_free(&r->clocks);
    free(r->first_insn);
    free(r);
    m->race = NULL;
}

void race_slot_made(struct block *b) {
    if (!b->machine->race) return;
    b->race_shadow = race_shared_shadow(b->machine);
    b->race = charges_zeroed(&b->machine->memory->charges, sizeof *b->race,
                             "what racecheck remembers of its blocks");
    if (!b->race || !b->race_shadow) b->machine->status = VGPU_OUT_OF_MEMORY;
}

static void drop(struct clock_pool *p, clock_tree *views) {
    for (int v = 0; views && v < RACE_VIEWS; v++) clock_drop(p, &views[v]);
}

/* What the slot's block knew. */
static void forget_known(struct block *b) {
    struct clock_pool *p = &b->machine->race->clocks;
    drop(p, b->race->view);
    clock_drop(p, &b->race->done);
    if (b->race->async) race_async_forget(b);
    b->race->done_barrier = 0;
    for (int k = 0; k < N_BARRIERS + 2; k++)
        if (b->race->meetings[k]) drop(p, b->race->meetings[k]->view);
    b->race->parted = false;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        for (uint32_t l = 0; w->race_parted && l < WARP_LANES; l++)
            drop(p, w->race[l].view);
        for (uint32_t l = 0; w->race && b->race->unacquired && l < WARP_LANES;
             l++)
            race_unacquired_drop(p, &w->race[l].unacquired);
        if (w->race_parted) memset(w->race, 0, WARP_LANES * sizeof *w->race);
        w->race_parted = 0;
        w->race_sync = 0;
    }
    b->race->unacquired = false;
}

void race_block_starts(struct block *b) {
    struct machine *m = b->machine;
    if (!m->race) return;
    if (b->race_era++ == LAST_ERA) {
        charges_free(&m->memory->charges, b->race_shadow);
        b->race_shadow = race_shared_shadow(m);
        m->race->clocks.lacks |= !b->race_shadow;
        b->race_era = 1;
        b->race_base = 0;
    }
    b->race_base += b->race_clock;
    b->race_clock = 1;
    b->race_barrier = 0;
    forget_known(b);
}

void race_slot_freed(struct block *b) {
    struct charges *charges = &b->machine->memory->charges;
    if (b->machine->race && b->race) {
        forget_known(b);
        for (int k = 0; k < N_BARRIERS + 2; k++)
            charges_free(charges, b->race->meetings[k]);
        if (b->race->async) charges_free(charges, b->race->async->proxies);
        charges_free(charges, b->race->async);
    }
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        charges_free(charges, b->warps[k].race);
    charges_free(charges, b->race);
    charges_free(charges, b->race_shadow);
}

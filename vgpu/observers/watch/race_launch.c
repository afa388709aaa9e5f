/* SPDX-License-Identifier: MIT
 *
 * race_launch.c: what racecheck does when launches and blocks begin and end.
 */
#include "race_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "children.h"
#include "translate.h"

#define MOST_CLOCK_BYTES (1ull << 29)

/* Eras have few bits: before they start again at 1, all shadows are cleared. */
static uint32_t next_era(const struct machine *m) {
    uint32_t era = (uint32_t)(m->grid_id % LAST_ERA) + 1;
    for (size_t k = 0; era == 1 && k < m->memory->n_allocations; k++) {
        memory_drop_shadow(m->memory, m->memory->allocations[k], OBSERVER_RACE);
    }
    return era;
}

void race_stop(struct machine *m, const char *what, const char *mend) {
    if (race_of(m) && race_of(m)->stopped) return;
    if (race_of(m)) race_of(m)->stopped = true;
    m->incomplete(m->user, VGPU_CHECK_RACECHECK, what, mend);
}

static void too_many(struct machine *m, struct race_state *r) {
    if (r) race_gpus_free(r);
    free(r);
    race_stop(m, N_("the grid has too many blocks"), "fewer blocks");
}

static bool shares(const struct machine *m) {
    return m->n_gpus > 1 || m->family;
}

static bool join(struct machine *m, struct race_state *r) {
    return m->family ? race_kin_join(m, r) : race_gpus_join(m, r);
}

/* The state of others, where it is that of this launch, too. */
static struct race_state *of_others(const struct machine *m) {
    if (m->family) return m->family->slots[OBSERVER_RACE];
    return m->beside ? race_of(m->beside) : NULL;
}

void race_launch_begins(struct machine *m) {
    struct race_state *r = of_others(m);
    if (r) {
        m->slots[OBSERVER_RACE] = r;
        if (m->family) next_era(m);
        if (join(m, r)) return;
        race_stop(m, N_("the grid has too many blocks"), "fewer blocks");
        if (m->family) m->slots[OBSERVER_RACE] = NULL;
        return;
    }
    if (m->family && m->child) return; /* the host's launch had none */
    r = calloc(1, sizeof *r);
    uint64_t n_blocks = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    bool copies = m->program->copies_later || m->n_gpus > 1;
    if (shares(m)) n_blocks = RACE_MOST_FLOWN;
    uint64_t numbered = copies ? n_blocks * (1 + RACE_CHANNELS) : n_blocks;
    if (!r || m->program->n_numbers >= 1u << INSN_BITS ||
        numbered > UINT32_MAX) {
        free(r);
        race_stop(m,
                  numbered > UINT32_MAX
                      ? N_("the grid has too many blocks")
                      : N_("there is no memory for its state"),
                  "fewer blocks");
        return;
    }
    r->mores.charges = &m->memory->charges;
    r->era = next_era(m);
    r->n_blocks = n_blocks;
    r->scoped = m->program->block_scopes || race_has_groups(m);
    bool weak = m->options->memory_model == VGPU_MEMORY_WEAK;
    bool flags = weak || m->program->has_flags || m->n_gpus > 1;
    if (flags) r->versions = race_versions_new(weak, &m->memory->charges);
    r->exact[true] = m->program->parts_blocks || copies || cluster_in(m);
    if (cluster_in(m) && m->n_gpus == 1) {
        memcpy(r->grid, m->grid, sizeof r->grid);
        memcpy(r->cluster, m->cluster, sizeof r->cluster);
    }
    r->orders = m->program->has_fences || r->exact[true] || m->family;
    r->exact[false] = r->orders;
    clock_pool_init(&r->clocks, numbered, MOST_CLOCK_BYTES,
                    &m->memory->charges);
    r->clocks.lacks = flags && !r->versions;
    if (shares(m) && !join(m, r)) {
        race_versions_free(&r->clocks, r->versions);
        clock_pool_free(&r->clocks);
        too_many(m, r);
        return;
    }
    m->slots[OBSERVER_RACE] = r;
}

void race_launch_ends(struct machine *m) {
    struct race_state *r = race_of(m);
    if (!r) return;
    if (r->has_kin) {
        race_kin_leave(m);
        return;
    }
    if (r->has_gpus && race_gpus_leave(m, r)) return;
    race_state_end(m, r);
}

void race_state_end(struct machine *m, struct race_state *r) {
    if (r->clocks.lacks)
        race_stop(m, "no memory is left for what threads know of each other",
                  "fewer blocks");
    race_report_unnamed(m);
    race_versions_free(&r->clocks, r->versions);
    race_more_free(&r->mores);
    race_gpus_free(r);
    clock_pool_free(&r->clocks);
    free(r);
    m->slots[OBSERVER_RACE] = NULL;
}

void race_slot_made(struct block *b) {
    if (!race_of(b->machine)) return;
    race_block_of(b)->shadow = race_shared_shadow(b->machine);
    if (!race_block_of(b)->shadow) b->machine->status = VGPU_OUT_OF_MEMORY;
}

static void drop(struct clock_pool *p, clock_tree *views) {
    for (int v = 0; views && v < RACE_VIEWS; v++) clock_drop(p, &views[v]);
}

/* What the slot's block knew. */
static void forget_known(struct block *b) {
    struct clock_pool *p = &race_of(b->machine)->clocks;
    drop(p, race_block_of(b)->view);
    clock_drop(p, &race_block_of(b)->done);
    if (race_block_of(b)->async) race_async_forget(b);
    race_block_of(b)->done_barrier = 0;
    for (int k = 0; k < N_BARRIERS + 2; k++)
        if (race_block_of(b)->meetings[k])
            drop(p, race_block_of(b)->meetings[k]->view);
    race_block_of(b)->parted = false;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        for (uint32_t l = 0; race_warp_of(w)->parted && l < WARP_LANES; l++)
            drop(p, race_warp_of(w)->threads[l].view);
        for (uint32_t l = 0; race_warp_of(w)->threads &&
                             race_block_of(b)->unacquired && l < WARP_LANES;
             l++)
            race_unacquired_drop(p, &race_warp_of(w)->threads[l].unacquired);
        if (race_warp_of(w)->parted)
            memset(race_warp_of(w)->threads, 0,
                   WARP_LANES * sizeof *race_warp_of(w)->threads);
        race_warp_of(w)->parted = 0;
        race_warp_of(w)->sync = 0;
    }
    race_block_of(b)->unacquired = false;
}

void race_block_starts(struct block *b) {
    struct machine *m = b->machine;
    if (!race_of(m)) return;
    if (race_block_of(b)->era++ == LAST_ERA) {
        charges_free(&m->memory->charges, race_block_of(b)->shadow);
        race_block_of(b)->shadow = race_shared_shadow(m);
        race_of(m)->clocks.lacks |= !race_block_of(b)->shadow;
        race_block_of(b)->era = 1;
        race_block_of(b)->base = 0;
    }
    race_block_of(b)->base += race_block_of(b)->clock;
    race_block_of(b)->clock = 1;
    race_block_of(b)->barrier = 0;
    forget_known(b);
    const struct race_grid *g = race_grid_of(m, b->linear << 10);
    if (g && g->known)
        race_block_of(b)->view[RACE_KNOWN] = clock_keep(g->known);
}

void race_slot_freed(struct block *b) {
    struct charges *charges = &b->machine->memory->charges;
    if (race_of(b->machine)) {
        forget_known(b);
        for (int k = 0; k < N_BARRIERS + 2; k++)
            charges_free(charges, race_block_of(b)->meetings[k]);
        if (race_block_of(b)->async)
            charges_free(charges, race_block_of(b)->async->proxies);
        charges_free(charges, race_block_of(b)->async);
    }
    for (uint32_t k = 0; k < b->n_warps; k++)
        charges_free(charges, race_warp_of(&b->warps[k])->threads);
    charges_free(charges, race_block_of(b)->remotes);
    charges_free(charges, race_block_of(b)->shadow);
}

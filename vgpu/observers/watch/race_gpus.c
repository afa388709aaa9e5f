/* SPDX-License-Identifier: MIT
 *
 * race_gpus.c: launches of several GPUs that run at the same time have one
 * state, in which each has its numbers of blocks. Two scopes are kept apart:
 * what is released to the threads of one GPU, and to all (race_known.c,
 * race_sync.c).
 *
 * A launch that begins while others run comes behind all that have ended:
 * whether streams and events order them is for ordercheck.
 */
#include "race_inside.h"

#include <stdlib.h>
#include <string.h>

static const struct race_grid *race_gpus_find(const struct race_state *r,
                                              uint64_t who) {
    uint64_t block = block_of(who);
    if (block >= r->n_blocks) block = (block - r->n_blocks) / RACE_CHANNELS;
    uint32_t low = 0, high = r->n_grids; /* the last one that begins there */
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (r->grids[mid].first <= block)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? &r->grids[low - 1] : NULL;
}

const struct race_grid *race_grid_of(const struct machine *m, uint64_t who) {
    const struct race_state *r = race_of(m);
    return r && r->n_grids ? race_gpus_find(r, who) : NULL;
}

struct program *race_program_of(const struct machine *m, uint64_t who) {
    const struct race_grid *g = race_grid_of(m, who);
    return g ? g->program : m->program;
}

/* The number of the block's cluster. */
static uint64_t cluster_number(const struct race_state *r, uint64_t who) {
    uint64_t block = block_of(who), at = 0;
    if (block >= r->n_blocks) block = (block - r->n_blocks) / RACE_CHANNELS;
    uint64_t x = block % r->grid[0], y = block / r->grid[0] % r->grid[1];
    uint64_t z = block / r->grid[0] / r->grid[1];
    at = z / r->cluster[2];
    at = at * (r->grid[1] / r->cluster[1]) + y / r->cluster[1];
    return at * (r->grid[0] / r->cluster[0]) + x / r->cluster[0];
}

uint64_t race_group_of(const struct race_state *r, uint64_t who) {
    const struct race_grid *g = r->has_gpus ? race_gpus_find(r, who) : NULL;
    return g ? g->gpu : r->cluster[0] ? cluster_number(r, who) : 0;
}

struct race_grid *race_grid_add(struct machine *m, struct race_state *r) {
    uint64_t n = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    bool full = !(r->n_grids & (r->n_grids - 1)); /* 0, or a power of two */
    struct race_grid *grown =
        full ? realloc(r->grids, (2ull * r->n_grids + 1) * sizeof *grown)
             : r->grids;
    if (grown) r->grids = grown;
    if (!grown || m->first_block + n > RACE_MOST_FLOWN) return NULL;
    struct race_grid *g = &r->grids[r->n_grids++];
    *g = (struct race_grid){.first = m->first_block,
                            .n = n,
                            .program = m->program,
                            .gpu = m->gpu,
                            .kernel = m->kernel->ptx->name};
    memcpy(g->grid, m->grid, sizeof g->grid);
    memcpy(g->block, m->block, sizeof g->block);
    return g;
}

bool race_gpus_join(struct machine *m, struct race_state *r) {
    r->has_gpus = true;
    r->n_machines++;
    struct race_grid *g = race_grid_add(m, r);
    if (g) g->known = clock_keep(r->ended);
    return g != NULL;
}

bool race_gpus_leave(struct machine *m, struct race_state *r) {
    enum { LATER_THAN_ALL = INT32_MAX };
    uint64_t n = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    if (--r->n_machines == 0) return false;
    for (uint64_t b = m->first_block; b < m->first_block + n; b++) {
        clock_raise(&r->clocks, &r->ended, b << 10, CLOCK_BLOCK,
                    LATER_THAN_ALL);
        for (uint64_t k = 0; m->program->copies_later && k < RACE_CHANNELS; k++)
            clock_raise(&r->clocks, &r->ended,
                        (r->n_blocks + b * RACE_CHANNELS + k) << 10,
                        CLOCK_BLOCK, LATER_THAN_ALL);
    }
    race_report_unnamed(m);
    r->unnamed = NULL;
    r->n_unnamed = 0;
    m->slots[OBSERVER_RACE] = NULL;
    return true;
}

void race_gpus_free(struct race_state *r) {
    for (uint32_t k = 0; k < r->n_grids; k++)
        clock_drop(&r->clocks, &r->grids[k].known);
    clock_drop(&r->clocks, &r->ended);
    free(r->grids);
    r->grids = NULL;
    r->n_grids = 0;
}

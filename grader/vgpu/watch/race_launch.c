/* SPDX-License-Identifier: MIT
 *
 * race_launch.c: what racecheck does when launches and blocks begin and end.
 */
#include "race_inside.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VIEWED_BLOCKS = 2048 };

/* Eras have few bits: before they start again at 1, all shadows are cleared. */
static uint32_t next_era(const struct machine *m) {
    uint32_t era = (uint32_t)(m->grid_id % LAST_ERA) + 1;
    for (size_t k = 0; era == 1 && k < m->memory->n_allocations; k++) {
        free(m->memory->allocations[k]->race);
        m->memory->allocations[k]->race = NULL;
    }
    return era;
}

/* Gives every instruction a number. False: out of memory, or too many
 * instructions. */
static bool number_insns(const struct machine *m, struct race_state *r) {
    const struct program *p = m->program;
    uint64_t n = 0;
    r->first_insn = calloc(p->n_functions, sizeof *r->first_insn);
    if (!r->first_insn) return false;
    for (uint32_t f = 0; f < p->n_functions; f++) {
        r->first_insn[f] = (uint32_t)n;
        n += p->functions[f].n_code;
    }
    return n < 1ull << INSN_BITS;
}

void race_launch_begins(struct machine *m) {
    struct race_state *r = calloc(1, sizeof *r);
    if (!r) return;
    r->n_blocks = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    r->era = next_era(m);
    r->too_many = r->n_blocks > MAX_VIEWED_BLOCKS;
    r->table = calloc(SYNC_BUCKETS, sizeof *r->table);
    r->known = calloc(r->too_many ? 1 : r->n_blocks, sizeof *r->known);
    r->done = calloc(r->too_many ? 1 : r->n_blocks, sizeof *r->done);
    if (!number_insns(m, r) || !r->table || !r->known || !r->done ||
        r->n_blocks > UINT32_MAX) {
        free(r->first_insn);
        free(r->table);
        free(r->known);
        free(r->done);
        free(r);
        return;
    }
    m->race = r;
}

void race_launch_ends(struct machine *m) {
    struct race_state *r = m->race;
    if (!r) return;
    for (uint32_t k = 0; k < SYNC_BUCKETS; k++)
        while (r->table[k]) {
            struct race_sync *next = r->table[k]->next;
            race_view_release(r->table[k]->view);
            race_view_release(r->table[k]->done);
            free(r->table[k]);
            r->table[k] = next;
        }
    for (uint64_t b = 0; !r->too_many && b < r->n_blocks; b++) {
        race_view_release(r->known[b]);
        race_view_release(r->done[b]);
    }
    free(r->first_insn);
    free(r->table);
    free(r->known);
    free(r->done);
    free(r);
    m->race = NULL;
}

void race_slot_made(struct block *b) {
    if (b->machine->race) b->race_shadow = race_shared_shadow(b->machine);
}

void race_block_starts(struct block *b) {
    struct machine *m = b->machine;
    if (!m->race) return;
    if (b->race_era++ == LAST_ERA) {
        free(b->race_shadow);
        b->race_shadow = race_shared_shadow(m);
        b->race_era = 1;
        b->race_base = 0;
    }
    b->race_base += b->race_clock;
    b->race_clock = 1;
    b->race_barrier = b->race_fenced = b->n_race_seen = 0;
    b->race_block_fenced = 0;
    race_view_release(b->race_view);
    b->race_view = NULL;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        memset(w->race_sync, 0, sizeof w->race_sync);
        memset(w->race_known, 0, sizeof w->race_known);
        memset(w->race_seen, 0, sizeof w->race_seen);
    }
}

void race_slot_freed(struct block *b) {
    race_view_release(b->race_view);
    free(b->race_shadow);
}

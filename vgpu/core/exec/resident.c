/* SPDX-License-Identifier: MIT
 *
 * resident.c: what resident blocks and their warps have while a grid runs:
 * shared and local memory, frames; and how a block begins in a slot.
 */
#include <stddef.h>
#include <string.h>

#include "async.h"
#include "child_errors.h"
#include "clock.h"
#include "frames.h"
#include "groups.h"
#include "observers.h"
#include "run.h"
#include "watch.h"

/* Fills shared and local memory with a pattern. Zeros would make a program
 * right here that is wrong on a GPU; between blocks nothing clears this memory.
 */
enum { LEFT_BY_OTHERS = 0xc5, LOCAL_FOR_CALLS = 16384 };

static void *memory_of_others(struct machine *m, size_t size,
                              const char *what) {
    void *bytes = charges_bytes(&m->memory->charges, size, what);
    return bytes ? memset(bytes, LEFT_BY_OTHERS, size) : NULL;
}

static uint64_t warps_of(const struct machine *m) {
    return (m->threads_per_block + WARP_LANES - 1) / WARP_LANES;
}

static uint64_t blocks_together(const struct grid *g) {
    return g->n_slots < g->n_blocks ? g->n_slots : g->n_blocks;
}

/* Model time visits all resident warps all the time. What they have is found
 * sooner in few large pages of this computer than in many small ones. */
static uint64_t together(const struct machine *m, const struct grid *g) {
    return blocks_together(g) * warps_of(m);
}

static uint64_t bytes_together(const struct machine *m, const struct grid *g) {
    return together(m, g) *
           (sizeof(struct warp) + (uint64_t)m->kernel->register_bytes);
}

static void take_together(struct machine *m, const struct grid *g) {
    enum { WORTH_IT = 1 << 21 };
    uint64_t bytes = bytes_together(m, g);
    if (bytes < WORTH_IT) return;
    m->all_registers = charges_map(&m->memory->charges, bytes, NULL);
    if (m->all_registers)
        m->all_warps =
            (struct warp *)(void *)(m->all_registers +
                                    together(m, g) * m->kernel->register_bytes);
}

static uint8_t *registers_of(const struct machine *m, const struct block *b,
                             uint32_t warp) {
    uint64_t number = (uint64_t)b->slot * b->n_warps + warp;
    uint8_t *all = m->all_registers;
    return all ? all + number * m->kernel->register_bytes : NULL;
}

static bool prepare_warp(struct machine *m, struct block *b, uint32_t index) {
    struct warp *w = &b->warps[index];
    w->block = b;
    w->index = index;
    uint32_t local = m->kernel->local_bytes;
    if (m->kernel->needs_stack) local += LOCAL_FOR_CALLS;
    w->local_bytes = local;
    if (local)
        w->local = memory_of_others(m, (size_t)WARP_LANES * local,
                                    "local memory of its resident threads");
    if (local && !w->local) return false;
    w->root = frame_root(m, w, registers_of(m, b, index));
    if (!w->root) return false;
    w->root->references = 1;
    return true;
}

/* All but the groups, of which there are many: group_add sets them. */
static void clear_warps(struct block *b) {
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        memset(&b->warps[k], 0, offsetof(struct warp, groups));
}

bool block_prepare(struct machine *m, struct block *b, uint32_t slot) {
    memset(b, 0, sizeof *b);
    b->machine = m;
    b->slot = slot;
    b->sm =
        slot % (uint32_t)m->profile->sms + m->gpu * (uint32_t)m->profile->sms;
    b->n_warps = (uint32_t)warps_of(m);
    b->warps = m->all_warps ? m->all_warps + (uint64_t)slot * b->n_warps
                            : charges_bytes(&m->memory->charges,
                                            b->n_warps * sizeof *b->warps,
                                            "its resident warps");
    clear_warps(b);
    b->shared.bytes = memory_of_others(m, m->shared_bytes + 16,
                                       "shared memory of its resident blocks");
    if (!b->warps || !b->shared.bytes) return false;
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (!prepare_warp(m, b, k)) return false;
    if (!observers_make_block(b)) return false;
    watch_slot_made(m->watching, b);
    return m->status == VGPU_OK;
}

static void block_free(struct machine *m, struct block *b) {
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        while (w->joins) {
            struct join *next = w->joins->next;
            frame_release(m, w->joins->frame);
            charges_free(&m->memory->charges, w->joins);
            w->joins = next;
        }
        /* Frames of calls cut short by a fault */
        for (uint32_t j = 0; j < w->n_groups; j++)
            if (w->groups[j].state != GROUP_FREE) {
                watch_works(m->watching, m, &w->groups[j]);
                frame_release(m, w->groups[j].frame);
            }
        frame_free(m, w->root);
        charges_free(&m->memory->charges, w->local);
        charges_free(&m->memory->charges, w->seen);
    }
    async_block_freed(b);
    child_block_freed(b);
    observers_free_block(b);
    if (!m->all_warps) charges_free(&m->memory->charges, b->warps);
    charges_free(&m->memory->charges, b->shared.bytes);
}

void resident_begin(struct machine *m, const struct grid *g) {
    if (clock_in(m)) take_together(m, g);
}

void resident_end(struct machine *m, struct grid *g) {
    uint64_t local = blocks_together(g) * m->threads_per_block * m->local_used;
    if (local > m->memory->local_bytes) m->memory->local_bytes = local;
    for (uint32_t s = 0; s < g->n_prepared; s++) block_free(m, &g->slots[s]);
    charges_unmap(&m->memory->charges, m->all_registers, bytes_together(m, g));
    m->all_registers = NULL;
    m->all_warps = NULL;
}

void block_start(struct machine *m, struct block *b, uint64_t linear) {
    b->linear = m->first_block + linear;
    b->index[0] = (uint32_t)(linear % m->grid[0]);
    b->index[1] = (uint32_t)(linear / m->grid[0] % m->grid[1]);
    b->index[2] = (uint32_t)(linear / m->grid[0] / m->grid[1]);
    b->running = true;
    b->n_done = 0;
    watch_block_starts(m->watching, b);
    async_block_started(b);
    b->barriers_used = b->barriers_passed = b->pauses = 0;
    b->cluster_used = b->meets = false;
    if (m->options->clears_shared)
        memset(b->shared.bytes, 0, m->shared_bytes + 16);
    memset(b->barriers, 0, sizeof b->barriers);
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        uint32_t threads = m->threads_per_block - k * WARP_LANES;
        w->live = threads >= WARP_LANES ? FULL_MASK : (1u << threads) - 1;
        w->n_groups = 0;
        memset(w->at_barrier, 0, sizeof w->at_barrier);
        w->at_cluster = 0;
        frame_enter_block(w->root, b);
        group_add(w, w->live, 0, w->root, NULL);
    }
    m->progress++;
}

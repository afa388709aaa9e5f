/* SPDX-License-Identifier: MIT
 *
 * grid.c: decides which blocks are resident, whose turn it is, and when nobody
 * can go on.
 *
 * Up to n_slots blocks are resident. In order and reversed, a slot keeps its
 * turn until it has to wait or the turn is over, and the next block starts only
 * when all resident blocks have had a turn. So a block may rely on the progress
 * of resident blocks, but not on the order in which blocks start. The random
 * schedule fills all slots at once and chooses slot, warp and length of turn at
 * random.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "async.h"
#include "frames.h"
#include "groups.h"
#include "run.h"
#include "stuck.h"
#include "waiting.h"
#include "weak.h"

enum {
    TURN = 20000,
    RANDOM_TURN = 200,
    LOCAL_FOR_CALLS = 16384,
    /* in each, a group that waits polls all words of its loop once */
    QUIET_PASSES = 2 * POLL_SLOTS + 8,
    LAST_PASSES = 2,       /* after that, before a deadlock is reported */
    FIRST_AHEAD = 1 << 20, /* ns, or cycles: a millisecond */
    LAST_TURN = 2000
};
#define MOST_AHEAD (1ull << 42) /* an hour */

/* ---- slots ---- */

/* Fills shared and local memory with a pattern. Zeros would make a program
 * right here that is wrong on a GPU; between blocks nothing clears this memory.
 */
enum { LEFT_BY_OTHERS = 0xc5 };

static void *memory_of_others(struct machine *m, size_t size,
                              const char *what) {
    void *bytes = charges_bytes(&m->memory->charges, size, what);
    return bytes ? memset(bytes, LEFT_BY_OTHERS, size) : NULL;
}

static uint64_t warps_of(const struct machine *m) {
    return (m->threads_per_block + WARP_LANES - 1) / WARP_LANES;
}

/* Model time visits all resident warps all the time. What they have is found
 * sooner in few large pages of this computer than in many small ones. */
static void take_together(struct machine *m, const struct grid *g) {
    enum { WORTH_IT = 1 << 23 };
    struct charges *c = &m->memory->charges;
    uint64_t slots = g->n_slots < g->n_blocks ? g->n_slots : g->n_blocks;
    uint64_t n = slots * warps_of(m), bytes = n * m->kernel->register_bytes;
    if (!m->clock || n * sizeof(struct warp) + bytes < WORTH_IT) return;
    m->all_warps = charges_bytes(c, n * sizeof(struct warp), NULL);
    m->all_registers = charges_bytes(c, bytes, NULL);
    charges_large_pages(m->all_warps, n * sizeof(struct warp));
    charges_large_pages(m->all_registers, bytes);
}

static bool prepare_warp(struct machine *m, struct block *b, uint32_t index) {
    uint64_t number = (uint64_t)b->slot * b->n_warps + index;
    uint8_t *all = m->all_registers;
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
    w->root =
        frame_root(m, w, all ? all + number * m->kernel->register_bytes : NULL);
    if (!w->root) return false;
    w->root->references = 1;
    return true;
}

/* All but the groups, of which there are many: group_add sets them. */
static void clear_warps(struct block *b) {
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        memset(&b->warps[k], 0, offsetof(struct warp, groups));
}

static bool block_prepare(struct machine *m, struct block *b, uint32_t slot) {
    memset(b, 0, sizeof *b);
    b->machine = m;
    b->slot = slot;
    b->sm = slot % (uint32_t)m->profile->sms;
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
                spin_stop(m, &w->groups[j]);
                frame_release(m, w->groups[j].frame);
            }
        frame_free(m, w->root);
        charges_free(&m->memory->charges, w->local);
    }
    async_block_freed(b);
    watch_slot_freed(m->watching, b);
    if (!m->all_warps) charges_free(&m->memory->charges, b->warps);
    charges_free(&m->memory->charges, b->shared.bytes);
}

static void block_start(struct machine *m, struct block *b, uint64_t linear) {
    b->linear = linear;
    b->index[0] = (uint32_t)(linear % m->grid[0]);
    b->index[1] = (uint32_t)(linear / m->grid[0] % m->grid[1]);
    b->index[2] = (uint32_t)(linear / m->grid[0] / m->grid[1]);
    b->running = true;
    b->n_done = 0;
    watch_block_starts(m->watching, b);
    async_block_started(b);
    b->barriers_used = b->barriers_passed = 0;
    b->cluster_used = false;
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

/* ---- one turn of a block ---- */

static uint32_t turn_length(struct machine *m) {
    if (m->patient) return LAST_TURN;
    if (m->options->schedule != VGPU_RANDOM) return TURN;
    uint32_t longest = m->options->longest_turn;
    return 1 + (uint32_t)(random_next(&m->random) %
                          (longest ? longest : RANDOM_TURN));
}

static bool is_stopped(struct machine *m) {
    /* Asking costs a system call or two, and waiting warps have short turns. */
    if (!m->options->should_stop) return false;
    if (++m->unasked < 8192 && m->executed - m->asked_at < TURN) return false;
    m->unasked = 0;
    m->asked_at = m->executed;
    m->stopped = m->options->should_stop(m->options->user);
    return m->stopped;
}

/* Runs the block until each warp waits, spins or has had a turn. */
static void block_turn(struct machine *m, struct block *b) {
    bool random = m->options->schedule == VGPU_RANDOM;
    bool reverse = m->options->schedule == VGPU_REVERSE;
    bool again = true;
    if (b->async) async_pass(b);
    for (int rounds = 0; again && rounds < (random || m->patient ? 1 : 16);
         rounds++) {
        again = false;
        uint32_t start =
            random ? (uint32_t)(random_next(&m->random) % b->n_warps) : 0;
        for (uint32_t j = 0; j < b->n_warps; j++) {
            uint32_t k = start + (reverse ? b->n_warps - 1 - j : j);
            if (k >= b->n_warps) k -= b->n_warps;
            struct warp *w = &b->warps[k];
            if (!w->live) continue;
            enum run_result r = warp_run(m, w, turn_length(m));
            if (r == RUN_STOPPED) return;
            /* Asked after each warp, because some instructions take long
             * (printf). */
            if (is_stopped(m)) {
                m->status = VGPU_LAUNCH_TIMEOUT;
                return;
            }
            if (r == RUN_TURN_OVER || r == RUN_DONE) again = true;
        }
        if (b->n_done == b->n_warps) {
            b->running = false;
            async_block_ended(b);
            m->executed_then = m->executed;
            m->progress++;
            return;
        }
        /* A barrier may have opened after the turn of a warp that waited at it.
         */
        for (uint32_t k = 0; k < b->n_warps && !again; k++)
            for (uint32_t g = 0; g < b->warps[k].n_groups; g++)
                again |= b->warps[k].groups[g].state == GROUP_READY &&
                         b->warps[k].groups[g].polls.same < SPIN_THRESHOLD;
        if (!again && b->async && b->async->n_flying) again = async_land(b);
    }
}

/* ---- nobody can go on ---- */

bool grid_break_join(struct machine *m, struct grid *grid) {
    (void)m;
    struct block *slots = grid->slots;
    for (uint32_t s = 0; s < grid->n_prepared; s++)
        for (uint32_t k = 0; slots[s].running && k < slots[s].n_warps; k++) {
            struct warp *w = &slots[s].warps[k];
            bool ready = false;
            for (uint32_t g = 0; g < w->n_groups; g++)
                ready |= w->groups[g].state == GROUP_READY ||
                         w->groups[g].state == GROUP_AT_MBARRIER;
            if (w->live && ready && warp_break_join(w)) return true;
        }
    return false;
}

/* ---- the grid ---- */

static uint64_t block_number(const struct machine *m, const struct grid *g,
                             uint64_t k) {
    return m->options->schedule == VGPU_REVERSE ? g->n_blocks - 1 - k : k;
}

bool grid_start(struct machine *m, struct grid *g, uint32_t s) {
    if (s == g->n_prepared) {
        if (!block_prepare(m, &g->slots[s], s)) {
            g->n_prepared++;
            m->status = VGPU_OUT_OF_MEMORY;
            return false;
        }
        g->n_prepared++;
    }
    block_start(m, &g->slots[s], block_number(m, g, g->next++));
    return true;
}

/* Starts the next block in a free slot. False: none free, or none left. */
static bool start_block(struct machine *m, struct grid *g) {
    if (g->next == g->n_blocks) return false;
    uint32_t s = 0;
    while (s < g->n_prepared && g->slots[s].running) s++;
    return s < g->n_slots && grid_start(m, g, s);
}

static bool any_running(const struct grid *g) {
    for (uint32_t s = 0; s < g->n_prepared; s++)
        if (g->slots[s].running) return true;
    return false;
}

/* Every group that could run has polled and seen nothing new. */
static bool all_wait(const struct grid *g) {
    for (uint32_t s = 0; s < g->n_prepared; s++) {
        const struct block *b = &g->slots[s];
        for (uint32_t k = 0; b->running && k < b->n_warps; k++)
            for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
                const struct group *x = &b->warps[k].groups[j];
                if (x->state == GROUP_READY && x->polls.same < SPIN_THRESHOLD)
                    return false;
            }
    }
    return true;
}

static struct grid_progress progress_of(const struct machine *m,
                                        const struct grid *g) {
    struct grid_progress p = {.executed = m->executed,
                              .since = m->executed - m->executed_then,
                              .n_blocks = g->n_blocks,
                              .done = g->next};
    for (uint32_t s = 0; s < g->n_prepared; s++) p.done -= g->slots[s].running;
    return p;
}

void grid_check(struct machine *m, struct grid *g) {
    if (m->status == VGPU_OK && is_stopped(m)) m->status = VGPU_LAUNCH_TIMEOUT;
    /* A block counts as an instruction, because a kernel may have none. */
    if (m->executed + g->next < m->budget || m->status != VGPU_OK) return;
    report_budget(m, g->slots, g->n_prepared, progress_of(m, g));
}

static void run_pass(struct machine *m, struct grid *g) {
    bool random = m->options->schedule == VGPU_RANDOM;
    uint32_t n = g->n_prepared;
    uint32_t start = random && n ? (uint32_t)(random_next(&m->random) % n) : 0;
    for (uint32_t j = 0; j < n && m->status == VGPU_OK; j++) {
        struct block *b = &g->slots[(start + j) % n];
        if (b->running) block_turn(m, b);
        grid_check(m, g);
    }
}

/* Everybody waits, and somebody reads a clock meanwhile: a wait with a time
 * limit ends by itself. The time until then is skipped, twice as much each
 * time. */
bool grid_skip_time(struct machine *m) {
    if (m->clock_reads == m->clock_reads_then || m->clock_ahead >= MOST_AHEAD)
        return false;
    m->clock_reads_then = m->clock_reads;
    m->clock_ahead += m->clock_ahead + FIRST_AHEAD;
    return true;
}

/* Nothing has changed for some passes. True: something was set free, or the
 * launch has ended. */
static bool all_quiet(struct machine *m, struct grid *g, uint32_t passes) {
    /* Joins are broken early, because parting costs little. Waiting stores may
     * still end the wait without that. */
    uint32_t enough = weak_waits(m) ? QUIET_PASSES : QUIET_PASSES / 4;
    if (passes < enough) return false;
    if (!m->patient &&
        (async_drain(m) || weak_drain(m) || grid_break_join(m, g)))
        return true;
    /* A thread that polls may count its polls and go on by itself soon. */
    m->patient = passes >= QUIET_PASSES;
    if (passes < QUIET_PASSES + LAST_PASSES) return false;
    if (grid_skip_time(m)) return true;
    report_deadlock(m, g->slots, g->n_prepared, g->n_blocks - g->next);
    return true;
}

static void run_in_turns(struct machine *m, struct grid *g) {
    bool eager = m->options->schedule == VGPU_RANDOM || m->all_resident;
    uint32_t quiet = 0;
    while (m->status == VGPU_OK) {
        bool started = start_block(m, g);
        while (eager && start_block(m, g)) {
        }
        if (!started && !any_running(g)) break;
        uint64_t before = m->progress;
        run_pass(m, g);
        weak_pass(m);
        bool changed = m->progress != before || m->status != VGPU_OK;
        bool waits = m->patient || all_wait(g);
        if (changed || (waits && all_quiet(m, g, ++quiet))) quiet = 0;
        m->patient &= !changed;
    }
}

void grid_run(struct machine *m) {
    struct grid g = {.n_blocks = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2],
                     .n_slots = m->n_slots};
    struct context context = {.machine = m};
    lane_set_fill(&context.of_group, FULL_MASK);
    m->context = &context;
    m->watching = watchers_of(m);
    m->loop = m->clock ? 2 : m->track_data;
    m->load = load_for(m->watching);
    m->store = store_for(m->watching);
    watch_launch_begins(m->watching, m);
    g.slots = calloc(g.n_slots, sizeof *g.slots);
    if (!g.slots) {
        m->status = VGPU_OUT_OF_MEMORY;
        return;
    }
    take_together(m, &g);
    if (m->clock)
        timed_run(m, &g);
    else
        run_in_turns(m, &g);
    if (m->stopped && m->options->stop_is_finding)
        report_budget(m, g.slots, g.n_prepared, progress_of(m, &g));
    for (uint32_t s = 0; s < g.n_prepared; s++) block_free(m, &g.slots[s]);
    free(g.slots);
    charges_free(&m->memory->charges, m->all_warps);
    charges_free(&m->memory->charges, m->all_registers);
    m->all_warps = NULL;
    m->all_registers = NULL;
    exec_free_frames(m);
    spin_free_traces(m);
    async_end(m);
    watch_launch_ends(m->watching, m);
}

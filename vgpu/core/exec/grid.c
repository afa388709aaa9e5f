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
#include <stdlib.h>

#include "async.h"
#include "barrier.h"
#include "child_errors.h"
#include "clock.h"
#include "cluster.h"
#include "frames.h"
#include "groups.h"
#include "observers.h"
#include "run.h"
#include "stuck.h"
#include "weak.h"
#include "watch.h"

enum {
    TURN = 20000,
    RANDOM_TURN = 200,
    FIRST_AHEAD = 1 << 20, /* ns, or cycles: a millisecond */
    LAST_TURN = 2000
};
#define MOST_AHEAD (1ull << 42) /* an hour */

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

void grid_block_ends(struct machine *m, struct block *b) {
    b->running = false;
    async_block_ended(b);
    if (b->errors) child_block_ended(b);
    m->executed_then = m->executed;
    m->progress++;
    if (!cluster_in(m)) return;
    struct block *first = cluster_first(b);
    for (uint32_t k = 0; k < m->cluster_blocks; k++)
        if (first[k].running) return;
    watch_cluster_ends(m->watching, first);
}

/* Runs the block until each warp waits, spins or has had a turn. */
static void block_turn(struct machine *m, struct block *b) {
    bool random = m->options->schedule == VGPU_RANDOM;
    bool reverse = m->options->schedule == VGPU_REVERSE;
    bool again = true;
    if (b->async) async_pass(b);
    enum { ROUNDS = 16, LAST_ROUND = ROUNDS - 1, PASSES = 4 };
    for (int rounds = 0; again && rounds < (random || m->patient ? 1 : ROUNDS);
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
            if (r == RUN_PAUSES) {
                rounds = LAST_ROUND;
                b->pauses = (uint32_t)(random_next(&m->random) % PASSES);
            }
            /* Asked after each warp, because some instructions take long
             * (printf). */
            if (is_stopped(m)) {
                m->status = VGPU_LAUNCH_TIMEOUT;
                return;
            }
            again |= r == RUN_TURN_OVER || r == RUN_PAUSES || r == RUN_DONE;
        }
        if (b->n_done == b->n_warps) {
            grid_block_ends(m, b);
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
    if (b->meets) block_meet(b);
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
    return m->options->schedule == VGPU_REVERSE &&
                   !m->options->numbers_as_started
               ? g->n_blocks - 1 - k
               : k;
}

/* The number of the block of this rank in the k-th cluster to start. */
static uint64_t block_of_cluster(const struct machine *m, const struct grid *g,
                                 uint64_t k, uint32_t rank) {
    struct grid clusters = {.n_blocks = g->n_blocks / m->cluster_blocks};
    uint64_t left = block_number(m, &clusters, k), at[3];
    for (int d = 0; d < 3; d++) {
        uint32_t n = m->grid[d] / m->cluster[d];
        at[d] = left % n * m->cluster[d] + rank % m->cluster[d];
        left /= n;
        rank /= m->cluster[d];
    }
    return at[0] + m->grid[0] * (at[1] + m->grid[1] * at[2]);
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
    uint64_t k = g->next++;
    g->slots[s].rank = s % m->cluster_blocks;
    block_start(m, &g->slots[s],
                cluster_in(m) ? block_of_cluster(m, g, k / m->cluster_blocks,
                                                 g->slots[s].rank)
                              : block_number(m, g, k));
    return true;
}

/* Starts the blocks of the next cluster in free slots, one beside another.
 * False: there are no such slots. */
static bool start_cluster(struct machine *m, struct grid *g) {
    uint32_t n = m->cluster_blocks, s = 0, busy;
    for (; s + n <= g->n_slots; s += n) {
        for (busy = 0; busy < n; busy++)
            if (s + busy < g->n_prepared && g->slots[s + busy].running) break;
        if (busy == n) break;
    }
    if (s + n > g->n_slots) return false;
    for (uint32_t k = 0; k < n; k++)
        if (!grid_start(m, g, s + k)) return false;
    return true;
}

/* Starts the next block in a free slot. False: none free, or none left. */
static bool start_block(struct machine *m, struct grid *g) {
    if (g->next == g->n_blocks) return false;
    if (cluster_in(m)) return start_cluster(m, g);
    uint32_t s = 0;
    while (s < g->n_prepared && g->slots[s].running) s++;
    return s < g->n_slots && grid_start(m, g, s);
}

static bool any_running(const struct grid *g) {
    for (uint32_t s = 0; s < g->n_prepared; s++)
        if (g->slots[s].running) return true;
    return false;
}

bool grid_all_wait(const struct grid *g) {
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

/* For long nothing has changed, and clocks were read all the time: a wait for
 * a time, in which nobody polls a word. */
static void pass_idle_time(struct machine *m) {
    enum { LONG = 1 << 18, DENSE = 32 /* instructions to a read */ };
    uint64_t executed = m->executed - m->idle_executed;
    bool changed = m->progress != m->idle_progress;
    if (!changed && executed < LONG) return;
    uint64_t reads = m->clock_reads - m->idle_reads;
    if (!changed && reads * DENSE >= executed) grid_skip_time(m);
    m->idle_progress = m->progress;
    m->idle_executed = m->executed;
    m->idle_reads = m->clock_reads;
}

void grid_check(struct machine *m, struct grid *g) {
    pass_idle_time(m);
    if (m->status == VGPU_OK && is_stopped(m)) m->status = VGPU_LAUNCH_TIMEOUT;
    /* A block counts as an instruction, because a kernel may have none. */
    if (m->executed + g->next < m->budget || m->status != VGPU_OK) return;
    report_budget(m, g->slots, g->n_prepared, progress_of(m, g));
}

static void run_pass(struct machine *m, struct grid *g) {
    bool random = m->options->schedule == VGPU_RANDOM;
    uint32_t n = g->n_prepared;
    bool back = cluster_in(m) && m->options->schedule == VGPU_REVERSE;
    uint32_t start = random && n ? (uint32_t)(random_next(&m->random) % n) : 0;
    for (uint32_t j = 0; j < n && m->status == VGPU_OK; j++) {
        struct block *b = &g->slots[back ? n - 1 - j : (start + j) % n];
        if (b->pauses)
            b->pauses--;
        else if (b->running)
            block_turn(m, b);
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

/* Some thread polls a word that the host sees, too, and the host may still
 * write there: it has had its answer, and asks for nothing. */
bool grid_host_may_move(struct machine *m, const struct grid *g) {
    for (uint32_t s = 0; m->options->host_may_move && s < g->n_prepared; s++) {
        const struct block *b = &g->slots[s];
        for (uint32_t k = 0; b->running && k < b->n_warps; k++)
            for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
                const struct group *x = &b->warps[k].groups[j];
                const struct allocation *a =
                    x->state == GROUP_READY && x->polls.at
                        ? memory_range(m->memory, x->polls.address, 1)
                        : NULL;
                if (a && a->is_mapped)
                    return m->options->host_may_move(m->options->host);
            }
    }
    return false;
}

bool grid_set_free(struct machine *m, struct grid *g) {
    return async_drain(m) || weak_drain(m) || grid_break_join(m, g);
}

/* Joins are broken early, because parting costs little. Waiting stores may
 * still end the wait without that. */
uint32_t grid_enough_passes(const struct machine *m) {
    return weak_waits(m) ? QUIET_PASSES : QUIET_PASSES / 4;
}

/* Nothing has changed for some passes. True: something was set free, or the
 * launch has ended. */
static bool all_quiet(struct machine *m, struct grid *g, uint32_t passes) {
    if (passes < grid_enough_passes(m)) return false;
    if (!m->patient && grid_set_free(m, g)) return true;
    /* A thread that polls may count its polls and go on by itself soon. */
    m->patient = passes >= QUIET_PASSES;
    if (passes < QUIET_PASSES + LAST_PASSES) return false;
    if (grid_skip_time(m) || grid_host_may_move(m, g)) return true;
    report_deadlock(m, g->slots, g->n_prepared, g->n_blocks - g->next);
    return true;
}

bool grid_round(struct machine *m, struct grid *g) {
    bool eager = m->options->schedule == VGPU_RANDOM || m->all_resident;
    bool started = start_block(m, g);
    while (eager && start_block(m, g)) {
    }
    if (!started && !any_running(g)) return false;
    run_pass(m, g);
    weak_pass(m);
    return true;
}

static void run_in_turns(struct machine *m, struct grid *g) {
    uint32_t quiet = 0;
    while (m->status == VGPU_OK) {
        uint64_t before = m->progress;
        if (!grid_round(m, g)) break;
        bool changed = m->progress != before || m->status != VGPU_OK;
        bool waits = m->patient || grid_all_wait(g);
        if (changed || (waits && all_quiet(m, g, ++quiet))) quiet = 0;
        m->patient &= !changed;
    }
}

bool grid_begin(struct machine *m, struct grid *g, struct context *context) {
    *g = (struct grid){.n_blocks =
                           (uint64_t)m->grid[0] * m->grid[1] * m->grid[2],
                       .n_slots = m->n_slots};
    *context = (struct context){.machine = m};
    lane_set_fill(&context->of_group, FULL_MASK);
    m->context = context;
    if (!observers_begin(m)) return false;
    m->loop = (uint8_t)((clock_in(m) ? 2 : 0) + m->track_data);
    m->load = load_for(m->watching);
    m->store = store_for(m->watching);
    watch_launch_begins(m->watching, m);
    g->slots = calloc(g->n_slots, sizeof *g->slots);
    if (!g->slots) {
        m->status = VGPU_OUT_OF_MEMORY;
        return false;
    }
    resident_begin(m, g);
    return true;
}

void grid_end(struct machine *m, struct grid *g) {
    if (m->stopped && m->options->stop_is_finding)
        report_budget(m, g->slots, g->n_prepared, progress_of(m, g));
    resident_end(m, g);
    free(g->slots);
    exec_free_frames(m);
    async_end(m);
    watch_launch_ends(m->watching, m);
}

void grid_run(struct machine *m) {
    struct grid g;
    struct context context;
    if (!grid_begin(m, &g, &context)) return;
    if (clock_in(m))
        timed_run(m, &g);
    else
        run_in_turns(m, &g);
    grid_end(m, &g);
}

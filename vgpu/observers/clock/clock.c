/* SPDX-License-Identifier: MIT
 *
 * clock.c: the clock of a device, and the launches on it.
 */
#include "children.h"
#include "clock_inside.h"
#include "links.h"
#include "timeline.h"
#include "why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_ALONE = 8, /* so many a warp may do before another's turn */
    FAR_PS = N_SLOTS / 8 * 3 * SLOT_PS, /* of what units remember */
    STEPS_WARPS = 8192                  /* resident, where steps are counted */
};

static void set_times(struct clock *k) {
    const struct clock_profile *p = k->profile;
#define CYCLES(n) ((uint64_t)(n)*p->cycle_ps / 1000)
    k->at = (struct clock_times){
        .shared = CYCLES(p->shared_cycles),
        .shared_way = CYCLES(p->shared_way_cycles),
        .shared_wavefront = CYCLES(p->shared_wavefront_cycles),
        .shared_atomic = CYCLES(p->shared_atomic_cycles),
        .shared_atomic_way = CYCLES(p->shared_atomic_way_cycles),
        .line = CYCLES(p->line_cycles),
        .l1 = CYCLES(p->l1_cycles),
        .l2 = CYCLES(p->l2_cycles),
        .dram = CYCLES(p->dram_cycles),
        .atomic = CYCLES(p->atomic_cycles),
        .store = CYCLES(p->store_cycles),
        .fence = CYCLES(p->fence_cycles),
        .fence_stored = CYCLES(p->fence_stored_cycles),
        .barrier = CYCLES(p->barrier_cycles),
        .barrier_warp = CYCLES(p->barrier_warp_cycles),
        .block = CYCLES(p->block_cycles),
        .mbarrier = CYCLES(p->mbarrier_cycles),
        .mbarrier_arrive = CYCLES(p->mbarrier_arrive_cycles),
        .mbarrier_unit = CYCLES(p->mbarrier_unit_cycles),
        .bulk = CYCLES(p->bulk_cycles),
        .bulk_read = CYCLES(p->bulk_read_cycles),
        .bulk_written = CYCLES(p->bulk_written_cycles),
        .small_copy = CYCLES(p->small_copy_cycles),
        .lone_l1 = CYCLES(p->lone_l1_cycles),
        .l1_lines = CYCLES(p->l1_lines_cycles),
        .l1_way = CYCLES(p->l1_way_cycles),
        .l2_way = CYCLES(p->l2_way_cycles),
        .l2_line = CYCLES(p->l2_line_cycles),
        .constant = CYCLES(p->constant_cycles),
        .constant_way = CYCLES(p->constant_way_cycles),
        .constant_word = CYCLES(p->constant_word_cycles),
        .constant_miss = CYCLES(p->constant_miss_cycles),
        .constant_first = CYCLES(p->constant_first_cycles),
        .load = CYCLES(p->load_cycles),
        .link_load = CYCLES(p->link_load_cycles),
        .link_atomic = CYCLES(p->link_atomic_cycles),
        .link_store = CYCLES(p->link_store_cycles),
        .cycle = p->cycle_ps};
#undef CYCLES
}

static const char tables[] = "the clock's tables of units and caches";

struct clock *clock_new(const char *profile, bool all_messages,
                        struct charges *charges) {
    struct clock *k = calloc(1, sizeof *k);
    if (!k || !clock_profile_find(profile, &k->own)) {
        free(k);
        return NULL;
    }
    const struct clock_profile *p = k->profile = &k->own;
    snprintf(k->name, sizeof k->name, "%s", profile);
    k->charges = charges;
    k->all_messages = all_messages;
    k->messages = &k->own_messages;
    set_times(k);
    if (p->counts_steps) return k;
    k->atomic_places = charges_zeroed(
        charges, ATOMIC_PLACES * sizeof *k->atomic_places, tables);
    if (k->atomic_places && calendar_make(&k->l2, p->l2_rate, charges) &&
        calendar_make(&k->dram, p->dram_rate, charges) &&
        calendar_make(&k->atomics, p->atomic_rate, charges) &&
        l2_make(&k->tags, (uint64_t)p->l2_kib << 10, charges))
        return k;
    clock_free(k);
    return NULL;
}

static void free_sms(struct clock *k) {
    for (uint32_t s = 0; k->sms && s < k->n_sms; s++)
        charges_free(k->charges, k->sms[s].l1.lines);
    charges_free(k->charges, k->sms);
    k->sms = NULL;
}

void clock_free(struct clock *k) {
    if (!k) return;
    why_free(k);
    timeline_free(k);
    free_sms(k);
    charges_free(k->charges, k->l2.slots);
    charges_free(k->charges, k->dram.slots);
    charges_free(k->charges, k->atomics.slots);
    charges_free(k->charges, k->tags.pieces);
    charges_free(k->charges, k->atomic_places);
    charges_free(k->charges, k->own_messages.list);
    charges_free(k->charges, k->tally.of_block);
    links_leave(k);
    free(k);
}

const struct clock_profile *clock_profile_of(const struct clock *k) {
    return k->profile;
}

const char *clock_name(const struct clock *k) {
    return k->name;
}

bool clock_takes_all_messages(const struct clock *k) {
    return k->all_messages;
}

bool clock_kept_messages(const struct clock *k) {
    return !k->messages->lost;
}

/* ---- a launch ---- */

static uint32_t most_registers(const struct program *p) {
    uint32_t most = 0;
    for (uint32_t f = 0; f < p->n_functions; f++)
        if (p->functions[f].decoded && p->functions[f].register_bytes > most)
            most = p->functions[f].register_bytes;
    return (most >> 6) + 1;
}

static const char states[] = "the clock's state of resident warps";

static bool make_warps(struct machine *m, struct clock *k) {
    struct charges *charges = &m->memory->charges;
    uint64_t n = (uint64_t)k->n_slots * k->warps_per_block;
    k->n_registers = most_registers(m->program);
    k->warps = charges_bytes(charges, n * sizeof *k->warps, states);
    uint64_t bytes = n * k->n_registers * sizeof *k->ready;
    k->ready = charges_map(charges, bytes, states);
    k->n_functions = m->program->n_functions;
    k->ops =
        charges_zeroed(charges, (k->n_functions + 1) * sizeof *k->ops, states);
    for (uint64_t w = 0; k->warps && w < n; w++)
        k->warps[w] =
            (struct clock_warp){.ready = k->ready + w * k->n_registers};
    if (!k->warps || !k->ready || !k->ops) return false;
    return true;
}

static bool make_sms(struct machine *m, struct clock *k) {
    uint32_t n = (uint32_t)m->profile->sms;
    if (k->sms && k->n_sms == n) return true;
    free_sms(k);
    k->n_sms = n;
    k->sms = charges_zeroed(k->charges, n * sizeof *k->sms, tables);
    charges_large_pages(k->sms, n * sizeof *k->sms);
    return k->sms != NULL;
}

/* How long a launch that a kernel asked for begins after what it waits for has
 * ended. */
static uint64_t child_gap(const struct clock_profile *p,
                          const struct child *child) {
    uint64_t gap = child->is_first ? p->child_first_ps : p->child_ps;
    return gap ? gap : p->launch_ps;
}

/* The call takes the host's time; the kernel begins when the queue is there. */
static void enqueue(struct clock *k, const struct child *child) {
    const struct clock_profile *p = k->profile;
    if (child) {
        k->begin = k->queue + child_gap(p, child);
    } else if (k->links) {
        k->begin = later(k->queue + p->gap_ps, links_command(k, p->launch_ps));
    } else {
        k->host += p->launch_ps;
        if (k->timeline)
            timeline_called(k, "launch", k->host - p->launch_ps, k->queue);
        k->begin = later(k->queue + p->gap_ps, k->host);
    }
    k->begin = (k->begin + SLOT_PS - 1) / SLOT_PS * SLOT_PS;
    if (!p->counts_steps) return;
    k->begin = 0;
}

bool clock_launch_begins(struct machine *m, uint32_t n_slots) {
    struct clock *k = clock_in(m);
    k->machine = m;
    k->n_slots = n_slots;
    k->warps_per_block = (m->threads_per_block + WARP_LANES - 1) / WARP_LANES;
    k->generation++;
    if (!k->links || links_launch_begins(k)) {
        k->messages->generation++;
        k->messages->n = 0;
    }
    clock_tally_begins(k);
    k->work = 0;
    k->most = (struct clock_cause){0};
    enqueue(k, m->child);
    k->end = k->next_start = k->begin + k->profile->kernel_ps;
    why_free(k);
    if (make_sms(m, k) && make_warps(m, k)) {
        uint32_t blocks = (n_slots + k->n_sms - 1) / k->n_sms;
        k->lone = k->at.lone_l1 &&
                  blocks * k->warps_per_block <= k->profile->schedulers;
        if (m->options->why && !k->links) why_begins(m, k);
        return true;
    }
    m->status = VGPU_OUT_OF_MEMORY;
    return false;
}

/* p processors: those steps that are not on the longest path are shared among
 * them (Brent 1974). */
static uint64_t steps_taken(const struct clock *k) {
    uint32_t p = k->profile->processors;
    if (!p) return k->most.depth;
    return k->most.depth + (k->work - k->most.depth + p - 1) / p;
}

void clock_launch_ends(struct machine *m) {
    struct clock *k = clock_in(m);
    struct charges *charges = &m->memory->charges;
    bool steps = k->profile->counts_steps;
    uint64_t n = (uint64_t)k->n_slots * k->warps_per_block;
    if (k->links) links_launch_ends(k);
    for (uint64_t w = 0; k->warps && w < n; w++)
        charges_free(charges, k->warps[w].polls);
    charges_free(charges, k->warps);
    charges_unmap(charges, k->ready, n * k->n_registers * sizeof *k->ready);
    for (uint32_t f = 0; k->ops && f < k->n_functions; f++)
        charges_free(charges, k->ops[f]);
    charges_free(charges, k->ops);
    k->warps = NULL;
    k->ready = NULL;
    k->ops = NULL;
    k->decoded = NULL;
    uint64_t cycle = k->profile->cycle_ps;
    uint64_t ps = steps ? steps_taken(k) * cycle : k->end - k->begin;
    k->launch = (struct clock_totals){.depth = k->most.depth,
                                      .chain = k->most.chain,
                                      .links = k->most.links,
                                      .side = clock_tally_side(k),
                                      .cycles = ps / cycle,
                                      .ps = ps,
                                      .deepest = k->most.depth};
    k->device.deepest = later(k->device.deepest, k->most.depth);
    k->device.depth += k->launch.depth;
    k->device.chain = later(k->device.chain, k->launch.chain);
    k->device.links = later(k->device.links, k->launch.links);
    k->device.side += k->launch.side;
    k->queue = steps ? k->queue + ps : k->end;
    if (k->timeline) timeline_launch_ends(k);
}

uint64_t clock_launch_start(const struct clock *k) {
    return k->begin + k->profile->kernel_ps;
}

uint64_t clock_next_start(struct clock *k, uint64_t from) {
    if (k->profile->counts_steps) return 0;
    uint64_t start = later(from, k->next_start);
    k->next_start = start + k->profile->block_gap_ps;
    return start;
}

struct clock_warp *clock_block_starts(struct machine *m, uint32_t slot,
                                      const struct block *b, uint64_t time) {
    struct clock *k = clock_in(m);
    struct clock_warp *first = k->warps + (uint64_t)slot * k->warps_per_block;
    for (uint32_t n = 0; n < b->n_warps; n++) {
        struct clock_warp *w = &first[n];
        /* what the last block waited for is there: its exits did */
        uint64_t *ready = w->ready;
        struct clock_poll *polls = w->polls;
        *w = (struct clock_warp){.time = time,
                                 .ready = ready,
                                 .polls = polls,
                                 .sm = &k->sms[b->sm % k->n_sms]};
        w->block = (uint32_t)b->linear;
        uint32_t schedulers = k->profile->schedulers;
        uint32_t place = slot / k->n_sms * b->n_warps + n;
        w->scheduler = (uint16_t)(schedulers ? place % schedulers : 0);
    }
    if (k->timeline) timeline_block_starts(k, slot, b, time);
    if (k->why) why_starts(k, slot, b, time);
    return first;
}

uint64_t clock_block_ended(struct clock *k, const struct clock_warp *w,
                           uint32_t n) {
    const struct clock_warp *first = w;
    uint64_t time = 0;
    for (; n; n--, w++) {
        if (k->why) why_ends(k, w, time);
        time = later(time, w->time);
        k->end = later(k->end, later(w->time, w->stored));
        k->most.depth = later(k->most.depth, w->cause.depth);
        k->most.chain = larger(k->most.chain, w->cause.chain);
        k->most.links = larger(k->most.links, w->cause.links);
    }
    if (k->timeline) timeline_block_ends(k, first, time);
    return time + k->at.block;
}

void clock_comes(struct clock_meeting *m, const struct clock_warp *w) {
    if (w->time > m->time || !m->last) m->last = w;
    m->time = later(m->time, w->time);
    m->cause.depth = later(m->cause.depth, w->cause.depth);
    m->cause.chain = larger(m->cause.chain, w->cause.chain);
    m->cause.links = larger(m->cause.links, w->cause.links);
}

void clock_goes_on(struct clock *k, const struct clock_meeting *m,
                   struct clock_warp *w) {
    if (k->why) why_goes_on(k, w, m->last);
    w->time = m->time;
    w->cause = m->cause;
}

void clock_runs(struct clock *k, struct clock_warp *w, const struct block *b,
                uint64_t until, uint64_t far) {
    k->warp = w;
    k->block = (uint32_t)b->linear;
    k->number = (uint32_t)(w - k->warps);
    k->until = until;
    k->far = far;
}

uint32_t clock_thread_registers(struct clock *k, struct function *f,
                                const struct vgpu_profile *p) {
    if (!f->registers)
        f->registers = clock_registers(k, f, (uint32_t)p->registers_per_sm);
    return f->registers;
}

/* Each scheduler has its part of the registers. */
uint32_t clock_blocks_by_registers(struct clock *k, struct function *f,
                                   const struct vgpu_profile *p,
                                   uint32_t warps) {
    uint32_t all = (uint32_t)p->registers_per_sm, parts = 4;
    uint32_t of_thread = clock_thread_registers(k, f, p);
    if (!of_thread) return UINT32_MAX;
    uint32_t fits = all / parts / (of_thread * WARP_LANES) * parts / warps;
    return fits ? fits : 1;
}

uint32_t clock_slots(struct clock *k, const struct machine *m,
                     struct function *f, uint64_t blocks) {
    uint32_t warps = (m->threads_per_block + WARP_LANES - 1) / WARP_LANES;
    uint32_t resident = m->n_slots, fit;
    uint64_t room = STEPS_WARPS / warps;
    if (k->profile->counts_steps)
        return resident >= room ? resident
                                : (uint32_t)(blocks < room ? blocks : room);
    if (!k->profile->limits_registers || blocks <= resident) return resident;
    fit = clock_blocks_by_registers(k, f, m->profile, warps);
    if (fit == UINT32_MAX) return resident;
    fit *= (uint32_t)m->profile->sms;
    return fit < resident ? fit : resident;
}

uint64_t clock_window(const struct clock *k) {
    return k->profile->counts_steps ? STEPS_ALONE * k->at.cycle : k->at.store;
}

uint64_t clock_far_window(const struct clock *k) {
    uint64_t window = clock_window(k);
    if (k->profile->counts_steps || window > FAR_PS) return window;
    return FAR_PS;
}

/* ---- results ---- */

struct clock_totals clock_launch_totals(const struct clock *k) {
    return k->launch;
}

struct clock_totals clock_device_totals(const struct clock *k) {
    struct clock_totals t = k->device;
    t.ps = k->profile->counts_steps ? k->queue - k->origin
                                    : later(k->queue, k->host) - k->origin;
    if (k->links) links_totals(k, &t);
    t.cycles = t.ps / k->profile->cycle_ps;
    return t;
}

void clock_reset(struct clock *k) {
    k->device = (struct clock_totals){0};
    uint64_t now = k->links ? links_reset(k) : later(k->host, k->queue);
    k->host = k->queue = k->origin = now;
    if (k->timeline) timeline_clear(k);
}

void clock_cool(struct clock *k) {
    if (k->tags.pieces)
        memset(k->tags.pieces, 0, k->tags.n * sizeof *k->tags.pieces);
}

uint64_t clock_now(const struct clock *k, bool ns) {
    return k->issued / (ns ? 1000 : k->profile->cycle_ps);
}

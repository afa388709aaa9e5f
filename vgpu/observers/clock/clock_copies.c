/* SPDX-License-Identifier: MIT
 *
 * clock_copies.c: when copies arrive that go on beside the threads (cp.async,
 * cp.async.bulk), and when phases of mbarriers are over.
 *
 * A copy, and what arrives at an mbarrier, has a time (struct copy_time). A
 * phase is over when all that it waits for has come. Whoever looks at the
 * mbarrier then goes on no earlier than that.
 */
#include "clock_inside.h"
#include "copies.h"
#include "why.h"

enum { PIECE = 8192 /* of DRAM, where bytes come one after another */ };

static bool is_first(const struct context *c, uint32_t lane) {
    return lane == (uint32_t)__builtin_ctz(c->lanes->mask);
}

static void from_here(const struct clock *k, struct copy_time *t,
                      uint64_t time) {
    const struct clock_cause *own = &k->warp->cause;
    t->time =
        k->profile->counts_steps ? own->depth * k->profile->cycle_ps : time;
    t->depth = own->depth;
    t->chain = own->chain;
    t->links = own->links;
}

/* ---- copies ---- */

/* The engine of the multiprocessor takes piece after piece; the last one has
 * passed it, and L2 if the other side is global memory. */
static uint64_t passes(struct clock *k, const struct async_copy *copy,
                       uint64_t *engine) {
    bool store = copy->op->verb == ASYNC_BULK_STORE;
    uint32_t dram = k->profile->bulk_dram_rate;
    uint32_t rate = store ? k->profile->bulk_store_rate : k->profile->bulk_rate;
    uint64_t at = store ? copy->to : copy->from, last = k->issued;
    vgpu_cause by = VGPU_CAUSE_L2;
    *engine = k->issued;
    for (uint32_t left = copy->bytes, n; left; left -= n, at += n) {
        n = PIECE - (uint32_t)(at % PIECE);
        if (n > left) n = left;
        uint64_t takes = rate ? n * 1000ull / rate : 0;
        uint64_t start = slots_take(&k->warp->sm->bulk, k->issued, takes);
        *engine = start + takes;
        if (!copy->from_shared || store)
            start = clock_run_of_bytes(k, at, n, store, start);
        if (k->served_by == VGPU_CAUSE_DRAM && !store) {
            by = VGPU_CAUSE_DRAM;
            if (dram) start += n * 1000ull / dram;
        }
        last = later(last, start + takes);
    }
    k->served_by = copy->from_shared && !store ? VGPU_CAUSE_SHARED : by;
    return last;
}

/* Until a load's first bytes have come from L2 it takes as long as small ones
 * do. */
void clock_copy_begins(struct context *c, struct async_copy *copy) {
    struct clock *k = clock_in(c->machine);
    uint64_t time = k->issued, engine;
    if (k->profile->counts_steps) {
        from_here(k, &copy->arrives, 0);
        return;
    }
    k->served_by = VGPU_CAUSE_BARRIER;
    switch (copy->op->verb) {
    case ASYNC_BULK_LOAD: time = passes(k, copy, &engine) + k->at.bulk; break;
    case ASYNC_BULK_STORE:
        time = passes(k, copy, &engine) + k->at.bulk_written;
        copy->was_read = later(engine, k->issued + k->at.bulk_read);
        k->warp->stored = later(k->warp->stored, time);
        if (k->why) why_accesses(k), why_stored(k, VGPU_CAUSE_BANDWIDTH);
        break;
    case ASYNC_SMALL: time = later(k->copied, time) + k->at.small_copy; break;
    default: break;
    }
    k->copied = 0;
    from_here(k, &copy->arrives, time);
    copy->arrives.cause = k->served_by;
}

void clock_copy_awaited(struct context *c, const struct async_copy *copy,
                        bool read) {
    struct clock *k = clock_in(c->machine);
    struct clock_warp *w = k->warp;
    if (k->profile->counts_steps) return; /* the copy's own thread waits */
    w->time = later(w->time, read ? copy->was_read : copy->arrives.time);
    if (k->why) why_later(k, (vgpu_cause)copy->arrives.cause);
}

/* ---- mbarriers: lanes of one instruction are one arrival, one look ---- */

static uint64_t at_banks(struct clock *k, uint64_t units) {
    return slots_take(&k->warp->sm->shared, k->issued,
                      units * k->at.mbarrier_unit);
}

void clock_arrives(struct context *c, uint32_t lane, struct mbarrier *x) {
    struct clock *k = clock_in(c->machine);
    struct copy_time now = {.cause = VGPU_CAUSE_BARRIER};
    if (is_first(c, lane) && !k->profile->counts_steps)
        k->looked = at_banks(k, 1) + k->at.mbarrier_arrive;
    from_here(k, &now, k->looked);
    mbarrier_waits_for(x, &now);
}

void clock_phase_passed(struct context *c, uint32_t lane,
                        const struct mbarrier *x) {
    struct clock *k = clock_in(c->machine);
    struct clock_cause *own = &k->warp->cause;
    const struct copy_time *over = &x->over;
    uint64_t depth = over->depth + k->profile->instruction_steps;
    bool waited = over->depth && depth > own->depth;
    own->depth = waited ? depth : own->depth;
    own->chain = larger(own->chain, over->chain);
    own->links = larger(own->links, over->links);
    if (k->profile->counts_steps) {
        k->warp->time = own->depth * k->profile->cycle_ps;
        if (k->why) why_later(k, VGPU_CAUSE_BARRIER);
        return;
    }
    if (is_first(c, lane)) k->looked = at_banks(k, 2);
    waited = over->time > k->looked;
    k->looked = later(k->looked, over->time);
    if (k->why) why_accesses(k);
    if (k->why && waited) why_until(k, (vgpu_cause)over->cause, k->looked);
    clock_result(k, c->insn, k->looked + k->at.mbarrier, VGPU_CAUSE_SHARED);
}

/* What waits is no step. */
void clock_put_back(struct context *c) {
    struct clock *k = clock_in(c->machine);
    k->warp->cause.depth -= k->profile->instruction_steps;
    k->work -= k->profile->instruction_steps;
}

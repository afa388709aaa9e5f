/* SPDX-License-Identifier: MIT
 *
 * async_land.c: lands copies: moves their bytes, in one or several steps, as
 * late as the schedule allows. See async.h.
 */
#include <stdlib.h>
#include <string.h>

#include "async_copy.h"
#include "fault.h"
#include "weak.h"
#include "watch.h"

enum {
    SOON = 4
}; /* under a random schedule, one of so many copies lands at a
    * turn of its block */

/* ---- landing ---- */

static uint8_t *taint_after(struct async_copy *k) {
    return k->data + k->bytes;
}

static void move_bytes(const struct region *target, uint64_t to,
                       const struct region *source, uint64_t from, uint32_t n) {
    memmove(target->bytes + (to - target->base),
            source->bytes + (from - source->base), n);
    bits_copy(target->data, to - target->base, source->data,
              from - source->base, n, false);
    if (target->written) bits_set(target->written, to - target->base, n, true);
}

static void landed(struct async_copy *k) {
    k->block->async->n_flying--;
    copy_forget(k);
}

static bool mbarrier_gone(struct context *c, const struct async_copy *k,
                          bool arrives) {
    struct vgpu_message m;
    VGPU_SAY(&m, MBARRIER_GONE, .byte = k->barrier, .arrives = arrives);
    return exec_fault(
        c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_MBARRIER,
        (struct fault_at){.lane = k->lane, .address = k->barrier, .bytes = 8},
        &m);
}

/* Lands a load's next bytes. False: the launch is over. */
static bool land_load(struct async_copy *k, uint32_t n) {
    struct block *b = k->block;
    struct machine *m = b->machine;
    struct context c = copy_issuer(k, &b->warps[k->warp]);
    struct mbarrier *x = mbarrier_at(b, k->barrier);
    if (!x) return mbarrier_gone(&c, k, false);
    const struct region *source = &b->shared;
    if (!k->from_shared) {
        struct allocation *a = memory_range(m->memory, k->from, k->bytes);
        source = a ? &a->region : NULL;
    }
    if (n > k->bytes - k->done) n = k->bytes - k->done;
    if (source && n)
        move_bytes(&b->shared, k->to + k->done, source, k->from + k->done, n);
    k->done += n;
    m->progress++;
    mbarrier_waits_for(x, &k->arrives);
    bool ok = !n || mbarrier_brought(&c, x, n);
    if (k->done == k->bytes) landed(k);
    return ok;
}

void copy_read_source(struct async_copy *k) {
    struct block *b = k->block;
    if (k->state != COPY_FLIES) return;
    k->state = COPY_HAS_READ;
    k->data = charges_zeroed(&b->machine->memory->charges,
                             (size_t)k->bytes + bits_size(k->bytes),
                             COPIES_UNDER_WAY);
    if (!k->data) {
        b->machine->status = VGPU_OUT_OF_MEMORY;
        return;
    }
    memcpy(k->data, b->shared.bytes + k->from, k->bytes);
    if (b->shared.data)
        bits_copy(taint_after(k), 0, b->shared.data, k->from, k->bytes, false);
}

void copy_write_target(struct machine *m, struct async_copy *k) {
    struct allocation *a = memory_range(m->memory, k->to, k->bytes);
    m->progress++;
    if (!a || !k->data || !k->bytes) return;
    struct region source = {.base = k->to,
                            .bytes = k->data,
                            .data = m->track_data ? taint_after(k) : NULL};
    weak_before_copy(m, k->sm, k->to, k->bytes);
    move_bytes(&a->region, k->to, &source, k->to, k->bytes);
}

bool copy_land_store(struct async_copy *k) {
    copy_read_source(k);
    copy_write_target(k->block->machine, k);
    landed(k);
    return true;
}

/* Lands these lanes' part of a cp.async. */
void copy_land_small(struct async_copy *k, uint32_t lanes) {
    struct block *b = k->block;
    struct machine *m = b->machine;
    for (uint32_t on = lanes & k->lanes; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        uint32_t to = k->small->to[l], n = k->small->bytes[l];
        struct allocation *a =
            n ? memory_range(m->memory, k->small->from[l], n) : NULL;
        if (a) move_bytes(&b->shared, to, &a->region, k->small->from[l], n);
        if (n < k->op->bytes) {
            static const uint8_t nothing[16];
            struct region zero = {.base = 0, .bytes = (uint8_t *)nothing};
            move_bytes(&b->shared, to + n, &zero, 0, k->op->bytes - n);
        }
    }
    k->lanes &= ~lanes;
    m->progress++;
    if (!k->lanes) landed(k);
}

/* cp.async.mbarrier.arrive: the lanes' earlier copies land first. */
static bool land_arrive(struct async_copy *k) {
    struct block *b = k->block;
    struct context c = copy_issuer(k, &b->warps[k->warp]);
    uint32_t lane = k->lane;
    for (struct async_copy *e = b->async->first, *next; e && e != k; e = next) {
        next = e->next;
        if (e->op->verb != ASYNC_SMALL || e->warp != k->warp) continue;
        if (e->lanes & k->lanes) copy_time_add(&k->arrives, &e->arrives);
        copy_land_small(e, k->lanes);
    }
    struct mbarrier *x = mbarrier_at(b, k->barrier);
    if (!x) return mbarrier_gone(&c, k, true);
    watch_copies_arrived(b->machine->watching, b, x, k);
    mbarrier_waits_for(x, &k->arrives);
    landed(k);
    return mbarrier_arrived(&c, x, lane, 1);
}

/* Of a bulk load at most so many bytes; of any other copy all. */
static bool copy_land_some(struct async_copy *k, uint32_t bytes) {
    switch (k->op->verb) {
    case ASYNC_BULK_LOAD: return land_load(k, bytes);
    case ASYNC_BULK_STORE: return copy_land_store(k);
    case ASYNC_SMALL: copy_land_small(k, FULL_MASK); return true;
    default: return land_arrive(k);
    }
}

bool copy_land(struct async_copy *k) {
    return copy_land_some(k, UINT32_MAX);
}

/* ---- when ---- */

/* The copy that lands next: the oldest in order, the latest under reverse. */
static struct async_copy *async_land_choose(struct block *b, bool stores) {
    struct machine *m = b->machine;
    struct async_copy *best = NULL;
    uint64_t n = 0;
    for (struct async_copy *k = b->async->first; k; k = k->next) {
        if (copy_is_store(k) != stores) continue;
        n++;
        if (!best || m->options->schedule == VGPU_REVERSE ||
            (m->options->schedule == VGPU_RANDOM &&
             random_next(&m->random) % n == 0))
            best = k;
    }
    return best;
}

bool async_land(struct block *b) {
    bool some = false;
    uint64_t before = b->async->n_phases;
    for (int stores = 0; stores < 2 && !some; stores++)
        for (struct async_copy *k = async_land_choose(b, stores); k;
             k = async_land_choose(b, stores)) {
            some = true;
            if (!copy_land(k) || b->async->n_phases != before) return true;
        }
    return some;
}

bool async_land_until(struct block *b, uint64_t time) {
    uint64_t before = b->async->n_phases;
    while (b->async->n_phases == before) {
        struct async_copy *first = NULL;
        for (struct async_copy *k = b->async->first; k; k = k->next)
            if (!copy_is_store(k) && k->arrives.time <= time &&
                (!first || k->arrives.time < first->arrives.time))
                first = k;
        if (!first || !copy_land(first)) return false;
    }
    return true;
}

void async_pass(struct block *b) {
    struct machine *m = b->machine;
    if (m->options->schedule != VGPU_RANDOM || !b->async->n_flying) return;
    /* Landing may take others off the list (land_arrive): start again. */
    for (struct async_copy *k = b->async->first; k;) {
        if (random_next(&m->random) % SOON) {
            k = k->next;
            continue;
        }
        uint32_t n = UINT32_MAX;
        if (k->bytes >= 2 * COPY_UNIT && random_next(&m->random) % 2)
            n = COPY_UNIT * (1 + (uint32_t)(random_next(&m->random) %
                                            (k->bytes / COPY_UNIT)));
        if (copy_is_store(k) && k->state == COPY_FLIES && n != UINT32_MAX) {
            copy_read_source(k);
            k = k->next;
            continue;
        }
        struct async_copy *after = k->next;
        bool arrive = k->op->verb == ASYNC_SMALL_ARRIVE;
        if (!copy_land_some(k, n)) return;
        k = arrive ? b->async->first : after;
    }
}

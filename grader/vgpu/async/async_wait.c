/* SPDX-License-Identifier: MIT
 *
 * async_wait.c: threads wait for groups of copies, and so claim them. See
 * async.h.
 */
#include "async_copy.h"
#include "fault.h"
#include "race.h"

/* ---- claims ---- */

static void claim_run(struct async_copy *k, uint64_t at, uint32_t bytes,
                      uint32_t thread, bool shared, bool write) {
    struct block *b = k->block;
    struct race_run run = {.region = &b->shared,
                           .from = at,
                           .bytes = bytes,
                           .shared = shared,
                           .write = write,
                           .name = k->name};
    if (!shared) {
        struct allocation *a = memory_range(b->machine->memory, at, bytes);
        if (!a) return;
        run.region = &a->region;
        run.from = at - a->region.base;
    }
    race_copy_claim(b, thread, &run);
}

static void claim_to(struct async_copy *k) {
    if (!k->to_claim) return;
    claim_run(k, k->to, k->bytes, k->thread, k->op->to.shared, true);
    k->to_claim = false;
}

static void claim_from(struct async_copy *k) {
    if (!k->from_claim) return;
    claim_run(k, k->from, k->bytes, k->thread, true, false);
    k->from_claim = false;
}

static void claim_small(struct async_copy *k, uint32_t lanes) {
    for (uint32_t on = lanes & k->unclaimed; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        claim_run(k, k->small->to[l], k->op->bytes, k->warp * WARP_LANES + l,
                  true, true);
    }
    k->unclaimed &= ~lanes;
    k->to_claim = k->unclaimed != 0;
}

void copy_claim_all(struct async_copy *k) {
    if (k->small) {
        claim_small(k, k->unclaimed);
        return;
    }
    claim_from(k);
    claim_to(k);
}

/* The lanes of a cp.async whose completion the mbarrier's phase stands for. */
static uint32_t completed_by(const struct async_copy *k,
                             const struct mbarrier *x, uint64_t phase) {
    uint32_t lanes = 0;
    for (uint32_t on = k->small->with_barrier & k->unclaimed & ~k->lanes; on;
         on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        if (k->small->barrier[l] == x->at && k->small->phase[l] <= phase)
            lanes |= 1u << l;
    }
    return lanes;
}

void async_claim_phase(struct context *c, struct mbarrier *x, uint64_t phase) {
    struct block *b = context_block(c);
    struct async_block *a = b->async;
    if (!c->machine->race) return;
    bool some = false;
    for (struct async_copy *k = a->first, *next; k; k = next) {
        next = k->next;
        if (k->small) {
            uint32_t lanes = completed_by(k, x, phase);
            some |= lanes != 0;
            claim_small(k, lanes);
            copy_forget_if_done(k);
            continue;
        }
        if (k->op->verb != ASYNC_BULK_LOAD || k->state != COPY_LANDED ||
            k->barrier != x->at || k->phase > phase)
            continue;
        some = true;
        claim_from(k);
        claim_to(k);
        copy_forget_if_done(k);
    }
    if (some) x->claimed = race_copy_claimed(c);
}

/* ---- groups ---- */

/* The lanes of the copy that wait for it: those for which it is in none of the
 * latest groups that they may leave pending. */
static uint32_t due(const struct async_copy *k, const uint32_t *open,
                    uint32_t at_most, uint32_t lanes, bool small) {
    if (!small)
        return lanes >> k->lane & 1 && open[k->lane] - k->group > at_most
                   ? 1u << k->lane
                   : 0;
    uint32_t all = 0;
    for (uint32_t on = lanes; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        if (open[l] - k->small->group[l] > at_most) all |= 1u << l;
    }
    return all;
}

bool copy_wait_for_groups(struct context *c, const struct async_op *op) {
    struct block *b = context_block(c);
    struct async_lanes *w = c->warp->async;
    bool small = op->verb == ASYNC_SMALL_WAIT;
    if (!w || !b->async) return true;
    for (struct async_copy *k = b->async->first, *next; k; k = next) {
        next = k->next;
        if (k->warp != c->warp->index ||
            k->op->verb != (small ? ASYNC_SMALL : ASYNC_BULK_STORE))
            continue;
        uint32_t lanes = due(
            k, small ? w->small_group : w->bulk_group, op->at_most,
            small ? c->lanes->mask & (k->lanes | k->unclaimed) : c->lanes->mask,
            small);
        if (!lanes) continue;
        if (small) {
            claim_small(k, lanes);
            if (k->state == COPY_LANDED)
                copy_forget_if_done(k);
            else
                copy_land_small(k, lanes);
        } else if (op->verb == ASYNC_BULK_WAIT_READ) {
            copy_read_source(k);
            claim_from(k);
            copy_forget_if_done(k);
        } else {
            claim_from(k);
            claim_to(k);
            if (k->state == COPY_LANDED)
                copy_forget_if_done(k);
            else
                copy_land_store(k);
        }
    }
    return c->machine->status == VGPU_OK;
}

bool copy_commit(struct context *c, bool small) {
    struct async_lanes *w = async_lanes_of(c);
    if (!w) return false;
    for (uint32_t on = c->lanes->mask; on; on &= on - 1)
        (small ? w->small_group : w->bulk_group)[__builtin_ctz(on)]++;
    return true;
}

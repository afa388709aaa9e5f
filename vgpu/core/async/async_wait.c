/* SPDX-License-Identifier: MIT
 *
 * async_wait.c: threads wait for groups of copies; phases of mbarriers end.
 * See async.h.
 */
#include "async_copy.h"
#include "fault.h"
#include "watch.h"

/* ---- phases ---- */

void async_phase_ends(struct block *b, const struct mbarrier *x) {
    watch_phase_ends(b->machine->watching, b, x);
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
        uint32_t lanes =
            due(k, small ? w->small_group : w->bulk_group, op->at_most,
                small ? c->lanes->mask & k->lanes : c->lanes->mask, small);
        if (!lanes) continue;
        watch_copy_awaited(c->machine->watching, c, k,
                           op->verb == ASYNC_BULK_WAIT_READ);
        if (small)
            copy_land_small(k, lanes);
        else if (op->verb == ASYNC_BULK_WAIT_READ)
            copy_read_source(k);
        else
            copy_land_store(k);
    }
    watch_groups_awaited(c->machine->watching, c, op);
    return c->machine->status == VGPU_OK;
}

bool copy_commit(struct context *c, bool small) {
    struct async_lanes *w = async_lanes_of(c);
    if (!w) return false;
    for (uint32_t on = c->lanes->mask; on; on &= on - 1)
        (small ? w->small_group : w->bulk_group)[__builtin_ctz(on)]++;
    for (uint32_t on = small ? c->lanes->mask : 0; on; on &= on - 1)
        w->small_arrivals[__builtin_ctz(on)] = 0;
    return true;
}

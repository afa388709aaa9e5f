/* SPDX-License-Identifier: MIT
 *
 * async_issue.c: executes cp.async and cp.async.bulk: checks the copy, counts
 * it, and puts it on the list of copies on their way. See async.h.
 */
#include <stdlib.h>
#include <string.h>

#include "async_copy.h"
#include "cluster.h"
#include "fault.h"
#include "watch.h"
#include "weak.h"

enum {
    MOST_LISTED = 1024, /* of a block; with more, the oldest land and are
                         * forgotten */
    MOST_FLYING_STORES = 64,
    EARLY = 8 /* under a random schedule, one of so many copies lands when
               * issued */
};

/* ---- issue ---- */

static struct async_copy *new_copy(struct context *c, uint32_t lane) {
    struct block *b = context_block(c);
    struct async_state *s = async_state_of(c->machine);
    struct async_block *a = async_of(c->machine, b);
    struct async_lanes *w = async_lanes_of(c);
    struct async_copy *k = s && a && w
                               ? charges_zeroed(&c->machine->memory->charges,
                                                sizeof *k, COPIES_UNDER_WAY)
                               : NULL;
    if (!k) {
        c->machine->status = VGPU_OUT_OF_MEMORY;
        return NULL;
    }
    k->block = b;
    k->insn = c->insn;
    k->op = c->insn->extra;
    k->sm = b->sm;
    k->warp = c->warp->index;
    k->lane = lane;
    k->thread = k->warp * WARP_LANES + lane;
    return k;
}

static void list_copy(struct context *c, struct async_copy *k) {
    watch_copy_begins(c->machine->watching, c, k);
    struct async_block *a = k->block->async;
    if (a->last)
        a->last->next = k;
    else
        a->first = k;
    a->last = k;
    a->n_flying++;
    a->n_listed++;
}

_Static_assert(COPY_UNIT == 16, "as the message MISALIGNED_COPY says");

static bool is_aligned(struct context *c, uint32_t lane, uint64_t x,
                       uint64_t operand) {
    struct vgpu_message m;
    if (!(x & (COPY_UNIT - 1))) return true;
    VGPU_SAY(&m, MISALIGNED_COPY, .operand = operand, .value = x, .address = x);
    return exec_fault(
        c, VGPU_MISALIGNED, VGPU_FINDING_MISALIGNED,
        (struct fault_at){.lane = lane, .address = x, .bytes = COPY_UNIT}, &m);
}

static bool in_shared(struct context *c, uint32_t lane, uint64_t at,
                      uint32_t bytes, bool write) {
    struct vgpu_message m;
    if (!exec_is_own_shared(c, lane, at)) return false;
    if (at <= c->machine->shared_bytes &&
        bytes <= c->machine->shared_bytes - at)
        return true;
    VGPU_SAY(&m, COPY_SHARED_ACCESS, .access = write, .bytes = bytes,
             .byte = at, .size = c->machine->shared_bytes);
    return exec_fault(
        c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
        (struct fault_at){.lane = lane, .address = at, .bytes = bytes}, &m);
}

static struct allocation *in_global(struct context *c, uint32_t lane,
                                    uint64_t at, uint32_t bytes, bool write) {
    struct allocation *a = memory_range(c->machine->memory, at, bytes);
    struct fault_at place = {.lane = lane, .address = at, .bytes = bytes};
    struct vgpu_message where, m;
    if (a && !(write && a->read_only)) return a;
    exec_say_place(c, at, bytes, &where);
    if (a) {
        VGPU_SAY(&m, COPY_READ_ONLY, .bytes = bytes, .where = &where);
        exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_READ_ONLY, place, &m);
        return NULL;
    }
    struct allocation *dead = memory_find(c->machine->memory, at);
    VGPU_SAY(&m, COPY_ACCESS, .access = write, .bytes = bytes, .where = &where);
    exec_fault(c, VGPU_ILLEGAL_ADDRESS,
               dead && !dead->region.bytes ? VGPU_FINDING_USE_AFTER_FREE
                                           : VGPU_FINDING_OUT_OF_BOUNDS,
               place, &m);
    return NULL;
}

/* From now on nobody may read the destination in shared memory. */
static void unwrite(struct block *b, uint64_t at, uint32_t bytes) {
    if (b->shared.written && bytes)
        bits_set(b->shared.written, at, bytes, false);
}

static bool find_barrier(struct context *c, uint32_t lane,
                         const struct async_op *op, uint32_t *at) {
    uint64_t a = cluster_own(
        context_block(c), async_address(c, &op->barrier, lane) & ~WINDOW_MASK);
    if (a <= UINT32_MAX && mbarrier_at(context_block(c), a)) {
        *at = (uint32_t)a;
        return true;
    }
    struct vgpu_message m;
    if (!exec_is_own_shared(c, lane, a)) return false;
    VGPU_SAY(&m, MBARRIER_NONE, .form = c->insn->source->form, .byte = a);
    return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_MBARRIER,
                      (struct fault_at){.lane = lane, .address = a, .bytes = 8},
                      &m);
}

static bool issue_bulk(struct context *c, uint32_t lane) {
    const struct async_op *op = c->insn->extra;
    struct block *b = context_block(c);
    bool load = op->verb == ASYNC_BULK_LOAD;
    uint64_t to = async_address(c, &op->to, lane);
    uint64_t from = async_address(c, &op->from, lane);
    uint32_t bytes = ((const uint32_t *)(c->registers + op->size))[lane];
    uint32_t barrier = 0;
    if (op->to.shared) to = cluster_own(b, to & ~WINDOW_MASK);
    if (op->from.shared) from = cluster_own(b, from & ~WINDOW_MASK);
    if (!is_aligned(c, lane, to, VGPU_OPERAND_DESTINATION) ||
        !is_aligned(c, lane, from, VGPU_OPERAND_SOURCE) ||
        !is_aligned(c, lane, bytes, VGPU_OPERAND_SIZE))
        return false;
    if (load && !find_barrier(c, lane, op, &barrier)) return false;
    struct allocation *a = NULL, *d = NULL;
    if (op->to.shared ? !in_shared(c, lane, to, bytes, true)
                      : !(d = in_global(c, lane, to, bytes, true)))
        return false;
    if (op->from.shared ? !in_shared(c, lane, from, bytes, false)
                        : !(a = in_global(c, lane, from, bytes, false)))
        return false;
    struct async_copy *k = new_copy(c, lane);
    if (!k) return false;
    k->to = to;
    k->from = from;
    k->bytes = bytes;
    k->from_shared = op->from.shared;
    k->barrier = barrier;
    k->group = c->warp->async->bulk_group[lane];
    const struct region *source = a ? &a->region : &b->shared;
    const struct region *target = d ? &d->region : &b->shared;
    if (bytes) {
        watch_copy_moves(c->machine->watching, c, load ? from : to, bytes,
                         !load);
        watch_copy_reads(c->machine->watching, c, lane, source, from, bytes,
                         op->from.shared);
        watch_copy_half(c->machine->watching, c, k, source, op->from.shared,
                        false);
        watch_copy_half(c->machine->watching, c, k, target, op->to.shared,
                        true);
    }
    if (op->to.shared) unwrite(b, to, bytes);
    list_copy(c, k);
    c->machine->progress++;
    return true;
}

/* ---- cp.async ---- */

static uint32_t source_bytes(const struct context *c, const struct async_op *op,
                             uint32_t lane) {
    if (op->ignore != NO_REGISTER &&
        *(const uint32_t *)(c->registers + op->ignore) >> lane & 1)
        return 0;
    uint32_t n = op->size == NO_REGISTER
                     ? op->bytes
                     : ((const uint32_t *)(c->registers + op->size))[lane];
    return n < op->bytes ? n : op->bytes;
}

/* Checks and counts source and destination as accesses of the warp. */
static bool place_small(struct context *c, struct small *s, uint32_t bytes) {
    struct access x;
    uint32_t whole = 0; /* lanes that read as much as they write */
    for (uint32_t on = c->lanes->mask; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        if (s->bytes[l] == bytes) whole |= 1u << l;
    }
    access_set_mask(&x, c->lanes->mask);
    x.bytes = bytes;
    x.atomic = false;
    x.write = true;
    for (uint32_t l = 0; l < WARP_LANES; l++) x.address[l] = s->to[l];
    if (!access_place(c, &x, PTX_SHARED)) return false;
    watch_access(0, c, &x); /* the copy itself comes later */
    if (whole) {
        access_set_mask(&x, whole);
        x.write = false;
        memcpy(x.address, s->from, sizeof x.address);
        if (!access_place(c, &x, PTX_GLOBAL)) return false;
        watch_access(c->machine->watching & ~(unsigned)WATCH_RACE, c, &x);
    }
    for (uint32_t on = c->lanes->mask & ~whole; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        if (s->bytes[l] && !in_global(c, l, s->from[l], s->bytes[l], false))
            return false;
    }
    return true;
}

static bool issue_small(struct context *c) {
    const struct async_op *op = c->insn->extra;
    struct block *b = context_block(c);
    struct async_copy *k = new_copy(c, (uint32_t)__builtin_ctz(c->lanes->mask));
    struct small *s = k ? charges_zeroed(&c->machine->memory->charges,
                                         sizeof *s, COPIES_UNDER_WAY)
                        : NULL;
    if (!s) {
        if (k) copy_free(c->machine, k);
        c->machine->status = VGPU_OUT_OF_MEMORY;
        return false;
    }
    k->small = s;
    k->lanes = c->lanes->mask;
    memcpy(s->group, c->warp->async->small_group, sizeof s->group);
    for (uint32_t on = k->lanes; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        s->to[l] = (uint32_t)cluster_own(b, async_address(c, &op->to, l) &
                                                ~WINDOW_MASK);
        s->from[l] = async_address(c, &op->from, l);
        s->bytes[l] = (uint8_t)source_bytes(c, op, l);
    }
    if (!place_small(c, s, op->bytes)) {
        copy_free(c->machine, k);
        return false;
    }
    for (uint32_t on = k->lanes; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        watch_small_copy(c->machine->watching, c, s, l);
        unwrite(b, s->to[l], op->bytes);
    }
    list_copy(c, k);
    c->machine->progress++;
    return true;
}

static bool issue_arrive(struct context *c) {
    const struct async_op *op = c->insn->extra;
    struct block *b = context_block(c);
    for (uint32_t on = c->lanes->mask; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on), at;
        if (!find_barrier(c, l, op, &at)) return false;
        struct mbarrier *x = mbarrier_at(b, at);
        if (!op->noinc) x->pending++;
        struct async_copy *k = new_copy(c, l);
        if (!k) return false;
        k->lanes = 1u << l;
        k->barrier = at;
        struct async_lanes *w = c->warp->async;
        w->small_arrivals[l]++;
        watch_arrival_waits(c->machine->watching, c, k, l);
        list_copy(c, k);
        mbarrier_store_state(b, x);
    }
    c->machine->progress++;
    return true;
}

/* ---- instructions ---- */

static bool keep_few_stores(struct block *b) {
    struct async_block *a = b->async;
    uint32_t n = 0;
    for (struct async_copy *k = a->first; k; k = k->next) n += copy_is_store(k);
    for (struct async_copy *k = a->first, *next; k && n > MOST_FLYING_STORES;
         k = next) {
        next = k->next;
        if (!copy_is_store(k)) continue;
        n--;
        if (!copy_land_store(k)) return false;
    }
    return true;
}

/* The list has a bound. Landing a copy early is allowed. */
static bool keep_few(struct block *b) {
    struct async_block *a = b->async;
    while (a->n_listed > MOST_LISTED)
        if (!copy_land(a->first)) return false;
    return true;
}

static bool issue(struct context *c) {
    struct machine *m = c->machine;
    struct block *b = context_block(c);
    const struct async_op *op = c->insn->extra;
    weak_before_read(c);
    watch_copy_issued(m->watching, c);
    if (op->verb == ASYNC_SMALL) {
        if (!issue_small(c)) return false;
    } else if (op->verb == ASYNC_SMALL_ARRIVE) {
        if (!issue_arrive(c)) return false;
    } else {
        for (uint32_t on = c->lanes->mask; on; on &= on - 1)
            if (!issue_bulk(c, (uint32_t)__builtin_ctz(on))) return false;
        if (op->verb == ASYNC_BULK_STORE && !keep_few_stores(b)) return false;
    }
    if (!keep_few(b)) return false;
    if (m->options->schedule == VGPU_RANDOM && b->async->last &&
        b->async->last->insn == c->insn && random_next(&m->random) % EARLY == 0)
        return copy_land(b->async->last);
    return true;
}

bool exec_async(struct context *c) {
    const struct async_op *op = c->insn->extra;
    c->group->polls.same = 0;
    switch (op->verb) {
    case ASYNC_SMALL_COMMIT: return copy_commit(c, true);
    case ASYNC_BULK_COMMIT: return copy_commit(c, false);
    case ASYNC_SMALL_WAIT:
        if (op->noinc && !copy_commit(c, true)) return false; /* wait_all */
        return copy_wait_for_groups(c, op);
    case ASYNC_BULK_WAIT:
    case ASYNC_BULK_WAIT_READ: return copy_wait_for_groups(c, op);
    case ASYNC_PROXY_FENCE:
        watch_proxy_fenced(c->machine->watching, c);
        if (op->fence_global) weak_fenced(c);
        return true;
    default: return issue(c);
    }
}

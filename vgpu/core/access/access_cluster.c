/* SPDX-License-Identifier: MIT
 *
 * access_cluster.c: accesses to shared memory in a cluster of blocks, where an
 * address may be of another block (cluster.h).
 */
#include "access.h"
#include "cluster.h"
#include "fault.h"

static struct fault_at access_cluster_place(const struct access *x,
                                            uint32_t lane) {
    return (struct fault_at){
        .lane = lane, .address = x->address[lane], .bytes = x->bytes};
}

/* No block has the rank that its address names. */
static bool bad_rank(struct context *c, const struct access *x, uint32_t lane) {
    struct vgpu_message m;
    VGPU_SAY(&m, CLUSTER_RANK, .access = access_kind(x), .bytes = x->bytes,
             .blocks = c->machine->cluster_blocks);
    return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_OUT_OF_BOUNDS,
                      access_cluster_place(x, lane), &m);
}

static bool outside(struct context *c, const struct access *x, uint32_t lane,
                    const struct block *owner, int64_t byte) {
    struct vgpu_message m;
    if (owner == context_block(c))
        VGPU_SAY(&m, SHARED_ACCESS, .access = access_kind(x), .bytes = x->bytes,
                 .byte = (uint64_t)byte, .size = c->machine->shared_bytes);
    else
        VGPU_SAY(&m, CLUSTER_ACCESS, .access = access_kind(x),
                 .bytes = x->bytes, .byte = (uint64_t)byte,
                 .block = owner->index, .size = c->machine->shared_bytes);
    struct fault_at at = access_cluster_place(x, lane);
    at.address = (uint64_t)byte;
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS, at,
                      &m);
}

static bool ended(struct context *c, const struct access *x, uint32_t lane,
                  const struct block *owner) {
    struct vgpu_message m;
    VGPU_SAY(&m, CLUSTER_ENDED, .access = access_kind(x), .bytes = x->bytes,
             .byte = x->address[lane], .block = owner->index);
    return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_USE_AFTER_FREE,
                      access_cluster_place(x, lane), &m);
}

/* Whose bytes the lane accesses; its address becomes theirs. NULL: reported. */
static struct block *find_owner(struct context *c, struct access *x,
                                uint32_t lane) {
    struct block *own = context_block(c);
    uint64_t a = x->address[lane], tag = a >> CLUSTER_SHIFT;
    int64_t byte = a & CLUSTER_OFFSETS, size = c->machine->shared_bytes;
    if (a >> 31) { /* right below 0, or not of shared memory at all */
        outside(c, x, lane, own, (int32_t)a);
        return NULL;
    }
    if (byte > CLUSTER_OFFSETS / 2) { /* right below a block's first byte */
        tag++;
        byte -= CLUSTER_OFFSETS + 1;
    }
    if (tag > c->machine->cluster_blocks) {
        bad_rank(c, x, lane);
        return NULL;
    }
    struct block *b = tag ? cluster_first(own) + (tag - 1) : own;
    if (byte < 0 || byte + x->bytes > size) {
        outside(c, x, lane, b, byte);
        return NULL;
    }
    x->address[lane] = (uint64_t)byte;
    if (b->running) return b;
    ended(c, x, lane, b);
    return NULL;
}

bool access_of_cluster(struct context *c, struct access *x) {
    const struct region *one = NULL;
    bool same = true;
    x->low = ~0ull;
    x->high = x->bits = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const struct block *b = find_owner(c, x, l);
        if (!b) return false;
        x->many[l] = &b->shared;
        same &= !one || one == &b->shared;
        one = &b->shared;
        uint64_t at = x->address[l];
        x->bits |= at;
        if (at < x->low) x->low = at;
        if (at > x->high) x->high = at;
    }
    x->one = same ? one : NULL;
    if (!same) x->shape.even = x->shape.in_line = x->shape.run = false;
    return true;
}

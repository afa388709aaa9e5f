/* SPDX-License-Identifier: MIT
 *
 * shape.h: the fast path of a warp's access to memory: a plain load or store
 * (insn.plain) whose lanes are evenly spaced in one allocation or in shared
 * memory.
 *
 * How to read this: the instruction remembers the shape of its last access,
 * apart from the address (struct even_hint). Most accesses have that shape
 * again, and only this has to be tested. This code classifies and does nothing
 * else. It answers yes, and then the shape and the region of the access are
 * known; or no, and then nothing has changed and access.c starts from the
 * beginning. No rule of checking or counting is here.
 */
#pragma once

#include "access.h"

/* Each active lane l has the address start + l * step. */
bool shape_wide_even(const uint64_t *registers, const uint64_t *active,
                     uint64_t start, uint64_t step);
bool shape_narrow_even(const uint32_t *registers, const uint32_t *active,
                       uint32_t start, uint32_t step);
/* Sets the hint to the shape of this access. False: its lanes are not evenly
 * spaced. */
bool shape_learn(struct context *, struct even_hint *);

/* Are the base registers of the active lanes spaced as the hint says? */
static inline bool shape_is_like(const struct context *c,
                                 const struct even_hint *e) {
    const void *base = c->registers + c->insn->base;
    uint32_t first = e->shape.first;
    /* from lane 0's address to the first active lane's */
    uint64_t before = (uint64_t)e->stride * first;
    if (c->insn->is_base_wide) {
        const uint64_t *r = base;
        return shape_wide_even(r, c->lanes->d, r[first] - before,
                               (uint64_t)e->stride);
    }
    const uint32_t *r = base;
    return shape_narrow_even(r, c->lanes->w, r[first] - (uint32_t)before,
                             (uint32_t)e->stride);
}

static inline bool shape_find_region(struct context *c, struct access *x) {
    uint64_t span = x->like->span;
    if (x->space == PTX_SHARED) {
        x->one = &context_block(c)->shared;
        return !(x->low >> 63) && x->low + span <= c->machine->shared_bytes;
    }
    const struct allocation *a = access_allocation(c, x);
    if (!a || (a->read_only && x->write)) return false;
    x->one = &a->region;
    return true;
}

/* On success the access has its mask, first lane, stride, low, high and region,
 * and the address of its first lane only. */
static inline bool shape_is_even(struct context *c, struct access *x,
                                 bool write) {
    const struct insn *i = c->insn;
    struct even_hint *e =
        &hints_of(c->machine, i)->even[c->lanes->mask != FULL_MASK];
    if (e->skip) {
        e->skip--;
        return false;
    }
    if ((e->mask != c->lanes->mask || !shape_is_like(c, e)) &&
        !shape_learn(c, e))
        return false;
    const void *base = c->registers + i->base;
    uint64_t from =
        i->is_base_wide
            ? ((const uint64_t *)base)[e->shape.first] + (uint64_t)i->offset
            : ((const uint32_t *)base)[e->shape.first] + (uint32_t)i->offset;
    if (from & (i->bytes - 1u)) return false;
    x->mask = e->mask;
    x->bytes = i->bytes;
    x->space = i->space;
    x->write = write;
    x->atomic = false;
    x->shape = e->shape;
    x->stride = (uint64_t)(int64_t)e->stride;
    x->like = e;
    x->scratch = NULL;
    x->address[e->shape.first] = from;
    x->low = from + (uint64_t)e->below;
    x->high = x->low + e->span - i->bytes;
    return shape_find_region(c, x);
}

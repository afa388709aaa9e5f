/* SPDX-License-Identifier: MIT
 *
 * span.c: the common case of a warp's access to memory, without what the others
 * need: the lanes are one run and so are their bytes.
 *
 * How to read this: access_span asks everything that access.c asks, in its
 * order, but never does anything about a no: then access.c begins anew. What it
 * leaves behind it does last, when all answers are known.
 */
#include "race.h"

enum { TRY_AGAIN = 15 }; /* accesses after one that was not a run */

/* Whether lane l of the active ones has start + l * step. */
WIDER static bool wide_in_line(const uint64_t *r, const uint64_t *active,
                               uint64_t start, uint64_t step) {
    uint64_t differs = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++)
        differs |= (r[l] ^ (start + l * step)) & active[l];
    return !differs;
}

WIDER static bool narrow_in_line(const uint32_t *r, const uint32_t *active,
                                 uint32_t start, uint32_t step) {
    uint32_t differs = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        differs |= (r[l] ^ (start + l * step)) & active[l];
    return !differs;
}

/* Fills in low and high: the first lane's address and the last's. */
static inline bool find_ends(const struct context *c, struct access *x,
                             uint32_t first, uint32_t lanes) {
    const struct insn *i = c->insn;
    const uint8_t *base = c->registers + i->base;
    if (i->is_base_wide) {
        const uint64_t *r = (const uint64_t *)(const void *)base;
        x->low = r[first] + (uint64_t)i->offset;
        x->high = x->low + (uint64_t)(lanes - 1) * x->bytes;
        return wide_in_line(r, c->lanes->d,
                            r[first] - (uint64_t)first * x->bytes, x->bytes);
    }
    const uint32_t *r = (const uint32_t *)(const void *)base;
    x->low = r[first] + (uint32_t)i->offset;
    x->high = x->low + (uint64_t)(lanes - 1) * x->bytes;
    return !(x->high >> 32) &&
           narrow_in_line(r, c->lanes->w, r[first] - first * x->bytes,
                          x->bytes);
}

static void count_shared(const struct context *c, bool write, uint32_t first,
                         uint32_t lanes) {
    uint64_t *n = c->insn->counts;
    uint32_t phase = (uint32_t)c->machine->profile->phase_lanes;
    if (c->insn->bytes == 8) phase /= 2;
    uint32_t wavefronts = (first + lanes - 1) / phase - first / phase + 1;
    n[VGPU_COUNT_SHARED_REQUESTS]++;
    n[VGPU_COUNT_SHARED_WAVEFRONTS] += wavefronts;
    n[write ? VGPU_COUNT_SHARED_WRITE_WAVEFRONTS
            : VGPU_COUNT_SHARED_READ_WAVEFRONTS] += wavefronts;
}

/* Lanes that are too few for a phase may share one with others (count.c). */
static bool has_simple_phases(const struct context *c, uint32_t lanes) {
    const struct vgpu_profile *p = c->machine->profile;
    return p->banks >= p->phase_lanes &&
           (c->insn->bytes == 4 || lanes == WARP_LANES);
}

static bool find_region(struct context *c, struct access *x, uint32_t lanes) {
    if (c->insn->space == PTX_SHARED) {
        x->one = &context_block(c)->shared;
        return x->high + x->bytes <= c->machine->shared_bytes &&
               has_simple_phases(c, lanes);
    }
    const struct allocation *a = access_allocation(c, x);
    if (!a || (a->read_only && x->write)) return false;
    x->one = &a->region;
    return true;
}

bool access_span(struct context *c, struct access *x, bool write) {
    struct insn *i = (struct insn *)c->insn;
    const struct machine *m = c->machine;
    uint32_t mask = c->lanes->mask, first = (uint32_t)__builtin_ctz(mask);
    uint32_t lanes = 32u - (uint32_t)__builtin_clz(mask) - first;
    bool shared = i->space == PTX_SHARED;
    if (i->banks.apart) {
        i->banks.apart--;
        return false;
    }
    if (m->weak || c->group->trace ||
        mask != FULL_MASK >> (WARP_LANES - lanes) << first)
        return false;
    x->mask = mask;
    x->bytes = i->bytes;
    x->write = write;
    x->atomic = false;
    x->in_line = true;
    x->scratch = NULL;
    if (!find_ends(c, x, first, lanes)) {
        i->banks.apart = TRY_AGAIN;
        return false;
    }
    if (x->low & (x->bytes - 1) || !find_region(c, x, lanes)) return false;
    if (!write && x->one->written && m->checks & VGPU_CHECK_INITCHECK &&
        !bits_all(x->one->written, x->low - x->one->base,
                  x->high - x->low + x->bytes))
        return false;
    x->address[first] = x->bits = x->low;
    x->address[first + lanes - 1] = x->high;
    if (m->track_data) /* marks may differ from lane to lane */
        for (uint32_t l = 0; l < WARP_LANES; l++)
            x->address[l] = x->low + ((uint64_t)l - first) * x->bytes;
    if (!race_span(c, x, shared)) return false;
    if (shared)
        count_shared(c, write, first, lanes);
    else
        access_count_global(c, x);
    return true;
}

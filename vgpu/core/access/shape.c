/* SPDX-License-Identifier: MIT
 *
 * shape.c: are the lanes of an access evenly spaced? See shape.h.
 */
#include "shape.h"

enum {
    TRY_AGAIN = 15
}; /* so many accesses are not tried after one that was
    * not even */

WIDER bool shape_wide_even(const uint64_t *r, const uint64_t *active,
                           uint64_t start, uint64_t step) {
    uint64_t differs = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++, start += step)
        differs |= (r[l] ^ start) & active[l];
    return !differs;
}

WIDER bool shape_narrow_even(const uint32_t *r, const uint32_t *active,
                             uint32_t start, uint32_t step) {
    uint32_t differs = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        differs |= (r[l] ^ (start + l * step)) & active[l];
    return !differs;
}

/* The stride is the distance from the first lane to its neighbour; where the
 * neighbour is not active, it is the bytes of a lane. */
static int64_t stride_of(const struct context *c, uint32_t mask,
                         uint32_t first) {
    const void *base = c->registers + c->insn->base;
    if (!(mask >> first & 2)) return c->insn->bytes;
    if (c->insn->is_base_wide) {
        const uint64_t *r = base;
        return (int64_t)(r[first + 1] - r[first]);
    }
    const uint32_t *r = base;
    return (int32_t)(r[first + 1] - r[first]);
}

/* Allocations may have gone since the last launch. */
void hints_launch_begins(struct machine *m) {
    struct insn_hints *hints = m->insn_slots[OBSERVER_HINTS];
    for (uint32_t k = 0; k < m->program->n_numbers; k++)
        hints[k].allocation = NULL;
}

bool shape_learn(struct context *c, struct even_hint *e) {
    uint32_t mask = c->lanes->mask, first = (uint32_t)__builtin_ctz(mask);
    uint32_t apart = 31u - (uint32_t)__builtin_clz(mask) - first;
    int64_t stride = stride_of(c, mask, first), span = stride * apart;
    int64_t bytes = c->insn->bytes;
    watch_hint_ends(c->machine->watching, c, e);
    *e = (struct even_hint){.skip = TRY_AGAIN};
    if (stride != (int32_t)stride || (apart && stride & (bytes - 1)))
        return false;
    e->stride = (int32_t)stride;
    e->shape.first = (uint8_t)first;
    if (!shape_is_like(c, e)) return false;
    bool neighbours = mask == FULL_MASK >> (31 - apart) << first;
    *e = (struct even_hint){.mask = mask,
                            .stride = (int32_t)stride,
                            .below = span < 0 ? span : 0,
                            .span = (uint64_t)(span < 0 ? -span : span) +
                                    (uint64_t)bytes,
                            .shape = {.first = (uint8_t)first,
                                      .lanes = (uint8_t)(apart + 1),
                                      .even = true,
                                      .in_line = stride == bytes,
                                      .neighbours = neighbours,
                                      .run = neighbours && stride == bytes,
                                      .sparse = true}};
    return true;
}

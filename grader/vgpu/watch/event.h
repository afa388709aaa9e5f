/* SPDX-License-Identifier: MIT
 *
 * event.h: what observers are told of: one warp's access to memory, resolved.
 */
#ifndef VGPU_EVENT_H
#define VGPU_EVENT_H

#include <string.h>

#include "machine.h"

struct access {
    uint32_t mask;  /* lanes it is for */
    uint32_t bytes; /* per lane: whole vector */
    bool write, atomic;
    bool in_line; /* lane l means start + l * bytes */
    bool even;    /* lane l means start + l * stride */
    uint64_t stride;
    uint64_t address[WARP_LANES]; /* without the window of its space */
    uint64_t bits, low, high;     /* of the lanes' addresses: every bit set in
                                     any of them; the least; the greatest */
    uint8_t *scratch;             /* weak memory: 16 bytes per lane instead */
    const struct region *one;     /* all lanes are in it; or NULL: */
    const struct region *many[WARP_LANES];
    struct region own[WARP_LANES]; /* for spaces that lanes do not share */
};

static inline const struct region *access_region(const struct access *x,
                                                 uint32_t lane) {
    return x->one ? x->one : x->many[lane];
}

static inline uint8_t *access_bytes(const struct access *x, uint32_t lane) {
    if (x->scratch) return x->scratch + (size_t)lane * 16;
    const struct region *r = access_region(x, lane);
    return r->bytes + (x->address[lane] - r->base);
}

/* The bytes of a run; the sizes of a whole warp's are the usual ones. */
static inline void access_copy_run(void *to, const void *from, size_t bytes) {
    if (bytes == 128)
        memcpy(to, from, 128);
    else if (bytes == 256)
        memcpy(to, from, 256);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

/* The bytes of the lanes are one run: `lanes` of them, from *first on. */
static inline bool access_is_span(const struct access *x, uint32_t *first,
                                  uint32_t *lanes) {
    if (!x->one || !x->in_line || x->scratch) return false;
    *first = (uint32_t)__builtin_ctz(x->mask);
    *lanes = 32u - (uint32_t)__builtin_clz(x->mask) - *first;
    return x->mask == FULL_MASK >> (WARP_LANES - *lanes) << *first;
}

static inline uint32_t *marks_of(struct context *c, uint32_t at) {
    return &c->group->frame->marks[at >> 6];
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * access.h: one warp's access to memory, resolved: which bytes each lane
 * means, checked and counted, whatever the space.
 */
#ifndef VGPU_ACCESS_H
#define VGPU_ACCESS_H

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

/* Splits the instruction's lanes by space; calls done for each part with
 * addresses resolved, checked, counted. False: the launch has to stop. */
typedef void access_fn(struct context *, struct access *);
bool access_each(struct context *, bool write, bool atomic, access_fn *done);

/* For accesses that are not the instruction's own: mask, bytes, write and the
 * addresses of the lanes are given; regions are found, checked, counted. */
bool access_place(struct context *, struct access *, uint8_t space);
/* Reports the first lane that reads what nothing has written. */
void access_check_written(struct context *, const struct access *);
/* Space that a generic address lies in. */
uint8_t access_space(uint64_t address);

/* The common case of an insn.plain load or store (even.c), checked, counted,
 * done. False: it is no such case, and nothing has happened. */
bool even_load(struct context *);
bool even_store(struct context *);
/* Adds to the instruction's counts what even.c has not counted yet. */
void even_collect(const struct insn *);
/* The allocation that all lanes look into, or NULL. low and high are known. */
struct allocation *access_allocation(struct context *, const struct access *);
void access_count_global(struct context *, const struct access *);
void access_count_pieces(struct context *, const struct access *,
                         uint32_t lanes, uint32_t sectors, uint32_t segments);
/* Wavefronts of an access to shared memory; *ideal as in count_wavefronts. */
uint32_t access_wavefronts(struct context *, const struct access *,
                           uint32_t *ideal);

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

/* Data marks of n bytes from `plus` bytes into a lane's access. */
bool access_marked(const struct access *, uint32_t lane, uint32_t plus,
                   uint32_t n);
void access_mark(const struct access *, uint32_t lane, uint32_t plus,
                 uint32_t n, bool marked);
/* The bytes are initialised from now on. */
void access_written(const struct access *);

static inline uint32_t *marks_of(struct context *c, uint32_t at) {
    return &c->group->frame->marks[at >> 6];
}

#endif

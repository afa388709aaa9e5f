/* SPDX-License-Identifier: MIT
 *
 * access.h: one warp's access to memory, resolved: which bytes each lane
 * means, checked and counted, whatever the space.
 */
#ifndef VGPU_ACCESS_H
#define VGPU_ACCESS_H

#include "machine.h"

struct access {
    uint32_t mask;                     /* lanes it is for */
    uint32_t bytes;                    /* per lane: whole vector */
    bool write, atomic;
    bool in_line;                      /* lane l means first + l * bytes */
    uint64_t address[WARP_LANES];
    uint8_t *at[WARP_LANES];           /* active lanes: bytes of the machine */
    /* shadow bits of the lane's first byte: bit number `bit` of the map; NULL:
     * not kept */
    uint8_t *written[WARP_LANES], *data[WARP_LANES];
    uint64_t bit[WARP_LANES];
};

/* Splits the instruction's lanes by space; calls done for each part with
 * addresses resolved, checked, counted. False: the launch has to stop. */
typedef void access_fn(struct context *, struct access *);
bool access_each(struct context *, bool write, bool atomic, access_fn *done);

/* Shadow bits of n bytes from `plus` bytes into a lane's access. */
bool access_marked(const struct access *, uint32_t lane, uint32_t plus,
                   uint32_t n);
void access_mark(struct access *, uint32_t lane, uint32_t plus, uint32_t n,
                 bool marked);
void access_written(struct access *);

static inline uint32_t *marks_of(struct context *c, uint32_t at)
{
    return &c->group->frame->marks[at >> 6];
}

#endif

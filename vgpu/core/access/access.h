/* SPDX-License-Identifier: MIT
 *
 * access.h: loads, stores and atomic operations: from an instruction to the
 * bytes that each lane accesses.
 */
#pragma once

#include "watch.h"

/* Splits the instruction's lanes by space, sends the event to the observers,
 * and calls `done` for each part. False: the launch has to stop. */
typedef void access_fn(struct context *, struct access *);
bool access_each(struct context *, bool write, bool atomic, access_fn *done);

/* The same for addresses that the caller has computed; it gives mask
 * (access_set_mask), bytes, write and atomic, too. */
bool access_lanes(struct context *, struct access *, uint8_t space,
                  access_fn *done);

/* For accesses that are not the instruction's own, such as those of copies. The
 * caller gives mask (access_set_mask), bytes, write, atomic and the addresses
 * of the lanes; the regions are found here. False: reported, and the launch has
 * to stop. */
bool access_place(struct context *, struct access *, uint8_t space);
/* How messages call it. */
static inline uint64_t access_kind(const struct access *x) {
    return x->atomic  ? VGPU_ACCESS_ATOMIC
           : x->write ? VGPU_ACCESS_WRITE
                      : VGPU_ACCESS_READ;
}
/* Shared memory, in a cluster of blocks: finds the region of each lane, and
 * takes off its address what says whose it is. False: reported. */
bool access_of_cluster(struct context *, struct access *);
/* The space in which a generic address lies. */
uint8_t access_space(uint64_t address);
/* The allocation that holds all lanes' bytes, or NULL. Needs low and high. */
struct allocation *access_allocation(struct context *, const struct access *);

/* These execute an instruction; false: the launch has to stop. load_for and
 * store_for: the variant for these observers (machine.watching). */
typedef bool exec_fn(struct context *);
exec_fn *load_for(unsigned watching);
exec_fn *store_for(unsigned watching);
bool exec_atomic(struct context *);
bool exec_texture(struct context *); /* tex, suld and their like */
/* mma, ldmatrix and their like, for these lanes, which should be all. What they
 * report shows in machine.status. */
void exec_matrix(struct context *, uint32_t lanes);
/* Of exec_matrix: loads and stores. */
void exec_matrix_access(struct context *, uint32_t lanes);

/* SPDX-License-Identifier: MIT
 *
 * access.h: one warp's access to memory, resolved: which bytes each lane
 * means, checked and counted, whatever the space.
 */
#ifndef VGPU_ACCESS_H
#define VGPU_ACCESS_H

#include "event.h"

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

/* Data marks of n bytes from `plus` bytes into a lane's access. */
bool access_marked(const struct access *, uint32_t lane, uint32_t plus,
                   uint32_t n);
void access_mark(const struct access *, uint32_t lane, uint32_t plus,
                 uint32_t n, bool marked);
/* The bytes are initialised from now on. */
void access_written(const struct access *);

/* Instructions; false when the launch must stop. */
bool exec_load(struct context *);
bool exec_store(struct context *);
bool exec_atomic(struct context *);

#endif

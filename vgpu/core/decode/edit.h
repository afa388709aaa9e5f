/* SPDX-License-Identifier: MIT
 *
 * edit.h: changes that are tried on a program (struct vgpu_edit). They are made
 * in its parsed module before any of it is decoded, so that decoder, machine
 * and observers need no code for them.
 *
 * A *meeting* is a barrier to which not all threads need to come: it opens when
 * no other thread of the block can go on, because the others wait at barriers
 * or at a join, or have ended. It is tried in the place of a __syncthreads()
 * that the source may lack. A real barrier there could hang: the compiler did
 * not know of it and may have merged branches, so that only some threads come
 * by.
 */
#pragma once

#include "ptx.h"
#include "vgpu.h"

/* False: no memory. */
bool program_edit(struct ptx_module *, const struct vgpu_edit *, size_t n);
/* Calls `each` for each instruction of the function and each line that it
 * belongs to, its own and those that it was inlined into, with the kinds of
 * edit that fit it there. The module is an unchanged one. */
void program_edit_sites(const struct ptx_module *, const struct ptx_function *,
                        void (*each)(void *user, const struct vgpu_edit_site *),
                        void *user);

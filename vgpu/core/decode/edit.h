/* SPDX-License-Identifier: MIT
 *
 * edit.h: changes that are tried on a program (struct vgpu_edit). They are made
 * in its parsed module before any of it is decoded, so that machine and
 * observers need no code for them, and the decoder only for choices.
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

/* Do they change the module? Which of the numbers that stand for choices is 1
 * is said when an instruction is decoded, so that all devices of a cache may
 * share one module, whatever each of them chooses. */
bool program_edits_module(const struct vgpu_edit *, size_t n);
/* The number that is chosen, as it stands in the module (program.choice). */
uint32_t program_choice(const struct vgpu_edit *, size_t n);
/* False: no memory. */
bool program_edit(struct ptx_module *, const struct vgpu_edit *, size_t n);
/* Calls `each` for each instruction of the function and each line that it
 * belongs to, its own and those that it was inlined into, with the kinds of
 * edit that fit it there. The module is an unchanged one. */
void program_edit_sites(const struct ptx_module *, const struct ptx_function *,
                        void (*each)(void *user, const struct vgpu_edit_site *),
                        void *user);

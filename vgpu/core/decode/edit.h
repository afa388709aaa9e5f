/* SPDX-License-Identifier: MIT
 *
 * edit.h: changes of a program that are tried (struct vgpu_edit): made in its
 * parsed module, before anything of it is decoded, so that whatever runs it
 * knows nothing of them.
 *
 * A *meeting* is a barrier to which not all threads need to come: it opens when
 * no other thread of the block can go on, because the others wait at barriers
 * or at a join, or have ended. It stands for a __syncthreads() that the source
 * lacks, where a real barrier would hang: since the source has none there, the
 * compiler may have joined two branches, and only some threads come by.
 */
#pragma once

#include "ptx.h"
#include "vgpu.h"

/* False: no memory. */
bool program_edit(struct ptx_module *, const struct vgpu_edit *, size_t n);
/* How many of the function's instructions the kind fits, at a line; with a
 * module that has not been changed. */
void program_edit_sites(const struct ptx_module *, const struct ptx_function *,
                        void (*each)(void *user, const struct vgpu_edit_site *),
                        void *user);

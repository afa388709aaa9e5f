/* SPDX-License-Identifier: MIT
 *
 * edit.h: changes of a program that are tried (struct vgpu_edit): made in its
 * parsed module, before anything of it is decoded, so that whatever runs it
 * knows nothing of them.
 *
 * A *meeting* is a barrier that also holds where only some threads come to it:
 * it opens when nobody else of the block can go on, because the others wait at
 * barriers or at a join, or have ended. So it stands for a barrier of the
 * source also where the compiler, because there was none, has joined the two
 * branches between which it would be.
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

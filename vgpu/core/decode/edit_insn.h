/* SPDX-License-Identifier: MIT
 *
 * edit_insn.h: which instructions an edit fits, and what it makes of one.
 */
#pragma once

#include "ptx.h"
#include "vgpu.h"

/* A load, store or atomic operation on memory that other threads see. */
bool edit_is_access(const struct ptx_insn *);
bool edit_fits(vgpu_edit_kind, const struct ptx_function *,
               const struct ptx_insn *);
/* Only for kinds that change the instruction itself. False: no memory. */
bool edit_change(struct ptx_module *, const struct ptx_function *,
                 struct ptx_insn *, const struct vgpu_edit *);

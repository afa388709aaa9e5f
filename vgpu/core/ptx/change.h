/* SPDX-License-Identifier: MIT
 *
 * change.h: changes a parsed module. No other device may use that module
 * (images are shared: parsed.h), because it would run the changed program, too.
 * New parts lie in the module's arena. The functions return false when there is
 * no memory, and ptx_set_form also when PTX has no such instruction.
 */
#pragma once

#include "ptx.h"

/* The instruction keeps its operands. */
bool ptx_set_form(struct ptx_module *, struct ptx_insn *, const char *text);

/* New instructions around an instruction X. A branch to X executes the new one
 * `before` X; it does not execute the new one `behind` the instruction that
 * precedes X. */
struct ptx_around {
    const struct ptx_insn *before, *behind; /* one of each; NULL: none */
};
/* around: one for each instruction of the function. */
bool ptx_insert(struct ptx_module *, struct ptx_function *,
                const struct ptx_around *around);
/* Has the function a branch by a list of targets (brx.idx)? ptx_insert does not
 * change such lists. */
bool ptx_has_lists(const struct ptx_function *);

/* SPDX-License-Identifier: MIT
 *
 * change.h: changes a parsed module. Only one device may use that module, since
 * others would run the changed program, too. What is added lives in the
 * module's memory. A function returns false when there is no memory, and
 * ptx_set_form also when PTX has no such instruction.
 */
#pragma once

#include "ptx.h"

/* The instruction keeps its operands. */
bool ptx_set_form(struct ptx_module *, struct ptx_insn *, const char *text);

/* New instructions around one. A branch to this one executes the new one before
 * it, but not the new one behind its predecessor. */
struct ptx_around {
    const struct ptx_insn *before, *behind; /* one of each; NULL: none */
};
/* around: one for each instruction of the function. */
bool ptx_insert(struct ptx_module *, struct ptx_function *,
                const struct ptx_around *around);
/* Does it branch by a list, whose targets ptx_insert leaves alone? */
bool ptx_has_lists(const struct ptx_function *);

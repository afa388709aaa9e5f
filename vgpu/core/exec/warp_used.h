/* SPDX-License-Identifier: MIT
 *
 * warp_used.h: whether the value that a shuffle brings is used.
 */
#pragma once

#include "machine.h"

/* All lanes of this shuffle store what they get, or what they make of it, where
 * other threads see it. `end`: behind the function's last instruction. */
bool warp_used_is_stored(const struct insn *shuffle, const struct insn *end);

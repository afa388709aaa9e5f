/* SPDX-License-Identifier: MIT
 *
 * ran.h: which lines of a file a call's kernels ran, and which they could have.
 */
#pragma once

#include "harness.h"
#include "outcome.h"

/* Fills the outcome's ran_lines, of the lab's source. */
void ran_take(const struct harness *, struct outcome *);

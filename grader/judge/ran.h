/* SPDX-License-Identifier: MIT
 *
 * ran.h: which lines of a file a call's kernels ran, and which they could have.
 */
#pragma once

#include "harness.h"
#include "outcome.h"

/* Fills the outcome's ran_lines, of the lab's source. */
void ran_take(const struct harness *, struct outcome *);
/* Adds the lines that its kernels ran: RAN_DID alone. */
void ran_note(const struct harness *, struct ran_lines *);
void ran_add(const struct ran_lines *, struct ran_lines *to);
/* In how many cases a line ran, up to 255. */
void ran_count(const struct ran_lines *, struct ran_lines *to);

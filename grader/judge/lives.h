/* SPDX-License-Identifier: MIT
 *
 * lives.h: where a program that left memory allocated asked for its memory, and
 * where it gave it back.
 */
#pragma once

#include "harness.h"
#include "outcome.h"

/* From the calls that led to the runtime to a line. */
typedef void lives_placed(const struct harness *,
                          const uint64_t callers[VGPU_CALLERS], struct place *);
/* Into the outcome of a leak, which has none yet. */
void lives_take(const struct harness *, lives_placed *, struct outcome *);

/* SPDX-License-Identifier: MIT
 *
 * lives.h: where a program that left memory allocated asked for its memory, and
 * where it gave it back.
 */
#pragma once

#include "harness.h"
#include "outcome.h"

/* Into the outcome of a leak, which has none yet. */
void lives_take(const struct harness *, struct outcome *);

/* SPDX-License-Identifier: MIT
 *
 * minimise.h: makes a disagreement small.
 */
#pragma once

#include "program.h"

/* Does the program without the skipped nodes still disagree? */
typedef bool still_fn(void *user, const uint8_t *skipped);

/* Leaves out what can be left out: skipped (one byte per node, all 0 when
 * called) in the end. Asks at most `most` times. */
void minimise(const struct program *, still_fn *, void *user, unsigned most,
              uint8_t *skipped);

/* SPDX-License-Identifier: MIT
 *
 * explain_parts.h: what explain.c and explain_watched.c share.
 */
#pragma once

#include "explain.h"

/* Of a report of the runner; to be freed with the outcome that gets it. */
struct place explain_place(const struct harness *, const struct wire_report *);
/* The first that was found in a watched call, in the order of watches.def.
 * false: nothing. */
bool explain_watched(struct harness *, struct outcome *);

/* SPDX-License-Identifier: MIT
 *
 * shown.h: a grade's copies of the files that its checks point into, so that a
 * report shows the lines as they were compiled, whatever is in the folder by
 * then.
 */
#pragma once

#include "grade.h"
#include "sources.h"

/* Adds what the outcome of a check points into; where that is nothing, and its
 * answer is wrong, it points to the function that gave it, which the lab's
 * source has. false: out of memory. */
bool shown_sources(const struct sources *, struct grade *,
                   struct check_result *, const struct lab *,
                   const bool *works);
/* The same of a repair that was found behind that: its line comes first. */
bool shown_repair(const struct sources *, struct grade *, struct outcome *);

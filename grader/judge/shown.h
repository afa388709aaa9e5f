/* SPDX-License-Identifier: MIT
 *
 * shown.h: a grade's copies of the files that its checks point into, so that a
 * report shows the lines as they were compiled, whatever is in the folder by
 * then.
 */
#pragma once

#include "grade.h"
#include "sources.h"

/* Chooses the lines that a report shows of a check (choose_lines.h), and adds
 * the files that they are of. works: of each of the lab's functions, whether
 * some check of it passed. false: out of memory. */
bool shown_sources(const struct sources *, struct grade *,
                   struct check_result *, const struct lab *,
                   const bool *works);
/* The same of a repair that was found behind that: its line comes first. */
bool shown_repair(const struct sources *, struct grade *, struct outcome *);

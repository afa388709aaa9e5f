/* SPDX-License-Identifier: MIT
 *
 * shown.h: a grade's copies of the files that its checks point into, so that a
 * report shows the lines as they were compiled, whatever is in the folder by
 * then.
 */
#pragma once

#include "choose_lines.h"
#include "grade.h"
#include "sources.h"
#include "stub_lines.h"

/* Chooses the lines that a report shows of a check (choose_lines.h), and adds
 * the files that they are of. choose_from: all but its texts, which are the
 * sources'. false: out of memory. */
bool shown_sources(const struct sources *, struct grade *,
                   struct check_result *, struct choose_from);
/* The same of a repair that was found behind that: its line comes first, but if
 * it was given. */
bool shown_repair(const struct sources *, struct grade *,
                  const struct stub_lines *, struct outcome *);

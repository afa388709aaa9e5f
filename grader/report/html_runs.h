/* SPDX-License-Identifier: MIT
 *
 * html_runs.h: failed checks as a page runs them again, where it has an engine.
 */
#pragma once

#include "html_parts.h"

/* Adds `runs` to the view of the lab, `run` to those of its checks. */
void html_runs(json_t *lab, const struct grade *, const struct lab_result *,
               struct html_room *);

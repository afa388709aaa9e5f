/* SPDX-License-Identifier: MIT
 *
 * versus_call.h: what a saved file counts beside what it counted before, and
 * beside what the course publishes (published.def): one call of each function
 * with published numbers, on their device and clock.
 */
#pragma once

#include "judge_options.h"
#include "versus.h"

/* Calls the lab's functions in the judge's submission; what was `mine` becomes
 * `last`. Functions that are not implemented, or launch nothing, have none. */
void versus_call(const struct judge_options *, struct since *);
/* As a table on standard output. */
void versus_print(const struct since *);

/* SPDX-License-Identifier: MIT
 *
 * record_runs.h: what a failed check's host code asks the virtual GPU, for a
 * page that runs it again (runnable.h): for the size that failed, and for other
 * small ones.
 */
#pragma once

#include "check_run.h"

enum { RECORD_RUNS_MS = 1000 /* of a lab */ };

/* Fills outcome.drawn and, with options.runs, outcome.runnable of a check that
 * failed, that students may see, where the virtual GPU shows it failing at a
 * small size. No case begins later than `until`, by clock_ms. */
void record_runs(const struct check_run *, struct check_result *,
                 long long until);

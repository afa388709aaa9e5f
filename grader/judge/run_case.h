/* SPDX-License-Identifier: MIT
 *
 * run_case.h: runs a case: all but those of timed checks, which fast.h runs.
 */
#pragma once

#include "case.h"

void case_run(const struct case_spec *, struct case_result *);
/* A case that failed on the virtual GPU without a finding of its checks is run
 * a second time with all of them on: what they find explains more than what
 * came of it, and leads the outcome. */
void case_look_again(const struct case_spec *, struct case_result *);

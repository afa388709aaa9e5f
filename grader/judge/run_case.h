/* SPDX-License-Identifier: MIT
 *
 * run_case.h: runs a case: all but those of timed checks, which fast.h runs.
 */
#pragma once

#include "case.h"

void case_run(const struct case_spec *, struct case_result *);

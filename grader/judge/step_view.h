/* SPDX-License-Identifier: MIT
 *
 * step_view.h: the steps of a failed case, for its report: called once more,
 * with numbers that people can add up.
 */
#pragma once

#include "case.h"

/* The input in place of any numbers: digits. */
int step_view_inputs(int inputs);
/* Fills result.outcome.steps, where the case has few elements, and its answer
 * is wrong for such numbers, too. */
void step_view_take(const struct case_spec *, struct case_result *);

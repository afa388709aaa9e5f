/* SPDX-License-Identifier: MIT
 *
 * run_case.h: runs a case: all but those of timed checks, which fast.h runs.
 */
#pragma once

#include "case.h"

void case_run_once(const struct case_spec *, struct case_result *);

/* The same; and where it fails by something that a clean check of the same
 * function charges, once more as if that were allowed (charged.c):
 *
 *   race under the clock  every access is a message; the counts decide
 *   past an array's end   there is room; if the answer is right, a slip
 *   race within a warp    lanes in lockstep; if the answer is right, a slip
 *   overlapping copy      as if by another array; if it is right, a slip
 *
 * A slip fails the case, and charged_by names the other check: then this one
 * loses a point, and no more. */
void case_run(const struct case_spec *, struct case_result *);

/* Did it fail by which of its threads work? */
bool case_is_of_sharing(const struct case_result *);

/* Makes the further case that case_run runs when the spec has wrong_in and the
 * case is right under the clock: the same one in that schedule, without clock
 * and bounds. A wrong answer there fails the case. */
void case_in_that_order(const struct case_spec *, struct case_spec *again,
                        struct lab_check *its_check);

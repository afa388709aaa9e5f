/* SPDX-License-Identifier: MIT
 *
 * influence.h: does each element reach the outputs that depend on it, although
 * the answer is wrong? Then the counts of the call are those of an algorithm
 * that is there, and earn something.
 */
#pragma once

#include "case.h"

/* The case failed by a wrong answer. Its function is called again, each time
 * with another element changed. Of the words of output that change in the right
 * answer: how many as many changed in the function's, 0 to 1; the mean over the
 * elements. */
double influence_of(const struct case_spec *);

/* SPDX-License-Identifier: MIT
 *
 * explain.h: finds out what went wrong with a call before its output is
 * compared: the process ended, crashed, was late, broke a rule (copied through
 * the host, called a library, ...), or the device found something.
 */
#pragma once

#include "harness.h"
#include "outcome.h"

/* For HARNESS_STOPPED and HARNESS_NO_SYMBOL: fills an empty outcome. */
void explain_stop(struct harness *, enum harness_result, struct outcome *);
/* For a call that answered, in order of what explains most: a finding of the
 * device, an error returned, a refused system call, a library's kernel, copying
 * through the host, writing outside the output, threads left behind. false:
 * nothing wrong, and the outcome stays empty. */
bool explain_call(struct harness *, const struct lab_check *,
                  const struct harness_call *, struct outcome *);

/* Called when an answer is wrong: adds findings of checks that alone do not
 * fail a call. */
void explain_wrong(const struct harness *, struct outcome *);

/* Called when a bound is passed: adds what the counts of the call of n elements
 * say about the cause. */
void explain_bound(const struct harness *, const struct lab_check *, size_t n,
                   const struct harness_call *, const struct measured *,
                   struct outcome *);
/* explain_lane.c: the same for a passed bound of depth: does one lane work
 * where all could? */
void explain_lane(const struct harness *, const struct measured *,
                  struct outcome *);
/* The same for the first passed bound: the lines that counted most. */
void explain_most(const struct harness *, const struct harness_call *,
                  const struct measured *, struct outcome *);
/* explain_costly.c: which kernels and lines make a count that is over its
 * bound. */
void explain_costly(const struct harness *, vgpu_counter, struct outcome *);

/* SPDX-License-Identifier: MIT
 *
 * measure.h: the one number of a check that a leaderboard orders by.
 */
#pragma once

#include "grade.h"

struct measure {
    const char *name; /* "model time (ns)" */
    double value;
    bool more_is_better;
};

/* The throughput relative to the baseline, or else model time. false: the check
 * did not pass, or has neither. */
bool measure_best(const struct check_result *, struct measure *);

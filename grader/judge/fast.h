/* SPDX-License-Identifier: MIT
 *
 * fast.h: a check of kind fast on a C lab: the ratio of the function's
 * throughput to a baseline's, measured so that a busy machine changes nothing.
 *
 * Two runners: the submission's, and a clean one with the baseline (the lab
 * says which). They take turns on the same fresh input, so that drift hits
 * both; while one runs the other is stopped. Times are the judge's own, from
 * request to answer; every timed output is compared with the oracle. A pair
 * of turns gives one ratio; the report has the median and the quartiles of all.
 * Points are lost only when even the upper quartile misses the bound.
 */
#pragma once

#include "case.h"

/* As case_run; for checks with a ratio. */
void fast_run(const struct case_spec *, struct case_result *);

/* The same on a real GPU, of CUDA labs: fast_gpu.c. */
void fast_gpu_run(const struct case_spec *, struct case_result *);

/* The part of the points that a ratio earns, 0 to 1: all or none at the check's
 * bound, or linearly from there to its `full`. */
double fast_earned(const struct lab_check *, double ratio);

/* What both make of their ratios: the part of the points that `earning` earns,
 * and why that is not all. */
void fast_judge(const struct case_spec *, const struct ratio *, double earning,
                struct case_result *);

struct fast_spread {
    double low, median, high; /* quartiles and median */
};
/* Sorts ratios[0..n), n >= 1. */
struct fast_spread fast_spread_of(double *ratios, size_t n);

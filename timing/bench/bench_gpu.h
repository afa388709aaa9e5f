/* SPDX-License-Identifier: MIT
 *
 * bench_gpu.h: scanlab bench: the labs' functions on a real GPU beside copies,
 * CUB and Thrust, in one run. timing/docs/bench.md tells how it measures.
 *
 * Inside: plan.c (who is timed on what), units.c (timing/gpu compiled by nvcc
 * into the cache), worker.c (a measuring process seen from here), crew.c (all
 * that is set up), gpu.c (rounds), rows.c (CSV and table).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"

struct bench_gpu_options {
    const char *root, *build_folder; /* as in judge_options */
    struct lab **labs;               /* all of the course */
    size_t n_labs;
    const char *const *only; /* ids of labs to time; none: all. Peers always */
    size_t n_only;
    const char *const *submissions; /* besides reference/, timing/fast/ */
    size_t n_submissions;
    bool full;             /* --suite full; else quick */
    const char *operation; /* one row of contract/operations.def; NULL: all */
    const char *type;      /* one row of contract/bench_types.def; NULL: all */
    const size_t *sizes;   /* -n; none: the suite's */
    size_t n_sizes;
    long long milliseconds; /* --seconds: to be spent; 0: the suite's */
    int prepare; /* compute capability to compile the peers for, and no more;
                    0: measure */
    const char *output;  /* the CSV file; "-": standard output */
    const char *command; /* as it was called, for the line "# command:" */
    const char *version; /* of ScanLab */
};

/* Exit status: 0 measured and all outputs right, 1 a timed output was wrong, 2
 * could not measure, told on standard error. */
int bench_gpu(const struct bench_gpu_options *);

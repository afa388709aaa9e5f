/* SPDX-License-Identifier: MIT
 *
 * check.h: one check of a lab: its cases in order, the first failing one
 * decides.
 */
#ifndef SCANLAB_CHECK_H
#define SCANLAB_CHECK_H

#include "case.h"
#include "judge.h"

struct check_run {
    const struct judge_options *options;
    const struct case_world *world;
    const struct lab *lab;
    const struct lab_check *check;
    const char *library;
    const char *program;     /* "build/bin/scanlab", for reproduce */
    enum wire_device device; /* for CUDA labs */
};

enum check_outcome {
    CHECK_DONE,
    CHECK_TODO, /* done, and failed as "not implemented yet" */
    CHECK_WORLD /* set-up error; result->message says what */
};

/* Runs the cases the options leave and fills status, score and the texts.
 * *output: what the failing case (or the last) printed, NULL: nothing. */
enum check_outcome check_run(const struct check_run *, struct check_result *,
                             char **output);

/* The command that repeats this check, or one case of it. */
char *check_reproduce(const struct check_run *, const struct case_spec *);

#endif

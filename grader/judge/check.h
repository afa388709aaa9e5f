/* SPDX-License-Identifier: MIT
 *
 * check.h: one check of a lab: its cases in order, and what they earn.
 */
#pragma once

#include "check_run.h"

enum check_outcome {
    CHECK_DONE,
    CHECK_TODO,       /* done, and failed as "not implemented yet" */
    CHECK_NOTHING,    /* done, check_run.earns_or_not, and earned nothing */
    CHECK_ENVIRONMENT /* set-up error; trouble says what */
};

/* What a check leaves besides its result; to be freed. */
struct check_rest {
    char *output;  /* what the failed case printed, or else the first case that
                      printed something; NULL: nothing */
    char *trouble; /* CHECK_ENVIRONMENT */
};

void check_rest_free(struct check_rest *);
bool check_is_over(const struct check_run *); /* is it later than `until`? */
/* Why a check was not reached, or not all of it. */
struct fact check_not_reached(const struct check_run *);

/* Runs the cases the options leave and fills the result. */
enum check_outcome check_run(const struct check_run *, struct check_result *,
                             struct check_rest *);
/* --device auto on a machine with a GPU: runs a check that passed on the
 * virtual GPU on the real one as well, at its largest size. If the real GPU
 * does not work, the verdict of the virtual one stands. */
void check_run_on_gpu_too(const struct check_run *, struct check_result *,
                          struct check_rest *);

/* SPDX-License-Identifier: MIT
 *
 * check_run.h: the run of a check: what case_plan.h and check.h are given.
 */
#pragma once

#include "case.h"
#include "judge_options.h"

struct check_run {
    const struct judge_options *options;
    const struct case_environment *environment;
    const struct lab *lab;
    const struct lab_check *check;
    const char *library;
    const char *watched_library; /* C labs; NULL: it could not be made */
    enum wire_device device;     /* for CUDA labs */
    bool earns_or_not;    /* the check that it builds on earned nothing: of one
                             that earns nothing either no failure is explained */
    bool was_wrong;       /* a correct check of the function earned nothing */
    const char *wrong_in; /* a schedule in which the function failed a correct
                             check; NULL: none */
    const struct known *known; /* of the lab's checks before */
    unsigned n_late; /* checks of the lab that ran out of time before */
    long long until; /* clock_ms: no case begins later; 0: there is no end */
    struct step_view_left *lines_left; /* step_view.h */
    size_t *steps_left; /* bytes of failed cases' steps that may be kept */
    struct ran_lines *passed; /* lines that cases ran which passed; NULL:
                                 nobody asks */
};

/* SPDX-License-Identifier: MIT
 *
 * grade.h: what grading yields: plain data, filled by judge/, printed by
 * report/. All strings are owned by the grade.
 */
#ifndef SCANLAB_GRADE_H
#define SCANLAB_GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab.h"

enum check_status { STATUS_PASS, STATUS_FAIL, STATUS_SKIP };

struct check_result {
    const struct lab_check *check;
    enum check_status status;
    int score;     /* 0..check->points; a bonus adds to score alone */
    char *message; /* one paragraph: expected, got, first difference, its shape;
                      "" when passed */
    char *where; /* "naive.cu:31, block (3,0,0), thread (17,0,0)"; NULL: unknown
                  */
    char *cause, *read; /* likely cause and place to read; NULL: none */
    char *reproduce;    /* command for just this */
    char *trust; /* how far a number can be believed, e.g. "timed by the judge's
                    clock"; NULL */
    char *detail; /* -v: counters against bounds, ratios and spread; lines; NULL
                   */
    double seconds; /* wall clock, not part of reproducible JSON */
};

struct lab_result {
    const struct lab *lab;
    int score, max_score;
    char *build_error; /* compiler's message, NULL: built */
    char *output;      /* what the submission printed, shortened; NULL */
    struct check_result *checks;
    size_t n_checks;
};

struct grade {
    uint64_t seed;
    char *submission; /* folder as given */
    char *device;     /* "vgpu (teach)" or "gpu (NVIDIA H200)" or both */
    int score, max_score;
    struct lab_result *labs;
    size_t n_labs;
    double seconds;
};

/* Has every check that is no bonus all its points? A bonus makes up for none.
 */
bool grade_is_full(const struct grade *);

#endif

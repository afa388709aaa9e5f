/* SPDX-License-Identifier: MIT
 *
 * grade.c: what a grade owns, and how it is given back.
 */
#include "grade.h"

#include <stdlib.h>

void check_result_free(struct check_result *check) {
    outcome_free(&check->outcome);
    measured_free(&check->measured);
}

static void free_lab(struct lab_result *lab) {
    for (size_t i = 0; i < lab->n_checks; i++)
        check_result_free(&lab->checks[i]);
    free(lab->checks);
    free(lab->build_error);
    free(lab->warnings);
    free(lab->output);
}

bool grade_is_full(const struct grade *grade) {
    for (size_t i = 0; i < grade->n_labs; i++)
        for (size_t k = 0; k < grade->labs[i].n_checks; k++) {
            const struct check_result *result = &grade->labs[i].checks[k];
            if (!result->check->bonus && result->score < result->check->points)
                return false;
        }
    return true;
}

void grade_free(struct grade *grade) {
    if (!grade) return;
    for (size_t i = 0; i < grade->n_labs; i++) free_lab(&grade->labs[i]);
    free(grade->labs);
    free(grade->submission);
    free(grade->program);
    free(grade->labs_folder);
    free(grade->profile);
    free(grade->gpu);
    *grade = (struct grade){0};
}

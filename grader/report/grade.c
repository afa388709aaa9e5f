/* SPDX-License-Identifier: MIT
 *
 * grade.c: what a grade owns, and how it is given back.
 */
#include "grade.h"

#include <stdlib.h>

#include "report.h"

static void free_check(struct check_result *check) {
    free(check->message);
    free(check->where);
    free(check->cause);
    free(check->read);
    free(check->reproduce);
    free(check->trust);
    free(check->detail);
}

static void free_lab(struct lab_result *lab) {
    for (size_t i = 0; i < lab->n_checks; i++) free_check(&lab->checks[i]);
    free(lab->checks);
    free(lab->build_error);
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
    free(grade->device);
    *grade = (struct grade){0};
}

/* SPDX-License-Identifier: MIT
 *
 * grade.c: what a grade owns, and how it is given back.
 */
#include "grade.h"

#include <stdlib.h>

void check_result_free(struct check_result *check) {
    outcome_free(&check->outcome);
    measured_free(&check->measured);
    free(check->groups);
    free(check->sizes);
}

static void free_lab(struct lab_result *lab) {
    for (size_t i = 0; i < lab->n_checks; i++)
        check_result_free(&lab->checks[i]);
    free(lab->checks);
    free(lab->build_error);
    free(lab->warnings);
    free(lab->output);
}

int lab_bonus(const struct lab_result *lab) {
    int bonus = 0;
    for (size_t i = 0; i < lab->n_checks; i++)
        if (lab->checks[i].check->bonus) bonus += lab->checks[i].score;
    return bonus - bonus * (int)lab->late.percent / 100;
}

int grade_bonus(const struct grade *grade) {
    int bonus = 0;
    for (size_t i = 0; i < grade->n_labs; i++)
        bonus += lab_bonus(&grade->labs[i]);
    return bonus;
}

bool grade_is_full(const struct grade *grade) {
    for (size_t i = 0; i < grade->n_labs; i++) {
        if (grade->labs[i].late.lost) return false;
        for (size_t k = 0; k < grade->labs[i].n_checks; k++) {
            const struct check_result *result = &grade->labs[i].checks[k];
            if (!result->check->bonus && result->score < result->check->points)
                return false;
        }
    }
    return true;
}

void lab_result_late(struct lab_result *lab, int64_t late_s, unsigned percent) {
    int lost = lab->score * (int)percent / 100;
    lab->late = (struct lateness){late_s, percent, lost};
    lab->score -= lost;
}

bool check_is_todo(const struct check_result *r) {
    return r->status == STATUS_FAIL && r->outcome.n_facts &&
           r->outcome.facts[0].row == FACT_NOT_IMPLEMENTED;
}

static const struct check_result *needs(const struct lab_result *lab,
                                        const struct check_result *r) {
    bool waits = r->status == STATUS_SKIP && r->outcome.n_facts &&
                 r->outcome.facts[0].row == FACT_NEEDS && r->check->parent >= 0;
    for (size_t i = 0; waits && i < lab->n_checks; i++)
        if (lab->checks[i].check == &lab->lab->checks[r->check->parent] &&
            &lab->checks[i] != r)
            return &lab->checks[i];
    return NULL;
}

const struct check_result *check_waits_for(const struct lab_result *lab,
                                           const struct check_result *r) {
    const struct check_result *root = NULL, *next = needs(lab, r);
    /* At most n_checks steps, so that parents in a circle end the loop, too. */
    for (size_t i = 0; next && i < lab->n_checks; i++) {
        root = next;
        next = needs(lab, root);
    }
    return root;
}

const struct check_result *grade_first_failure(const struct grade *grade) {
    const struct check_result *todo = NULL;
    for (size_t i = 0; i < grade->n_labs; i++)
        for (size_t k = 0; k < grade->labs[i].n_checks; k++) {
            const struct check_result *r = &grade->labs[i].checks[k];
            if (r->status != STATUS_FAIL || grade->labs[i].build_error)
                continue;
            if (!check_is_todo(r)) return r;
            if (!todo) todo = r;
        }
    return todo;
}

void grade_free(struct grade *grade) {
    if (!grade) return;
    for (size_t i = 0; i < grade->n_labs; i++) free_lab(&grade->labs[i]);
    free(grade->labs);
    for (size_t i = 0; i < grade->n_sources; i++) {
        free(grade->sources[i].name);
        free(grade->sources[i].text);
    }
    free(grade->sources);
    free(grade->points);
    free(grade->submission);
    free(grade->program);
    free(grade->labs_folder);
    free(grade->course);
    free(grade->profile);
    free(grade->gpu);
    *grade = (struct grade){0};
}

/* SPDX-License-Identifier: MIT
 *
 * seen.c: see seen.h. What a submission printed while a check ran that is not
 * for students, the judge has not kept. How long such a check took is up to the
 * submission, which could say in this way what it was called with.
 */
#include "seen.h"

#include <stdlib.h>

#include "text.h"
#include "words.h"

static bool copy_lab(const struct lab_result *from, struct lab_result *to,
                     struct lab *lab) {
    *lab = *from->lab;
    lab->folder = text_format("labs/%s", text_base(from->lab->folder));
    *to = *from;
    to->lab = lab;
    to->score = to->max_score = 0;
    to->n_checks = 0;
    to->checks = calloc(from->n_checks + 1, sizeof *to->checks);
    if (!lab->folder || !to->checks) return false;
    for (size_t i = 0; i < from->n_checks; i++) {
        const struct check_result *r = &from->checks[i];
        if (r->shown != VISIBILITY_VISIBLE) continue;
        to->checks[to->n_checks++] = *r;
        to->score += r->score;
        if (!r->check->bonus) to->max_score += r->check->points;
    }
    lab_result_late(to, from->late.late_s, from->late.percent);
    return true;
}

/* Of the checks that are shown; false: all are. */
static bool shown_seconds(const struct grade *all, double *seconds) {
    bool hides = false;
    *seconds = 0;
    for (size_t i = 0; i < all->n_labs; i++)
        for (size_t k = 0; k < all->labs[i].n_checks; k++) {
            const struct check_result *r = &all->labs[i].checks[k];
            if (r->shown == VISIBILITY_VISIBLE)
                *seconds += r->seconds;
            else
                hides = true;
        }
    return hides;
}

bool seen_make(const struct grade *all, struct seen *seen) {
    struct grade *grade = &seen->grade;
    *seen = (struct seen){.grade = *all};
    grade->labs = calloc(all->n_labs + 1, sizeof *grade->labs);
    seen->labs = calloc(all->n_labs + 1, sizeof *seen->labs);
    bool good = grade->labs && seen->labs;
    double shown;
    grade->n_labs = 0;
    grade->score = grade->max_score = 0;
    for (size_t i = 0; good && i < all->n_labs; i++) {
        grade->n_labs++;
        good = copy_lab(&all->labs[i], &grade->labs[i], &seen->labs[i]);
        grade->score += grade->labs[i].score;
        grade->max_score += grade->labs[i].max_score;
    }
    if (shown_seconds(all, &shown)) grade->seconds = shown;
    grade->submission = (char *)"student";
    grade->program = (char *)words_students_program(all);
    grade->labs_folder = grade->course = NULL;
    if (!good) seen_free(seen);
    return good;
}

void seen_free(struct seen *seen) {
    for (size_t i = 0; i < seen->grade.n_labs; i++) {
        free(seen->grade.labs[i].checks);
        free(seen->labs[i].folder);
    }
    free(seen->grade.labs);
    free(seen->labs);
    *seen = (struct seen){0};
}

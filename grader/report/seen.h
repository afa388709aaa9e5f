/* SPDX-License-Identifier: MIT
 *
 * seen.h: makes of an instructor's grade the grade that students may see:
 * without the checks that are hidden from them now, without the points of
 * these, and without names of the machine that graded. All else is the original
 * grade's.
 */
#pragma once

#include "grade.h"

struct seen {
    struct grade grade;
    struct lab *labs;
};

/* false: no memory. The grade must outlive it; free with seen_free. */
bool seen_make(const struct grade *, struct seen *);
void seen_free(struct seen *);

/* SPDX-License-Identifier: MIT
 *
 * seen.h: of a grade that an instructor made, what students may see: without
 * checks that they are not to see now, without the points of these, and without
 * names of the machine that graded. Everything else is the grade's.
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

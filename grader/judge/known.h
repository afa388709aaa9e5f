/* SPDX-License-Identifier: MIT
 *
 * known.h: what a lab's checks before this one have charged, so that one
 * mistake is not charged everywhere (charged.c).
 */
#pragma once

#include "grade.h"

struct known {
    /* Mistakes that leave the answer right, and for which a check has lost its
     * points: where they were found, and by which check. */
    struct {
        const char *file; /* the check's outcome owns the text */
        unsigned line;
        const struct lab_check *check;
    } slips[16];
    size_t n_slips;
    /* Functions of a C lab that failed a correct check, and which: others may
     * be built on them. */
    struct {
        const struct lab_function *function;
        const struct lab_check *check;
    } wrong[8];
    size_t n_wrong;
    unsigned n_charged; /* checks that lost a point for another's mistake */
};

/* Where only the check with this id is run: of other functions nobody says
 * whether they are right, so each may be wrong. */
void known_begin(struct known *, const struct lab *, const char *only);
/* Takes in what a check that failed has charged. Of those that another check
 * charges, each takes a point only until they are five. */
void known_add(struct known *, const struct lab *, struct check_result *);

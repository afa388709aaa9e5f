/* SPDX-License-Identifier: MIT
 *
 * remember.h: keeps the last whole grade of a lab, for `scanlab progress`: a
 * file in the build folder for each lab of each submission. It is only shown,
 * because anybody who may write into that folder can change it.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "grade.h"

struct remembered {
    int score, bonus; /* of it */
    char next[64];    /* id of the first check that did not pass; "": none */
    bool is_changed;  /* the source was saved since */
};

/* Keeps the result of a lab all of whose checks were judged, in a grade that
 * began at this time. Ignores errors of writing. */
void remember_lab(const char *build_folder, const char *submission,
                  const struct lab_result *, time_t began);
/* false: there is nothing. */
bool remembered_lab(const char *build_folder, const char *submission,
                    const struct lab *, struct remembered *);

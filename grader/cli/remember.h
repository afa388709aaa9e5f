/* SPDX-License-Identifier: MIT
 *
 * remember.h: what the last whole grade of a lab was, for `scanlab progress`.
 * It is shown, and nothing else: a file in the build folder for each lab of
 * each submission, which anybody who may write there can change.
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

/* Of a lab all of whose checks were judged, in a grade that began then. What
 * cannot be written is forgotten. */
void remember_lab(const char *build_folder, const char *submission,
                  const struct lab_result *, time_t began);
/* false: there is nothing. */
bool remembered_lab(const char *build_folder, const char *submission,
                    const struct lab *, struct remembered *);

/* SPDX-License-Identifier: MIT
 *
 * spots.h: the lines of the submission that a failure is about, in the order in
 * which a reader wants them: what text, HTML and JSON show of the source.
 */
#pragma once

#include "grade.h"

enum spot_kind {
#define X(NAME, id, words) SPOT_##NAME,
#include "spots.def"
#undef X
    N_SPOT_KINDS
};
struct spot {
    enum spot_kind kind;
    const char *file; /* of the outcome */
    unsigned line;
    bool of_host; /* not in a kernel: the lines after it matter, too */
};
enum {
    MOST_SPOTS = 3 * OUTCOME_LINES,
    SPOT_BYTES = 400 /* of a line that are shown in text and JSON */
};

/* The lines that the judge chose (outcome.h); before it has chosen, those of
 * spots_all. */
size_t spots_of(const struct outcome *, struct spot[MOST_SPOTS]);
/* All places of the outcome. Each line once, except in a race of a line with
 * itself. */
size_t spots_all(const struct outcome *, struct spot[MOST_SPOTS]);
/* Those of them whose text the grade has. */
size_t spots_shown(const struct grade *, const struct outcome *,
                   struct spot[MOST_SPOTS]);
const char *spot_id(enum spot_kind);    /* "earlier-access" */
const char *spot_words(enum spot_kind); /* "the earlier access"; "" for HERE */
/* The text of a file as it was compiled; NULL: the grade has none. */
const char *spot_text(const struct grade *, const char *file);
/* The line with this number, from 1, without its end; NULL: there is none. */
const char *spot_line(const char *text, unsigned line, size_t *bytes);

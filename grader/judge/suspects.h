/* SPDX-License-Identifier: MIT
 *
 * suspects.h: which statements may have caused a failure that was noticed at
 * other lines. Each statement of a file is weighed by two things: what the run
 * says about it (where the failure was noticed, which lines its value came
 * through, which lines ran, and which of them ran in cases that passed), and
 * how many steps backwards from there over conditions and values (related.h)
 * lead to it.
 */
#pragma once

#include "outcome.h"
#include "related.h"

/* A line that the outcome names. */
struct suspect_seed {
    int kind; /* enum spot_kind */
    unsigned line;
};
struct suspect {
    enum related_kind kind; /* how it was come to */
    unsigned line, last;    /* of its statement */
    double share;           /* of all suspicion: 0 to 1 */
};

struct suspects_ask {
    const struct related_file *file;
    const struct outcome *outcome;
    const struct measured *measured;  /* for a passed bound; NULL: none */
    struct related_names trusted;     /* functions that work */
    const struct suspect_seed *seeds; /* what tells most first */
    size_t n_seeds;
    const struct ran_lines *passed; /* ran_count; NULL: not known */
    const bool *given;              /* of each line up to n_given; */
    size_t n_given;
};

/* The most suspicious statement first, at most `most`; none that begins on a
 * line that was given. Their number; 0 also where there is no memory. */
size_t suspects_rank(const struct suspects_ask *, struct suspect *to,
                     size_t most);

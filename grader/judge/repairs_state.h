/* SPDX-License-Identifier: MIT
 *
 * repairs_state.h: what is known of a grade's repairs (repairs.h): what may
 * still be tried, and what has helped.
 */
#pragma once

#include "changed.h"
#include "grade.h"
#include "outcome.h"
#include "repairs_work.h"

enum {
    REPAIRS_TRIES = 150,   /* of a grade, besides those of other cases */
    REPAIRS_CHANGES = 400, /* likewise, of the source (changes.h) */
    REPAIRS_KNOWN = 8,
    REPAIRS_SLOWER = 8 /* a machine may be, or busier */
};

/* A repair at a line. */
struct candidate {
    enum repair_kind kind;
    unsigned line, only; /* as in vgpu_edit */
};

/* What the checks of a grade share. */
struct repairs {
    uint64_t left_us; /* of work, as counted in repairs_work.h */
    /* So that a grade is the same on a busy machine: */
    long long left_ms; /* many times what that takes on an idle one */
    unsigned left_tries;
    struct candidate known[REPAIRS_KNOWN]; /* what mended a check before: of */
    const struct lab *lab;                 /* this lab */
    size_t n_known;
    const struct stub_lines *stub; /* nothing of it is changed; NULL: none */
    /* What a build with changes needs; NULL: none is made. */
    const struct compile_settings *settings;
    const struct sources *sources;
    const char *text;                   /* of the lab's source */
    const struct check_result *results; /* of the lab's checks */
    size_t n_results;
    unsigned left_changes;   /* tries */
    struct changed *changed; /* NULL: it is not built, or could not be */
    bool is_built;           /* it was tried */
    size_t last_change;      /* that mended a check of this lab; 0: none did */
    struct repairs_tried tried;
};

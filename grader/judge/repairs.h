/* SPDX-License-Identifier: MIT
 *
 * repairs.h: small repairs of a submission that failed, tried: a barrier here,
 * a fence there, `<` in place of `<=` (repairs.def). The virtual GPU runs the
 * failed case with the program so changed; where it passes, and the check's
 * other cases with it, the outcome keeps the repair. Nothing of the reference
 * is known here, and nothing is changed but what the submission has.
 */
#pragma once

#include "check_run.h"
#include "stub_lines.h"

enum {
    REPAIRS_TRIES = 150, /* of a grade, besides those of other cases */
    REPAIRS_KNOWN = 8,
    REPAIRS_WORK = 15000000, /* of a second: instructions of threads; a try
                                costs REPAIRS_TRY besides those it executes */
    REPAIRS_TRY = 300000,
    REPAIRS_SLOWER = 8 /* a machine may be, or busier */
};

/* A repair at a line. */
struct candidate {
    enum repair_kind kind;
    unsigned line, only; /* as in vgpu_edit */
};

/* What the checks of a grade share. */
struct repairs {
    uint64_t left_work; /* so that a grade is the same on a busy machine: */
    long long left_ms;  /* many times what that takes on an idle one */
    unsigned left_tries;
    struct candidate known[REPAIRS_KNOWN]; /* what mended a check before: of */
    const struct lab *lab;                 /* this lab */
    size_t n_known;
    const struct stub_lines *stub; /* nothing of it is changed; NULL: none */
};

/* Of a check that failed. */
void repairs_look(const struct check_run *, struct check_result *,
                  struct repairs *);

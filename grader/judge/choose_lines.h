/* SPDX-License-Identifier: MIT
 *
 * choose_lines.h: chooses the lines of the submission that a report shows for a
 * failure: those where it was noticed, without lines of the stub, and those on
 * which these depend (related.h).
 */
#pragma once

#include "outcome.h"

struct choose_from {
    const struct lab *lab;
    /* The text of the submission's file of this base name; NULL: none. */
    const char *(*text_of)(const void *user, const char *file);
    const void *user;
    const bool *works; /* of each of the lab's functions: some check passed */
    const struct ran_lines *passed; /* lines that cases ran which passed */
};

/* Fills the outcome's chosen lines; for a passed bound it needs what was
 * measured. false: no memory. */
bool choose_lines(const struct choose_from *, const struct measured *,
                  struct outcome *);
/* Puts a line first, or behind a finding's: a change there mends in part. */
void choose_nearly(struct outcome *, const char *file, unsigned line);
/* Puts the line of the repair that worked first. false: no memory. */
bool choose_repair(struct outcome *);

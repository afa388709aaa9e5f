/* SPDX-License-Identifier: MIT
 *
 * choose_lines.h: which lines of the submission a report shows of a failure:
 * those where it was seen, without lines of the stub, and those that decide
 * about them (related.h).
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

/* Fills the outcome's chosen lines; of a bound, by the numbers that were
 * measured. false: no memory. */
bool choose_lines(const struct choose_from *, const struct measured *,
                  struct outcome *);
/* The line of a repair that worked comes first. false: no memory. */
bool choose_repair(struct outcome *);

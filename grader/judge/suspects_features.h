/* SPDX-License-Identifier: MIT
 *
 * suspects_features.h: what is known of a statement, as a row of numbers, of
 * which each has its weight in suspects.def.
 */
#pragma once

#include "suspects_parts.h"

enum feature {
#define X(NAME, weight) F_##NAME,
#include "suspects.def"
#undef X
    N_FEATURES
};

/* Does one of these tokens stand in it? The list ends with NULL. */
bool suspects_has(const struct suspects_walk *, const struct c_statement *,
                  const char *const *texts);
bool suspects_begins(const struct suspects_walk *, const struct c_statement *,
                     const char *const *texts);
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* What the kind of failure makes of it (suspects_kinds.c); the row has all
 * else. */
void suspects_look_at_kind(const struct suspects_walk *, size_t k, double *row);
/* Does it tell another thread something, by a volatile or atomic store, here or
 * in a function that it calls? */
bool suspects_sends(const struct suspects_walk *, const struct c_statement *);
/* The slips that some causes and findings mean (suspects_slips.c). */
void suspects_look_at_slips(const struct suspects_walk *, size_t k,
                            double *row);
/* suspects_carry.c: of sums that parts take over. */
void suspects_look_at_carry(const struct suspects_walk *, size_t k, double *x);

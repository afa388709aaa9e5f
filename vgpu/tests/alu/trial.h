/* SPDX-License-Identifier: MIT
 *
 * trial.h: one row of the ALU table on many lanes of chosen operands. The same
 * trials run on the handlers (trial_run) and on a real GPU (on_gpu.c), whose
 * answers are kept as digests in h200.txt.
 */
#pragma once

#include <stdbool.h>

#include "form_ptx.h"
#include "rows.h"
#include "vectors.h"

enum { TRIAL_MOST = 8, TRIAL_IMMEDIATE = 0x96, TRIAL_ROUNDS = 4 };

struct trial {
    uint64_t in[TRIAL_MOST][FORM_PTX_THREADS];
    uint64_t got[TRIAL_MOST][FORM_PTX_THREADS];
    uint64_t want[TRIAL_MOST][FORM_PTX_THREADS]; /* on_gpu.c's */
    unsigned n_in, n_out; /* n_out: destinations that PTX has */
};

/* Depends on the form's name only, so that rows may move. */
uint64_t trial_seed(const char *form);
/* The next operands; the seed moves on. */
void trial_fill(struct trial *, const struct alu_row *, uint64_t *seed);
/* in -> got, a warp at a time, all lanes active. */
void trial_run(struct trial *, const struct alu_row *);
/* Of n_out results, joined to a digest so far (0 at first). */
uint64_t trial_digest(uint64_t digest, const struct trial *,
                      uint64_t result[TRIAL_MOST][FORM_PTX_THREADS]);
/* Hardware approximates: results agree within an error only. */
bool trial_is_approximate(const char *form);

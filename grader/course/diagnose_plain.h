/* SPDX-License-Identifier: MIT
 *
 * diagnose_plain.h: finds out how an output is wrong for functions that
 * diagnose.h does not know by heart: other types, several buffers, parameters.
 * Nothing is run again; besides the first difference it looks for the answer to
 * another question: another order, operator or tuple size, the input itself, a
 * shift.
 */
#ifndef SCANLAB_DIAGNOSE_PLAIN_H
#define SCANLAB_DIAGNOSE_PLAIN_H

#include "diagnose.h"
#include "signature.h"

struct plain_case {
    int oracle, signature;
    const struct parameters *parameters;
    const int32_t *in, *expected, *got; /* words, as in signature.h */
    size_t n, n_expected, n_got;
    int32_t poison;
    bool in_place;
};

/* For outputs that oracle_agrees refuses; diagnosis_free in the end. */
void diagnose_plain(const struct plain_case *, struct diagnosis *);

#endif

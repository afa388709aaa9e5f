/* SPDX-License-Identifier: MIT
 *
 * wrong.h: finds out how a case's output is wrong, with course/diagnose.h; for
 * the functions that it can run on inputs of its choice a second runner is
 * started.
 */
#ifndef SCANLAB_WRONG_H
#define SCANLAB_WRONG_H

#include "case.h"

/* Words, as in contract/signature.h; n_got: what the function says. */
struct wrong_output {
    const int32_t *in, *expected, *got;
    size_t n_expected, n_got;
    int32_t poison;
};

/* NULL without memory; to be given back by diagnosis_free and free. */
struct diagnosis *wrong_diagnose(const struct case_spec *,
                                 const struct wrong_output *);

#endif

/* SPDX-License-Identifier: MIT
 *
 * wrong.h: finds out how a case's output is wrong, with course/diagnose.h; for
 * the functions that it can run on inputs of its choice a second runner is
 * started.
 */
#pragma once

#include "case.h"
#include "diagnose.h"

/* Of the case there are given in, expected, got, n_expected, n_got and poison.
 * NULL without memory; to be given back by diagnosis_free and free. */
struct diagnosis *wrong_diagnose(const struct case_spec *,
                                 struct diagnose_case);

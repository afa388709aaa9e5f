/* SPDX-License-Identifier: MIT
 *
 * bounds.h: a call's counts beside the bounds of its check.
 */
#pragma once

#include "case.h"

/* kept: elements of the answer. What was measured before is dropped. false: a
 * bound does not hold, or cannot be computed. */
bool bounds_measure(const struct case_spec *, const struct harness_call *,
                    size_t kept, struct measured *);
/* What the counts earn, 0 to 1: as much as the worst of them does. */
double bounds_earned(const struct measured *);

/* SPDX-License-Identifier: MIT
 *
 * reach.h: how far an element reaches from launch to launch. Launches that
 * copy, and additions of nothing, look like those of another algorithm in every
 * count; but what they store depends on no more elements than before.
 */
#pragma once

#include "case.h"

/* The case was run, the spec's reach being NULL. If a bound asks for it, n is
 * neither tiny nor huge, and the answer is right: calls the function four times
 * more, without the clock, three of them with one element changed each, and
 * takes the farthest reach of them. Where the bounds do not hold with it, the
 * case is run once more with these numbers; else they are noted in the result.
 */
void reach_take(const struct case_spec *, struct case_result *);

/* SPDX-License-Identifier: MIT
 *
 * otherwise.h: runs a case whose answer was wrong once more with one thing
 * otherwise. What makes it right tells what is wrong.
 */
#pragma once

#include "case.h"

/* Adds to the diagnosis of a failed case, if it has one. */
void otherwise_look(const struct case_spec *, struct case_result *);

/* SPDX-License-Identifier: MIT
 *
 * module_shared.h: where a module's shared variables lie.
 */
#pragma once

#include "program.h"

/* Needs the program's functions and symbols; adds those of shared variables.
 * What it does not come to is left when the program is late. */
void module_place_shared(struct program *);

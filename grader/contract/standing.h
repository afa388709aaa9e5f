/* SPDX-License-Identifier: MIT
 *
 * standing.h: which walls stand around the compiler and around the submission's
 * code. The judge finds it out, the report says it.
 */
#pragma once

#include <stdbool.h>

enum wall {
#define X(name, asked, meaning) WALL_##name,
#include "walls.def"
#undef X
    N_WALLS
};

enum { WALL_BY_BYTES = 40 };

/* What makes each wall, such as "Landlock 7"; "": the wall does not stand. */
struct standing {
    char by[N_WALLS][WALL_BY_BYTES];
};

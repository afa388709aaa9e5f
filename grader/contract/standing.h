/* SPDX-License-Identifier: MIT
 *
 * standing.h: which walls stand around what runs on behalf of a submission. The
 * judge finds out, the report says so.
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

/* By what each stands, "Landlock 7"; "": it does not. */
struct standing {
    char by[N_WALLS][WALL_BY_BYTES];
};

/* SPDX-License-Identifier: MIT
 *
 * walls_words.h: which walls stand around the compiler and around the
 * submission's code, in the language that is spoken. To be freed; NULL: nothing
 * to say, or no memory.
 */
#pragma once

#include "grade.h"

/* Those that --require-walls asks for and that do not stand. */
char *walls_missing(const struct standing *build, const struct standing *run);
/* Every wall: a line for the compiler's and one for the submission's. */
char *walls_words(const struct grade *);
const char *wall_name(enum wall); /* not to be freed */

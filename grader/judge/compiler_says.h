/* SPDX-License-Identifier: MIT
 *
 * compiler_says.h: what a compiler said, as a student may read it.
 */
#pragma once

#include "command.h"

/* Without our folder (build_place.h) and lines of files that are neither the
 * student's nor the labs', cut, without control characters. NULL: nothing left.
 * Changes `said`. */
char *compiler_words(char *said, const char *place);
/* Keeps warnings beside the library in the folder; none: no file. Changes
 * words. */
void compiler_warnings_write(const char *folder, char *words);
/* NULL: none. */
char *compiler_warnings_read(const char *folder);

/* Why a compiler was stopped, or what may have ended it, a line; "": it ended
 * by itself. limit_ms: of the source; whole_over: the grade's time was. To be
 * freed. */
char *compiler_stopped(const struct command *, unsigned limit_ms,
                       bool whole_over);

/* SPDX-License-Identifier: MIT
 *
 * sample.h: grades made by hand, as the judge would fill them, for the golden
 * files.
 */
#pragma once

#include "grade.h"

/* Three labs: one passed but for a point-less check, one with a wrong kernel,
 * one that does not compile. Free with grade_free. */
struct grade sample_mixed(void);
struct grade sample_todo(void);
struct grade sample_full(void);
/* Words by which blocks talk, with a flag and a value. */
struct grade sample_words(void);
/* Failures with this text wherever a submission's words can stand. */
struct grade sample_hostile(const char *text);
struct grade sample_pictures(const char *text);

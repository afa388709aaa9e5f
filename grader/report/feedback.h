/* SPDX-License-Identifier: MIT
 *
 * feedback.h: what other programs show a student of a grade: plain lines, clean
 * (clean_text.h), with commands as the student types them and no path of the
 * machine that graded. Lines that a submission or its compiler made stand
 * behind a bar or are indented.
 */
#pragma once

#include <jansson.h>

#include "grade.h"
#include "text.h"

/* "115 of 300 points, on vgpu (teach), seed 1"; and walls that are missing. */
void feedback_head(struct text *, const struct grade *);
/* How late it is, what the compiler said and what the submission printed. */
void feedback_lab(struct text *, const struct lab_result *);
/* Why a check has no points, what may help, and how to see it again. Nothing
 * for one that passed. */
void feedback_check(struct text *, const struct grade *,
                    const struct lab_result *, const struct check_result *);
/* All of these, with a line for each check: "FAIL one-block 0/20 Title". */
void feedback_all(struct text *, const struct grade *);
/* The first sentence of what happened, on one line; "" for a check that passed.
 * To be freed. */
char *feedback_sentence(const struct check_result *);
const char *feedback_verdict(const struct check_result *); /* "pass", "TODO" */

/* Words that end up in an object of JSON, also where they are no UTF-8. */
json_t *feedback_words(const char *);
/* The same of a text, which it frees. */
json_t *feedback_json(struct text *);

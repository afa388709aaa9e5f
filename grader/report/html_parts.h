/* SPDX-License-Identifier: MIT
 *
 * html_parts.h: what the files of the HTML report share. A check's body is made
 * of parts, rows of a table in html_check.c; a part that has nothing to say
 * writes nothing.
 */
#pragma once

#include "grade.h"
#include "html_page.h"

struct html_check {
    const struct grade *grade;
    const struct lab_result *lab;
    const struct check_result *result;
};

/* ---- html_check.c ---- */

/* "pass", "fail", "skip", "todo": words, and classes of the style sheet. */
const char *html_verdict(const struct check_result *);
/* A check as a <details>. */
void html_check(struct html *, const struct html_check *, bool open);

/* ---- parts ---- */

bool html_has_difference(const struct check_result *);
void html_difference(struct html *, const struct html_check *);
bool html_has_source(const struct html_check *);
void html_source(struct html *, const struct html_check *);
bool html_has_trace(const struct html_check *);
void html_trace(struct html *, const struct html_check *);
bool html_has_counts(const struct check_result *);
void html_counts(struct html *, const struct html_check *);

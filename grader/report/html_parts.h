/* SPDX-License-Identifier: MIT
 *
 * html_parts.h: what pages show besides what the JSON of a grade or a trace
 * has: sentences, lines of the source around a place, pictures. Each is made of
 * the grade's data; html/view_*.js draw it.
 */
#pragma once

#include "grade.h"
#include "html_page.h"
#include "source_view.h"
#include "steps.h"
#include "versus.h"

struct html_check {
    const struct grade *grade;
    const struct lab_result *lab;
    const struct check_result *result;
};

/* How much of a page is used. Code that adds something large calls html_spend
 * with it, and adds nothing more when html_has_room is false; functions that
 * make a part of a value get a const pointer and work with a copy. */
struct html_room {
    size_t spent;
    size_t runs; /* bytes of what the page can run, which count apart */
};
bool html_has_room(const struct html_room *);
/* Returns the value. */
json_t *html_spend(struct html_room *, json_t *value);

/* ---- html_check.c ---- */

/* The check's `view`; large parts only where there is room. */
json_t *html_check_view(const struct html_check *, const struct html_room *);
/* "<lab>-<check>": the element's id. */
char *html_check_id(const struct lab_result *, const struct check_result *);

/* ---- html_source.c: lines of the submission around what a failure is about;
 * those that are near each other stand in one excerpt ---- */
json_t *html_excerpts(const struct html_check *, const struct html_room *);

/* One line, without the blanks around it; null where it is not known. */
json_t *html_line(const struct grade *, const char *file, unsigned line);

/* ---- html_profile.c: a table of lines with what they cost ---- */
json_t *html_hottest(const struct source_view *, const struct source_text *,
                     size_t n_texts);

/* ---- html_steps.c: frames, and input, expected and got ---- */
enum { STEPS_ALL = -1 };
/* All frames, or so many before and behind the first wrong one. */
json_t *html_steps(const struct steps_view *, int around,
                   const struct html_room *);
/* The same frames as what happened in them, load by load and store by store
 * (html_replay.h). */
json_t *html_steps_replay(const struct steps_view *, int around,
                          const struct grade *);
json_t *html_steps_lists(const struct steps_view *);

/* ---- html_timeline.c: of the page of a source; null for NULL ---- */
struct timeline_view;
json_t *html_timeline(const struct timeline_view *);

/* ---- html_since.c: of a live page: the labs that are watched; what is new in
 * one of them (null: it is not watched) ---- */
json_t *html_watched(const struct since *const *, size_t n);
json_t *html_since(const struct since *const *, size_t n, const struct lab *);

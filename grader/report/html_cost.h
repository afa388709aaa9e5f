/* SPDX-License-Identifier: MIT
 *
 * html_cost.h: lines of a source and what they cost, as parts of pages.
 */
#pragma once

#include "html_page.h"
#include "source_view.h"

/* <table>, its head, and <tbody>: a place, the source, and a column for each
 * number that some line has. */
void cost_begin(struct html *, const struct source_view *, const char *caption);
void cost_end(struct html *);
/* The cells of a row behind its place: the source's words, over all columns
 * where there are no numbers (line: NULL), up to </td>; the numbers. */
void cost_words(struct html *, const struct source_view *,
                const struct source_line *, const char *text, size_t bytes);
void cost_numbers(struct html *, const struct source_view *,
                  const struct source_line *);
/* NULL: there is none of this name. */
const struct source_text *cost_text(const struct source_text *, size_t n,
                                    const char *name);
/* The line in a text; *bytes: without its end. NULL: the text is shorter. */
const char *cost_line(const char *text, uint32_t line, size_t *bytes);
/* The table of the hottest lines. is_linked: to the rows of a listing on the
 * same page, whose files have the order of `texts`. */
void html_hottest(struct html *, const struct source_view *,
                  const struct source_text *texts, size_t n_texts,
                  bool is_linked);

/* SPDX-License-Identifier: MIT
 *
 * page.h: lines of the text report: columns, colours, words that are wrapped,
 * lines of the compiler and the submission, which are cleaned.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "grade.h"

enum {
    INDENT = 2,  /* of a check's line */
    VERDICT = 6, /* columns of "pass  " */
    LABEL = 11,  /* columns of "reproduce  " */
    POINTS = 9,  /* columns of "  100/100" */
    MAX_ID = 22, /* ids longer than this push their line */
};

enum style { PLAIN, BOLD, DIM, GREEN, RED, YELLOW, N_STYLES };
struct page {
    FILE *stream;
    size_t width;
    bool colour, verbose, failed; /* failed: no memory */
    const char *program, *labs;
    /* What is told in full: the first failure, or else the first TODO. */
    const struct check_result *first;
};

void page_put(struct page *, enum style, const char *text);
void page_blanks(struct page *, size_t n);
/* The text, wrapped, from the current column on, which is `column`; later lines
 * begin there too. Leading blanks of a line of the text are kept. */
void page_wrapped(struct page *, size_t column, const char *text);
/* "where      naive.cu:31, ..."; nothing for NULL. A line that is to be copied
 * is not wrapped. */
void page_label_line(struct page *, const char *label, const char *text,
                     bool wrap);
void page_label(struct page *, const char *label, const char *text);
/* Words made for this line, which it frees. */
void page_label_own(struct page *, const char *label, char *text);
/* Lines as they are, each behind a bar; the first of them, but all with -v. */
void page_quoted(struct page *, const char *text);
/* The lines of the submission that an outcome is about; nothing where the grade
 * has none (excerpt.c). */
void page_source(struct page *, const struct grade *, const struct outcome *);
/* A failed check as one line for editors, where they want it (mark.c). message:
 * NULL, or what words_message says. */
void page_mark(struct page *, const struct grade *, const struct lab_result *,
               const struct check_result *, const char *message);
/* At the right edge of a line that has `column` columns so far; frees them. */
void page_points(struct page *, size_t column, char *points, enum style);

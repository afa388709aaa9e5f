/* SPDX-License-Identifier: MIT
 *
 * clean_text.h: the one way for text that a submission, a compiler or somebody
 * who names files has made into what we print: no escape sequences for the
 * reader's terminal, no broken UTF-8 in JSON, and nothing that looks like a
 * line of ours. A name goes in by clean_name, a part of a sentence by
 * clean_add; text of many lines by clean_lines, each line behind a bar.
 */
#pragma once

#include <stddef.h>

#include "text.h"

/* A copy, to be freed: valid UTF-8, bytes that are none become '?', and so do
 * characters that show nothing and change how others show: the controls of
 * right-to-left text, separators of lines, invisible ones. Control characters
 * become "^[" and the like, a tab blanks to the next multiple of 8; newlines
 * stay, but for those at the end. NULL without memory, or for NULL. */
char *clean_text(const char *text);
/* The same of a name: it has no newlines either. */
char *clean_name(const char *name);
/* Adds at most `most` bytes of it (-1: all) as a part of a sentence of ours, on
 * one line: a newline is "^J", and so that no words of it stand apart as in a
 * table, blanks in a row are one. */
void clean_add(struct text *, const char *words, int most);
/* Its lines, each with `bar` before and a newline behind it; empty ones are
 * left out. To be freed. */
char *clean_lines(const char *text, const char *bar);

/* Columns that the UTF-8 text takes, one per code point, up to `bytes` bytes.
 */
size_t text_columns(const char *text, size_t bytes);

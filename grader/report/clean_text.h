/* SPDX-License-Identifier: MIT
 *
 * clean_text.h: text that came out of a submission or a compiler made safe to
 * print: no escape sequences for the reader's terminal, no broken UTF-8 in
 * JSON.
 */
#pragma once

#include <stddef.h>

/* A copy, to be freed: valid UTF-8, bytes that are none become '?', and so do
 * characters that show nothing and change how others show: the controls of
 * right-to-left text, separators of lines, invisible ones. Control characters
 * become "^[" and the like, a tab blanks to the next multiple of 8; newlines
 * stay, but for those at the end. NULL without memory, or for NULL. */
char *clean_text(const char *text);
/* The same of a name: it has no newlines either. */
char *clean_name(const char *name);

/* Columns that the UTF-8 text takes, one per code point, up to `bytes` bytes.
 */
size_t text_columns(const char *text, size_t bytes);

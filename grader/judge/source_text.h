/* SPDX-License-Identifier: MIT
 *
 * source_text.h: a source as the compiler wants it, UTF-8 with lines that end
 * with a newline, where it is certain what was meant: a byte order mark says
 * UTF-16 or UTF-8, and a text with carriage returns and no newline has lines
 * that end with them. Everything else stays as it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* *bytes: allocated, with a NUL behind them; may become others. *odd: why it
 * cannot be read with certainty; NULL: it can. false: out of memory. */
bool source_text_read(char **bytes, size_t *size, const char **odd);

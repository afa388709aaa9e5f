/* SPDX-License-Identifier: MIT
 *
 * html_escape.h: words in markup: in the template's title and text, and in
 * files of SVG. There is no other way for words into markup.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Cleaned and escaped, at most so many bytes of it, and then how many bytes of
 * the words are left out. NULL: nothing. false: no memory, or not written. */
bool html_escape(FILE *, const char *words, size_t most);

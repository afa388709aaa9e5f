/* SPDX-License-Identifier: MIT
 *
 * text.h: strings that grow; the one builder of text that every room uses.
 * Out of memory leaves what fits; a message cut short is better than none.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* ends in NUL; NULL: nothing added yet */
    size_t size, room;
};

__attribute__((format(printf, 2, 3))) void text_add(struct text *,
                                                    const char *format, ...);
void text_add_list(struct text *, const char *format, va_list);
/* As text_add, as a sentence: after a space, with a full stop when it lacks
 * one. Empty: nothing. */
void text_sentence(struct text *, const char *sentence);
/* At most `most` bytes in all; the rest is dropped and false returned. */
bool text_append(struct text *, const void *bytes, size_t size, size_t most);
/* Adds what a file holds. NULL, or why it was not read: it is no ordinary file,
 * it is larger than `most` bytes, or the system's words. A file's name may come
 * from a program that nobody trusts: nothing is opened that could wait. */
const char *text_read_file(struct text *, const char *path, size_t most);
/* Takes back what was added behind the first `size` bytes. */
void text_cut(struct text *, size_t size);
/* What was added; "" when that is nothing. */
const char *text_string(const struct text *);
void text_free(struct text *);

/* A new string, NULL without memory. */
__attribute__((format(printf, 1, 2))) char *text_format(const char *format,
                                                        ...);
/* Copy cut to `most` bytes, control characters but newline and tab replaced, a
 * note added when something was left out. NULL for an empty text. */
char *text_printable(const char *bytes, size_t size, size_t most);
/* True if `text` is longer than `ending` and ends with it. */
bool text_ends_in(const char *text, const char *ending);
/* The part behind the last slash. */
const char *text_base(const char *path);

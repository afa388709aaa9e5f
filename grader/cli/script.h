/* SPDX-License-Identifier: MIT
 *
 * script.h: a command that is a Python program. It reads its options in C, as
 * all do, and becomes the program; each word that this gets is NAME=VALUE, and
 * none passes through a shell.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What Python is started with. */
struct script_words {
    char **at; /* each allocated; the last one is NULL */
    size_t n, room;
};

/* room: set by the caller, of all words, Python's own four among them. path: of
 * the program below root. false: it has said why. */
bool script_begin(struct script_words *w, const char *root, const char *path);
__attribute__((format(printf, 2, 3))) void script_add(struct script_words *w,
                                                      const char *format, ...);
/* Comes back only when it cannot be started, with the exit status. */
int script_become(struct script_words *w);
void script_free(struct script_words *w);

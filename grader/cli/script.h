/* SPDX-License-Identifier: MIT
 *
 * script.h: a command that is a Python program. It reads its options in C, as
 * all do, and starts the program; each word that this gets is NAME=VALUE, and
 * none passes through a shell. Only what the program itself says is a result:
 * Python may fail before that, or instead (tools/start.py).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli.h"

/* What Python is started with. */
struct script_words {
    char **at; /* each allocated; the last one is NULL */
    size_t n, room;
};

/* room: set by the caller, of all words, Python's own five among them. path: of
 * the program below root. false: it has said why. */
bool script_begin(struct script_words *w, const char *root, const char *path);
__attribute__((format(printf, 2, 3))) void script_add(struct script_words *w,
                                                      const char *format, ...);
/* What a command about OUT of scanlab class is given beside its options. */
struct script_class {
    const char *program; /* below root */
    const char *labs;    /* as --labs; NULL: the usual ones */
    const char *from;    /* OUT */
    const struct script_row {
        const char *name, *value; /* value NULL: not given, and not passed on */
    } * rows;
    size_t n_rows;
};
/* Opens the course and runs the program with root, build, from, the rows, and
 * for each lab lab=ID/SOURCE and handout=ID/FOLDER. Returns the exit status. */
int script_of_class(const struct script_class *);

/* The program's exit status; EXIT_TROUBLE, and a sentence, where it has none.
 * Does not come back when a signal has ended both. */
int script_run(struct script_words *w);
void script_free(struct script_words *w);

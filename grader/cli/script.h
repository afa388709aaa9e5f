/* SPDX-License-Identifier: MIT
 *
 * script.h: for a command of scanlab that is a Python program. The command
 * reads its options in C, as all commands do, and starts the program with words
 * NAME=VALUE, without a shell. Only an exit status that the program itself has
 * chosen is taken as its result, because Python can fail before the program
 * begins, or instead of it (tools/start.py).
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
/* The program of a command about OUT of scanlab class, its one word. Reads the
 * command line by the table, whose options are texts and choices; the last one
 * is --labs. Opens the course and runs the program, a path below root, with
 * root, build, from=OUT, NAME=VALUE for each option that was given (-- left
 * out, and _ for -), and for each lab lab=ID/SOURCE and handout=ID/FOLDER.
 * Returns the exit status. */
int script_of_class(const struct option_table *, int argc, char **argv,
                    const char *program);

/* Returns the program's exit status; EXIT_TROUBLE, with a message printed, if
 * it did not choose one. Does not return when a signal ended the program. */
int script_run(struct script_words *w);
void script_free(struct script_words *w);

/* SPDX-License-Identifier: MIT
 *
 * cli.h: what the commands of scanlab share. Exit status: 0 full marks (or: did
 * what was asked), 1 graded and points missing, 2 error of set-up, of grader or
 * of usage, explained on standard error.
 */
#ifndef SCANLAB_CLI_H
#define SCANLAB_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lab.h"

enum { EXIT_FULL = 0, EXIT_MISSING = 1, EXIT_TROUBLE = 2 };

/* argv[0] is the command's name, argv[-1] how the program was called. Returns
 * the exit status. */
#define X(name, function, arguments, help) int function(int argc, char **argv);
#include "commands.def"
#undef X

/* "scanlab: ..." on standard error. Returns EXIT_TROUBLE. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

/* Flushes and checks standard output. EXIT_TROUBLE when it could not be
 * written (full disk, closed pipe), else status. */
int cli_finish(int status);

/* After getopt_long returned '?' or ':': says what is wrong with which argument
 * and points to --help. Returns EXIT_TROUBLE. */
int cli_bad_option(int option, char **argv, const char *command);

/* A whole decimal number in [0, most]; false: text is none. */
/* "order=3" into the parameters; which one it was. Else -1 and a message. */
struct parameters;
int cli_parameter(const char *text, struct parameters *);
bool cli_number(const char *text, unsigned long long most,
                unsigned long long *number);

/* ---- where things are (paths.c) ---- */
struct paths {
    char *root;         /* folder that holds labs/; "." when that is here */
    char *labs;         /* folder of labs */
    char *build_folder; /* the program's: bin/.. */
};
/* labs: as given by --labs, or NULL. false, with a message printed, when there
 * is no ScanLab to be found. Free with paths_free in any case. */
bool paths_find(struct paths *, const char *labs);
void paths_free(struct paths *);
/* "root/name", "name" when root is "."; NULL without memory. */
char *path_join(const char *folder, const char *name);

/* ---- labs (labs.c) ---- */
struct course {
    struct paths paths;
    struct lab **labs;
    size_t n_labs;
};
/* Reads all labs; false with a message printed. course_free in any case. */
bool course_open(struct course *, const char *labs_folder);
void course_free(struct course *);
/* By id ("naive"), number ("1", "01") or folder ("01-naive"); NULL with a
 * message that names the labs there are. */
struct lab *course_lab(const struct course *, const char *name);
/* Index of a check of the lab, -1 with a message. */
int lab_check_by_id(const struct lab *, const char *id);

/* ---- output to a file (output.c) ---- */
struct output {
    FILE *stream;
    char *path, *temporary; /* temporary NULL: written directly */
};
/* path NULL: standard output. The file is written beside its final place and
 * only takes it in output_close, so that nobody sees half a report. */
bool output_open(struct output *,
                 const char *path); /* false: message printed */
bool output_close(struct output *); /* false: message printed, nothing left */
void output_abandon(struct output *);

#endif

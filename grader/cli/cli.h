/* SPDX-License-Identifier: MIT
 *
 * cli.h: what the commands of scanlab share. Exit status: 0 full marks (or: did
 * what was asked), 1 graded and points missing, 2 error of set-up, of grader or
 * of usage, explained on standard error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ending.h"
#include "lab.h"
#include "options.h"
#include "signature.h"

enum { EXIT_FULL = 0, EXIT_MISSING = 1, EXIT_TROUBLE = 2 };

/* The options have the names and the line of usage; the command adds what it
 * takes. argv[0] is the command's name, argv[-1] how the program was called.
 * Returns the exit status. */
#define X(name, function, arguments, help)                                     \
    int function(struct option_table *, int argc, char **argv);
#include "commands.def"
#undef X

/* A command that is a program of its own, scanlab-NAME (beside.c). */
int command_beside(struct option_table *, int argc, char **argv);

/* "scanlab: ..." on standard error. Returns EXIT_TROUBLE. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

/* Flushes and checks standard output. EXIT_TROUBLE when it could not be
 * written (full disk, closed pipe), else status. */
int cli_finish(int status);

/* The exit status after options_read returned a negative number. */
int cli_ended(int next);

/* ---- options that several commands have (main.c) ---- */
#define CLI_LABS(to)                                                           \
    { 0, "labs", "DIR", "the folder of labs", OPTION_TEXT(to) }
#define CLI_SEED(to, is_given, text)                                           \
    { 0, "seed", "N", text, OPTION_NUMBER_GIVEN(to, 0, INT64_MAX, is_given) }
/* Draws a fresh seed where none was given. False, with a message printed: the
 * system has no random numbers. */
bool cli_seed(bool is_given, uint64_t *seed);
option_setter cli_set_arch;         /* to: int */
option_setter cli_set_profile;      /* to: const char *, of the device */
option_setter cli_set_clock;        /* to: const char *, of model time */
option_setter cli_set_checks;       /* to: unsigned, "all" or "racecheck,..." */
option_setter cli_set_memory_model; /* to: const char * */
option_setter cli_set_schedule; /* to: const char *, for the judge to parse */
struct cli_parameters {
    struct parameters *values;
    bool *given; /* one each; NULL: nobody asks */
};
option_setter cli_set_parameter; /* to: struct cli_parameters; "order=3" */

/* ---- where things are (paths.c) ---- */
struct paths {
    char *root;         /* folder that holds labs/; "." when that is here */
    char *labs;         /* folder of labs */
    char *build_folder; /* the program's: bin/.. */
    const char *home;   /* of tools/: one of both (own_folder.h) */
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
    struct course_rules *rules; /* NULL: none were asked for */
};
/* Reads all labs; false with a message printed. course_free in any case. */
bool course_open(struct course *, const char *labs_folder);
/* With what an instructor lays over them (rules.h); NULL: nothing. */
bool course_open_over(struct course *, const char *labs_folder,
                      const char *over);
void course_free(struct course *);
/* By id ("naive"), number ("1", "01") or folder ("01-naive"); NULL with a
 * message that names the labs there are. */
struct lab *course_lab(const struct course *, const char *name);
/* Index of a function of the lab (NULL: its first), -1 with a message. */
int lab_function_by_id(const struct lab *, const char *id);
/* Index of a check of the lab, -1 with a message. */
int lab_check_by_id(const struct lab *, const char *id);

/* ---- output to a file (output.c) ---- */
struct output {
    FILE *stream;
    char *path, *temporary; /* temporary NULL: written directly */
    struct ending ending;   /* of the temporary; so it does not move */
};
/* path NULL: standard output. The file is written beside its final place and
 * only takes it in output_close, so that nobody sees half a report. */
bool output_open(struct output *,
                 const char *path); /* false: message printed */
bool output_close(struct output *); /* false: message printed, nothing left */
void output_abandon(struct output *);

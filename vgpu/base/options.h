/* SPDX-License-Identifier: MIT
 *
 * options.h: the command line of a program, or of one command of a program, as
 * a table. The parser, the messages about wrong usage and the text of --help
 * are made from it; every program here uses it, so that they all behave alike:
 *
 *   * long options may be written --name VALUE or --name=VALUE, and in full
 *     only: an abbreviation is refused, because a new option could change it;
 *   * -h, --help and --version are always there;
 *   * wrong usage is one message on standard error that names what was typed
 *     and what would be right, and where to read on; the exit status is 2.
 *
 * A row holds the places that it sets, so a table lives in the function that
 * reads it:
 *
 *     const struct option_row rows[] = {
 *         {'o', "output", "FILE", "write it there", OPTION_TEXT(&r->output)},
 *         {0, "seed", "N", "the seed", OPTION_NUMBER(&r->seed, 0, 99)},
 *         {'v', "verbose", NULL, "tell more", OPTION_FLAG(&r->verbose)}};
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "text.h"

enum option_kind {
    OPTION_KIND_HEADING = 0, /* no option: help is a line above those below */
    OPTION_KIND_WORD, /* no option: argument is a word, a command for example */
    OPTION_KIND_FLAG,
    OPTION_KIND_BITS,
    OPTION_KIND_TEXT,
    OPTION_KIND_NUMBER,
    OPTION_KIND_CHOICE,
    OPTION_KIND_CALL,
    OPTION_KIND_PRINT
};

/* False: the value is wrong, and `why` says so: "'x' is not ...". value is NULL
 * where the argument may be left out and was. */
typedef bool option_setter(void *to, const char *value, struct text *why);

struct option_row {
    char letter;          /* 's' for -s; 0: none */
    const char *name;     /* "submission" for --submission; NULL: none */
    const char *argument; /* as --help shows it, "DIR"; NULL: takes none;
                             "[=KIND]": may be left out, and stands behind = */
    const char *help;
    enum option_kind kind;
    bool once; /* OPTION_ONCE */
    union {
        bool *flag;
        const char **text;
        void (*print)(void);
        struct {
            unsigned *bits, mask;
        };
        struct {
            uint64_t *number, least, most;
            bool *given; /* NULL: nobody asks */
        };
        struct {
            const char **choice;
            const char *const *names; /* ends in NULL */
        };
        struct {
            option_setter *set;
            void *to;
        };
    };
};

#define OPTION_HEADING(line)                                                   \
    { .help = (line), .kind = OPTION_KIND_HEADING }
/* *to = true */
#define OPTION_FLAG(to) .kind = OPTION_KIND_FLAG, .flag = (to)
/* *to |= these */
#define OPTION_BITS(to, these)                                                 \
    .kind = OPTION_KIND_BITS, .bits = (to), .mask = (these)
/* *to = the value, which must not be empty */
#define OPTION_TEXT(to) .kind = OPTION_KIND_TEXT, .text = (to)
/* A text or a choice of which a second one is refused, because the first would
 * be lost: OPTION_ONCE(OPTION_TEXT(&to)). Nothing is set before. */
#define OPTION_ONCE(option) option, .once = true
/* *to = a whole number from least to most */
#define OPTION_NUMBER(to, least_one, most_one)                                 \
    .kind = OPTION_KIND_NUMBER, .number = (to), .least = (least_one),          \
    .most = (most_one)
#define OPTION_NUMBER_GIVEN(to, least_one, most_one, is_given)                 \
    OPTION_NUMBER(to, least_one, most_one), .given = (is_given)
/* *to = one of the names of a list that ends in NULL: the list's pointer */
#define OPTION_CHOICE(to, list)                                                \
    .kind = OPTION_KIND_CHOICE, .choice = (to), .names = (list)
/* setter(to, value, why) decides; may be called again and again */
#define OPTION_CALL(setter, place)                                             \
    .kind = OPTION_KIND_CALL, .set = (setter), .to = (place)
/* calls it, and the program is done */
#define OPTION_PRINT(function) .kind = OPTION_KIND_PRINT, .print = (function)

struct option_table {
    const char *program;   /* "vgpu" */
    const char *command;   /* "grade"; NULL: the program has none */
    const char *version;   /* "0.1.0" */
    const char *arguments; /* in the line of usage: "LAB [CHECK]" */
    const char *what;      /* what it does; wrapped by --help, as is `end` */
    const char *end;       /* below the options: exit status, example */
    const struct option_row *rows;
    size_t n_rows;
    int least_words, most_words; /* that are no options; most < 0: any number */
    bool stops_at_word;          /* what follows the first word belongs to it */
};

/* The table's options, an array, and how many words it takes. */
#define OPTIONS_ARE(table, array, least, most)                                 \
    ((table)->rows = (array),                                                  \
     (table)->n_rows = sizeof(array) / sizeof *(array),                        \
     (table)->least_words = (least), (table)->most_words = (most))

enum { OPTIONS_DONE = -1, OPTIONS_WRONG = -2, OPTIONS_STATUS_WRONG = 2 };

/* Reads argv[1] and up. The number of words, which are then at *words; DONE:
 * what was asked for has been printed; WRONG: the message has been. */
int options_read(const struct option_table *, int argc, char **argv,
                 char ***words);

void options_help(FILE *, const struct option_table *);
void options_usage(FILE *, const struct option_table *); /* its first line */

/* For usage that is wrong in a way that the table does not see: a message and
 * where to read on, on standard error. Returns OPTIONS_WRONG. */
__attribute__((format(printf, 2, 3))) int
options_wrong(const struct option_table *, const char *format, ...);

/* A whole number, decimal or after 0x; false: it is none or above most. */
bool option_number(const char *text, uint64_t most, uint64_t *number);

/* " (did you mean 'x'?)" where a name of the list, which ends in NULL, is close
 * to what was typed. */
void option_suggest(struct text *why, const char *typed,
                    const char *const *names);

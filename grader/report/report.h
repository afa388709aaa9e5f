/* SPDX-License-Identifier: MIT
 *
 * report.h: prints a grade, and progress while one is made.
 *
 * Formats are rows of formats.def. Nothing here decides or changes a score. A
 * report is written to a FILE the caller opened; the caller flushes, checks and
 * closes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "grade.h"
#include "versus.h"

enum report_format {
#define X(name, write, text) REPORT_##name,
#include "formats.def"
#undef X
    N_REPORTS
};

struct report_options {
    int width;        /* columns of the text report; 0: 80 */
    bool colour;      /* ANSI colours in the text report */
    bool verbose;     /* text: detail of passed checks too, all output */
    bool students;    /* what students may see now, and no more (seen.h) */
    bool leaderboard; /* gradescope: what checks that passed have measured */
    const char
        *program;     /* how this program is called in hints; NULL: "scanlab" */
    const char *labs; /* the folder of labs hints are asked from; NULL: usual */
    const char
        *engine;   /* html: report_engine_fits; NULL: the page runs nothing */
    uint64_t live; /* html: the number of this page, which its script shows
                      the next one of (live.js); 0: it is a file */
    const struct since *const *since; /* of a live page: the labs that are
                                         watched, and what is new in each */
    size_t n_since;
};

int report_format_by_name(const char *); /* -1: none */
const char *report_format_name(int format);
/* "text, html, json": all of them, for messages. */
void report_format_list(char *text, size_t size);

/* false when memory or the stream failed (errno says which, also ferror). */
bool report_write(int format, FILE *, const struct grade *,
                  const struct report_options *);

/* A file that `make web` has left (web/assemble.py): a line with the version, a
 * line of what the page's policy allows for it, and the engine, as elements. Is
 * it this program's? */
bool report_engine_fits(const char *engine, const char *version);

/* ---- parts of the text, while a lab is judged ---- */
void report_lab_begin(FILE *, const struct lab_result *,
                      const struct report_options *); /* what compilers say */
void report_check(FILE *, const struct grade *, const struct lab_result *,
                  const struct check_result *, const struct report_options *);
void report_lab_end(FILE *, const struct lab_result *,
                    const struct report_options *); /* what it printed */

/* The options that fit a stream: its width when it is a terminal, else 80;
 * colour on a terminal unless NO_COLOR is set (and not empty) or TERM is
 * "dumb". */
struct report_options report_options_for(FILE *);

/* ---- progress: one line that is rewritten, only on a terminal, and only once
 * a second has passed ---- */
struct progress;
struct progress *progress_new(FILE *); /* NULL without memory */
/* What is being done now: "[ 3/24] naive: n = 1048577". p may be NULL. */
void progress_show(struct progress *p, size_t done, size_t total,
                   const char *text);
/* Takes the line away and frees. NULL: nothing to do. */
void progress_free(struct progress *);

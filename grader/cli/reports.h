/* SPDX-License-Identifier: MIT
 *
 * reports.h: the reports of one grade: the one that -f and -o name, and one
 * more for each --report FORMAT=FILE.
 */
#pragma once

#include "cli.h"
#include "report.h"

enum { REPORTS_MOST = 16 };

struct reports {
    int format;         /* -f; -1: not given */
    const char *output; /* -o; NULL: not given */
    struct report_file {
        int format;
        bool staff;       /* has what students are not to see */
        const char *path; /* NULL: standard output */
        struct output output;
    } files[REPORTS_MOST + 1];
    size_t n;
    bool leaderboard;
    char *engine; /* of pages that run what failed; NULL: none */
};

option_setter reports_set_format; /* to: int */
option_setter reports_add;        /* to: struct reports; "json=grade.json" */
option_setter reports_add_staff;

/* Rows of a command's table. */
#define REPORTS_OPTIONS(to)                                                    \
    {'f', "format", "FORMAT",                                                  \
     "text, html, json or another's: docs/grade.md (text)",                    \
     OPTION_CALL(reports_set_format, &(to)->format)},                          \
        {'o', "output", "FILE", "write the report there",                      \
         OPTION_TEXT(&(to)->output)},                                          \
        {0, "report", "FORMAT=FILE",                                           \
         "write one more report; may be repeated; - is standard output",       \
         OPTION_CALL(reports_add, to)},                                        \
        {0, "staff", "FORMAT=FILE",                                            \
         "write one more report, with what --course hides from students",      \
         OPTION_CALL(reports_add_staff, to)},                                  \
    {                                                                          \
        0, "leaderboard", NULL,                                                \
            "gradescope: what checks that passed have measured, for all to "   \
            "see",                                                             \
            OPTION_FLAG(&(to)->leaderboard)                                    \
    }

/* After the options: adds the report of -f and -o, unless none is given and a
 * --report goes to standard output. false: two are for the same file; a message
 * has been printed. */
bool reports_complete(struct reports *, const struct option_table *);
/* Opens all, so that a file that cannot be written is noticed before anything
 * is graded. false: message printed, nothing left. */
bool reports_open(struct reports *);
void reports_abandon(struct reports *);
bool reports_have_page(const struct reports *);
/* Takes the engine of pages from a build folder, if a page is asked for and it
 * has one. */
void reports_find_engine(struct reports *, const char *build_folder);
/* Writes and closes all. false: one of them could not be written, which a
 * message said; the others are there. */
bool reports_write(struct reports *, const struct grade *,
                   const struct report_options *);

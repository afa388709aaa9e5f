/* SPDX-License-Identifier: MIT
 *
 * over.h: what --course DIR (rules.h) changes in a grade: its seed, the points
 * lost by being late, and what students see.
 */
#pragma once

#include "cli.h"
#include "grade.h"
#include "rules.h"

struct over {
    const char *folder, *student; /* NULL: not given */
    int64_t submitted_s;
    bool has_submitted; /* else: now */
};

option_setter over_set_submitted; /* to: struct over */

/* Rows of a command's table. */
#define OVER_OPTIONS(to)                                                       \
    {0, "course", "DIR",                                                       \
     "what an instructor lays over the labs: docs/course.md",                  \
     OPTION_TEXT(&(to)->folder)},                                              \
        {0, "student", "NAME",                                                 \
         "whose submission it is, for a course with a seed for each student",  \
         OPTION_TEXT(&(to)->student)},                                         \
    {                                                                          \
        0, "handed-in", "TIME",                                                \
            "when it was handed in, as 2026-11-30T23:59+01:00 (now)",          \
            OPTION_CALL(over_set_submitted, to)                                \
    }

/* Do the options go together? false: a message has been printed. */
bool over_complete(const struct over *, const struct option_table *);
/* The seed of --seed; else a hash of the course's seed, the student and every
 * byte that was handed in; else a fresh one. So a student who changes a
 * submission cannot know the inputs that it will get, however many grades he
 * has seen: with answers in tables a submission that scans nothing had 84 of
 * lab 1's 100 points. */
bool over_seed(const struct over *, const struct course *,
               const char *submission, bool is_given, uint64_t *seed);
/* Is the course's language one that there is? false: a message has been
 * printed. course_open_over asks. */
bool over_has_language(const struct course *);
/* From now on reports are in the course's language. Messages of compilers are
 * not, since the environment does not change. */
void over_speak(const struct course *);
/* Sets what students may see now, and takes off the points lost by being late.
 */
void over_apply(const struct over *, const struct course *, struct grade *);

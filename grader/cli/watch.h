/* SPDX-License-Identifier: MIT
 *
 * watch.h: scanlab watch: one lab, graded up to its first failure, and what
 * became of it (watch_lab.c); which labs, when, and what keys do (watch.c).
 */
#pragma once

#include "cli.h"
#include "judge.h"
#include "live.h"
#include "report.h"
#include "versus.h"

/* A lab, and what was known of its checks before this time. */
struct watched {
    const struct lab *lab;
    struct grade grade; /* the last */
    struct since since; /* what is new in it */
    bool stale;         /* saved since it was graded */
    char *was, *is;     /* a letter for each check: p pass, F FAIL, s skip, T
                           TODO; a space: never, or not yet */
    int score, before;  /* without bonus; before: -1 at first */
    size_t past;        /* failures to go past (the key n) */
    size_t met;         /* failures of this time */
    size_t hint;        /* the next one (the key h) */
};

struct watch {
    struct judge_options judge;
    struct report_options report;
    const char *submission, *labs; /* as given, or NULL */
    struct watched *watched;
    size_t n;
    struct watched *now; /* graded last, or being graded; NULL: none yet */
    bool seeded, serve, browse;
    unsigned port; /* 0: any */
    struct live live;
};

/* Grades it, prints what is new, and shows the page. false: trouble, which was
 * printed. */
bool watch_grade(struct watch *, struct course *, struct watched *);
/* A page of the last grade of each lab that has one. */
void watch_show(struct watch *);
/* The next hint for the lab's last failure; words where there is none. */
void watch_hint(struct watched *);
/* Is there a failure behind which there may be another? Then the lab is stale.
 */
bool watch_next(struct watched *);
void watched_free(struct watched *);

/* SPDX-License-Identifier: MIT
 *
 * rules.h: what an instructor lays over the labs: a folder DIR (--course DIR)
 * that students do not have.
 *
 *   DIR/01-naive/lab.ini    keys that replace those of the lab's own file; a
 *                           [check] with a new id is one more check
 *   DIR/course.ini
 *     [course]
 *     seed = 2026           ; of all inputs; without it each grade has its own
 *     seeds = student       ; or class (all have the same): one for each
 *                           ; student, made of `seed` and --student
 *     visibility = visible  ; of checks that do not say
 *     leaderboard = yes     ; as --leaderboard
 *     repairs = yes         ; no: of no lab are small ones tried
 *     language = de         ; of reports: translate.h; texts of labs are keys
 *                           ; of their files
 *     [lab naive]
 *     due = 2026-11-30T23:59+01:00
 *     visibility = hidden   ; of this lab's checks that do not say
 *     offered = yes         ; no: the course is without this lab: nothing
 *                           ; lists, grades or hands it out
 *     [late]                ; without it what comes late loses nothing
 *     grace = 15m           ; that late is not late (m, h, d)
 *     each = 24h            ; for each that has begun (24h)
 *     percent = 10          ; of the points are lost
 *     most = 50             ; but no more than so many (100)
 *     until = 7d            ; what is later has no points
 *
 * A check is visible, hidden (from students, for good), or after-deadline:
 * hidden until nobody can hand in any more: `due` and `until`, or `grace`.
 */
#pragma once

#include "lab.h"

enum seeds { SEEDS_CLASS, SEEDS_STUDENT };

struct late_rules {
    int64_t grace_s, each_s, until_s; /* until_s 0: no end */
    unsigned percent, most;           /* percent 0: there is no [late] */
};

struct lab_rules {
    char *id;
    int64_t due_s;  /* of the epoch; 0: never */
    int visibility; /* VISIBILITY_UNSAID: as the course's */
    bool offered;
    int line;
};

struct course_rules {
    char *path;     /* of course.ini, for messages */
    char *language; /* NULL: English */
    uint64_t seed;
    bool has_seed, leaderboard, repairs;
    int seeds, visibility;
    struct late_rules late;
    struct lab_rules *labs;
    size_t n_labs;
};

/* NULL on error. A folder without a course.ini is one without rules. */
struct course_rules *rules_read(const char *folder, struct lab_error *);
void rules_free(struct course_rules *);

/* All labs under `folder`, with what lies over them: labs_read with files of
 * the course. Folders of the course that are no lab's are an error. */
bool labs_read_over(const char *folder, const char *course, struct lab ***labs,
                    size_t *n, struct lab_error *);
/* Do rules and labs fit together? Sets each check's visibility. Frees labs that
 * are not offered; *n becomes the number of those that are left. */
bool rules_fit(const struct course_rules *, struct lab **labs, size_t *n,
               struct lab_error *);

/* The rules of that lab; NULL: there are none. */
const struct lab_rules *rules_of(const struct course_rules *,
                                 const struct lab *);
/* How many percent of the points a submission loses that is handed in at that
 * time; *late_s: how many seconds it is late, 0: in time. */
unsigned rules_lost(const struct course_rules *, const struct lab *,
                    int64_t submitted_s, int64_t *late_s);
/* What a student may see of the check at that time: its visibility, or
 * VISIBILITY_VISIBLE once it is after the deadline. */
enum visibility rules_shown(const struct course_rules *, const struct lab *,
                            const struct lab_check *, int64_t now_s);

/* "2026-11-30T23:59+01:00", "2026-11-30T22:59:59Z"; false: it is no such time.
 */
bool rules_time(const char *text, int64_t *seconds);

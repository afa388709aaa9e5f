/* SPDX-License-Identifier: MIT
 *
 * lab_keys.h: sets one member of a lab from one entry of lab.ini. lab_read.c
 * (sections, order, what belongs together) calls lab_keys.c (values) by it, and
 * so does rules_read.c, which reads course.ini.
 */
#pragma once

#include "ini_file.h"
#include "lab.h"

enum lab_section {
    SECTION_lab,
    SECTION_lab_function,
    SECTION_lab_check,
    SECTION_course_rules,
    SECTION_late_rules,
    SECTION_lab_rules
};

struct lab_reader {
    struct lab *lab;  /* NULL: course.ini is read */
    const char *path; /* of the file, for messages */
    struct lab_error *error;
    const char *course; /* what is laid over the labs; NULL: nothing */
};

/* "path:line: ..."; returns false, so that callers can return it. line 0: no
 * line; lines behind lab->overlay_from are the overlay's. The first error is
 * kept. */
__attribute__((format(printf, 3, 4))) bool
lab_fail(struct lab_reader *, int line, const char *format, ...);

/* As lab_fail: "unknown WHAT 'given' (did you mean 'x'?)", or the names known
 * when none is near. */
bool lab_fail_unknown(struct lab_reader *, int line, const char *what,
                      const char *given, const char *const *names, size_t n);

/* Sets what the entries of a section say in object (struct lab, lab_function or
 * lab_check). Unknown, repeated and missing keys are errors. */
bool lab_set_keys(struct lab_reader *, enum lab_section, void *object,
                  const struct ini_section *);

/* The line's number in its own file, lab.ini or the overlay. */
int lab_own_line(const struct lab_reader *, int line);

int lab_key_line(const struct ini_section *, const char *key);

/* lab_sizes.c */
size_t lab_size_least(const struct lab_size *);
size_t lab_size_most(const struct lab_size *);
/* Checks that each group has sizes, and adds those of `large` to the last one.
 */
bool lab_sizes_fit(struct lab_reader *, struct lab_check *,
                   const struct ini_section *);

/* lab_pages.c: a place in a handout, the course's where it has one. why: why it
 * is not known; NULL: it is. */
bool page_has_anchor(const char *path, const char *anchor, const char **why);
/* Is each file in the folder one that somebody reads? */
enum lab_files { FILES_OF_A_LAB, FILES_OF_A_COURSE, FILES_OVER_A_LAB };
bool lab_files_fit(const char *folder, enum lab_files, struct lab_error *);

/* lab_measures.c: does `clock` fit the check? */
bool lab_clock_fits(struct lab_reader *, const struct lab_check *,
                    const struct ini_section *);

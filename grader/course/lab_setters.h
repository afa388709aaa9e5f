/* SPDX-License-Identifier: MIT
 *
 * lab_setters.h: one setter per type of value in lab.ini; lab_keys.def says
 * which key uses which, and course_keys.def for course.ini. A setter gets the
 * object whose member it sets (a struct lab, lab_function or lab_check) and the
 * key; generic ones use the key's offset, the others know their member.
 * Everything allocated hangs on the lab at once, so that lab_free is the only
 * clean-up. For these files only.
 */
#pragma once

#include "lab_keys.h"

struct lab_key;
typedef bool lab_setter(struct lab_reader *, void *object,
                        const struct lab_key *, const struct ini_entry *);

struct lab_key {
    enum lab_section section;
    const char *name;
    lab_setter *set;
    size_t offset, size; /* of the member */
    uint64_t least, most;
    unsigned flags;
};

#define X(object, name, set, member, least, most, flags) lab_setter lab_##set;
#include "lab_keys.def"
#include "course_keys.def"
#undef X
lab_setter lab_set_parameter;

/* What setters share. */
bool lab_no_memory(struct lab_reader *);
bool lab_parse_number(struct lab_reader *, const struct lab_key *,
                      const char *text, uint64_t least, uint64_t most, int line,
                      uint64_t *number);
/* The next word of *at, separated by blanks; false at the end. Words that are
 * longer than the buffer are cut: no known word is. */
bool lab_next_word(const char **at, char word[64]);
/* A row of a table of names, found by name. */
bool lab_set_row(struct lab_reader *, void *object, const struct lab_key *,
                 const struct ini_entry *, const char *const *names, size_t n);

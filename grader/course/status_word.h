/* SPDX-License-Identifier: MIT
 *
 * status_word.h: the layout of the 64-bit status words of a lab's function. A
 * lab declares it if its stub fixes it; where the student chooses the layout,
 * nothing is known of it.
 *
 *   status_word = flag:u32@32=NOTHING,AGGREGATE,PREFIX value:i32@0
 *
 * A field is name:TYPE@BIT: u (unsigned) or i (signed), how many bits, and the
 * lowest of them. Behind = stand the names of its values, from 0 on; "-": the
 * value has none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATUS_FIELDS = 4, STATUS_NAMES = 8, STATUS_NAME = 16 };

struct status_field {
    char name[STATUS_NAME];
    bool is_signed;
    unsigned bits, from;
    char names[STATUS_NAMES][STATUS_NAME];
    size_t n_names;
};

struct status_word {
    struct status_field fields[STATUS_FIELDS]; /* as they are shown */
    size_t n;
};

enum { STATUS_ERROR = 160 };

/* false: error says why. */
bool status_word_parse(const char *text, struct status_word *,
                       char error[STATUS_ERROR]);
/* The value of the field in the word; a signed one is sign-extended. */
int64_t status_field_value(const struct status_field *, uint64_t word);
/* NULL: the value has no name. */
const char *status_field_name(const struct status_field *, uint64_t word);
/* Does the word `got` have `value` in its fields without names, and in its
 * fields with names a value other than 0 that has a name? */
bool status_word_holds(const struct status_word *, uint64_t got,
                       uint64_t value);

/* SPDX-License-Identifier: MIT
 *
 * status_word.c: see status_word.h.
 */
#include "status_word.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

static uint64_t mask_of(const struct status_field *f) {
    uint64_t ones =
        f->bits == WORD_BITS ? ~UINT64_C(0) : (UINT64_C(1) << f->bits) - 1;
    return ones << f->from;
}

static uint64_t bits_of(const struct status_field *f, uint64_t word) {
    return (word & mask_of(f)) >> f->from;
}

/* ---- reading ---- */

/* A name of letters, digits, '_' and '-' up to one of the ends. */
static bool take_name(const char **at, const char *ends,
                      char name[STATUS_NAME]) {
    size_t length = strcspn(*at, ends);
    if (length == 0 || length >= STATUS_NAME) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)(*at)[i]) && !strchr("_-", (*at)[i]))
            return false;
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length;
    return true;
}

static bool take_number(const char **at, unsigned *number) {
    char *end;
    if (!isdigit((unsigned char)**at)) return false;
    unsigned long value = strtoul(*at, &end, 10);
    *at = end;
    *number = value > WORD_BITS ? WORD_BITS + 1 : (unsigned)value;
    return true;
}

static bool take_names(const char **at, struct status_field *f) {
    do {
        ++*at; /* '=' or ',' */
        if (f->n_names == STATUS_NAMES ||
            !take_name(at, ", \t\n", f->names[f->n_names]))
            return false;
        f->n_names++;
    } while (**at == ',');
    return true;
}

static bool take_field(const char **at, struct status_field *f) {
    if (!take_name(at, ":", f->name) || *(*at)++ != ':') return false;
    if (**at != 'u' && **at != 'i') return false;
    f->is_signed = *(*at)++ == 'i';
    if (!take_number(at, &f->bits) || *(*at)++ != '@') return false;
    if (!take_number(at, &f->from)) return false;
    if (**at == '=' && !take_names(at, f)) return false;
    return !**at || isspace((unsigned char)**at);
}

/* What is wrong with a field that can be read; NULL: nothing. */
static const char *wrong_with(const struct status_word *w,
                              const struct status_field *f) {
    if (f->bits == 0 || f->bits > WORD_BITS || f->from + f->bits > WORD_BITS)
        return "does not lie in 64 bits";
    if (f->is_signed && f->n_names) return "is signed and has names";
    if (f->bits < 3 && f->n_names > UINT64_C(1) << f->bits)
        return "has more names than values";
    for (const struct status_field *g = w->fields; g < f; g++) {
        if (strcmp(g->name, f->name) == 0) return "is there twice";
        if (mask_of(g) & mask_of(f)) return "lies over another field";
    }
    return NULL;
}

bool status_word_parse(const char *text, struct status_word *w,
                       char error[STATUS_ERROR]) {
    *w = (struct status_word){0};
    while (isspace((unsigned char)*text)) text++;
    do {
        const char *start = text, *wrong;
        struct status_field *f = &w->fields[w->n];
        if (w->n == STATUS_FIELDS) {
            snprintf(error, STATUS_ERROR, "more than %d fields", STATUS_FIELDS);
            return false;
        }
        if (!take_field(&text, f)) {
            snprintf(error, STATUS_ERROR,
                     "'%.*s' is not a field, as in flag:u32@32=NONE,READY or "
                     "value:i32@0",
                     (int)strnlen(start, 40), start);
            return false;
        }
        if ((wrong = wrong_with(w, f))) {
            snprintf(error, STATUS_ERROR, "field '%s' %s", f->name, wrong);
            return false;
        }
        w->n++;
        while (isspace((unsigned char)*text)) text++;
    } while (*text);
    return true;
}

/* ---- looking at a word ---- */

int64_t status_field_value(const struct status_field *f, uint64_t word) {
    uint64_t bits = bits_of(f, word);
    if (f->is_signed && bits >> (f->bits - 1) & 1)
        bits |= ~(mask_of(f) >> f->from);
    return (int64_t)bits;
}

const char *status_field_name(const struct status_field *f, uint64_t word) {
    uint64_t bits = bits_of(f, word);
    if (bits >= f->n_names || strcmp(f->names[bits], "-") == 0) return NULL;
    return f->names[bits];
}

bool status_word_holds(const struct status_word *w, uint64_t got,
                       uint64_t value) {
    bool flagged = false;
    for (size_t i = 0; i < w->n; i++) {
        const struct status_field *f = &w->fields[i];
        if (f->n_names == 0 && bits_of(f, got) != bits_of(f, value))
            return false;
        if (f->n_names && !status_field_name(f, got)) return false;
        flagged |= f->n_names && bits_of(f, got) != 0;
    }
    return flagged;
}

/* SPDX-License-Identifier: MIT
 *
 * translate.c: see translate.h. Catalogues are read here and not by libc's
 * gettext, which translates nothing in the locale C and, since glibc 2.39, in
 * C.UTF-8: a machine may have no other. What a catalogue holds: GNU gettext's
 * manual, "The Format of GNU MO Files".
 */
#include "translate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 24 };
static const uint32_t magic = 0x950412de;
/* Words of its head: how many sentences there are, and where the tables of the
 * English ones, which are in order, and of their translations begin. */
enum { MAGIC_AT, REVISION_AT, COUNT_AT, ENGLISH_AT, TRANSLATED_AT, HEAD };

/* The one in use, checked; nothing in it: English. */
static struct text catalogue;

static uint32_t word_at(const struct text *mo, size_t at) {
    uint32_t word;
    memcpy(&word, mo->bytes + at, sizeof word);
    return word;
}

static uint32_t head(const struct text *mo, size_t k) {
    return word_at(mo, k * sizeof(uint32_t));
}

/* Each row of a table is a length, and where as many bytes and a NUL are. */
enum { ROW = 2 * sizeof(uint32_t) };

static const char *sentence(const struct text *mo, size_t table, size_t k) {
    size_t row = head(mo, table) + k * ROW;
    return mo->bytes + word_at(mo, row + sizeof(uint32_t));
}

static bool table_is_whole(const struct text *mo, size_t table) {
    size_t begin = head(mo, table), n = head(mo, COUNT_AT);
    if (begin > mo->size || n > (mo->size - begin) / ROW) return false;
    for (size_t k = 0; k < n; k++) {
        size_t length = word_at(mo, begin + k * ROW);
        size_t at = word_at(mo, begin + k * ROW + sizeof(uint32_t));
        if (at >= mo->size || length >= mo->size - at ||
            mo->bytes[at + length] != '\0')
            return false;
    }
    return true;
}

/* One of another byte order, too, is none. */
static bool is_catalogue(const struct text *mo) {
    return mo->size >= HEAD * sizeof(uint32_t) && head(mo, MAGIC_AT) == magic &&
           head(mo, REVISION_AT) >> 16 == 0 && table_is_whole(mo, ENGLISH_AT) &&
           table_is_whole(mo, TRANSLATED_AT);
}

const char *translated(const char *english) {
    size_t from = 0, to = catalogue.size ? head(&catalogue, COUNT_AT) : 0;
    if (!*english) return english; /* this names the catalogue's own entry */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(english, sentence(&catalogue, ENGLISH_AT, middle));
        if (order == 0) return sentence(&catalogue, TRANSLATED_AT, middle);
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return english;
}

static char *path_of(const struct catalogues *in, const char *language) {
    return text_format("%s/%s/LC_MESSAGES/%s.mo", in->folder, language,
                       in->domain);
}

bool translate_has(const struct catalogues *in, const char *language) {
    char *path = path_of(in, language);
    bool has = strcmp(language, "en") == 0 || (path && access(path, R_OK) == 0);
    free(path);
    return has;
}

bool translate_to(const struct catalogues *in, const char *language,
                  struct text *why) {
    struct text mo = {0};
    if (strcmp(language, "en") == 0) return true;
    if (!translate_has(in, language)) {
        text_add(why, "there is no translation '%s' in %s", language,
                 in->folder);
        return false;
    }
    char *path = path_of(in, language);
    const char *failed =
        path ? text_read_file(&mo, path, MOST_BYTES) : "out of memory";
    if (!failed && !is_catalogue(&mo)) failed = "it is no catalogue of gettext";
    if (failed) {
        text_add(why, "%s: %s", path ? path : in->folder, failed);
        text_free(&mo);
    } else {
        text_free(&catalogue);
        catalogue = mo;
    }
    free(path);
    return !failed;
}

/* SPDX-License-Identifier: MIT
 *
 * points.c: see points.h. The digest (FNV-1a) tells files apart that were
 * changed; it is no protection against who wants two files to look alike.
 */
#include "points.h"

#include <inttypes.h>
#include <string.h>

#include "lab.h"
#include "text.h"

static uint64_t points_add(uint64_t digest, const char *text) {
    do digest = (digest ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++); /* the zero, too: it ends a word */
    return digest;
}

/* Words for people, which may stand in any language, earn nothing. */
static bool is_words(const char *key) {
    static const char *const keys[] = {"title",     "cause",  "read",
                                       "hint",      "serial", "deadlock",
                                       "unwritten", "repairs"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}

uint64_t points_digest(const struct ini_file *file) {
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < file->n_sections; i++) {
        const struct ini_section *s = &file->sections[i];
        digest = points_add(points_add(digest, s->type), s->name);
        for (size_t k = 0; k < s->n_entries; k++)
            if (!is_words(s->entries[k].key))
                digest = points_add(points_add(digest, s->entries[k].key),
                                    s->entries[k].value);
    }
    return digest;
}

char *lab_points_version(struct lab *const *labs, size_t n) {
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) all = 31 * all + labs[i]->digest;
    return text_format(POINTS_RULES "-%08" PRIx32, (uint32_t)(all ^ all >> 32));
}

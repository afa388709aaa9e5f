/* SPDX-License-Identifier: MIT
 *
 * source_text.c: see source_text.h.
 */
#include "source_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

enum { LEAD = 0xd800, TRAIL = 0xdc00, AFTER = 0xe000 };

struct utf16 {
    const unsigned char *at;
    size_t units;
    bool big; /* the high byte first */
};

static unsigned unit(const struct utf16 *t, size_t i) {
    const unsigned char *u = t->at + 2 * i;
    return t->big ? (unsigned)u[0] << 8 | u[1] : (unsigned)u[1] << 8 | u[0];
}

/* Of the character at *i, which then is behind it. false: half a pair, or a
 * NUL, which no source has. */
static bool source_text_next(const struct utf16 *t, size_t *i, uint32_t *c) {
    *c = unit(t, (*i)++);
    if (*c < LEAD || *c >= AFTER) return *c != 0;
    if (*c >= TRAIL || *i == t->units) return false;
    unsigned trail = unit(t, (*i)++);
    *c = 0x10000 + ((*c - LEAD) << 10) + (trail - TRAIL);
    return trail >= TRAIL && trail < AFTER;
}

static char *source_text_put(char *to, uint32_t c) {
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (bytes == 1) {
        *to = (char)c;
        return to + 1;
    }
    for (int k = bytes - 1; k > 0; k--, c >>= 6)
        to[k] = (char)(0x80 | (c & 63));
    *to = (char)(first[bytes] | c);
    return to + bytes;
}

static bool from_utf16(char **bytes, size_t *size, const char **odd) {
    const unsigned char *mark = (const unsigned char *)*bytes;
    struct utf16 t = {mark + 2, (*size - 2) / 2, mark[0] == 0xfe};
    char *to = malloc(3 * t.units + 1), *end = to;
    if (!to) return false;
    bool good = *size % 2 == 0;
    for (size_t i = 0; good && i < t.units;) {
        uint32_t c;
        good = source_text_next(&t, &i, &c);
        if (good) end = source_text_put(end, c);
    }
    if (!good) {
        free(to);
        *odd = _("it says that it is UTF-16, and is not; save it as UTF-8");
        return true;
    }
    *end = '\0';
    *size = (size_t)(end - to);
    free(*bytes);
    *bytes = to;
    return true;
}

/* "#\0i\0n\0": no other encoding begins like that. */
static bool is_unmarked_utf16(const char *b, size_t size) {
    return size >= 4 && ((b[0] && !b[1] && b[2] && !b[3]) ||
                         (!b[0] && b[1] && !b[2] && b[3]));
}

static void end_lines(char *bytes, size_t size) {
    if (memchr(bytes, '\n', size)) return;
    for (char *at = bytes;
         (at = memchr(at, '\r', size - (size_t)(at - bytes)));)
        *at++ = '\n';
}

bool source_text_read(char **bytes, size_t *size, const char **odd) {
    static const char utf8[] = "\xef\xbb\xbf";
    *odd = NULL;
    if (*size >= 2 && (memcmp(*bytes, "\xff\xfe", 2) == 0 ||
                       memcmp(*bytes, "\xfe\xff", 2) == 0)) {
        if (!from_utf16(bytes, size, odd)) return false;
    } else if (is_unmarked_utf16(*bytes, *size)) {
        *odd = _("it looks like UTF-16 without a byte order mark; save it as "
                 "UTF-8");
    }
    if (*size >= 3 && memcmp(*bytes, utf8, 3) == 0) {
        *size -= 3;
        memmove(*bytes, *bytes + 3, *size + 1);
    }
    if (!*odd) end_lines(*bytes, *size);
    return true;
}

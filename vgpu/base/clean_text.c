/* SPDX-License-Identifier: MIT
 *
 * clean_text.c: see clean_text.h. UTF-8 as RFC 3629 has it: no overlong forms,
 * no surrogates, nothing above U+10FFFF.
 */
#include "clean_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Characters that are not seen and move, hide or part what is, and those that
 * are none, which no XML may have. */
static bool is_hidden(uint32_t code) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0xad, 0xad},      {0x61c, 0x61c},   {0x180e, 0x180e},
                  {0x200b, 0x200f},  {0x2028, 0x202e}, {0x2060, 0x206f},
                  {0xfdd0, 0xfdef},  {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
                  {0xe0000, 0xe007f}};
    if ((code & 0xfffe) == 0xfffe) return true;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    return false;
}

/* Bytes of the code point at s; 0: not UTF-8. */
static size_t utf8_length(const unsigned char *s, bool *hidden) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0},
                 {0xe0, 0xc0, 0x80},
                 {0xf0, 0xe0, 0x800},
                 {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
        if ((s[0] & forms[n].mask) != forms[n].lead) continue;
        uint32_t code = s[0] & (unsigned char)~forms[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if ((s[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (s[i] & 0x3f);
        }
        bool good = code >= forms[n].least && code <= 0x10ffff &&
                    (code < 0xd800 || code > 0xdfff);
        *hidden = good && is_hidden(code);
        return good ? n + 1 : 0;
    }
    return 0;
}

size_t text_columns(const char *text, size_t bytes) {
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Writes what stands for the character at s to `to`, which has room for 8. */
static size_t clean_text_put(char *to, const unsigned char *s, size_t length,
                             size_t column) {
    if (length == 0) {
        to[0] = '?';
        return 1;
    }
    if (*s == '\t') {
        size_t blanks = 8 - column % 8;
        memset(to, ' ', blanks);
        return blanks;
    }
    if (*s < 0x20 || *s == 0x7f) {
        to[0] = '^';
        to[1] = (char)(*s ^ 0x40);
        return 2;
    }
    /* The C1 controls, U+0080 to U+009F, drive some terminals too. */
    if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0) {
        to[0] = '?';
        return 1;
    }
    memcpy(to, s, length);
    return length;
}

char *clean_text(const char *text) {
    if (!text) return NULL;
    enum { MOST = 8 }; /* bytes that one byte can become: a tab */
    size_t bytes = strlen(text);
    char *clean = malloc(bytes * MOST + 1);
    if (!clean) return NULL;
    size_t used = 0, column = 0;
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        if (*s == '\n' || (*s == '\r' && s[1] == '\n')) {
            s += *s == '\r';
            clean[used++] = (char)*s++;
            column = 0;
            continue;
        }
        bool hidden = false;
        size_t length = utf8_length(s, &hidden);
        size_t written =
            clean_text_put(clean + used, s, hidden ? 0 : length, column);
        column += text_columns(clean + used, written);
        used += written;
        s += length ? length : 1;
    }
    while (used > 0 && clean[used - 1] == '\n') used--;
    clean[used] = '\0';
    return clean;
}

char *clean_name(const char *name) {
    char *clean = clean_text(name);
    for (char *at = clean; at && (at = strchr(at, '\n'));) *at = '?';
    return clean;
}

void clean_add(struct text *t, const char *words, int most) {
    char *clean = clean_text(words), before = '\0';
    size_t end = t->size + (size_t)most;
    for (const char *at = clean; at && *at; before = *at++)
        if (*at == '\n')
            text_add(t, "^J");
        else if (*at != ' ' || before != ' ')
            text_add(t, "%c", *at);
    /* Not within a character. */
    while (most >= 0 && end < t->size && (t->bytes[end] & 0xc0) == 0x80) end--;
    if (most >= 0) text_cut(t, end);
    free(clean);
}

char *clean_lines(const char *text, const char *bar) {
    char *clean = clean_text(text), *state = NULL;
    struct text t = {0};
    for (char *line = clean ? strtok_r(clean, "\n", &state) : NULL; line;
         line = strtok_r(NULL, "\n", &state))
        text_add(&t, "%s%s\n", bar, line);
    free(clean);
    return t.bytes;
}

/* SPDX-License-Identifier: MIT
 *
 * html_escape.c: see html_escape.h.
 */
#include "html_escape.h"

#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"

static const char *entity(char c) {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

static bool is_inside(const char *at) { /* a character */
    return ((unsigned char)*at & 0xc0) == 0x80;
}

static bool html_escape_put(FILE *to, const char *words, size_t most) {
    size_t used = 0;
    for (const char *at = words; *at; at++) {
        const char *name = entity(*at);
        size_t more = 1;
        if (name)
            more = strlen(name);
        else if (!is_inside(at))
            while (is_inside(at + more)) more++;
        if (!is_inside(at) && used + more > most)
            return fputs(" \xe2\x80\xa6 ", to) != EOF &&
                   fprintf(to, _("%zu more bytes"), strlen(at)) > 0;
        used += name ? more : 1;
        if ((name ? fputs(name, to) : fputc(*at, to)) == EOF) return false;
    }
    return true;
}

bool html_escape(FILE *to, const char *words, size_t most) {
    if (!words) return true;
    char *clean = clean_text(words);
    bool good = clean && html_escape_put(to, clean, most);
    free(clean);
    return good;
}

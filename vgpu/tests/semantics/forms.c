/* SPDX-License-Identifier: MIT
 *
 * forms.c: see forms.h.
 */
#include "forms.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *pattern, *operands;
} patterns[] = {
#define X(pattern, operands) {pattern, operands},
#include "forms.def"
#undef X
};
enum {
    N_PATTERNS = sizeof patterns / sizeof *patterns,
    MOST = 8192,
    LONGEST = 48
};

static struct form all[MOST];
static unsigned n_all, first[N_PATTERNS + 1];

/* Appends what `pattern` stands for to `done`. */
static void expand(const char *done, size_t n, const char *pattern,
                   const char *operands) {
    char text[LONGEST];
    memcpy(text, done, n);
    while (*pattern && *pattern != '{') {
        if (n + 1 >= LONGEST) abort();
        text[n++] = *pattern++;
    }
    if (!*pattern) {
        if (n_all == MOST) abort();
        text[n] = 0;
        memcpy(all[n_all].text, text, n + 1);
        all[n_all++].operands = operands;
        return;
    }
    const char *close = strchr(pattern, '}'), *at = pattern + 1;
    for (;;) {
        size_t length = strcspn(at, ",}");
        if (n + length >= LONGEST) abort();
        memcpy(text + n, at, length);
        expand(text, n + length, close + 1, operands);
        at += length;
        if (*at++ == '}') return;
    }
}

static void make(void) {
    if (n_all) return;
    for (unsigned g = 0; g < N_PATTERNS; g++) {
        first[g] = n_all;
        expand("", 0, patterns[g].pattern, patterns[g].operands);
    }
    first[N_PATTERNS] = n_all;
}

const struct form *forms_all(unsigned *n) {
    make();
    *n = n_all;
    return all;
}

unsigned forms_patterns(void) {
    return N_PATTERNS;
}

void forms_of_pattern(unsigned g, unsigned *from, unsigned *to) {
    make();
    *from = first[g];
    *to = first[g + 1];
}

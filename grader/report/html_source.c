/* SPDX-License-Identifier: MIT
 *
 * html_source.c: lines of the submission around the places that a failure is
 * about. Those that are near each other stand in one excerpt.
 */
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "spots.h"
#include "text.h"
#include "translate.h"
#include "words.h"

enum {
    AROUND = 4,    /* lines before and behind */
    BEHIND = 8,    /* a place of the host: what becomes of a call's answer */
    LONGEST = 1000 /* bytes of a line that are shown; it wraps */
};

bool html_has_source(const struct html_check *c) {
    struct spot spots[MOST_SPOTS];
    return spots_shown(c->grade, &c->result->outcome, spots) > 0;
}

static bool is_in(const struct spot *spots, size_t n, unsigned line) {
    for (size_t i = 0; i < n; i++)
        if (spots[i].line == line) return true;
    return false;
}

/* The lines first to last. */
static void lines(struct html *h, const char *text, unsigned first,
                  unsigned last, const struct spot *spots, size_t n) {
    size_t size;
    html_add(h, "<pre class=\"source\" tabindex=\"0\"><code>");
    for (unsigned line = first; line <= last; line++) {
        const char *at = spot_line(text, line, &size);
        if (!at) break;
        char *words = text_format("%.*s", (int)size, at);
        html_add(h, "<span class=\"line%s%s\" data-line=\"%u\">",
                 line == spots[0].line ? " here" : "",
                 is_in(spots + 1, n - 1, line) ? " there" : "", line);
        html_words(h, words, LONGEST);
        html_add(h, "\n</span>");
        h->failed |= !words;
        free(words);
    }
    html_add(h, "</code></pre>\n");
}

static void caption(struct html *h, const struct spot *s, bool first,
                    const struct outcome *o) {
    struct text words = {0};
    bool races = s->kind == SPOT_HERE && o->finding && o->finding->has_other;
    const char *kind = races ? _("here") : spot_words(s->kind);
    const struct place plain = {.file = (char *)s->file, .line = s->line};
    words_place(&words, s->kind == SPOT_HERE      ? &o->place
                        : s->kind == SPOT_EARLIER ? &o->finding->other
                                                  : &plain);
    html_add(h, "<figcaption class=\"%s\">%s%s%s</figcaption>\n",
             first ? "here" : "there", kind, *kind ? ": " : "",
             text_string(&words));
    text_free(&words);
}

/* Spots of one file that are near each other. */
static void excerpt(struct html *h, const struct html_check *c,
                    const struct spot *spots, size_t n) {
    unsigned low = spots[0].line, high = low;
    bool of_host = false;
    html_add(h, "<figure>\n");
    for (size_t i = 0; i < n; i++) {
        caption(h, &spots[i], i == 0, &c->result->outcome);
        if (spots[i].line < low) low = spots[i].line;
        if (spots[i].line > high) high = spots[i].line;
        of_host |= spots[i].of_host;
    }
    lines(h, spot_text(c->grade, spots[0].file),
          low > AROUND ? low - AROUND : 1, high + (of_host ? BEHIND : AROUND),
          spots, n);
    html_add(h, "</figure>\n");
}

static bool is_near(const struct spot *a, const struct spot *b) {
    unsigned apart = a->line > b->line ? a->line - b->line : b->line - a->line;
    return strcmp(a->file, b->file) == 0 && apart <= 2 * AROUND + 1;
}

void html_source(struct html *h, const struct html_check *c) {
    struct spot spots[MOST_SPOTS], near[MOST_SPOTS];
    size_t n = spots_shown(c->grade, &c->result->outcome, spots);
    bool done[MOST_SPOTS] = {false};
    for (size_t i = 0; i < n && (!i || html_has_room(h)); i++) {
        size_t k = 0;
        for (size_t j = i; j < n && !done[i]; j++) {
            if (done[j] || !is_near(&spots[i], &spots[j])) continue;
            near[k++] = spots[j];
            done[j] = j > i;
        }
        if (k) excerpt(h, c, near, k);
    }
}

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

json_t *html_line(const struct grade *g, const char *file, unsigned line) {
    const char *text = spot_text(g, file);
    size_t size = 0;
    const char *at = text ? spot_line(text, line, &size) : NULL;
    if (!at) return json_null();
    while (size && (*at == ' ' || *at == '\t')) at++, size--;
    while (size && strchr(" \t\r", at[size - 1])) size--;
    return html_own(text_format("%.*s", (int)size, at), SPOT_BYTES);
}

/* The lines first to last, without their ends; the first `least` at least. */
static json_t *lines(const char *text, unsigned first, unsigned last,
                     size_t least) {
    json_t *list = json_array();
    for (unsigned line = first; line <= last; line++) {
        size_t size;
        const char *at = spot_line(text, line, &size);
        if (!at) break;
        json_array_append_new(
            list, html_own(text_format("%.*s", (int)size, at), LONGEST));
    }
    /* Empty ones at the end say nothing. */
    size_t n;
    while ((n = json_array_size(list)) > least &&
           !json_string_length(json_array_get(list, n - 1)))
        json_array_remove(list, n - 1);
    return list;
}

/* Class and words. */
static json_t *caption(const struct spot *s, bool first,
                       const struct outcome *o) {
    struct text words = {0};
    bool races = s->kind == SPOT_HERE && o->finding && o->finding->has_other;
    const char *kind = races ? _("here") : spot_words(s->kind);
    const struct place plain = {.file = (char *)s->file, .line = s->line};
    text_add(&words, "%s%s", kind, *kind ? ": " : "");
    words_place(&words, s->kind == SPOT_HERE      ? &o->place
                        : s->kind == SPOT_EARLIER ? &o->finding->other
                                                  : &plain);
    json_t *value = json_pack("[s, o]", first ? "here" : "there",
                              html_text(text_string(&words), HTML_SENTENCES));
    text_free(&words);
    return value;
}

/* Spots of one file that are near each other; the first one is marked. */
static json_t *excerpt(const struct html_check *c, const struct spot *spots,
                       size_t n) {
    unsigned low = spots[0].line, high = low;
    bool of_host = false;
    json_t *captions = json_array(), *there = json_array();
    for (size_t i = 0; i < n; i++) {
        if (!i || spots[i].kind != SPOT_SAME)
            json_array_append_new(
                captions, caption(&spots[i], i == 0, &c->result->outcome));
        if (i) json_array_append_new(there, json_integer(spots[i].line));
        if (spots[i].line < low) low = spots[i].line;
        if (spots[i].line > high) high = spots[i].line;
        of_host |= spots[i].of_host;
    }
    unsigned first = low > AROUND ? low - AROUND : 1;
    return json_pack("{s:o, s:o, s:i, s:o, s:i, s:o}", "file",
                     html_text(spots[0].file, HTML_SENTENCES), "captions",
                     captions, "first", (int)first, "lines",
                     lines(spot_text(c->grade, spots[0].file), first,
                           high + (of_host ? BEHIND : AROUND),
                           high - first + 1),
                     "here", (int)spots[0].line, "there", there);
}

static bool is_near(const struct spot *a, const struct spot *b) {
    unsigned apart = a->line > b->line ? a->line - b->line : b->line - a->line;
    return strcmp(a->file, b->file) == 0 && apart <= 2 * AROUND + 1;
}

json_t *html_excerpts(const struct html_check *c,
                      const struct html_room *room) {
    struct spot spots[MOST_SPOTS], near[MOST_SPOTS];
    size_t n = spots_shown(c->grade, &c->result->outcome, spots);
    bool done[MOST_SPOTS] = {false};
    struct html_room rest = *room;
    json_t *list = json_array();
    for (size_t i = 0; i < n && (!i || html_has_room(&rest)); i++) {
        size_t k = 0;
        for (size_t j = i; j < n && !done[i]; j++) {
            if (done[j] || !is_near(&spots[i], &spots[j])) continue;
            near[k++] = spots[j];
            done[j] = j > i;
        }
        if (k)
            json_array_append_new(list, html_spend(&rest, excerpt(c, near, k)));
    }
    return list;
}

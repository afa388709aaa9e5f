/* SPDX-License-Identifier: MIT
 *
 * html_source.c: lines of the submission around the places that an outcome
 * names. A race's two accesses stand in one excerpt where they are near.
 */
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "text.h"
#include "translate.h"
#include "words.h"

enum {
    AROUND = 4,    /* lines before and behind */
    BEHIND = 8,    /* a place of the host: what becomes of a call's answer */
    LONGEST = 2000 /* bytes of a line that are shown; it wraps */
};

static const char *text_of(const struct grade *grade, const char *file) {
    for (size_t i = 0; file && i < grade->n_sources; i++)
        if (strcmp(grade->sources[i].name, file) == 0)
            return grade->sources[i].text;
    return NULL;
}

static bool is_shown(const struct grade *grade, const struct place *p) {
    return p->line && text_of(grade, p->file);
}

static const struct place *second_place(const struct outcome *o) {
    return o->finding && o->finding->has_other ? &o->finding->other : NULL;
}

/* Of an outcome without a place of its own, that of the first wrong step. */
static struct place first_place(const struct outcome *o) {
    const struct vgpu_place *step =
        o->steps && !o->place.line ? steps_fault_place(o->steps) : NULL;
    if (!step || !step->file) return o->place;
    return (struct place){.file = (char *)text_base(step->file),
                          .line = step->line};
}

bool html_has_source(const struct html_check *c) {
    const struct place *second = second_place(&c->result->outcome);
    struct place first = first_place(&c->result->outcome);
    return is_shown(c->grade, &first) || (second && is_shown(c->grade, second));
}

/* The lines first to last; marked are those of a and b, which may be NULL. */
static void lines(struct html *h, const char *text, unsigned first,
                  unsigned last, const struct place *a, const struct place *b) {
    html_add(h, "<pre class=\"source\" tabindex=\"0\"><code>");
    for (unsigned line = 1; *text && line <= last; line++) {
        size_t size = strcspn(text, "\n");
        bool here = line == a->line, there = b && line == b->line;
        if (line >= first) {
            char *words = text_format("%.*s", (int)size, text);
            html_add(h, "<span class=\"line%s%s\" data-line=\"%u\">",
                     here ? " here" : "", there ? " there" : "", line);
            html_words(h, words, LONGEST);
            html_add(h, "\n</span>");
            h->failed |= !words;
            free(words);
        }
        text += size + (text[size] == '\n');
    }
    html_add(h, "</code></pre>\n");
}

static void caption(struct html *h, const char *class, const char *who,
                    const struct place *p) {
    struct text words = {0};
    words_place(&words, p);
    html_add(h, "<figcaption class=\"%s\">%s%s</figcaption>\n", class, who,
             text_string(&words));
    text_free(&words);
}

/* b: NULL, or in the same excerpt. */
static void excerpt(struct html *h, const struct grade *grade,
                    const struct place *a, const struct place *b,
                    const char *who_a, const char *who_b) {
    if (!is_shown(grade, a)) return;
    unsigned low = b && b->line < a->line ? b->line : a->line;
    unsigned high = b && b->line > a->line ? b->line : a->line;
    html_add(h, "<figure>\n");
    caption(h, "here", who_a, a);
    if (b) caption(h, "there", who_b, b);
    lines(h, text_of(grade, a->file), low > AROUND ? low - AROUND : 1,
          high + (a->has_thread ? AROUND : BEHIND), a, b);
    html_add(h, "</figure>\n");
}

void html_source(struct html *h, const struct html_check *c) {
    const char *this = _("here: "), *earlier = _("the earlier access: ");
    const struct place first = first_place(&c->result->outcome), *a = &first;
    const struct place *b = second_place(&c->result->outcome);
    bool same = b && is_shown(c->grade, a) && is_shown(c->grade, b) &&
                strcmp(a->file, b->file) == 0;
    unsigned apart = !same               ? 0
                     : a->line > b->line ? a->line - b->line
                                         : b->line - a->line;
    if (same && apart <= 2 * AROUND + 1) {
        excerpt(h, c->grade, a, b, this, earlier);
        return;
    }
    bool is_step = a->line != c->result->outcome.place.line;
    excerpt(h, c->grade, a, NULL,
            is_step ? _("the first wrong step: ")
            : b     ? this
                    : "",
            "");
    if (b) excerpt(h, c->grade, b, NULL, earlier, "");
}

/* SPDX-License-Identifier: MIT
 *
 * steps_html.c: the steps on a page, one at a time. A row of radio buttons
 * chooses, so that the arrow keys go forwards and backwards and no script is
 * needed; printed, all of them stand one below the other.
 */
#include <stdlib.h>
#include <string.h>

#include "steps_formats.h"
#include "html_steps.h"
#include "steps_parts.h"
#include "translate.h"

static void add_recipe(void *user, const char *words, const char *place) {
    html_add(user, "<li><code>%s</code> <small>%s</small></li>\n", words,
             place);
}

struct shown { /* frames first to end - 1 */
    uint32_t first, end;
    const char *id;
};

static void html_frame(struct html *h, const struct steps_view *v,
                       uint32_t frame, const struct shown *s) {
    struct steps_size size = steps_frame_size(v, frame);
    struct steps_rows rows = steps_rows_of(v, frame);
    struct text name = {0};
    steps_frame_name(&name, v, frame);
    html_add(h, "<section>\n<p class=\"turn\">");
    if (frame > s->first)
        html_add(h, "<label for=\"%s-%u\">\xe2\x86\x90 %s</label> ", s->id,
                 (unsigned)frame, _("back"));
    if (frame + 1 < s->end)
        html_add(h, "<label for=\"%s-%u\">%s \xe2\x86\x92</label>", s->id,
                 (unsigned)frame + 2, _("next"));
    html_add(h,
             "</p>\n<div class=\"wide\"><svg viewBox=\"0 0 %u %u\" "
             "width=\"%u\" height=\"%u\" role=\"img\"><title>%s %u: %s"
             "</title>\n",
             size.width, size.height, size.width, size.height, _("Step"),
             (unsigned)frame + 1, text_string(&name));
    steps_draw(h, v, frame, 0);
    html_add(h, "</svg></div>\n<ul class=\"made\">\n");
    for (uint32_t r = 0; r < rows.n; r++)
        if (rows.rows[r].shown) {
            struct text array = {0};
            steps_array_name(&array, v, rows.rows[r].array);
            html_add(h, "<li>%s<ul>\n", text_string(&array));
            steps_recipes(v, &rows.rows[r], add_recipe, h);
            html_add(h, "</ul></li>\n");
            text_free(&array);
        }
    html_add(h, "</ul>\n</section>\n");
    free(rows.rows);
    text_free(&name);
}

static void add_notes(struct html *h, const struct steps_view *v,
                      const struct shown *s) {
    if (s->end - s->first < v->n_frames)
        html_add(
            h, _("<p class=\"note\">Steps %u to %u of %u are shown.</p>\n"),
            (unsigned)s->first + 1, (unsigned)s->end, (unsigned)v->n_frames);
    if (v->n > STEPS_COLUMNS)
        html_add(h,
                 _("<p class=\"note\">%d of %zu elements are shown, from [%zu] "
                   "on.</p>\n"),
                 STEPS_COLUMNS, v->n,
                 v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS);
    if (v->seen.is_cut)
        html_add(
            h,
            _("<p class=\"note\">The recording ended after %u values: what "
              "came later is left out.</p>\n"),
            (unsigned)v->seen.n_writes);
}

void html_steps(struct html *h, const struct steps_view *v, const char *id,
                int around) {
    struct text fault = {0};
    uint32_t open = v->fault && v->fault != FAULT_NO_WRITE
                        ? v->frame_of[v->fault_write]
                        : 0;
    struct shown s = {0, v->n_frames, id};
    if (around >= 0 && open > (uint32_t)around)
        s.first = open - (uint32_t)around;
    if (around >= 0 && open + (uint32_t)around + 1 < s.end)
        s.end = open + (uint32_t)around + 1;
    if (s.end - s.first > STEPS_FRAMES) s.end = s.first + STEPS_FRAMES;
    steps_fault_words(&fault, v);
    if (fault.size) html_add(h, "<p class=\"fault\">%s</p>\n", fault.bytes);
    text_free(&fault);
    html_add(h, "<div class=\"steps\" role=\"radiogroup\" "
                "aria-label=\"Steps\">\n");
    for (uint32_t f = s.first; f < s.end; f++) {
        if (!html_has_room(h)) s.end = f;
        if (f == s.end) break;
        html_add(h,
                 "<input type=\"radio\" name=\"%s\" id=\"%s-%u\" "
                 "aria-label=\"Step %u\"%s>\n",
                 id, id, (unsigned)f + 1, (unsigned)f + 1,
                 f == open ? " checked" : "");
        html_frame(h, v, f, &s);
    }
    html_add(h, "</div>\n");
    add_notes(h, v, &s);
}

/* ---- a page of its own ---- */

static void add_list(struct html *h, const char *name, enum buffer b,
                     const struct steps_view *v, const int32_t *words, size_t n,
                     bool marked) {
    enum element e = signature_element(v->signature, b);
    size_t from = v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS;
    char text[ELEMENT_TEXT];
    html_add(h, "<tr><th scope=\"row\">%s</th>", name);
    for (size_t k = from; k < n && k < from + STEPS_COLUMNS; k++) {
        const int32_t *at = words + k * element_words(e);
        bool wrong = marked && memcmp(at, v->expected + k * element_words(e),
                                      element_words(e) * 4) != 0;
        element_print(e, at, text);
        if (wrong)
            html_add(h,
                     "<td><mark>%s<span class=\"sign\"> %s</span></mark>"
                     "</td>",
                     text, _("wrong"));
        else
            html_add(h, "<td>%s</td>", text);
    }
    html_add(h, "</tr>\n");
}

void steps_html_lists(struct html *h, const struct steps_view *v) {
    html_add(h, "<div class=\"wide\"><table class=\"numbers\">");
    add_list(h, "in", BUFFER_IN, v, v->in, v->n, false);
    add_list(h, _("expected"), BUFFER_OUT, v, v->expected, v->n_expected,
             false);
    add_list(h, _("got"), BUFFER_OUT, v, v->got, v->n_expected, true);
    html_add(h, "</table></div>\n");
}

static bool page(FILE *to, const struct steps_view *v, const char *what,
                 bool banks) {
    struct html h = {.stream = to};
    struct text title = {0};
    text_add(&title, "%s, n = %zu, %s", v->function ? v->function : "", v->n,
             what);
    html_begin(&h, text_string(&title));
    html_add(&h,
             "<header class=\"alone\"><h1>%s</h1><button type=\"button\" "
             "id=\"theme\">Theme"
             "</button></header>\n<main class=\"alone\">\n",
             text_string(&title));
    steps_html_lists(&h, v);
    if (banks)
        html_banks(&h, v);
    else
        html_steps(&h, v, "step", STEPS_ALL);
    html_add(&h, "</main>\n");
    html_end(&h);
    text_free(&title);
    return !h.failed && !ferror(to);
}

bool steps_html(FILE *to, const struct steps_view *v) {
    return page(to, v, "step by step", false);
}

bool banks_html(FILE *to, const struct steps_view *v) {
    return page(to, v, "bank by bank", true);
}

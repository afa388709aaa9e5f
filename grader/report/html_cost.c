/* SPDX-License-Identifier: MIT
 *
 * html_cost.c: see html_cost.h. Columns in which no line has a number are left
 * out. Narrow windows show a row's numbers below its words, with their names
 * (html/source.css): so each cell has its column's name.
 */
#include "html_cost.h"

#include <lines.h>
#include <stdlib.h>
#include <string.h>

#include "why_words.h"

enum { BAR = 100, LONGEST = 2000 /* bytes of a line */ };

/* ---- columns ---- */

static bool has_warps(const struct source_view *v) {
    return v->has_times && !v->step_ps;
}

static void head(struct html *h, const char *name) {
    html_add(h, "<th scope=\"col\">%s</th>", name);
}

void cost_begin(struct html *h, const struct source_view *v,
                const char *caption) {
    html_add(h,
             "<div class=\"wide costs\"><table "
             "class=\"cost\"><caption>%s</caption>\n"
             "<thead><tr>",
             caption);
    head(h, "line");
    head(h, "source");
    if (v->has_times) head(h, "path");
    if (has_warps(v)) head(h, "all warps");
    if (v->has_times)
        html_add(h, "<th scope=\"col\" class=\"words\">mostly</th>");
    if (!v->has_times) head(h, "share");
    for (int c = 0; c < LINES_COLUMNS; c++)
        if (v->most[lines_columns[c].counter])
            html_add(h, "<th scope=\"col\">%s %s</th>", lines_columns[c].upper,
                     lines_columns[c].lower);
    html_add(h, "</tr></thead>\n<tbody>\n");
}

void cost_end(struct html *h) {
    html_add(h, "</tbody></table></div>\n");
}

/* ---- cells ---- */

static unsigned columns(const struct source_view *v) {
    unsigned n = 1 + (v->has_times ? 2 + has_warps(v) : 1);
    for (int c = 0; c < LINES_COLUMNS; c++)
        n += v->most[lines_columns[c].counter] != 0;
    return n;
}

void cost_words(struct html *h, const struct source_view *v,
                const struct source_line *l, const char *text, size_t bytes) {
    char *words = text_format("%.*s", (int)bytes, text);
    h->failed |= !words;
    html_add(h, "<td class=\"code\" colspan=\"%u\"><code>", l ? 1 : columns(v));
    html_words(h, words, LONGEST);
    html_add(h, "</code>");
    free(words);
}

static void share(struct html *h, const char *name, uint64_t part,
                  uint64_t whole) {
    char words[16];
    lines_share(words, part, whole);
    if (!part) {
        html_add(h, "<td></td>");
        return;
    }
    html_add(h,
             "<td data-name=\"%s\">%s<svg class=\"bar\" viewBox=\"0 0 %d 10\" "
             "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
             "class=\"part\" width=\"%.1f\" height=\"10\"/></svg></td>",
             name, words, BAR, BAR * (double)part / (double)whole);
}

static void number(struct html *h, const struct lines_column *c, uint64_t n) {
    char words[16];
    lines_number(words, n);
    if (n)
        html_add(h, "<td data-name=\"%s %s\">%s</td>", c->upper, c->lower,
                 words);
    else
        html_add(h, "<td></td>");
}

void cost_numbers(struct html *h, const struct source_view *v,
                  const struct source_line *l) {
    const struct vgpu_times *t = &l->times;
    if (v->has_times) {
        const char *path = why_most(t->path);
        share(h, "path", why_sum(t->path), why_sum(v->times.path));
        if (has_warps(v))
            share(h, "all warps", why_sum(t->warps), why_sum(v->times.warps));
        html_add(h, "<td class=\"words\">%s</td>",
                 *path ? path : why_most(t->warps));
    } else {
        share(h, "share", l->counts[v->by], v->sum[v->by]);
    }
    for (int c = 0; c < LINES_COLUMNS; c++)
        if (v->most[lines_columns[c].counter])
            number(h, &lines_columns[c], l->counts[lines_columns[c].counter]);
}

/* ---- texts ---- */

const struct source_text *cost_text(const struct source_text *texts, size_t n,
                                    const char *name) {
    for (size_t i = 0; name && i < n; i++)
        if (strcmp(texts[i].name, name) == 0) return &texts[i];
    return NULL;
}

const char *cost_line(const char *text, uint32_t line, size_t *bytes) {
    for (uint32_t at = 1; text && *text; at++) {
        *bytes = strcspn(text, "\n");
        if (at == line) return text;
        text += *bytes + (text[*bytes] == '\n');
    }
    return NULL;
}

/* ---- the hottest ---- */

static void place(struct html *h, const struct source_line *l,
                  const struct source_text *texts,
                  const struct source_text *text, bool is_linked) {
    html_add(h, "<th scope=\"row\" class=\"place\">");
    if (!l->file)
        html_add(h, "no line");
    else if (is_linked && text && text->text)
        html_add(h, "<a href=\"#f%zu-%u\">%s:%u</a>", (size_t)(text - texts),
                 l->line, l->file, l->line);
    else
        html_add(h, "%s:%u", l->file, l->line);
    html_add(h, "</th>");
}

void html_hottest(struct html *h, const struct source_view *v,
                  const struct source_text *texts, size_t n_texts,
                  bool is_linked) {
    size_t n = v->n < SOURCE_HOT ? v->n : SOURCE_HOT;
    cost_begin(h, v, "");
    for (size_t i = 0; i < n; i++) {
        const struct source_line *l = &v->lines[i];
        const struct source_text *text = cost_text(texts, n_texts, l->file);
        size_t bytes = 0;
        const char *words =
            text && text->text ? cost_line(text->text, l->line, &bytes) : NULL;
        while (words && bytes && (*words == ' ' || *words == '\t'))
            words++, bytes--;
        html_add(h, "<tr>");
        place(h, l, texts, text, is_linked && words);
        cost_words(h, v, l, words ? words : "", bytes);
        html_add(h, "</td>");
        cost_numbers(h, v, l);
        html_add(h, "</tr>\n");
    }
    cost_end(h);
}

/* SPDX-License-Identifier: MIT
 *
 * source_html.c: a page of the source with what each line cost beside it: the
 * hottest lines first, then the files, each line with its findings and, folded,
 * its PTX.
 */
#include <lines.h>
#include <stdlib.h>
#include <string.h>

#include "source_page.h"
#include "html_cost.h"
#include "why_words.h"

enum {
    PTX_ROOM = 800000, /* from this size on PTX is left out */
    NOTE_BYTES = 2000,
    HOT_PERCENT = 5 /* of something: such a line is marked */
};

/* ---- a file ---- */

struct file {
    const struct source_view *view;
    const struct source_text *text;
    size_t number;                 /* on the page */
    const struct source_line **at; /* by line; NULL: no counts */
    size_t n;                      /* lines */
    bool left_out;                 /* some PTX */
};

static void notes(struct html *h, const struct file *f, uint32_t line) {
    for (size_t i = 0; i < f->view->n_notes; i++) {
        const struct source_note *note = &f->view->notes[i];
        if (note->line != line || strcmp(note->file, f->text->name) != 0)
            continue;
        html_add(h, "<p class=\"found\">");
        html_words(h, note->text, NOTE_BYTES);
        html_add(h, "</p>");
    }
}

static void ptx(struct html *h, struct file *f, const struct source_line *l) {
    if (!l || !l->n_ptx) return;
    if (h->bytes > PTX_ROOM) {
        f->left_out = true;
        return;
    }
    html_add(h,
             "<details class=\"ptx\"><summary>PTX, %zu</summary><pre "
             "tabindex=\"0\">",
             l->n_ptx);
    html_words(h, l->ptx.bytes, l->ptx.size);
    if (l->n_ptx > SOURCE_PTX) html_add(h, "\n%zu more", l->n_ptx - SOURCE_PTX);
    html_add(h, "</pre></details>");
}

static bool is_part(uint64_t part, uint64_t whole) {
    return part && part >= whole / 100 * HOT_PERCENT;
}

static bool is_hot(const struct source_view *v, const struct source_line *l) {
    return l && (is_part(why_sum(l->times.path), why_sum(v->times.path)) ||
                 is_part(why_sum(l->times.warps), why_sum(v->times.warps)) ||
                 is_part(l->counts[v->by], v->sum[v->by]));
}

static void row(struct html *h, struct file *f, uint32_t number,
                const char *text, size_t bytes) {
    const struct source_line *l = f->at[number];
    html_add(h, "<tr id=\"f%zu-%u\"", f->number, number);
    if (is_hot(f->view, l)) html_add(h, " class=\"hot\" tabindex=\"-1\"");
    html_add(h, "><th scope=\"row\">%u</th>", number);
    cost_words(h, f->view, l, text, bytes);
    notes(h, f, number);
    ptx(h, f, l);
    html_add(h, "</td>");
    if (l) cost_numbers(h, f->view, l);
    html_add(h, "</tr>\n");
}

static void rows(struct html *h, struct file *f) {
    const char *at = f->text->text;
    uint32_t number = 1;
    for (; *at && html_has_room(h); number++) {
        size_t bytes = strcspn(at, "\n");
        row(h, f, number, at, bytes);
        at += bytes + (at[bytes] == '\n');
    }
    cost_end(h);
    if (*at)
        html_add(h,
                 "<p class=\"note\">The lines from %u on are left out, because "
                 "this page has reached its size.</p>\n",
                 number);
    else if (f->left_out)
        html_add(h, "<p class=\"note\">PTX is left out of the last lines, "
                    "because this page has reached its size.</p>\n");
}

static void listing(struct html *h, const struct source_view *v,
                    const struct source_text *text, size_t number) {
    struct file f = {.view = v, .text = text, .number = number, .n = 2};
    html_add(h, "<h2>%s</h2>\n", text->name);
    if (!text->text) {
        html_add(h, "<p class=\"note\">It is not shown: %s.</p>\n", text->why);
        return;
    }
    for (const char *at = text->text; *at; at++) f.n += *at == '\n';
    f.at = calloc(f.n + 1, sizeof *f.at);
    h->failed |= !f.at;
    if (!f.at) return;
    for (size_t i = 0; i < v->n; i++)
        if (v->lines[i].file && v->lines[i].line < f.n &&
            strcmp(v->lines[i].file, text->name) == 0)
            f.at[v->lines[i].line] = &v->lines[i];
    cost_begin(h, v, "");
    rows(h, &f);
    free(f.at);
}

/* ---- the page ---- */

static void told(struct html *h, const char *class, const char *words) {
    if (!words || !*words) return;
    html_add(h, "<p class=\"%s\">%s</p>\n", class, words);
}

static void summary(struct html *h, const struct source_view *v,
                    const struct source_page *page) {
    const struct vgpu_why why = {.step_ps = v->step_ps};
    char time[WHY_TIME], number[16];
    why_time(time, &why, v->launch_ps);
    lines_number(number, v->sum[VGPU_COUNT_THREAD_INSTRUCTIONS]);
    html_add(h, "<p class=\"note\">%zu launch%s, %s thread instructions",
             (size_t)v->launches, v->launches == 1 ? "" : "es", number);
    if (v->has_times)
        html_add(h, ", %s of model time on the profile %s", time,
                 page->clock ? page->clock : "");
    html_add(h, ". A sector is 32 bytes; atomics count threads, barriers and "
                "branches warps.");
    if (v->has_times)
        html_add(h,
                 " The path is the chain of instructions and messages that "
                 "sets a launch's end: without a line's part the launch is "
                 "shorter by that much at most. No GPU's time: docs/clock.md.");
    html_add(h, "</p>\n");
}

static void limits(struct html *h, const struct source_view *v,
                   const struct source_page *page) {
    char number[16];
    lines_number(number, v->left_out);
    if (v->left_out)
        html_add(h,
                 "<p class=\"note\">There are too many lines: %s thread "
                 "instructions are on lines that are left out.</p>\n",
                 number);
    if (page->more_files)
        html_add(h, "<p class=\"note\">More files are left out.</p>\n");
    if (v->notes_left_out)
        html_add(h, "<p class=\"note\">%zu more findings are left out.</p>\n",
                 v->notes_left_out);
    if (v->ptx_is_cut)
        html_add(h, "<p class=\"note\">There is too much PTX: some of it is "
                    "left out.</p>\n");
}

/* Findings at lines of files that are not listed. */
static void others(struct html *h, const struct source_view *v,
                   const struct source_page *page) {
    for (size_t i = 0; i < v->n_notes && html_has_room(h); i++) {
        const struct source_note *note = &v->notes[i];
        const struct source_text *text =
            cost_text(page->texts, page->n_texts, note->file);
        size_t bytes;
        if (text && cost_line(text->text, note->line, &bytes)) continue;
        html_add(h, "<p class=\"found\">%s:%u: ", note->file, note->line);
        html_words(h, note->text, NOTE_BYTES);
        html_add(h, "</p>\n");
    }
}

bool source_page(FILE *to, const struct source_view *v,
                 const struct source_page *page) {
    struct html h = {.stream = to};
    html_begin(&h, page->title);
    html_add(&h,
             "<header class=\"alone\"><h1>%s</h1>\n<p class=\"score\">%s</p>"
             "<button type=\"button\" id=\"theme\" hidden>Theme</button>"
             "</header>\n<main class=\"alone\">\n",
             page->title, page->verdict);
    told(&h, "what", page->message);
    told(&h, "more", page->more);
    told(&h, "note", page->cause);
    if (page->printed) {
        html_add(&h, "<section class=\"quoted\"><h3>It printed</h3>\n<pre "
                     "tabindex=\"0\">");
        html_words(&h, page->printed, HTML_LINES_BYTES);
        html_add(&h, "</pre></section>\n");
    }
    summary(&h, v, page);
    html_add(&h, "<h2>The hottest lines</h2>\n");
    html_hottest(&h, v, page->texts, page->n_texts, true);
    others(&h, v, page);
    for (size_t i = 0; i < page->n_texts; i++)
        listing(&h, v, &page->texts[i], i);
    limits(&h, v, page);
    html_add(&h, "</main>\n<footer><p class=\"keys\" hidden><kbd>j</kbd> "
                 "<kbd>k</kbd> next and previous hot line, <kbd>a</kbd> all "
                 "PTX, <kbd>t</kbd> light or dark</p></footer>\n");
    html_end(&h);
    return !h.failed && !ferror(to);
}

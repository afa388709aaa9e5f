/* SPDX-License-Identifier: MIT
 *
 * html_profile.c: a page of the source with what each line cost beside it: the
 * hottest lines first, then the files, each line with its findings and, folded,
 * its PTX. Columns in which no line has a number are left out.
 */
#include <lines.h>
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "json_parts.h"
#include "source_page.h"
#include "why_words.h"

enum {
    PTX_ROOM = 700000, /* from this size on PTX is left out */
    LONGEST = 2000,    /* bytes of a line, and of a finding */
    ROW = 60,          /* bytes of a page that drawing a row counts as */
    HOT_PERCENT = 5    /* of something: such a line is marked */
};

static void html_profile_add(json_t *list, json_t *value) {
    json_array_append_new(list, value);
}

static void html_profile_set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *own(char *text) {
    return html_own(text, LONGEST);
}

static bool has_warps(const struct source_view *v) {
    return v->has_times && !v->step_ps;
}

static json_t *column(const char *name, const char *kind) {
    return json_pack("{s:s, s:s}", "name", name, "kind", kind);
}

static json_t *columns(const struct source_view *v) {
    json_t *list = json_array();
    if (!v->has_times) html_profile_add(list, column("share", "share"));
    if (v->has_times) html_profile_add(list, column("path", "share"));
    if (has_warps(v)) html_profile_add(list, column("all warps", "share"));
    if (v->has_times) html_profile_add(list, column("mostly", "words"));
    for (int c = 0; c < LINES_COLUMNS; c++) {
        const struct lines_column *of = &lines_columns[c];
        if (!v->most[of->counter]) continue;
        char *name = text_format("%s %s", of->upper, of->lower);
        html_profile_add(list, column(name ? name : "", "number"));
        free(name);
    }
    return list;
}

/* ---- cells ---- */

/* Words, and percent of the bar. */
static json_t *share(uint64_t part, uint64_t whole) {
    char words[16];
    if (!part) return json_null();
    lines_share(words, part, whole);
    return json_pack("[s, f]", words, 100 * (double)part / (double)whole);
}

static json_t *number(uint64_t n) {
    char words[16];
    lines_number(words, n);
    return n ? json_string(words) : json_null();
}

static json_t *cells(const struct source_view *v, const struct source_line *l) {
    const struct vgpu_times *t = &l->times;
    json_t *list = json_array();
    if (!v->has_times)
        html_profile_add(list, share(l->counts[v->by], v->sum[v->by]));
    if (v->has_times)
        html_profile_add(list, share(why_sum(t->path), why_sum(v->times.path)));
    if (has_warps(v))
        html_profile_add(list,
                         share(why_sum(t->warps), why_sum(v->times.warps)));
    if (v->has_times) {
        const char *path = why_most(t->path);
        html_profile_add(list, json_text(*path ? path : why_most(t->warps)));
    }
    for (int c = 0; c < LINES_COLUMNS; c++)
        if (v->most[lines_columns[c].counter])
            html_profile_add(list, number(l->counts[lines_columns[c].counter]));
    return list;
}

/* n: there is none of this name. */
static size_t text_named(const struct source_text *texts, size_t n,
                         const char *name) {
    size_t i = 0;
    while (i < n && !(name && strcmp(texts[i].name, name) == 0)) i++;
    return i;
}

/* The line in a text; *bytes: without its end. NULL: the text is shorter. */
static const char *html_profile_line_of(const char *text, uint32_t line,
                                        size_t *bytes) {
    for (uint32_t at = 1; text && *text; at++) {
        *bytes = strcspn(text, "\n");
        if (at == line) return text;
        text += *bytes + (text[*bytes] == '\n');
    }
    return NULL;
}

/* ---- the hottest ---- */

static json_t *hot_row(const struct source_view *v, const struct source_line *l,
                       const struct source_text *texts, size_t n,
                       bool is_linked) {
    size_t bytes = 0, file = text_named(texts, n, l->file);
    const char *words =
        file < n ? html_profile_line_of(texts[file].text, l->line, &bytes)
                 : NULL;
    json_t *to = is_linked && words
                     ? json_sprintf("f%zu-%u", file, (unsigned)l->line)
                     : json_null();
    while (words && bytes && (*words == ' ' || *words == '\t'))
        words++, bytes--;
    char *place = l->file ? text_format("%s:%u", l->file, l->line) : NULL;
    return json_pack("{s:o, s:o, s:o, s:o}", "place", own(place), "to", to,
                     "words",
                     own(text_format("%.*s", (int)bytes, words ? words : "")),
                     "cells", cells(v, l));
}

static json_t *hot_rows(const struct source_view *v,
                        const struct source_text *texts, size_t n,
                        bool is_linked) {
    json_t *rows = json_array();
    for (size_t i = 0; i < v->n && i < SOURCE_HOT; i++)
        html_profile_add(rows, hot_row(v, &v->lines[i], texts, n, is_linked));
    return rows;
}

json_t *html_hottest(const struct source_view *v,
                     const struct source_text *texts, size_t n) {
    return json_pack("{s:o, s:o}", "columns", columns(v), "rows",
                     hot_rows(v, texts, n, false));
}

/* ---- a file ---- */

struct file {
    const struct source_view *view;
    const struct source_text *text;
    const struct source_line **at; /* by line; NULL: no counts */
    size_t n;                      /* lines */
    bool left_out;                 /* some PTX */
};

static json_t *found(const struct file *f, uint32_t line) {
    json_t *list = json_array();
    for (size_t i = 0; i < f->view->n_notes; i++) {
        const struct source_note *note = &f->view->notes[i];
        if (note->line == line && strcmp(note->file, f->text->name) == 0)
            html_profile_add(list, html_text(note->text, LONGEST));
    }
    return list;
}

/* How many instructions, and their text. */
static json_t *ptx(struct file *f, const struct source_line *l,
                   const struct html_room *room) {
    if (!l || !l->n_ptx) return json_null();
    if (room->spent > PTX_ROOM) {
        f->left_out = true;
        return json_null();
    }
    char *more = l->n_ptx > SOURCE_PTX
                     ? text_format("\n%zu more", l->n_ptx - SOURCE_PTX)
                     : NULL;
    char *all = text_format("%s%s", text_string(&l->ptx), more ? more : "");
    free(more);
    return json_pack("[I, o]", (json_int_t)l->n_ptx,
                     html_own(all, SOURCE_PTX_BYTES));
}

static bool is_part(uint64_t part, uint64_t whole) {
    return part && part >= whole / 100 * HOT_PERCENT;
}

static bool is_hot(const struct source_view *v, const struct source_line *l) {
    return is_part(why_sum(l->times.path), why_sum(v->times.path)) ||
           is_part(why_sum(l->times.warps), why_sum(v->times.warps)) ||
           is_part(l->counts[v->by], v->sum[v->by]);
}

/* A line's words, or an object where there is more to say. */
static json_t *row(struct file *f, uint32_t number, const char *text,
                   size_t bytes, const struct html_room *room) {
    const struct source_line *l = f->at[number];
    json_t *words = own(text_format("%.*s", (int)bytes, text));
    json_t *notes = found(f, number);
    if (!l && !json_array_size(notes)) {
        json_decref(notes);
        return words;
    }
    json_t *is = json_pack("{s:o, s:o}", "words", words, "found", notes);
    if (!l) return is;
    html_profile_set(is, "cells", cells(f->view, l));
    html_profile_set(is, "ptx", ptx(f, l, room));
    html_profile_set(is, "hot", json_boolean(is_hot(f->view, l)));
    return is;
}

static void add_rows(json_t *to, struct file *f, struct html_room *room) {
    const char *at = f->text->text;
    uint32_t number = 1;
    json_t *lines = json_array(), *notes = json_array();
    for (; *at && html_has_room(room); number++) {
        size_t bytes = strcspn(at, "\n");
        html_profile_add(lines,
                         html_spend(room, row(f, number, at, bytes, room)));
        room->spent += ROW;
        at += bytes + (at[bytes] == '\n');
    }
    if (*at)
        html_profile_add(
            notes, json_sprintf("The lines from %u on are left out, because "
                                "this page has reached its size.",
                                number));
    else if (f->left_out)
        html_profile_add(
            notes, json_string("PTX is left out of the last lines, because "
                               "this page has reached its size."));
    html_profile_set(to, "lines", lines);
    html_profile_set(to, "notes", notes);
}

static json_t *listing(const struct source_view *v,
                       const struct source_text *text, struct html_room *room) {
    struct file f = {.view = v, .text = text, .n = 2};
    json_t *is = json_pack("{s:o}", "name", html_text(text->name, HTML_NAME));
    if (!text->text) {
        html_profile_set(is, "why", html_text(text->why, LONGEST));
        return is;
    }
    for (const char *at = text->text; *at; at++) f.n += *at == '\n';
    f.at = calloc(f.n + 1, sizeof *f.at);
    if (!f.at) {
        json_decref(is);
        return NULL;
    }
    for (size_t i = 0; i < v->n; i++)
        if (v->lines[i].file && v->lines[i].line < f.n &&
            strcmp(v->lines[i].file, text->name) == 0)
            f.at[v->lines[i].line] = &v->lines[i];
    add_rows(is, &f, room);
    free(f.at);
    return is;
}

/* ---- the page's words ---- */

/* Class and words of what is said above all. */
static json_t *said(const struct source_page *page) {
    const struct {
        const char *class, *words;
    } rows[] = {
        {"what", page->message}, {"more", page->more}, {"note", page->cause}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].words && *rows[i].words)
            html_profile_add(
                list, json_pack("[s, o]", rows[i].class,
                                html_text(rows[i].words, HTML_SENTENCES)));
    return list;
}

static char *summary(const struct source_view *v,
                     const struct source_page *page) {
    const struct vgpu_why why = {.step_ps = v->step_ps};
    char time[WHY_TIME], number[16];
    struct text t = {0};
    why_time(time, &why, v->launch_ps);
    lines_number(number, v->sum[VGPU_COUNT_THREAD_INSTRUCTIONS]);
    text_add(&t, "%zu launch%s, %s thread instructions", (size_t)v->launches,
             v->launches == 1 ? "" : "es", number);
    if (v->has_times)
        text_add(&t, ", %s of model time on the profile %s", time,
                 page->clock ? page->clock : "");
    text_add(&t, ". A sector is 32 bytes; atomics count threads, barriers and "
                 "branches warps.");
    if (v->has_times)
        text_add(&t, " The path is the chain of instructions and messages that "
                     "sets a launch's end: without a line's part the launch is "
                     "shorter by that much at most. No GPU's time: "
                     "vgpu/docs/clock.md.");
    return t.bytes;
}

static json_t *limits(const struct source_view *v,
                      const struct source_page *page) {
    char number[16];
    json_t *list = json_array();
    lines_number(number, v->left_out);
    if (v->left_out)
        html_profile_add(
            list, json_sprintf("There are too many lines: %s thread "
                               "instructions are on lines that are left out.",
                               number));
    if (page->more_files)
        html_profile_add(list, json_string("More files are left out."));
    if (v->notes_left_out)
        html_profile_add(list, json_sprintf("%zu more findings are left out.",
                                            v->notes_left_out));
    if (v->ptx_is_cut)
        html_profile_add(
            list, json_string("There is too much PTX: some of it is left "
                              "out."));
    return list;
}

/* Findings at lines of files that are not listed. */
static json_t *elsewhere(const struct source_view *v,
                         const struct source_page *page,
                         struct html_room *room) {
    json_t *list = json_array();
    for (size_t i = 0; i < v->n_notes && html_has_room(room); i++) {
        const struct source_note *note = &v->notes[i];
        size_t bytes, file = text_named(page->texts, page->n_texts, note->file);
        if (file < page->n_texts &&
            html_profile_line_of(page->texts[file].text, note->line, &bytes))
            continue;
        char *words =
            text_format("%s:%u: %s", note->file, note->line, note->text);
        html_profile_add(list, html_spend(room, own(words)));
    }
    return list;
}

/* ---- the same in words ---- */

static void add_lines(FILE *to, const struct source_view *v,
                      const struct source_text *text) {
    const char *at = text->text ? text->text : "";
    fprintf(to, "\n%s\n", text->name);
    if (!text->text) fprintf(to, "It is not shown: %s.\n", text->why);
    for (uint32_t number = 1; *at && ftell(to) < HTML_TEXT; number++) {
        size_t bytes = strcspn(at, "\n");
        char words[16] = "";
        for (size_t i = 0; i < v->n; i++) {
            const struct source_line *l = &v->lines[i];
            if (l->file && l->line == number && !strcmp(l->file, text->name))
                lines_share(
                    words,
                    v->has_times ? why_sum(l->times.path) : l->counts[v->by],
                    v->has_times ? why_sum(v->times.path) : v->sum[v->by]);
        }
        fprintf(to, "%6s %5u | %.*s\n", words, number, (int)bytes, at);
        for (size_t i = 0; i < v->n_notes; i++)
            if (v->notes[i].line == number &&
                !strcmp(v->notes[i].file, text->name))
                fprintf(to, "             ! %s\n", v->notes[i].text);
        at += bytes + (at[bytes] == '\n');
    }
}

static char *text_of(const struct source_view *v,
                     const struct source_page *page) {
    char *text = NULL, *sum = summary(v, page);
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const char *const parts[] = {page->title, page->verdict, page->message,
                                 page->more,  page->cause,   page->printed,
                                 sum};
    if (!to) return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && *parts[i])
            fprintf(to, "%.*s\n", HTML_LINES_BYTES, parts[i]);
    for (size_t i = 0; i < page->n_texts; i++)
        add_lines(to, v, &page->texts[i]);
    free(sum);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* ---- the page ---- */

bool source_page(FILE *to, const struct source_view *v,
                 const struct source_page *page) {
    struct html_room room = {0};
    char *text = text_of(v, page);
    json_t *others = elsewhere(v, page, &room), *files = json_array();
    for (size_t i = 0; i < page->n_texts; i++)
        html_profile_add(files, listing(v, &page->texts[i], &room));
    json_t *data =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                  "title", html_text(page->title, HTML_SENTENCES), "verdict",
                  html_text(page->verdict, HTML_SENTENCES), "said", said(page),
                  "printed", html_text(page->printed, HTML_LINES_BYTES),
                  "summary", own(summary(v, page)), "columns", columns(v),
                  "hot", hot_rows(v, page->texts, page->n_texts, true),
                  "elsewhere", others, "files", files, "notes", limits(v, page),
                  "timeline", html_spend(&room, html_timeline(v->timeline)));
    bool good = text && data &&
                html_write(to, "profile", "profile", page->title, text, data);
    free(text);
    return good && !ferror(to);
}

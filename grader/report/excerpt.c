/* SPDX-License-Identifier: MIT
 *
 * excerpt.c: in the text report, the lines of the submission that a failure is
 * about, each with a line or two around it. They are the student's words: what
 * is shown of each is cleaned and fits the page, however long it is.
 */
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "page.h"
#include "spots.h"
#include "translate.h"

enum {
    AROUND = 2, /* lines before and behind, of the first excerpt */
    NEAR = 5,   /* lines apart: in one excerpt */
    MOST = 3,   /* excerpts */
    ROWS = 3,   /* of a marked line */
    COLUMN = INDENT + VERDICT, /* where they begin */
    SMALLEST = 20              /* columns of a line, on the narrowest page */
};

/* Neighbouring spots of a file. */
struct group {
    struct spot spots[MOST_SPOTS];
    size_t n;
    unsigned low, high; /* lines of spots */
};

static bool joins(const struct group *g, const struct spot *s) {
    if (g->n == MOST_SPOTS || strcmp(g->spots[0].file, s->file) != 0)
        return false;
    unsigned low = s->line < g->low ? s->line : g->low;
    unsigned high = s->line > g->high ? s->line : g->high;
    return high - low <= NEAR;
}

static size_t group(const struct spot *spots, size_t n,
                    struct group groups[MOST]) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const struct spot *s = &spots[i];
        size_t k = 0;
        while (k < used && !joins(&groups[k], s)) k++;
        if (k == MOST) continue;
        struct group *g = &groups[k];
        if (k == used) {
            *g = (struct group){.low = s->line, .high = s->line};
            used++;
        }
        g->spots[g->n++] = *s;
        if (s->line < g->low) g->low = s->line;
        if (s->line > g->high) g->high = s->line;
    }
    return used;
}

/* "naive.cu:22, the first wrong step; line 24, the earlier access" */
static void heading(struct page *page, const struct group *g) {
    struct text t = {0};
    clean_add(&t, g->spots[0].file, -1);
    for (size_t i = 0; i < g->n; i++) {
        const char *words = spot_words(g->spots[i].kind);
        if (i && g->spots[i].kind == SPOT_SAME) continue;
        text_add(&t, i ? _("; line %u") : ":%u", g->spots[i].line);
        if (*words) text_add(&t, ", %s", words);
    }
    page_label_own(page, "source", t.bytes);
}

static bool is_marked(const struct group *g, unsigned line) {
    for (size_t i = 0; i < g->n; i++)
        if (g->spots[i].line == line) return true;
    return false;
}

/* The line, cleaned. Of a long one no more is looked at than can be shown. */
static char *shown(const char *line, size_t bytes) {
    char *part = text_format(
        "%.*s", (int)(bytes < SPOT_BYTES ? bytes : SPOT_BYTES), line);
    char *clean = clean_name(part);
    free(part);
    return clean;
}

static size_t blanks_of(const char *line) {
    size_t blanks = strspn(line, " ");
    return line[blanks] ? blanks : SIZE_MAX;
}

/* Bytes that take at most so many columns. */
static size_t fitting(const char *text, size_t columns) {
    size_t bytes = 0;
    while (text[bytes] && text_columns(text, bytes + 1) <= columns) bytes++;
    return bytes;
}

/* A marked line goes on below itself, a few times. */
static void put_line(struct page *page, const char *text, unsigned line,
                     int digits, bool marked) {
    char before[32];
    for (int row = marked ? ROWS : 1; row > 0; row--) {
        snprintf(before, sizeof before, "%c %*u | ", marked ? '>' : ' ', digits,
                 line);
        size_t used = COLUMN + strlen(before);
        size_t room =
            page->width > used + SMALLEST ? page->width - used : SMALLEST;
        bool fits = text_columns(text, strlen(text)) <= room;
        bool cut = !fits && row == 1;
        size_t bytes =
            fits ? strlen(text) : fitting(text, cut ? room - 4 : room);
        for (size_t k = bytes; !fits && !cut && k > bytes / 2; k--)
            if (text[k - 1] == ' ') {
                bytes = k;
                break;
            }
        page_blanks(page, COLUMN);
        page_put(page, marked ? BOLD : DIM, before);
        fprintf(page->stream, "%.*s%s\n", (int)bytes, text, cut ? " ..." : "");
        text += bytes;
        if (fits) return;
    }
}

/* What all lines have in front of them is left away. */
static void put_lines(struct page *page, const char *text,
                      const struct group *g, unsigned around) {
    unsigned low = g->low > around ? g->low - around : 1;
    char *lines[NEAR + 2 * AROUND + 1] = {0};
    size_t n = g->high + around - low + 1, indent = SIZE_MAX, size;
    int digits = snprintf(NULL, 0, "%u", g->high + around);
    for (size_t i = 0; i < n; i++) {
        const char *line = spot_line(text, low + (unsigned)i, &size);
        if (!line) break;
        lines[i] = shown(line, size);
        page->failed |= !lines[i];
        size_t blanks = lines[i] ? blanks_of(lines[i]) : SIZE_MAX;
        if (blanks < indent) indent = blanks;
    }
    for (size_t i = 0; i < n && lines[i]; i++) {
        bool empty = blanks_of(lines[i]) == SIZE_MAX;
        put_line(page, empty ? "" : lines[i] + indent, low + (unsigned)i,
                 digits, is_marked(g, low + (unsigned)i));
    }
    for (size_t i = 0; i < n; i++) free(lines[i]);
}

void page_source(struct page *page, const struct grade *grade,
                 const struct outcome *o) {
    struct spot spots[MOST_SPOTS];
    struct group groups[MOST];
    size_t n = group(spots, spots_shown(grade, o, spots), groups);
    for (size_t i = 0; i < n; i++) {
        heading(page, &groups[i]);
        put_lines(page, spot_text(grade, groups[i].spots[0].file), &groups[i],
                  i ? 1 : AROUND);
    }
}

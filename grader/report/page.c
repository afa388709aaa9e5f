/* SPDX-License-Identifier: MIT
 *
 * page.c: see page.h.
 */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"

enum { MAX_LINES = 16 /* of compiler messages and output without -v */ };

static const char *const styles[N_STYLES] = {
    "", "\033[1m", "\033[2m", "\033[32m", "\033[1;31m", "\033[33m"};

void page_put(struct page *page, enum style style, const char *text) {
    bool on = page->colour && style != PLAIN;
    fprintf(page->stream, "%s%s%s", on ? styles[style] : "", text,
            on ? "\033[0m" : "");
}

void page_blanks(struct page *page, size_t n) {
    fprintf(page->stream, "%*s", (int)n, "");
}

/* Where a line of at most `room` columns may end: at a blank, or in a word that
 * is longer than the line. Returns bytes. */
static size_t line_length(const char *text, size_t room) {
    enum { COLUMN = 4 }; /* bytes of one, at most */
    size_t bytes = 0, blank = 0, at = 0, columns = 0;
    /* no further: the text may be one line of a megabyte */
    while (bytes <= COLUMN * (room + 1) && text[bytes] && text[bytes] != '\n')
        bytes++;
    for (; at < bytes && columns <= room; at++) {
        if (text[at] == ' ') blank = at;
        columns += text_columns(text + at, 1);
        if (columns > room) break;
    }
    if (at >= bytes) return bytes;
    if (blank > 0) return blank;
    while (at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    return at > 0 ? at : 1;
}

void page_wrapped(struct page *page, size_t column, const char *text) {
    size_t room = page->width > column + 20 ? page->width - column : 20;
    for (bool first = true;; first = false) {
        size_t length = line_length(text, room);
        if (!first && length > 0) page_blanks(page, column);
        fprintf(page->stream, "%.*s\n", (int)length, text);
        text += length;
        if (*text == '\n')
            text++;
        else
            while (*text == ' ') text++;
        if (!*text) return;
    }
}

void page_label_line(struct page *page, const char *label, const char *text,
                     bool wrap) {
    if (!text || !*text) return;
    char *clean = clean_text(text);
    if (!clean) {
        page->failed = true;
        return;
    }
    label = _(label);
    size_t columns = text_columns(label, strlen(label));
    page_blanks(page, INDENT + VERDICT);
    page_put(page, DIM, label);
    page_blanks(page, columns < LABEL ? LABEL - columns : 1);
    if (wrap)
        page_wrapped(page, INDENT + VERDICT + LABEL, clean);
    else
        fprintf(page->stream, "%s\n", clean);
    free(clean);
}

void page_label(struct page *page, const char *label, const char *text) {
    page_label_line(page, label, text, true);
}

void page_label_own(struct page *page, const char *label, char *text) {
    page_label(page, label, text);
    free(text);
}

void page_quoted(struct page *page, const char *text) {
    char *clean = clean_text(text), *state = NULL;
    if (!clean) {
        page->failed = true;
        return;
    }
    size_t n = 0, left_out = 0;
    for (char *line = strtok_r(clean, "\n", &state); line;
         line = strtok_r(NULL, "\n", &state)) {
        if (n++ >= MAX_LINES && !page->verbose) {
            left_out++;
            continue;
        }
        page_blanks(page, INDENT);
        page_put(page, DIM, "| ");
        fprintf(page->stream, "%s\n", line);
    }
    if (left_out > 0) {
        page_blanks(page, INDENT);
        fprintf(page->stream, _("  ... %zu more lines (-v shows them)\n"),
                left_out);
    }
    free(clean);
}

void page_points(struct page *page, size_t column, char *points,
                 enum style style) {
    const char *text = points ? points : "";
    size_t length = strlen(text);
    page->failed |= !points;
    page_blanks(page, column + length < page->width
                          ? page->width - column - length
                          : 2);
    page_put(page, style, text);
    fputc('\n', page->stream);
    free(points);
}

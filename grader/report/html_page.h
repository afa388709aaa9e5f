/* SPDX-License-Identifier: MIT
 *
 * html_page.h: fills the template of a page (html/page.html, made whole by
 * cmake/Pages.cmake) with its title, its data as JSON, and the same in words,
 * which stand there where no script runs. docs/parts.md, "Pages".
 *
 * Nothing else writes markup. Data are cleaned (json_text), and the page's
 * script puts them into elements as text nodes.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    HTML_BYTES = 2000000,     /* a page is smaller */
    HTML_ROOM = 1000000,      /* of data; from here on what must be said */
    HTML_TEXT = 200000,       /* of words for where no script runs */
    HTML_SENTENCES = 6000,    /* of words in one place; then HTML_NAME */
    HTML_LINES_BYTES = 16000, /* of a compiler's or a program's output */
    HTML_NAME = 200           /* of a name or a title */
};

/* The templates, by name; NULL ends them. Made by cmake/Embed.cmake. */
struct html_template {
    const char *name; /* "grade", "live", "profile", "sweep", ... */
    const unsigned char *bytes;
    size_t size;
};
extern const struct html_template html_templates[];

/* The page `name` with {"view": view, view: value, "words": ...}; takes value
 * over. title and text are plain words. false: no memory, or not written. */
bool html_write(FILE *, const char *name, const char *view, const char *title,
                const char *text, json_t *value);

/* The same with an engine (report_engine_fits), or NULL. */
bool html_write_with(FILE *, const char *engine, const char *name,
                     const char *view, const char *title, const char *text,
                     json_t *value);

/* ---- bounds: bytes are counted as the page has them ---- */

size_t html_bytes(const json_t *);
/* Cuts each text in the value that has more than `most` bytes, and says how
 * many are left out. Returns the value. */
json_t *html_cut(json_t *value, size_t most);
/* The text, cleaned and cut; null for NULL. */
json_t *html_text(const char *, size_t most);
/* The same, freed. */
json_t *html_own(char *, size_t most);

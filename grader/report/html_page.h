/* SPDX-License-Identifier: MIT
 *
 * html_page.h: writes markup; for the files of the HTML report only.
 *
 * The markup is ours and stands in literals. Whatever is put into it passes
 * through one function, which cleans it (clean_text.h) and escapes it: there is
 * no way to write words of a submission as they are. No element has a style or
 * an event attribute: the page's policy forbids them.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    HTML_BYTES = 2000000,     /* a report is smaller */
    HTML_ROOM = 1200000,      /* from here on only what must be said */
    HTML_SENTENCES = 6000,    /* bytes of words in one place; then HTML_NAME */
    HTML_LINES_BYTES = 16000, /* of a compiler's or a program's output */
    HTML_NAME = 200           /* of a name or a title */
};

struct html {
    FILE *stream;
    size_t bytes; /* written */
    bool failed;  /* out of memory */
    bool live;    /* a server shows it: its script may ask there for the next */
};

/* What the page carries with it: the files of html/, by name; NULL ends them.
 * Made by cmake/Embed.cmake. */
struct html_asset {
    const char *element; /* "style", "script"; "live": a script of live pages */
    const unsigned char *bytes;
    size_t size;
};
extern const struct html_asset html_assets[];

/* Of printf's conversions: %s, escaped and not more of it than fits; whole
 * numbers and %g, %f with what C17 allows between. */
__attribute__((format(printf, 2, 3))) void html_add(struct html *,
                                                    const char *markup, ...);
/* At most so many bytes of it, and then how many are left out. NULL: nothing.
 */
void html_words(struct html *, const char *text, size_t most);
/* The same, freed. */
void html_own(struct html *, char *text);
/* Data for a script, as JSON that no parser of markup takes for anything else:
 * <script type="application/json" id="...">. Takes the value over. */
void html_data(struct html *, const char *id, json_t *);
/* false: what can be left out is left out. */
bool html_has_room(const struct html *);

/* The page's head, up to <body>; its title is plain words. */
void html_begin(struct html *, const char *title);
void html_end(struct html *);

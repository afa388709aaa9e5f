/* SPDX-License-Identifier: MIT
 *
 * picture.h: pictures as data: {title, width, height, shapes}. Pages draw them
 * (html/pictures.js); picture_svg writes a file. Colours are classes:
 * html/steps.css has them for pages, picture_svg for files.
 *
 * A shape is a list: ["text", class, x, y, words], ["line", class, x1, y1, x2,
 * y2], ["rect", x, y, width, height], ["g", class, title or null, shapes].
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct picture_size {
    unsigned width, height;
};

void picture_text(json_t *shapes, const char *class, unsigned x, unsigned y,
                  const char *words);
void picture_line(json_t *shapes, const char *class, unsigned x1, unsigned y1,
                  unsigned x2, unsigned y2);
void picture_rect(json_t *shapes, unsigned x, unsigned y, unsigned width,
                  unsigned height);
/* Returns the group's own shapes, which belong to it; NULL: no memory. title
 * may be NULL. */
json_t *picture_group(json_t *shapes, const char *class, const char *title);
/* Takes the shapes over. */
json_t *picture_of(const char *title, struct picture_size, json_t *shapes);

/* ---- a file of its own ---- */

bool picture_svg_begin(FILE *, struct picture_size, const char *title);
bool picture_svg_shapes(FILE *, const json_t *shapes);
bool picture_svg_end(FILE *);

/* SPDX-License-Identifier: MIT
 *
 * html_steps.h: the pictures of steps and of banks as markup, for pages and for
 * files of their own. Colours are classes: html/steps.css has them for pages,
 * svg_begin for files.
 */
#pragma once

#include "html_page.h"
#include "steps.h"

/* A frame's height, and the width of all. */
struct steps_size {
    unsigned width, height;
};
struct steps_size steps_frame_size(const struct steps_view *, uint32_t frame);
/* The frame as elements of an SVG, its upper edge at y. */
void steps_draw(struct html *, const struct steps_view *, uint32_t frame,
                unsigned y);
/* Input, expected and got. */
void steps_html_lists(struct html *, const struct steps_view *);
/* Frames, one shown at a time: all, or so many before and behind the first
 * wrong one. Ids begin with `id`. */
enum { STEPS_ALL = -1 };
void html_steps(struct html *, const struct steps_view *, const char *id,
                int around);
void html_banks(struct html *, const struct steps_view *);
/* <svg> of a file of its own, with colours. */
void svg_begin(struct html *, unsigned width, unsigned height,
               const char *title);

/* SPDX-License-Identifier: MIT
 *
 * html_timeline.c: a timeline (timeline_view.h) for the page of a source;
 * html/timeline.js draws it. Lists of numbers, since there are thousands.
 */
#include "html_parts.h"
#include "json_parts.h"
#include "timeline_view.h"

static json_t *timeline_blocks_of(const struct timeline_view *v) {
    json_t *list = json_array();
    for (size_t k = 0; k < v->n_blocks; k++) {
        const struct timeline_block *b = &v->blocks[k];
        json_array_append_new(
            list, json_pack("[I, I, I, I, I]", (json_int_t)b->block,
                            (json_int_t)b->sm, (json_int_t)b->warp,
                            (json_int_t)b->from, (json_int_t)b->to));
    }
    return list;
}

static json_t *timeline_phases_of(const struct timeline_view *v) {
    json_t *list = json_array();
    for (size_t k = 0; k < v->n_phases; k++) {
        const struct timeline_phase *p = &v->phases[k];
        json_array_append_new(
            list, json_pack("[I, I, I, i, i, I]", (json_int_t)p->row,
                            (json_int_t)p->from, (json_int_t)p->to, p->cause,
                            p->file, (json_int_t)p->line));
    }
    return list;
}

static json_t *timeline_arrows_of(const struct timeline_view *v) {
    json_t *list = json_array();
    for (size_t k = 0; k < v->n_arrows; k++) {
        const struct timeline_arrow *a = &v->arrows[k];
        json_array_append_new(
            list, json_pack("[I, I, I, I]", (json_int_t)a->from_row,
                            (json_int_t)a->from, (json_int_t)a->to_row,
                            (json_int_t)a->to));
    }
    return list;
}

json_t *html_timeline(const struct timeline_view *v) {
    if (!v) return json_null();
    json_t *causes = json_array(), *files = json_array();
    for (size_t c = 0; c < v->n_causes; c++)
        json_array_append_new(
            causes, json_pack("[s, s]", v->causes[c].name, v->causes[c].words));
    for (size_t k = 0; k < v->n_files; k++)
        json_array_append_new(files, html_text(v->files[k], HTML_NAME));
    return json_pack(
        "{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:[I, I, I]}", "kernel",
        html_text(v->kernel, HTML_NAME), "launch", (json_int_t)v->launch,
        "blocks", timeline_blocks_of(v), "phases", timeline_phases_of(v),
        "arrows", timeline_arrows_of(v), "causes", causes, "files", files,
        "left_out", (json_int_t)v->blocks_left_out,
        (json_int_t)v->phases_left_out, (json_int_t)v->arrows_left_out);
}

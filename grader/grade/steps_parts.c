/* SPDX-License-Identifier: MIT
 *
 * steps_parts.c: rows of cells, names and sentences that every format shows.
 */
#include "steps_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"

enum { MOST_ROWS = 256 }; /* of a frame */

/* ---- names: all that a submission chose is cleaned here ---- */

void steps_add_place(struct text *t, const struct steps_view *v,
                     uint32_t place) {
    if (place >= v->seen.n_places || !v->seen.places[place].file) return;
    clean_add(t, v->seen.places[place].file, 60);
    text_add(t, ":%" PRIu32, v->seen.places[place].line);
}

/* Which of the arrays without a name it is. */
static unsigned number_of(const struct steps_view *v, uint32_t array) {
    unsigned n = 0;
    for (uint32_t k = 0; k <= array; k++)
        n += v->seen.arrays[k].kind == VGPU_ARRAY_GLOBAL &&
             !v->seen.arrays[k].name[0];
    return n;
}

void steps_array_name(struct text *t, const struct steps_view *v,
                      uint32_t array) {
    const struct vgpu_array *a = &v->seen.arrays[array];
    const struct vgpu_steps_launch *l =
        a->launch ? &v->seen.launches[a->launch - 1] : NULL;
    bool blocks = l && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > 1;
    bool warps = l && (uint64_t)l->block[0] * l->block[1] * l->block[2] > 32;
    if (a->kind == VGPU_ARRAY_GLOBAL && !a->name[0]) {
        unsigned n = number_of(v, array);
        text_add(t, n > 1 ? "scratch%u" : "scratch", n);
    } else if (a->kind == VGPU_ARRAY_LANES) {
        text_add(t, "lanes");
    } else {
        clean_add(t, a->name[0] ? a->name : "shared", 24);
    }
    if (a->kind != VGPU_ARRAY_GLOBAL && blocks)
        text_add(t, " b%" PRIu64, a->block);
    if (a->kind == VGPU_ARRAY_LANES && warps)
        text_add(t, " w%" PRIu32, a->warp);
}

void steps_launch_name(struct text *t, const struct steps_view *v,
                       uint32_t launch) {
    const struct vgpu_steps_launch *l = &v->seen.launches[launch - 1];
    text_add(t, _("launch %" PRIu32 ", "), launch);
    clean_add(t, l->kernel, 40);
    text_add(t, "<<<%" PRIu32, l->grid[0]);
    if (l->grid[1] * l->grid[2] > 1)
        text_add(t, "x%" PRIu32 "x%" PRIu32, l->grid[1], l->grid[2]);
    text_add(t, ", %" PRIu32 ">>>", l->block[0] * l->block[1] * l->block[2]);
}

void steps_frame_name(struct text *t, const struct steps_view *v,
                      uint32_t frame) {
    const struct steps_frame *f = &v->frames[frame];
    if (f->begin == VGPU_STEP_HOST) {
        bool fills = f->n && v->seen.writes[v->order[f->first]].writer ==
                                 VGPU_WRITER_FILL;
        text_add(t, "%s",
                 fills ? _("the host fills memory")
                       : _("the host copies memory"));
        return;
    }
    const struct vgpu_steps_launch *l = &v->seen.launches[f->launch - 1];
    bool one = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] == 1;
    steps_launch_name(t, v, f->launch);
    if (!one && f->n_blocks == 1)
        text_add(t, _(", block %" PRIu64), f->first_block);
    if (f->begin == VGPU_STEP_BARRIER)
        text_add(t, _(", behind barrier %" PRIu32), f->n_before);
    if (f->begin == VGPU_STEP_MESSAGE)
        text_add(t, "%s", _(", behind a fence or flag"));
}

void steps_content(struct text *t, const struct content *c) {
    if (c->state == CONTENT_UNKNOWN) return;
    if (c->state == CONTENT_EMPTY)
        text_add(t, "%s", _("no input"));
    else if (c->first == c->last)
        text_add(t, "in[%" PRIu32 "]", c->first);
    else
        text_add(t, "in[%" PRIu32 "..%" PRIu32 "]", c->first, c->last);
    if (c->misses) text_add(t, _(" without in[%" PRIu32 "]"), c->misses - 1);
    if (!c->twice) return;
    text_add(t,
             c->misses ? _(" and in[%" PRIu32 "]") : _(" with in[%" PRIu32 "]"),
             c->twice - 1);
    if (c->times == 2)
        text_add(t, "%s", _(" twice"));
    else
        text_add(t, _(" %d times"), (int)c->times);
}

void steps_value(const struct steps_view *v, uint32_t write,
                 char text[ELEMENT_TEXT]) {
    const struct vgpu_write *w = &v->seen.writes[write];
    const char *array = v->seen.arrays[w->array].name;
    enum element e = signature_element(v->signature, BUFFER_OUT);
    if (w->writer == VGPU_WRITER_BEFORE && strncmp(array, "d_in", 4) != 0) {
        snprintf(text, ELEMENT_TEXT, "?");
        return;
    }
    int32_t words[2] = {(int32_t)(uint32_t)w->value,
                        (int32_t)(uint32_t)(w->value >> 32)};
    if (element_words(e) * 4 == w->bytes)
        element_print(e, words, text);
    else if (w->bytes == 4)
        snprintf(text, ELEMENT_TEXT, "%" PRId32, words[0]);
    else if (w->value >> 32)
        snprintf(text, ELEMENT_TEXT, "%" PRId32 ":%" PRId32, words[1],
                 words[0]);
    else
        snprintf(text, ELEMENT_TEXT, "%" PRIu64, w->value);
}

/* ---- rows ---- */

uint32_t steps_cell_bytes(const struct steps_view *v, uint32_t array) {
    return v->cell_bytes[array];
}

static bool says_something(const struct steps_view *v, uint32_t k) {
    const struct vgpu_write *w = &v->seen.writes[k];
    if (v->contents && v->contents[k].state != CONTENT_UNKNOWN)
        return v->contents[k].state != CONTENT_EMPTY;
    return w->value != 0;
}

bool steps_index_useful(struct steps_view *v) {
    char text[ELEMENT_TEXT];
    v->useful = calloc(v->seen.n_arrays + 1, sizeof *v->useful);
    for (uint32_t k = 0; v->useful && k < v->seen.n_writes; k++) {
        const struct vgpu_write *w = &v->seen.writes[k];
        steps_value(v, k, text);
        if (strlen(text) > v->widest) v->widest = strlen(text);
        uint32_t end = w->at / steps_cell_bytes(v, w->array) + 1;
        if (end > v->useful[w->array] && says_something(v, k))
            v->useful[w->array] = end;
    }
    return v->useful != NULL;
}

/* Cells from the first on up to the last one that ever holds some input. */
static uint32_t useful_cells(const struct steps_view *v, uint32_t array) {
    uint32_t end = v->useful[array];
    /* What pads an array to a whole tile says nothing that n cells do not. */
    size_t most = v->n + v->n / 16;
    if ((int32_t)array != v->out_array && end > most) end = (uint32_t)most;
    return end;
}

static struct steps_row *row_for(const struct steps_view *v,
                                 struct steps_rows *rows, uint32_t write) {
    const struct vgpu_write *w = &v->seen.writes[write];
    uint32_t generation = v->generation[write];
    for (uint32_t r = 0; r < rows->n; r++)
        if (rows->rows[r].array == w->array &&
            rows->rows[r].generation == generation)
            return &rows->rows[r];
    bool shown = v->useful[w->array] || (int32_t)w->array == v->out_array ||
                 steps_is_wrong(v, write);
    struct steps_row *more =
        shown && rows->n < MOST_ROWS
            ? realloc(rows->rows, (rows->n + 1) * sizeof *rows->rows)
            : NULL;
    if (!more) {
        /* A row's first cell counts for all of it. */
        rows->left_out += w->at == 0;
        return NULL;
    }
    rows->rows = more;
    struct steps_row *row = &more[rows->n++];
    *row = (struct steps_row){.array = w->array,
                              .generation = generation,
                              .bytes = steps_cell_bytes(v, w->array)};
    row->n_cells = (uint32_t)(v->seen.arrays[w->array].bytes / row->bytes);
    uint32_t end = useful_cells(v, w->array);
    uint32_t fault =
        v->fault && v->fault != FAULT_NO_WRITE ? v->fault_write : NO_FRAME;
    if (fault != NO_FRAME && v->seen.writes[fault].array == w->array &&
        v->seen.writes[fault].at / row->bytes >= end)
        end = v->seen.writes[fault].at / row->bytes + 1;
    if ((int32_t)w->array == v->out_array) end = row->n_cells;
    if (end > row->n_cells) end = row->n_cells;
    if (v->first_wrong >= STEPS_COLUMNS && v->first_wrong < end)
        row->from = (uint32_t)(v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS);
    row->shown = end - row->from;
    if (row->shown > STEPS_COLUMNS) row->shown = STEPS_COLUMNS;
    return row;
}

static void put_cell(const struct steps_view *v, struct steps_row *row,
                     uint32_t write, bool is_new) {
    uint32_t cell = v->seen.writes[write].at / row->bytes - row->from;
    if (cell >= row->shown) return;
    row->write[cell] = write + 1;
    row->is_new[cell] = is_new;
}

/* No cell of it that is shown holds any of the input, or is a wrong one. */
static bool says_nothing(const struct steps_view *v,
                         const struct steps_row *row) {
    for (uint32_t k = 0; k < row->shown; k++)
        if (row->write[k] && (says_something(v, row->write[k] - 1) ||
                              steps_is_wrong(v, row->write[k] - 1)))
            return false;
    return (int32_t)row->array != v->out_array;
}

/* Leaves out the last cells that have held no input so far. */
static void trim(const struct steps_view *v, struct steps_row *row,
                 uint32_t end) {
    bool said[STEPS_COLUMNS] = {false};
    bool lanes = v->seen.arrays[row->array].kind == VGPU_ARRAY_LANES;
    if ((int32_t)row->array == v->out_array) return;
    for (uint32_t k = 0; k < row->shown; k++)
        if (row->write[k])
            said[k] = says_something(v, row->write[k] - 1) ||
                      steps_is_wrong(v, row->write[k] - 1);
    for (uint32_t k = v->array_first[row->array];
         !lanes && k < v->array_first[row->array + 1]; k++) {
        uint32_t w = v->of_array[k];
        uint32_t cell = v->seen.writes[w].at / row->bytes - row->from;
        if (v->frame_of[w] < end && cell < row->shown)
            said[cell] |= says_something(v, w);
    }
    while (row->shown && !said[row->shown - 1]) row->shown--;
}

/* The cells as they are before frame `end`; those from frame `first` on are
 * new. Of lanes only these. */
static void fill_row(const struct steps_view *v, struct steps_row *row,
                     uint32_t first, uint32_t end) {
    bool lanes = v->seen.arrays[row->array].kind == VGPU_ARRAY_LANES;
    for (uint32_t k = v->array_first[row->array];
         k < v->array_first[row->array + 1]; k++) {
        uint32_t w = v->of_array[k], frame = v->frame_of[w];
        bool before = frame == NO_FRAME;
        if (before ? !lanes
                   : frame < end && v->generation[w] == row->generation)
            put_cell(v, row, w, !before && frame >= first);
    }
    if (says_nothing(v, row)) row->shown = 0;
    trim(v, row, end);
}

struct steps_rows steps_rows_of(const struct steps_view *v, uint32_t frame) {
    struct steps_rows rows = {0};
    const struct steps_frame *f = &v->frames[frame];
    for (uint32_t k = f->first; k < f->first + f->n; k++)
        row_for(v, &rows, v->order[k]);
    for (uint32_t r = 0; r < rows.n; r++) {
        fill_row(v, &rows.rows[r], frame, frame + 1);
        rows.left_out += !rows.rows[r].shown;
    }
    return rows;
}

bool steps_row_before(const struct steps_view *v, uint32_t frame,
                      uint32_t write, struct steps_row *row) {
    struct steps_rows rows = {0};
    const struct steps_row *made = row_for(v, &rows, write);
    if (made) {
        *row = *made;
        fill_row(v, row, frame, frame);
    }
    free(rows.rows);
    return made != NULL;
}

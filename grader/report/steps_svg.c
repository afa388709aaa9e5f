/* SPDX-License-Identifier: MIT
 *
 * steps_svg.c: a frame as a picture: what was there above, what was made below,
 * and a line from each cell to those that were made of it.
 */
#include <stdlib.h>
#include <string.h>

#include "steps_formats.h"
#include "steps_parts.h"
#include "steps_picture.h"
#include "translate.h"

enum {
    CELL_HEIGHT = 26,
    ROW_APART = 40, /* between rows, for lines */
    HEAD = 34,      /* the frame's name */
    LETTER = 8,
    NAME_WIDTH = 104,
    MARGIN = 12,
    MOST_ROWS = 16, /* are drawn of a frame */
    MOST_LINES = 64 /* to a cell */
};

struct drawing {
    const struct steps_view *v;
    struct steps_row *rows; /* from above */
    uint32_t n, n_before, left_out;
    unsigned cell; /* width of one */
};

/* ---- which rows ---- */

/* Where a value stands; false: in no row that is drawn. */
static bool find_cell(const struct drawing *d, uint32_t write, uint32_t end,
                      uint32_t *row, uint32_t *cell) {
    for (uint32_t r = end; r-- > 0;)
        for (uint32_t k = 0; k < d->rows[r].shown; k++)
            if (d->rows[r].write[k] == write + 1) {
                *row = r;
                *cell = k;
                return true;
            }
    return false;
}

static bool has_new(const struct steps_rows *made, uint32_t write) {
    for (uint32_t r = 0; r < made->n; r++)
        for (uint32_t k = 0; k < made->rows[r].shown; k++)
            if (made->rows[r].write[k] == write + 1 && made->rows[r].is_new[k])
                return true;
    return false;
}

/* Rows that new cells are made of and that the frame does not make itself. */
static void add_sources(struct drawing *d, const struct steps_rows *made,
                        uint32_t frame) {
    const struct steps_view *v = d->v;
    uint32_t tried = 0;
    for (uint32_t r = 0; r < made->n; r++)
        for (uint32_t k = 0; k < made->rows[r].shown; k++) {
            if (!made->rows[r].is_new[k]) continue;
            const struct vgpu_write *w =
                &v->seen.writes[made->rows[r].write[k] - 1];
            for (uint32_t f = 0; f < w->n_feeds && f < MOST_LINES; f++) {
                uint32_t from = v->seen.feeds[w->feed + f].write, row, cell;
                if (d->n == MOST_ROWS / 2 || tried == MOST_ROWS) return;
                if (has_new(made, from) ||
                    find_cell(d, from, d->n, &row, &cell))
                    continue;
                tried++;
                if (steps_row_before(v, frame, from, &d->rows[d->n]) &&
                    d->rows[d->n].shown &&
                    find_cell(d, from, d->n + 1, &row, &cell) && row == d->n)
                    d->n++;
            }
        }
}

static unsigned cell_width(const struct steps_view *v) {
    return (unsigned)(v->widest > 2 ? v->widest : 2) * LETTER + 24;
}

static bool drawing_open(struct drawing *d, const struct steps_view *v,
                         uint32_t frame) {
    struct steps_rows made = steps_rows_of(v, frame);
    *d = (struct drawing){.v = v, .cell = cell_width(v)};
    d->rows = calloc(MOST_ROWS, sizeof *d->rows);
    if (d->rows) add_sources(d, &made, frame);
    d->n_before = d->n;
    d->left_out = made.left_out;
    for (uint32_t r = 0; d->rows && r < made.n; r++) {
        if (made.rows[r].shown && d->n < MOST_ROWS)
            d->rows[d->n++] = made.rows[r];
        else
            d->left_out += made.rows[r].shown != 0;
    }
    free(made.rows);
    return d->rows != NULL;
}

/* "3. launch 2, step<<<1, 256>>>" */
static void frame_head(struct text *t, const struct steps_view *v,
                       uint32_t frame) {
    bool first = v->fault && v->fault != FAULT_NO_WRITE &&
                 v->frame_of[v->fault_write] == frame;
    text_add(t, "%u. ", (unsigned)frame + 1);
    steps_frame_name(t, v, frame);
    if (first) text_add(t, " \xe2\x80\x93 %s", _("the first wrong step"));
}

static struct picture_size size_of(const struct drawing *d, uint32_t frame) {
    uint32_t most = 8;
    for (uint32_t r = 0; r < d->n; r++)
        if (d->rows[r].shown > most) most = d->rows[r].shown;
    struct text name = {0};
    frame_head(&name, d->v, frame);
    unsigned cells = NAME_WIDTH + most * d->cell;
    unsigned words = (unsigned)name.size * (LETTER + 1);
    text_free(&name);
    return (struct picture_size){2 * MARGIN + (cells > words ? cells : words),
                                 HEAD + d->n * (CELL_HEIGHT + ROW_APART) -
                                     (d->n ? ROW_APART / 2 : 0u) +
                                     (d->left_out ? CELL_HEIGHT : 0u)};
}

struct picture_size steps_frame_size(const struct steps_view *v,
                                     uint32_t frame) {
    struct drawing d;
    struct picture_size size = {0, 0};
    if (drawing_open(&d, v, frame)) size = size_of(&d, frame);
    free(d.rows);
    return size;
}

/* ---- drawing ---- */

static unsigned left_of(const struct drawing *d, uint32_t cell) {
    return MARGIN + NAME_WIDTH + cell * d->cell;
}

static unsigned top_of(uint32_t row, unsigned y) {
    return y + HEAD + row * (CELL_HEIGHT + ROW_APART);
}

static void draw_lines(json_t *shapes, const struct drawing *d, uint32_t row,
                       unsigned y) {
    const struct steps_view *v = d->v;
    for (uint32_t k = 0; k < d->rows[row].shown; k++) {
        if (!d->rows[row].is_new[k]) continue;
        const struct vgpu_write *w = &v->seen.writes[d->rows[row].write[k] - 1];
        bool wrong = steps_is_wrong(v, d->rows[row].write[k] - 1);
        const char *class = wrong            ? "flow wrong"
                            : w->n_feeds > 1 ? "flow"
                                             : "flow alone";
        for (uint32_t f = 0; f < w->n_feeds && f < MOST_LINES; f++) {
            uint32_t from, cell;
            if (find_cell(d, v->seen.feeds[w->feed + f].write, row, &from,
                          &cell))
                picture_line(shapes, class, left_of(d, cell) + d->cell / 2,
                             top_of(from, y) + CELL_HEIGHT,
                             left_of(d, k) + d->cell / 2, top_of(row, y));
        }
    }
}

/* What a reader hears of a cell, or sees when the pointer rests on it. */
static void add_title(struct text *t, const struct drawing *d, uint32_t write) {
    const struct steps_view *v = d->v;
    const struct vgpu_write *w = &v->seen.writes[write];
    steps_array_name(t, v, w->array);
    text_add(t, "[%u]", (unsigned)(w->at / steps_cell_bytes(v, w->array)));
    if (v->contents && v->contents[write].state != CONTENT_UNKNOWN) {
        text_add(t, ": ");
        steps_content(t, &v->contents[write]);
    }
    if (w->writer >= VGPU_WRITER_STORE && w->writer <= VGPU_WRITER_SHUFFLE) {
        text_add(t, _("; thread %u of block %zu, "), (unsigned)w->thread,
                 (size_t)v->seen.steps[w->step].block);
        steps_add_place(t, v, w->place);
    }
}

static void draw_cell(json_t *shapes, const struct drawing *d, uint32_t row,
                      uint32_t k, unsigned top) {
    const struct steps_row *r = &d->rows[row];
    uint32_t w = r->write[k];
    unsigned left = left_of(d, k);
    char value[ELEMENT_TEXT] = ".", index[16];
    bool new = r->is_new[k] && row >= d->n_before;
    bool wrong = w && new &&steps_is_wrong(d->v, w - 1);
    struct text title = {0};
    if (w) steps_value(d->v, w - 1, value);
    if (w) add_title(&title, d, w - 1);
    snprintf(index, sizeof index, "%u", (unsigned)(r->from + k));
    json_t *cell = picture_group(shapes,
                                 wrong ? "cell new wrong"
                                 : new ? "cell new"
                                       : "cell",
                                 title.bytes);
    text_free(&title);
    picture_rect(cell, left, top, d->cell, CELL_HEIGHT);
    picture_text(cell, "value", left + d->cell / 2, top + 18, value);
    if (wrong) /* not by colour alone */
        picture_text(cell, "sign", left + d->cell - 5, top + 9, "\xe2\x89\xa0");
    picture_text(cell, "index", left + 3, top + 9, index);
}

static void draw_row(json_t *shapes, const struct drawing *d, uint32_t row,
                     unsigned y) {
    const struct steps_row *r = &d->rows[row];
    struct text name = {0};
    unsigned top = top_of(row, y);
    steps_array_name(&name, d->v, r->array);
    picture_text(shapes, "name", MARGIN, top + 18, text_string(&name));
    text_free(&name);
    for (uint32_t k = 0; k < r->shown; k++) draw_cell(shapes, d, row, k, top);
}

json_t *steps_shapes(const struct steps_view *v, uint32_t frame, unsigned y) {
    struct drawing d;
    struct text words = {0};
    json_t *shapes = json_array();
    if (!drawing_open(&d, v, frame)) return NULL;
    frame_head(&words, v, frame);
    picture_text(shapes, "head", MARGIN, y + 18, text_string(&words));
    text_free(&words);
    for (uint32_t r = d.n_before; r < d.n; r++) draw_lines(shapes, &d, r, y);
    for (uint32_t r = 0; r < d.n; r++) draw_row(shapes, &d, r, y);
    if (d.left_out) {
        text_add(&words, _("%u more rows are not drawn"), (unsigned)d.left_out);
        picture_text(shapes, "name", MARGIN,
                     top_of(d.n, y) - ROW_APART / 2 + 18, text_string(&words));
        text_free(&words);
    }
    free(d.rows);
    return shapes;
}

/* ---- a file of its own ---- */

/* Words in lines of their own; the y behind them. */
static unsigned draw_words(json_t *shapes, const char *words, unsigned y) {
    enum { COLUMNS = 76, LINE = 20 };
    while (*words) {
        int n = (int)strlen(words), cut = n;
        char line[COLUMNS + 1];
        if (n > COLUMNS)
            for (cut = COLUMNS; cut > 0 && words[cut] != ' ';) cut--;
        if (cut <= 0 || cut > COLUMNS) cut = COLUMNS;
        snprintf(line, sizeof line, "%.*s", cut, words);
        picture_text(shapes, "name", MARGIN, y, line);
        y += LINE;
        words += cut;
        while (*words == ' ') words++;
    }
    return y;
}

static void title_of(struct text *t, const struct steps_view *v) {
    text_add(t, _("%s, n = %zu, step by step"), v->function ? v->function : "",
             v->n);
}

/* Shapes that are written at once, and freed. */
static bool steps_svg_put(FILE *to, json_t *shapes) {
    bool good = picture_svg_shapes(to, shapes);
    json_decref(shapes);
    return good;
}

static unsigned frames_size(const struct steps_view *v, uint32_t n,
                            unsigned *width) {
    unsigned height = 0;
    for (uint32_t f = 0; f < n; f++) {
        struct picture_size s = steps_frame_size(v, f);
        if (s.width > *width) *width = s.width;
        height += s.height;
    }
    return height;
}

bool steps_svg(FILE *to, const struct steps_view *v) {
    struct text title = {0}, fault = {0};
    struct picture_size size = {700, 0};
    uint32_t n = v->n_frames < STEPS_FRAMES ? v->n_frames : STEPS_FRAMES;
    json_t *words = json_array();
    size.height = frames_size(v, n, &size.width) + 140;
    title_of(&title, v);
    steps_fault_words(&fault, v);
    picture_text(words, "head", MARGIN, 20, text_string(&title));
    unsigned y = draw_words(words, text_string(&fault), 42);
    bool good = picture_svg_begin(to, size, text_string(&title));
    good = steps_svg_put(to, words) && good;
    for (uint32_t f = 0; good && f < n; f++) {
        good = steps_svg_put(to, steps_shapes(v, f, y));
        y += steps_frame_size(v, f).height;
    }
    bool cut = v->seen.is_cut || n < v->n_frames || v->n > STEPS_COLUMNS;
    words = json_array();
    if (cut)
        picture_text(words, "name", MARGIN, y + 10,
                     _("Not all of it is shown: scanlab trace says in text "
                       "what is left out."));
    good = steps_svg_put(to, words) && good && picture_svg_end(to);
    text_free(&title);
    text_free(&fault);
    return good && !ferror(to);
}

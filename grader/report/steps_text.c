/* SPDX-License-Identifier: MIT
 *
 * steps_text.c: the steps as aligned rows for a terminal: input, what was
 * expected and got, then each step's arrays and what its cells were made of.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "steps_formats.h"
#include "report.h"
#include "steps_parts.h"
#include "translate.h"

enum { NAME_COLUMNS = 12 };

struct printer {
    FILE *to;
    const struct steps_view *v;
    bool colour;
    int width, cell; /* columns of the page and of a cell */
};

static const char *paint(const struct printer *p, const char *code) {
    return p->colour ? code : "";
}
#define RED   "\033[31;1m"
#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define PLAIN "\033[0m"

/* ---- rows ---- */

struct shown_cell {
    char text[ELEMENT_TEXT];
    bool wrong, is_new;
};

/* The cells, folded to the page; under wrong ones a mark. */
static void print_cells(const struct printer *p, const char *name,
                        const struct shown_cell *cells, size_t n) {
    size_t a_line = (size_t)(p->width - NAME_COLUMNS - 1) / (size_t)p->cell;
    for (size_t from = 0; from < n; from += a_line) {
        bool wrong = false;
        fprintf(p->to, " %-*s", NAME_COLUMNS, from ? "" : name);
        for (size_t k = from; k < n && k < from + a_line; k++) {
            const char *code = cells[k].wrong    ? RED
                               : cells[k].is_new ? BOLD
                                                 : DIM;
            fprintf(p->to, "%s%*s%s", paint(p, code), p->cell, cells[k].text,
                    paint(p, PLAIN));
            wrong |= cells[k].wrong;
        }
        fputc('\n', p->to);
        if (!wrong) continue;
        fprintf(p->to, " %-*s", NAME_COLUMNS, "");
        size_t end = from + a_line < n ? from + a_line : n;
        while (end > from && !cells[end - 1].wrong) end--;
        for (size_t k = from; k < end; k++)
            fprintf(p->to, "%*s", p->cell, cells[k].wrong ? "^" : "");
        fputc('\n', p->to);
    }
}

/* What stands there is the judge's filling. */
static bool is_never_written(const struct steps_view *v, size_t k) {
    return v->out_array >= 0 && !v->seen.is_cut &&
           steps_last_write(v, k) == UINT32_MAX;
}

static void print_words(const struct printer *p, const char *name,
                        enum buffer b, const int32_t *words, size_t n,
                        bool marked) {
    const struct steps_view *v = p->v;
    enum element e = signature_element(v->signature, b);
    size_t from = v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS;
    struct shown_cell cells[STEPS_COLUMNS];
    size_t k = 0;
    for (; k < STEPS_COLUMNS && from + k < n; k++) {
        size_t at = (from + k) * element_words(e);
        element_print(e, words + at, cells[k].text);
        if (marked && is_never_written(v, from + k))
            snprintf(cells[k].text, sizeof cells[k].text, "?");
        cells[k].is_new = true;
        cells[k].wrong =
            marked && from + k < v->n_expected &&
            memcmp(words + at, v->expected + at, element_words(e) * 4) != 0;
    }
    print_cells(p, name, cells, k);
}

/* ---- what cells were made of ---- */

/* The words, folded to the page, and at the end of their last line the place if
 * there is room. */
static void print_beside(void *user, const char *words, const char *place) {
    const struct printer *p = user;
    const int indent = NAME_COLUMNS + 3, room = p->width - indent - 1;
    for (;;) {
        int n = (int)strlen(words), cut = n;
        if (n > room)
            for (cut = room; cut > 0 && words[cut] != ' ';) cut--;
        if (cut <= 0) cut = n;
        fprintf(p->to, "%*s%.*s", indent, "", cut, words);
        bool last = cut == n;
        bool beside = last && *place && n + 2 + (int)strlen(place) <= room;
        if (beside)
            fprintf(p->to, "%s%*s%s", paint(p, DIM), room - n, place,
                    paint(p, PLAIN));
        fputc('\n', p->to);
        if (last && *place && !beside)
            fprintf(p->to, "%*s%s%s%s\n", indent + 4, "", paint(p, DIM), place,
                    paint(p, PLAIN));
        if (last) return;
        words += cut + 1;
    }
}

/* ---- frames ---- */

static void print_row(const struct printer *p, const struct steps_row *row) {
    struct shown_cell cells[STEPS_COLUMNS];
    struct text name = {0};
    for (uint32_t k = 0; k < row->shown; k++) {
        uint32_t w = row->write[k];
        cells[k].is_new = row->is_new[k];
        cells[k].wrong = w && row->is_new[k] && steps_is_wrong(p->v, w - 1);
        snprintf(cells[k].text, sizeof cells[k].text, ".");
        if (w) steps_value(p->v, w - 1, cells[k].text);
    }
    steps_array_name(&name, p->v, row->array);
    print_cells(p, text_string(&name), cells, row->shown);
    steps_recipes(p->v, row, print_beside, (void *)p);
    text_free(&name);
}

static void print_frame(const struct printer *p, uint32_t frame) {
    struct text name = {0};
    struct steps_rows rows = steps_rows_of(p->v, frame);
    bool first_wrong = p->v->fault && p->v->fault != FAULT_NO_WRITE &&
                       p->v->frame_of[p->v->fault_write] == frame;
    steps_frame_name(&name, p->v, frame);
    fprintf(p->to, "\n%s%" PRIu32 ". %s%s%s\n", paint(p, BOLD), frame + 1,
            text_string(&name),
            first_wrong ? _("  <- the first wrong step") : "", paint(p, PLAIN));
    for (uint32_t r = 0; r < rows.n; r++)
        if (rows.rows[r].shown) print_row(p, &rows.rows[r]);
    if (rows.left_out) fprintf(p->to, " %-*s", NAME_COLUMNS, "");
    if (rows.left_out)
        fprintf(p->to, _("(%" PRIu32 " more that hold none of the input)\n"),
                rows.left_out);
    free(rows.rows);
    text_free(&name);
}

static int digits(const struct steps_view *v) {
    size_t most = v->widest > 1 ? v->widest : 1;
    char text[ELEMENT_TEXT];
    enum element e = signature_element(v->signature, BUFFER_OUT);
    size_t from = v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS;
    for (size_t k = from; k < v->n_expected && k < from + STEPS_COLUMNS; k++) {
        element_print(e, v->expected + k * v->n_words, text);
        if (strlen(text) > most) most = strlen(text);
        element_print(e, v->got + k * v->n_words, text);
        if (strlen(text) > most && !is_never_written(v, k)) most = strlen(text);
    }
    return (int)most + 1;
}

static void print_left_out(const struct printer *p) {
    const struct steps_view *v = p->v;
    if (v->n > STEPS_COLUMNS)
        fprintf(p->to, _("\n%d of %zu elements are shown, from [%zu] on.\n"),
                STEPS_COLUMNS, v->n,
                v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS);
    if (v->n_frames > STEPS_FRAMES)
        fprintf(p->to, _("\nThe first %d of %" PRIu32 " steps are shown.\n"),
                STEPS_FRAMES, v->n_frames);
    if (v->seen.is_cut)
        fprintf(p->to,
                _("\nThe recording ended after %" PRIu32
                  " values: what came later is left out,\nand nobody knows "
                  "which step is the first wrong one. Try a smaller -n.\n"),
                v->seen.n_writes);
}

static void print_wrapped(FILE *to, const char *text, int width) {
    while (*text) {
        int n = (int)strlen(text), cut = n;
        if (n > width)
            for (cut = width; cut > 0 && text[cut] != ' ';) cut--;
        if (cut <= 0) cut = n;
        fprintf(to, "%.*s\n", cut, text);
        text += cut;
        while (*text == ' ') text++;
    }
}

bool steps_text(FILE *to, const struct steps_view *v,
                const struct report_options *o) {
    struct printer p = {to, v, o->colour, o->width > 40 ? o->width : 80,
                        digits(v)};
    struct text fault = {0};
    if (p.cell > p.width - NAME_COLUMNS - 1)
        p.cell = p.width - NAME_COLUMNS - 1;
    print_words(&p, "in", BUFFER_IN, v->in, v->n, false);
    print_words(&p, _("expected"), BUFFER_OUT, v->expected, v->n_expected,
                false);
    print_words(&p, _("got"), BUFFER_OUT, v->got, v->n_expected, true);
    steps_fault_words(&fault, v);
    if (fault.size) {
        fputc('\n', to);
        print_wrapped(to, fault.bytes, p.width);
    }
    for (uint32_t f = 0; f < v->n_frames && f < STEPS_FRAMES; f++)
        print_frame(&p, f);
    print_left_out(&p);
    text_free(&fault);
    return !ferror(to);
}

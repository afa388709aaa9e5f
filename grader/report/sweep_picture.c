/* SPDX-License-Identifier: MIT
 *
 * sweep_picture.c: the curves of a sweep: model time over n, both logarithmic,
 * a curve for each value of the constant, named where it ends. As a file of
 * SVG, and on a page with the table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "json_parts.h"
#include "sweep_view.h"
#include "translate.h"

enum {
    WIDTH = 900,
    HEIGHT = 480,
    LEFT = 90,
    RIGHT = 230,
    TOP = 50,
    BOTTOM = 60,
    MARK = 3,     /* half of a mark */
    NAME_GAP = 18 /* between names of curves */
};

struct chart {
    const struct sweep_view *v;
    json_t *shapes;
    double x_low, x_high, y_low, y_high; /* log2, log10 */
};

struct picture_size sweep_size(const struct sweep_view *v) {
    (void)v;
    return (struct picture_size){WIDTH, HEIGHT};
}

static unsigned x_of(const struct chart *c, size_t n) {
    double part = (log2((double)n) - c->x_low) / (c->x_high - c->x_low);
    return (unsigned)lround(LEFT + part * (WIDTH - LEFT - RIGHT));
}

static unsigned y_of(const struct chart *c, uint64_t ns) {
    double part = (log10((double)ns) - c->y_low) / (c->y_high - c->y_low);
    return (unsigned)lround(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM));
}

static bool sweep_is_shown(const struct sweep_cell *cell) {
    return cell->state == SWEEP_RIGHT && cell->model_ns;
}

/* false: nothing was right. */
static bool sweep_find_range(struct chart *c) {
    const struct sweep_view *v = c->v;
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t k = 0; k < v->n_values; k++)
        for (size_t s = 0; s < v->n_sizes; s++) {
            const struct sweep_cell *cell = &v->cells[k][s];
            if (!sweep_is_shown(cell)) continue;
            if (cell->model_ns < least) least = cell->model_ns;
            if (cell->model_ns > most) most = cell->model_ns;
        }
    c->x_low = log2((double)v->sizes[0]);
    c->x_high = log2((double)v->sizes[v->n_sizes - 1]);
    if (c->x_high - c->x_low < 1) c->x_low -= 1, c->x_high += 1;
    if (!most) return false;
    c->y_low = log10((double)least / 1.3);
    c->y_high = log10((double)most * 1.3);
    return true;
}

/* "50 us" */
static void sweep_picture_tick(char out[16], uint64_t ns) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    for (; ns >= 1000 && ns % 1000 == 0 && unit < 3; unit++) ns /= 1000;
    snprintf(out, 16, "%llu %s", (unsigned long long)ns, units[unit]);
}

/* 1 ns, 10 ns, ... and between them 2 and 5 where there are few. */
static void draw_times(const struct chart *c) {
    static const int steps[] = {1, 2, 5};
    bool few = c->y_high - c->y_low < 3;
    for (int power = (int)floor(c->y_low); power <= (int)c->y_high; power++)
        for (int k = 0; k < (few ? 3 : 1); k++) {
            uint64_t ns =
                (uint64_t)llround(pow(10, power)) * (uint64_t)steps[k];
            char words[16];
            unsigned y;
            double log = log10((double)ns);
            if (log > c->y_high || log < c->y_low) continue;
            y = y_of(c, ns);
            sweep_picture_tick(words, ns);
            picture_line(c->shapes, "grid", LEFT, y, WIDTH - RIGHT, y);
            picture_text(c->shapes, "tick end", LEFT - 8, y + 5, words);
        }
}

static void draw_sizes(const struct chart *c) {
    int every = (int)((c->x_high - c->x_low) / 10) + 1;
    for (int log = (int)ceil(c->x_low); log <= (int)c->x_high; log += every) {
        char words[16];
        unsigned x = x_of(c, (size_t)1 << log);
        snprintf(words, sizeof words, "2^%d", log);
        picture_line(c->shapes, "axis", x, HEIGHT - BOTTOM, x,
                     HEIGHT - BOTTOM + 5);
        picture_text(c->shapes, "tick", x, HEIGHT - BOTTOM + 22, words);
    }
    picture_line(c->shapes, "axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT,
                 HEIGHT - BOTTOM);
    picture_text(c->shapes, "tick", LEFT + (WIDTH - LEFT - RIGHT) / 2,
                 HEIGHT - 14, _("n, elements (both axes are logarithmic)"));
    picture_text(c->shapes, "tick end", LEFT - 8, 44, _("time"));
}

static void draw_mark(const struct chart *c, size_t value, size_t size) {
    const struct sweep_view *v = c->v;
    const struct sweep_cell *cell = &v->cells[value][size];
    struct text words = {0};
    char time[16], class[32];
    sweep_time(time, cell->model_ns);
    sweep_series(v, value, &words);
    text_add(&words, ", n = %zu: %s", v->sizes[size], time);
    if (cell->threads)
        text_add(&words, _("; %u of %u warps, limited by %s"),
                 (unsigned)(cell->occupancy.blocks * cell->occupancy.warps),
                 (unsigned)cell->occupancy.most_warps,
                 _(vgpu_limit_words(cell->occupancy.limit)));
    snprintf(class, sizeof class, "series s%zu", value % 8);
    json_t *inner = picture_group(c->shapes, class, text_string(&words));
    text_free(&words);
    if (!inner) return;
    picture_rect(inner, x_of(c, v->sizes[size]) - MARK,
                 y_of(c, cell->model_ns) - MARK, 2 * MARK, 2 * MARK);
}

/* Returns the last size that is drawn; -1: none. */
static int draw_curve(const struct chart *c, size_t value) {
    const struct sweep_view *v = c->v;
    char class[32];
    int last = -1;
    snprintf(class, sizeof class, "series s%zu", value % 8);
    for (size_t s = 0; s < v->n_sizes; s++) {
        const struct sweep_cell *cell = &v->cells[value][s];
        if (!sweep_is_shown(cell)) continue;
        if (last >= 0)
            picture_line(c->shapes, class, x_of(c, v->sizes[last]),
                         y_of(c, v->cells[value][last].model_ns),
                         x_of(c, v->sizes[s]), y_of(c, cell->model_ns));
        last = (int)s;
    }
    for (size_t s = 0; s < v->n_sizes; s++)
        if (sweep_is_shown(&v->cells[value][s])) draw_mark(c, value, s);
    return last;
}

struct end {
    size_t value;
    unsigned x, y, at; /* of the curve, and of its name */
};

static int sweep_by_height(const void *a, const void *b) {
    const struct end *x = a, *y = b;
    return (x->y > y->y) - (x->y < y->y);
}

/* Names do not lie on each other: what is too near moves down, and then up
 * again from the axis. */
static void draw_names(const struct chart *c, struct end *ends, size_t n) {
    qsort(ends, n, sizeof *ends, sweep_by_height);
    for (size_t k = 0; k < n; k++) {
        ends[k].at = ends[k].y;
        if (k && ends[k].at < ends[k - 1].at + NAME_GAP)
            ends[k].at = ends[k - 1].at + NAME_GAP;
    }
    unsigned most = HEIGHT - BOTTOM + 4;
    for (size_t k = n; k-- > 0;) {
        if (ends[k].at > most) ends[k].at = most;
        most = ends[k].at > NAME_GAP ? ends[k].at - NAME_GAP : 0;
    }
    for (size_t k = 0; k < n; k++) {
        struct text words = {0};
        sweep_series(c->v, ends[k].value, &words);
        picture_line(c->shapes, "leader", ends[k].x + MARK, ends[k].y,
                     WIDTH - RIGHT + 14, ends[k].at);
        picture_text(c->shapes, "name", WIDTH - RIGHT + 18, ends[k].at + 5,
                     text_string(&words));
        text_free(&words);
    }
}

json_t *sweep_shapes(const struct sweep_view *v) {
    struct chart c = {.v = v, .shapes = json_array()};
    struct end ends[SWEEP_VALUES];
    struct text title = {0};
    size_t n = 0;
    sweep_title(v, &title);
    picture_text(c.shapes, "head", LEFT, 24, text_string(&title));
    text_free(&title);
    if (!sweep_find_range(&c)) {
        picture_text(c.shapes, "name", LEFT, HEIGHT / 2,
                     _("Nothing was right."));
        return c.shapes;
    }
    draw_times(&c);
    draw_sizes(&c);
    for (size_t k = 0; k < v->n_values; k++) {
        int last = draw_curve(&c, k);
        if (last < 0) continue;
        ends[n++] = (struct end){k, x_of(&c, v->sizes[last]),
                                 y_of(&c, v->cells[k][last].model_ns), 0};
    }
    draw_names(&c, ends, n);
    return c.shapes;
}

bool sweep_svg(FILE *to, const struct sweep_view *v) {
    struct text title = {0};
    json_t *shapes = sweep_shapes(v);
    sweep_title(v, &title);
    bool good = picture_svg_begin(to, sweep_size(v), text_string(&title)) &&
                picture_svg_shapes(to, shapes) && picture_svg_end(to);
    json_decref(shapes);
    text_free(&title);
    return good && !ferror(to);
}

/* The table as the terminal has it stands below the picture, and alone where no
 * script runs. */
bool sweep_html(FILE *to, const struct sweep_view *v) {
    struct text title = {0};
    char *words = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&words, &size);
    bool good = memory && sweep_text(memory, v);
    if (memory && fclose(memory) != 0) good = false;
    sweep_title(v, &title);
    if (good) {
        json_t *data = json_pack(
            "{s:o, s:o, s:o}", "title",
            html_text(text_string(&title), HTML_NAME), "picture",
            picture_of(text_string(&title), sweep_size(v), sweep_shapes(v)),
            "table", html_text(words, HTML_LINES_BYTES));
        good =
            html_write(to, "sweep", "sweep", text_string(&title), words, data);
    }
    text_free(&title);
    free(words);
    return good;
}

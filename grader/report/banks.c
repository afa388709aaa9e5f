/* SPDX-License-Identifier: MIT
 *
 * banks.c: which banks of shared memory each access of a warp wants, and how
 * many words of each: more than one at a time wait for each other. Accesses
 * that look alike stand in one row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_parts.h"
#include "report.h"
#include "steps_formats.h"
#include "steps_parts.h"
#include "steps_picture.h"
#include "translate.h"

enum { MOST_BANKS = 64, MOST_LINES = 2000, MAP_CELL = 14, MAP_LEFT = 170 };

struct bank_row {
    const struct vgpu_bank_access *access; /* the first of them */
    uint8_t words[MOST_BANKS];             /* of each bank */
    uint32_t times;                        /* accesses in a row like it */
};

/* Different words that the lanes want of each bank; those that several want are
 * served at once, but for atomics. */
static void count_words(struct bank_row *r, uint32_t banks) {
    const struct vgpu_bank_access *a = r->access;
    uint32_t seen[32 * 4], n = 0;
    uint32_t words = a->bytes > 4 ? a->bytes / 4 : 1;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t first = a->at[__builtin_ctz(m)] / 4;
        for (uint32_t w = first; w < first + words && n < 128; w++) {
            uint32_t k = 0;
            while (k < n && seen[k] != w) k++;
            if (k < n && !a->is_atomic) continue;
            seen[n++] = w;
            r->words[w % banks]++;
        }
    }
}

static bool is_like(const struct bank_row *a, const struct bank_row *b) {
    const struct vgpu_bank_access *x = a->access, *y = b->access;
    return x->launch == y->launch && x->place == y->place &&
           x->writes == y->writes && x->is_atomic == y->is_atomic &&
           x->bytes == y->bytes && x->wavefronts == y->wavefronts &&
           x->ideal == y->ideal &&
           memcmp(a->words, b->words, sizeof a->words) == 0;
}

/* NULL: no memory, or there is none. */
static struct bank_row *rows_of(const struct steps_view *v, uint32_t *n) {
    const struct vgpu_steps *s = &v->seen;
    struct bank_row *rows = calloc(s->n_accesses + 1, sizeof *rows);
    *n = 0;
    if (!s->banks || s->banks > MOST_BANKS) return rows;
    for (uint32_t k = 0; rows && k < s->n_accesses; k++) {
        struct bank_row r = {.access = &s->accesses[k], .times = 1};
        count_words(&r, s->banks);
        if (*n && is_like(&rows[*n - 1], &r))
            rows[*n - 1].times++;
        else
            rows[(*n)++] = r;
    }
    return rows;
}

static void add_what(struct text *t, const struct steps_view *v,
                     const struct bank_row *r) {
    const struct vgpu_bank_access *a = r->access;
    struct text place = {0};
    steps_add_place(&place, v, a->place);
    const char *line = place.bytes ? strrchr(place.bytes, ':') : NULL;
    text_add(t,
             a->is_atomic ? _("line %-4s atomic")
             : a->writes  ? _("line %-4s write ")
                          : _("line %-4s read  "),
             line ? line + 1 : "?");
    text_free(&place);
}

static uint64_t sum_of(const struct steps_view *v, bool conflicts) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < v->seen.n_accesses; k++) {
        const struct vgpu_bank_access *a = &v->seen.accesses[k];
        sum += conflicts ? a->wavefronts - a->ideal : a->wavefronts;
    }
    return sum;
}

static void add_sums(struct text *t, const struct steps_view *v) {
    text_add(t,
             _("%" PRIu32 " accesses of a warp to shared memory, %" PRIu64
               " wavefronts, %" PRIu64 " of them conflicts%s"),
             v->seen.n_accesses, sum_of(v, false), sum_of(v, true),
             v->seen.accesses_cut ? _("; later ones are left out") : "");
}

/* ---- text ---- */

static const char *colour_of(const struct bank_row *r, uint32_t bank,
                             bool colour) {
    if (!colour || !r->words[bank]) return "";
    return r->access->wavefronts > r->access->ideal && r->words[bank] > 1
               ? "\033[31;1m"
               : "\033[32m";
}

static void print_row(FILE *to, const struct steps_view *v,
                      const struct bank_row *r, bool colour) {
    struct text what = {0};
    add_what(&what, v, r);
    fprintf(to, " %s ", text_string(&what));
    text_free(&what);
    for (uint32_t b = 0; b < v->seen.banks; b++) {
        char c = '.';
        if (r->words[b]) c = r->words[b] > 9 ? '+' : (char)('0' + r->words[b]);
        const char *code = colour_of(r, b, colour);
        fprintf(to, "%s%c%s", code, c, *code ? "\033[0m" : "");
    }
    fprintf(to, " %3u", (unsigned)r->access->wavefronts);
    if (r->access->wavefronts > r->access->ideal)
        fprintf(to, _(" for %u"), (unsigned)r->access->ideal);
    if (r->times > 1) fprintf(to, "  x%" PRIu32, r->times);
    fputc('\n', to);
}

bool banks_text(FILE *to, const struct steps_view *v,
                const struct report_options *o) {
    uint32_t n, launch = 0;
    struct bank_row *rows = rows_of(v, &n);
    struct text sums = {0};
    if (!rows) return false;
    add_sums(&sums, v);
    fprintf(to, "%s.\n", text_string(&sums));
    if (n)
        fprintf(to,
                _("Columns are the %" PRIu32
                  " banks: how many words of each an access wants.\n"
                  "Then its wavefronts and, with conflicts, how many "
                  "are enough; xN: N like it.\n"),
                v->seen.banks);
    for (uint32_t k = 0; k < n && k < MOST_LINES; k++) {
        if (rows[k].access->launch != launch) {
            launch = rows[k].access->launch;
            struct text name = {0};
            steps_launch_name(&name, v, launch);
            fprintf(to, "\n%s\n", text_string(&name));
            text_free(&name);
        }
        print_row(to, v, &rows[k], o->colour);
    }
    if (n > MOST_LINES)
        fprintf(to, _("\n%d of %" PRIu32 " rows are shown.\n"), MOST_LINES, n);
    text_free(&sums);
    free(rows);
    return !ferror(to);
}

/* ---- pictures ---- */

static void draw_words(json_t *shapes, unsigned x, unsigned y,
                       struct text *words) {
    picture_text(shapes, "line bank", x, y, text_string(words));
    text_free(words);
}

static void draw_bank(json_t *shapes, unsigned x, unsigned y, unsigned words,
                      bool conflict) {
    char number[16];
    json_t *bank = picture_group(shapes,
                                 !words                  ? "bank"
                                 : conflict && words > 1 ? "bank many"
                                                         : "bank one",
                                 NULL);
    picture_rect(bank, x, y, MAP_CELL, MAP_CELL);
    snprintf(number, sizeof number, "%u", words);
    if (words > 1)
        picture_text(bank, "value", x + MAP_CELL / 2, y + 11, number);
}

static void draw_row(json_t *shapes, const struct steps_view *v,
                     const struct bank_row *r, unsigned y) {
    struct text words = {0};
    bool conflict = r->access->wavefronts > r->access->ideal;
    add_what(&words, v, r);
    if (r->times > 1) text_add(&words, " x%" PRIu32, r->times);
    draw_words(shapes, 12, y + 11, &words);
    for (uint32_t b = 0; b < v->seen.banks; b++)
        draw_bank(shapes, MAP_LEFT + b * MAP_CELL, y, r->words[b], conflict);
    text_add(&words, "%u", (unsigned)r->access->wavefronts);
    if (conflict) text_add(&words, _(" for %u"), (unsigned)r->access->ideal);
    draw_words(shapes, MAP_LEFT + v->seen.banks * MAP_CELL + 8, y + 11, &words);
}

static unsigned map_width(const struct steps_view *v) {
    return MAP_LEFT + v->seen.banks * MAP_CELL + 80;
}

static unsigned draw_map(json_t *shapes, const struct steps_view *v,
                         const struct bank_row *rows, uint32_t n, unsigned y) {
    uint32_t launch = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (rows[k].access->launch != launch) {
            struct text name = {0};
            launch = rows[k].access->launch;
            steps_launch_name(&name, v, launch);
            picture_text(shapes, "head", 12, y + 20, text_string(&name));
            text_free(&name);
            y += 28;
        }
        draw_row(shapes, v, &rows[k], y);
        y += MAP_CELL + 2;
    }
    return y;
}

static unsigned map_height(const struct bank_row *rows, uint32_t n) {
    unsigned height = 0;
    for (uint32_t k = 0; k < n; k++)
        height +=
            MAP_CELL + 2 +
            (!k || rows[k].access->launch != rows[k - 1].access->launch ? 28u
                                                                        : 0u);
    return height;
}

enum { MOST_DRAWN = 200 };

static json_t *left_out(uint32_t n) {
    return n > MOST_DRAWN ? json_sprintf(_("%d of %u rows are drawn."),
                                         MOST_DRAWN, (unsigned)n)
                          : json_null();
}

json_t *banks_data(const struct steps_view *v) {
    uint32_t n;
    struct bank_row *rows = rows_of(v, &n);
    struct text sums = {0};
    json_t *picture = NULL, *shapes = json_array();
    if (!rows) return NULL;
    uint32_t shown = n < MOST_DRAWN ? n : MOST_DRAWN;
    add_sums(&sums, v);
    draw_map(shapes, v, rows, shown, 0);
    picture = picture_of(
        text_string(&sums),
        (struct picture_size){map_width(v), map_height(rows, shown) + 8},
        shapes);
    json_t *data = json_pack("{s:s, s:o, s:o}", "said", text_string(&sums),
                             "picture", picture, "left_out", left_out(n));
    if (!n) json_object_set_new(data, "picture", json_null());
    text_free(&sums);
    free(rows);
    return data;
}

bool banks_svg(FILE *to, const struct steps_view *v) {
    uint32_t n;
    struct bank_row *rows = rows_of(v, &n);
    struct text sums = {0};
    if (!rows) return false;
    uint32_t shown = n < MOST_DRAWN ? n : MOST_DRAWN;
    json_t *shapes = json_array(), *cut = left_out(n);
    add_sums(&sums, v);
    picture_text(shapes, "head", 12, 20, text_string(&sums));
    unsigned y = draw_map(shapes, v, rows, shown, 30);
    if (json_is_string(cut))
        picture_text(shapes, "line", 12, y + 16, json_string_value(cut));
    bool good =
        picture_svg_begin(to,
                          (struct picture_size){map_width(v) + 200,
                                                map_height(rows, shown) + 70},
                          text_string(&sums)) &&
        picture_svg_shapes(to, shapes) && picture_svg_end(to);
    json_decref(shapes);
    json_decref(cut);
    text_free(&sums);
    free(rows);
    return good && !ferror(to);
}

/* SPDX-License-Identifier: MIT
 *
 * steps_recipes.c: what the new cells of a row were made of, in words: those
 * that were made alike in one, as "[2..7] = d_in[i-2] + d_in[i]".
 */
#include <inttypes.h>
#include <string.h>

#include "steps_parts.h"
#include "translate.h"

enum { MOST_PARTS = 8 };

struct part {
    uint32_t array;
    uint32_t cell, run; /* the first of so many neighbours */
    int32_t times;
};
struct recipe {
    struct part parts[MOST_PARTS];
    uint32_t n;
    bool more;
    bool is_sum; /* the value is its sources, added up */
    uint32_t place;
    uint8_t writer;
};

static bool is_after(const struct part *a, const struct part *b) {
    return a->array != b->array ? a->array > b->array : a->cell > b->cell;
}

/* Neighbours that are added alike become a run. */
static void join_runs(struct recipe *r, const struct part *parts, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        struct part *last = r->n ? &r->parts[r->n - 1] : NULL;
        if (last && last->array == parts[k].array && last->times == 1 &&
            parts[k].times == 1 && last->cell + last->run == parts[k].cell) {
            last->run++;
        } else if (r->n == MOST_PARTS) {
            r->more = true;
            return;
        } else {
            r->parts[r->n++] = parts[k];
        }
    }
}

static void learn_recipe(const struct steps_view *v, uint32_t write,
                         struct recipe *r) {
    enum { MOST_FEEDS = 128 };
    const struct vgpu_write *w = &v->seen.writes[write];
    struct part parts[MOST_FEEDS];
    uint32_t n = 0;
    uint64_t sum = 0;
    *r = (struct recipe){.place = w->place, .writer = w->writer};
    for (uint32_t f = 0; f < w->n_feeds && n < MOST_FEEDS; f++) {
        const struct vgpu_feed *feed = &v->seen.feeds[w->feed + f];
        const struct vgpu_write *x = &v->seen.writes[feed->write];
        uint32_t cell = x->at / steps_cell_bytes(v, x->array);
        struct part part = {x->array, cell, 1, feed->times};
        sum += (uint64_t)(int64_t)feed->times * x->value;
        uint32_t k = n++;
        for (; k && is_after(&parts[k - 1], &part); k--)
            parts[k] = parts[k - 1];
        parts[k] = part;
    }
    join_runs(r, parts, n);
    uint64_t mask = w->bytes >= 8 ? ~0ull : (1ull << 8 * w->bytes) - 1;
    r->is_sum = !n || !((sum ^ w->value) & mask) || w->n_feeds > MOST_FEEDS;
    r->more |= w->n_feeds > MOST_FEEDS;
}

/* How far apart the sources are of cells that are made alike: each of a
 * recipe's parts has its own. */
struct strides {
    int64_t of[MOST_PARTS];
};

/* Made in the same way, of cells that are so many times as far apart. */
static bool is_like(const struct recipe *a, const struct recipe *b,
                    uint32_t apart, const struct strides *s) {
    if (a->n != b->n || a->more != b->more || a->place != b->place ||
        a->writer != b->writer || a->is_sum != b->is_sum)
        return false;
    for (uint32_t k = 0; k < a->n; k++) {
        const struct part *x = &a->parts[k], *y = &b->parts[k];
        if (y->cell - (int64_t)x->cell != s->of[k] * apart ||
            x->array != y->array || x->run != y->run || x->times != y->times)
            return false;
    }
    return true;
}

/* "[5]", "[i-1]", "[8i+7]" of the array whose cell `cell` the one at `own` is
 * made of. */
static void add_index(struct text *t, int64_t cell, uint32_t own,
                      int64_t stride) {
    if (stride == 0) {
        text_add(t, "[%" PRId64 "]", cell);
        return;
    }
    text_add(t, "[");
    if (stride != 1) text_add(t, "%" PRId64, stride);
    text_add(t, "i");
    if (cell - stride * own) text_add(t, "%+" PRId64, cell - stride * own);
    text_add(t, "]");
}

static void add_part(struct text *t, const struct steps_view *v,
                     const struct part *part, uint32_t own, int64_t stride) {
    uint32_t last = part->run - 1;
    for (uint32_t k = 0; k <= last && last < 2; k++) {
        if (k) text_add(t, " + ");
        steps_array_name(t, v, part->array);
        add_index(t, part->cell + k, own, stride);
    }
    if (last < 2) return;
    steps_array_name(t, v, part->array);
    add_index(t, part->cell, own, stride);
    text_add(t, " + ... + ");
    add_index(t, part->cell + last, own, stride);
}

static void add_recipe(struct text *t, const struct steps_view *v,
                       const struct recipe *r, uint32_t own,
                       const struct strides *s) {
    for (uint32_t k = 0; k < r->n; k++) {
        int32_t times = r->parts[k].times;
        if (!r->is_sum)
            text_add(t, k ? ", " : "");
        else
            text_add(t, k ? times < 0 ? " - " : " + " : times < 0 ? "-" : "");
        if (r->is_sum && (times > 1 || times < -1))
            text_add(t, "%" PRIu32 " ",
                     times < 0 ? 0u - (uint32_t)times : (uint32_t)times);
        add_part(t, v, &r->parts[k], own, s->of[k]);
    }
    if (r->more) text_add(t, " + ...");
    if (!r->n) text_add(t, "%s", _("a constant"));
}

/* "[1..7]", "[1 3 5 7]" */
static void add_cells(struct text *t, const uint32_t *cells, size_t n) {
    bool run = n > 2;
    for (size_t k = 1; k < n; k++) run &= cells[k] == cells[0] + k;
    text_add(t, "[%" PRIu32, cells[0]);
    if (run) {
        text_add(t, "..%" PRIu32 "]", cells[n - 1]);
        return;
    }
    for (size_t k = 1; k < n; k++) {
        if (k == 8 && n > 9) {
            text_add(t, " ... %" PRIu32, cells[n - 1]);
            break;
        }
        text_add(t, " %" PRIu32, cells[k]);
    }
    text_add(t, "]");
}

struct alike { /* cells that are made alike */
    uint32_t cells[STEPS_COLUMNS];
    size_t n;
    struct strides strides;
};

struct teller {
    const struct steps_view *v;
    steps_tell *tell;
    void *user;
};

static void tell_recipe(const struct teller *to, const struct recipe *r,
                        const struct alike *of) {
    struct text t = {0}, place = {0};
    add_cells(&t, of->cells, of->n);
    text_add(&t, "%s",
             r->writer == VGPU_WRITER_COPY   ? _(" copied from ")
             : r->writer == VGPU_WRITER_FILL ? _(" filled by the host")
             : !r->is_sum && r->writer == VGPU_WRITER_ATOMIC
                 ? _(" (atomic) made of ")
             : !r->is_sum                      ? _(" made of ")
             : r->writer == VGPU_WRITER_ATOMIC ? _(" = (atomic) ")
                                               : " = ");
    if (r->writer != VGPU_WRITER_FILL)
        add_recipe(&t, to->v, r, of->cells[0], &of->strides);
    if (r->writer != VGPU_WRITER_FILL && r->writer != VGPU_WRITER_COPY)
        steps_add_place(&place, to->v, r->place);
    to->tell(to->user, text_string(&t), text_string(&place));
    text_free(&t);
    text_free(&place);
}

/* The new cells from k on that are made as it is, but for those in `done`. */
static void find_alike(const struct recipe *all, const struct steps_row *row,
                       uint32_t k, struct strides strides, const bool *done,
                       struct alike *best) {
    struct alike found = {.strides = strides};
    for (uint32_t j = k; j < row->shown; j++) {
        if (done[j] || !row->is_new[j]) continue;
        if (is_like(&all[k], &all[j], j - k, &strides))
            found.cells[found.n++] = j;
    }
    if (found.n > best->n) *best = found;
}

/* Those of the first cell and the next one that is not done. */
static struct strides next_strides(const struct recipe *all,
                                   const struct steps_row *row, uint32_t k,
                                   const bool *done) {
    struct strides s = {{0}};
    uint32_t j = k + 1;
    while (j < row->shown && (done[j] || !row->is_new[j])) j++;
    if (j >= row->shown) return s;
    for (uint32_t m = 0; m < all[k].n && m < all[j].n; m++)
        s.of[m] =
            ((int64_t)all[j].parts[m].cell - all[k].parts[m].cell) / (j - k);
    return s;
}

void steps_recipes(const struct steps_view *v, const struct steps_row *row,
                   steps_tell *tell, void *user) {
    const struct teller to = {v, tell, user};
    bool done[STEPS_COLUMNS] = {false};
    struct recipe all[STEPS_COLUMNS];
    struct strides same = {{0}}, along;
    for (uint32_t m = 0; m < MOST_PARTS; m++) along.of[m] = 1;
    for (uint32_t k = 0; k < row->shown; k++)
        if (row->is_new[k]) learn_recipe(v, row->write[k] - 1, &all[k]);
    for (uint32_t k = 0; k < row->shown; k++) {
        struct alike best = {.n = 0};
        if (done[k] || !row->is_new[k]) continue;
        find_alike(all, row, k, along, done, &best);
        find_alike(all, row, k, same, done, &best);
        find_alike(all, row, k, next_strides(all, row, k, done), done, &best);
        for (size_t j = 0; j < best.n; j++) {
            done[best.cells[j]] = true;
            best.cells[j] += row->from;
        }
        if (best.n == 1) best.strides = same;
        tell_recipe(&to, &all[k], &best);
    }
}

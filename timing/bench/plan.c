/* SPDX-License-Identifier: MIT
 *
 * plan.c: see plan.h.
 */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- performers ---- */

bool performers_add(struct performers *p, const struct performer *one) {
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 64;
        struct performer *more = realloc(p->items, room * sizeof *more);
        if (!more) return false;
        p->items = more;
        p->room = room;
    }
    p->items[p->n++] = *one;
    return true;
}

void performers_free(struct performers *p) {
    free(p->items);
    *p = (struct performers){0};
}

void performer_of_peer(struct performer *p, const struct bench_peer *peer,
                       int number) {
    snprintf(p->who, sizeof p->who, "%s", peer->who);
    p->operation = peer->operation;
    p->type = peer->type;
    p->most_order = peer->most_order;
    p->least_tuple = p->most_tuple = peer->tuple;
    p->turn.signature = -1;
    p->turn.peer = number;
}

bool performer_of_function(struct performer *p, const struct lab_function *f) {
    struct parameters usual;
    if (!function_is_timed(f, &p->operation, &p->type)) return false;
    p->most_order = signature_takes(f->signature, PARAMETER_order) ? 8 : 1;
    p->least_tuple = 1;
    p->most_tuple = signature_takes(f->signature, PARAMETER_tuple) ? 8 : 1;
    p->turn.signature = f->signature;
    snprintf(p->turn.symbol, sizeof p->turn.symbol, "%s", f->symbol);
    parameters_usual(&usual);
    for (int i = 0; i < N_PARAMETERS; i++)
        p->turn.parameters[i] = usual.value[i];
    return true;
}

bool performer_of_double(struct performer *p, const struct performer *f) {
    if (strcmp(f->turn.symbol, "sam_scan_f32") != 0) return false;
    *p = *f;
    p->type = BENCH_TYPE_double;
    snprintf(p->turn.symbol, sizeof p->turn.symbol, "sam_scan_f64");
    return true;
}

/* ---- groups ---- */

static const size_t quick_sizes[] = {(size_t)1 << 16, (size_t)1 << 20,
                                     (size_t)1 << 24, (size_t)1 << 28};
enum { FIRST_POWER = 10, LAST_POWER = 30, FIRST_TEN = 3, LAST_TEN = 9 };

static size_t suite_sizes(const struct plan_filter *f, size_t *sizes) {
    size_t n = 0;
    if (f->n_sizes) {
        memcpy(sizes, f->sizes, f->n_sizes * sizeof *sizes);
        return f->n_sizes;
    }
    if (!f->full) {
        memcpy(sizes, quick_sizes, sizeof quick_sizes);
        return sizeof quick_sizes / sizeof *quick_sizes;
    }
    for (int e = FIRST_POWER; e <= LAST_POWER; e++) sizes[n++] = (size_t)1 << e;
    size_t ten = 1;
    for (int e = 1; e <= LAST_TEN; e++) {
        ten *= 10;
        if (e >= FIRST_TEN) sizes[n++] = ten;
    }
    return n;
}

/* Orders and tuples: at every fourth power of two, and the two largest steps
 * on the way to the end. */
static bool is_whole(const struct plan_filter *f, size_t n) {
    if (!f->full || f->n_sizes) return true;
    for (int e = 12; e <= LAST_POWER; e += e < 24 ? 4 : 2)
        if (n == (size_t)1 << e) return true;
    return false;
}

/* Small integers are here for the peers alone: fewer sizes, none when quick. */
static bool type_wanted(const struct plan_filter *f, int type, size_t n) {
    bool small = type_bytes(type) < 4;
    if (f->type >= 0) return f->type == type;
    return !small || (f->full && (f->n_sizes || is_whole(f, n)));
}

static int larger_first(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    size_t p = x->n * type_bytes(x->type), q = y->n * type_bytes(y->type);
    if (p != q) return (p < q) - (p > q);
    return (x->type > y->type) - (x->type < y->type);
}

bool groups_plan(struct groups *g, const struct plan_filter *f) {
    size_t suite = LAST_POWER - FIRST_POWER + LAST_TEN - FIRST_TEN + 2;
    size_t room = f->n_sizes > suite ? f->n_sizes : suite;
    size_t *sizes = calloc(room, sizeof *sizes);
    *g = (struct groups){.items =
                             calloc(room * BENCH_N_TYPES, sizeof *g->items)};
    if (!sizes || !g->items) {
        free(sizes);
        groups_free(g);
        return false;
    }
    size_t n = suite_sizes(f, sizes);
    for (int t = 0; t < BENCH_N_TYPES; t++)
        for (size_t i = 0; i < n; i++)
            if (type_wanted(f, t, sizes[i]))
                g->items[g->n++] =
                    (struct group){t, sizes[i], is_whole(f, sizes[i])};
    qsort(g->items, g->n, sizeof *g->items, larger_first);
    free(sizes);
    return true;
}

void groups_free(struct groups *g) {
    free(g->items);
    *g = (struct groups){0};
}

size_t plan_widths(const struct plan_filter *f, const struct group *g,
                   int widths[8]) {
    static const int few[] = {1, 2, 5, 8};
    size_t n = 0;
    for (int w = 1; w <= 8; w++)
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            if (w == 1 || (g->whole && (f->full || few[i] == w))) {
                widths[n++] = w;
                break;
            }
    return n;
}

int plan_calls(size_t bytes) {
    const size_t small = (size_t)16 << 20, large = (size_t)256 << 20;
    return bytes <= small ? 5 : bytes < large ? 2 : 1;
}

/* SPDX-License-Identifier: MIT
 *
 * rows.c: see rows.h.
 */
#include "rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "plan.h"

struct note {
    char *words;       /* who, cell and text */
    struct text sizes; /* "4096, 8192" */
};

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void row_of_samples(struct row *r, double *samples, size_t n) {
    qsort(samples, n, sizeof *samples, by_size);
    r->repeats = n;
    r->least = samples[0];
    r->q1 = samples[(n - 1) / 4];
    r->median = samples[n / 2];
    r->q3 = samples[(3 * n - 1) / 4];
}

/* ---- the file ---- */

bool rows_open(struct rows *r, const char *path) {
    *r = (struct rows){.stream = stdout};
    if (strcmp(path, "-") == 0) return true;
    r->path = text_format("%s", path);
    r->temporary = text_format("%s.new", path);
    r->stream = r->temporary ? fopen(r->temporary, "w") : NULL;
    return r->path && r->stream;
}

bool rows_head(struct rows *r, const char *key, const char *value) {
    return fprintf(r->stream, "# %s: %s\n", key, value) > 0;
}

bool rows_names(struct rows *r) {
    return fputs("who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,"
                 "q3_ns,min_ns,bytes,ok\n",
                 r->stream) >= 0;
}

static bool keep(struct rows *r, const struct row *row) {
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        struct row *more = realloc(r->items, room * sizeof *more);
        if (!more) return false;
        r->items = more;
        r->room = room;
    }
    r->items[r->n++] = *row;
    return true;
}

bool rows_add(struct rows *r, const struct row *row) {
    const struct bench_cell *c = &row->cell;
    if (!keep(r, row)) return false;
    fprintf(r->stream,
            "%s,%s,%s,%d,%d,%" PRIu64 ",%zu,%.0f,%.0f,%.0f,%.0f,%" PRIu64
            ",%d\n",
            row->who, operation_name(c->operation), type_name(c->type),
            c->order, c->tuple, c->n, row->repeats, row->median, row->q1,
            row->q3, row->least, row->bytes, row->ok);
    return fflush(r->stream) == 0;
}

void rows_note(struct rows *r, const char *who, const struct bench_cell *c,
               const char *text) {
    char *words = text_format(
        "%s, %s %s order %d tuple %d: %.*s", who, operation_name(c->operation),
        type_name(c->type), c->order, c->tuple, (int)strcspn(text, "\n"), text);
    struct note *note = NULL;
    for (size_t i = 0; words && i < r->n_notes && !note; i++)
        if (strcmp(r->notes[i].words, words) == 0) note = &r->notes[i];
    if (!words) return;
    if (!note) {
        struct note *more = realloc(r->notes, (r->n_notes + 1) * sizeof *more);
        if (more) {
            r->notes = more;
            note = &more[r->n_notes++];
            *note = (struct note){.words = words};
            words = NULL;
        }
    }
    if (note)
        text_add(&note->sizes, "%s%" PRIu64, note->sizes.size ? ", " : "",
                 c->n);
    free(words);
}

bool rows_close(struct rows *r) {
    for (size_t i = 0; i < r->n_notes; i++)
        fprintf(r->stream, "# note: %s (n = %s)\n", r->notes[i].words,
                r->notes[i].sizes.bytes);
    bool ok = fflush(r->stream) == 0 && !ferror(r->stream);
    if (!r->temporary) return ok;
    ok = fclose(r->stream) == 0 && ok;
    r->stream = NULL;
    ok = ok && rename(r->temporary, r->path) == 0;
    if (ok) {
        free(r->temporary);
        r->temporary = NULL;
    }
    return ok;
}

void rows_free(struct rows *r) {
    if (r->temporary) {
        if (r->stream) fclose(r->stream);
        unlink(r->temporary);
    }
    for (size_t i = 0; i < r->n_notes; i++) {
        free(r->notes[i].words);
        text_free(&r->notes[i].sizes);
    }
    free(r->notes);
    free(r->path);
    free(r->temporary);
    free(r->items);
    *r = (struct rows){0};
}

/* ---- the table ---- */

static const struct row *find(const struct rows *r, const char *who,
                              const struct bench_cell *c) {
    for (size_t i = 0; i < r->n; i++) {
        const struct bench_cell *d = &r->items[i].cell;
        if (strcmp(r->items[i].who, who) == 0 && c->operation == d->operation &&
            c->type == d->type && c->order == d->order &&
            c->tuple == d->tuple && c->n == d->n)
            return &r->items[i];
    }
    return NULL;
}

static double rate(const struct row *r) {
    return (double)r->bytes / r->median;
}

static void print_ratio(FILE *out, double ratio) {
    if (ratio > 0)
        fprintf(out, " %8.2f", ratio);
    else
        fputs("        -", out);
}

static int for_reading(const void *a, const void *b) {
    const struct row *x = *(const struct row *const *)a,
                     *y = *(const struct row *const *)b;
    const int64_t p[] = {x->cell.operation, x->cell.type, x->cell.order,
                         x->cell.tuple, (int64_t)x->cell.n},
                  q[] = {y->cell.operation, y->cell.type, y->cell.order,
                         y->cell.tuple, (int64_t)y->cell.n};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i]) return (p[i] > q[i]) - (p[i] < q[i]);
    return (x > y) - (x < y);
}

static void print_row(const struct rows *r, FILE *out, const struct row *row) {
    struct bench_cell copy = row->cell;
    copy.operation = BENCH_copy;
    copy.order = copy.tuple = 1;
    const struct row *memcpy_row = find(r, "memcpy", &copy),
                     *cub = find(r, "cub", &row->cell);
    fprintf(out, "%-14s %-6s %5d %5d %10" PRIu64 "  %-24s %8.1f",
            operation_name(row->cell.operation), type_name(row->cell.type),
            row->cell.order, row->cell.tuple, row->cell.n, row->who, rate(row));
    print_ratio(out, memcpy_row ? rate(row) / rate(memcpy_row) : 0);
    print_ratio(out, cub ? cub->median / row->median : 0);
    fprintf(out, " %7.1f%s\n", 100 * (row->q3 - row->q1) / row->median,
            row->ok ? "" : "  WRONG");
}

void rows_table(const struct rows *r, FILE *out, bool all_sizes) {
    const struct row **order = calloc(r->n + 1, sizeof *order);
    size_t n = 0;
    if (!order) return;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t size = r->items[i].cell.n;
        if (all_sizes || !r->items[i].ok || size == (uint64_t)1 << 20 ||
            size == (uint64_t)1 << 28)
            order[n++] = &r->items[i];
    }
    qsort(order, n, sizeof *order, for_reading);
    fprintf(out, "%-14s %-6s %5s %5s %10s  %-24s %8s %8s %8s %7s\n",
            "operation", "type", "order", "tuple", "n", "who", "GB/s",
            "of copy", "of CUB", "iqr %");
    for (size_t i = 0; i < n; i++) print_row(r, out, order[i]);
    if (n < r->n)
        fprintf(out, "(2^20 and 2^28 only: the file holds %zu rows)\n", r->n);
    for (size_t i = 0; i < r->n_notes; i++)
        fprintf(out, "note: %s (n = %s)\n", r->notes[i].words,
                r->notes[i].sizes.bytes);
    free(order);
}

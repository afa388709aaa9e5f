/* SPDX-License-Identifier: MIT
 *
 * sweep_words.c: a sweep in words: the table for a terminal, and rows for
 * others (CSV). See sweep_view.h.
 */
#include "sweep_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"

enum { TABLE_WIDTH = 100, NAME = 12, COLUMN = 11 };

int sweep_best(const struct sweep_view *v, size_t size) {
    int best = -1;
    for (size_t k = 0; k < v->n_values; k++)
        if (v->cells[k][size].state == SWEEP_RIGHT &&
            (best < 0 ||
             v->cells[k][size].model_ns < v->cells[best][size].model_ns))
            best = (int)k;
    return best;
}

void sweep_series(const struct sweep_view *v, size_t value, struct text *t) {
    if (v->constant)
        text_add(t, "%s = %s", v->constant, v->values[value]);
    else
        text_add(t, "%s", v->function);
}

void sweep_title(const struct sweep_view *v, struct text *t) {
    text_add(t, _("%s, model time on %s"), v->function, v->clock);
}

/* Three digits. */
void sweep_time(char out[16], uint64_t ns) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double x = (double)ns;
    int unit = 0;
    for (; x >= 999.5 && unit < 3; unit++) x /= 1000;
    int digits = !unit || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
    snprintf(out, 16, "%.*f %s", digits, x, units[unit]);
}

static const char *said_of(const struct sweep_cell *c, char out[16]) {
    if (c->state == SWEEP_RIGHT) sweep_time(out, c->model_ns);
    return c->state == SWEEP_RIGHT   ? out
           : c->state == SWEEP_TODO  ? "todo"
           : c->state == SWEEP_WRONG ? "wrong"
                                     : ".";
}

static void text_size(char out[16], size_t n) {
    int log = 0;
    while (((size_t)2 << log) <= n) log++;
    if (((size_t)1 << log) == n)
        snprintf(out, 16, "2^%d", log);
    else
        snprintf(out, 16, "%zu", n);
}

/* Within a hundredth of the least of its row. */
static bool sweep_is_good(const struct sweep_view *v, size_t value,
                          size_t size) {
    int best = sweep_best(v, size);
    const struct sweep_cell *c = &v->cells[value][size];
    return best >= 0 && c->state == SWEEP_RIGHT &&
           100 * c->model_ns <= 101 * v->cells[best][size].model_ns;
}

/* Columns from..end of the values: rows of n. */
static void put_times(FILE *to, const struct sweep_view *v, size_t from,
                      size_t end) {
    fprintf(to, "  %*s", NAME - 2, "n");
    for (size_t k = from; k < end; k++)
        fprintf(to, "%*s", COLUMN, v->constant ? v->values[k] : "time");
    fputc('\n', to);
    for (size_t s = 0; s < v->n_sizes; s++) {
        char size[16], time[16];
        text_size(size, v->sizes[s]);
        fprintf(to, "  %*s", NAME - 2, size);
        for (size_t k = from; k < end; k++) {
            bool best = v->n_values > 1 && sweep_is_good(v, k, s);
            fprintf(to, "%*s%c", COLUMN - 1, said_of(&v->cells[k][s], time),
                    best ? '*' : ' ');
        }
        fputc('\n', to);
    }
}

/* Of the largest n that was right. */
static const struct sweep_cell *largest(const struct sweep_view *v,
                                        size_t value) {
    for (size_t s = v->n_sizes; s-- > 0;)
        if (v->cells[value][s].threads) return &v->cells[value][s];
    return NULL;
}

static void put_occupancy(FILE *to, const struct sweep_view *v) {
    fprintf(to,
            _("\n  What a multiprocessor of %s holds of the longest launch at "
              "the largest n. Registers are\n  estimated from the PTX.\n\n"),
            v->device);
    fprintf(to, "  %*s%9s%11s%9s%8s%9s  %s\n", NAME - 2,
            v->constant ? _("value") : "", _("threads"), _("registers"),
            _("shared"), _("blocks"), _("warps"), _("limited by"));
    for (size_t k = 0; k < v->n_values; k++) {
        const struct sweep_cell *c = largest(v, k);
        if (!c) continue;
        const struct vgpu_occupancy *o = &c->occupancy;
        fprintf(to,
                "  %*s%9" PRIu64 "%11" PRIu32 "%9" PRIu64 "%8" PRIu32
                "%6" PRIu32 "/%-2" PRIu32 "  %s\n",
                NAME - 2, v->values[k], c->threads, o->registers,
                o->shared_bytes, o->blocks, o->blocks * o->warps, o->most_warps,
                _(vgpu_limit_words(o->limit)));
    }
}

/* Each value's best n is nothing to say; each n's best value is. */
bool sweep_text(FILE *to, const struct sweep_view *v) {
    struct text title = {0};
    enum { AT_ONCE = (TABLE_WIDTH - NAME) / COLUMN };
    sweep_title(v, &title);
    fprintf(to, _("%s, seed %" PRIu64), text_string(&title), v->seed);
    if (v->constant) fprintf(to, _(", by %s"), v->constant);
    fputs("\n\n", to);
    text_free(&title);
    for (size_t from = 0; from < v->n_values; from += AT_ONCE) {
        size_t end =
            from + AT_ONCE < v->n_values ? from + AT_ONCE : v->n_values;
        if (from) fputc('\n', to);
        put_times(to, v, from, end);
    }
    if (v->n_values > 1)
        fputs(_("  * at most a hundredth above the least of its row\n"), to);
    put_occupancy(to, v);
    for (size_t k = 0; k < v->n_values; k++) {
        char *clean = v->notes[k] ? clean_text(v->notes[k]) : NULL;
        if (clean) fprintf(to, "\n  %s: %s\n", v->values[k], clean);
        free(clean);
    }
    fputs(_("\n  Model time is no GPU's time: vgpu/docs/clock.md\n"), to);
    return !ferror(to);
}

bool sweep_csv(FILE *to, const struct sweep_view *v) {
    static const char *const states[] = {"not run", "not implemented yet",
                                         "wrong", "right"};
    fprintf(to,
            "# origin: scanlab sweep, %s of %s, model time on %s\n"
            "# seed: %" PRIu64 "\n"
            "constant,value,n,model_ns,threads,registers,shared_bytes,"
            "blocks_per_sm,warps_per_sm,most_warps,limited_by,result\n",
            v->function, v->submission, v->clock, v->seed);
    for (size_t k = 0; k < v->n_values; k++)
        for (size_t s = 0; s < v->n_sizes; s++) {
            const struct sweep_cell *c = &v->cells[k][s];
            const struct vgpu_occupancy *o = &c->occupancy;
            fprintf(to,
                    "%s,%s,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64
                    ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s,%s\n",
                    v->constant ? v->constant : "none",
                    v->constant ? v->values[k] : "0", v->sizes[s], c->model_ns,
                    c->threads, o->registers, o->shared_bytes, o->blocks,
                    o->blocks * o->warps, o->most_warps,
                    c->threads ? vgpu_limit_name(o->limit) : "",
                    states[c->state]);
        }
    return !ferror(to);
}

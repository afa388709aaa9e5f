/* SPDX-License-Identifier: MIT
 *
 * why.c: where the model time went, for people: by cause, by source line, and
 * the chain behind the end of the longest launch (chain.c). See lines.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "why_words.h"

enum { NAME_WIDTH = 26, TIME_WIDTH = 11, PART_WIDTH = 8 };

void why_time(char out[WHY_TIME], const struct vgpu_why *y, uint64_t ps) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double x = (double)ps / 1e3;
    int unit = 0;
    if (y->step_ps) {
        snprintf(out, WHY_TIME, "%" PRIu64 " steps", ps / y->step_ps);
        return;
    }
    for (; x >= 999.5 && unit < 3; unit++) x /= 1000;
    snprintf(out, WHY_TIME, "%.*f %s",
             x < 9.995   ? 2
             : x < 99.95 ? 1
                         : 0,
             x, units[unit]);
}

uint64_t why_sum(const uint64_t *times) {
    uint64_t sum = 0;
    for (int c = 0; c < VGPU_N_CAUSES; c++) sum += times[c];
    return sum;
}

const char *why_most(const uint64_t *times) {
    int most = 0;
    for (int c = 1; c < VGPU_N_CAUSES; c++)
        if (times[c] > times[most]) most = c;
    return times[most] ? vgpu_cause_words((vgpu_cause)most) : "";
}

/* Where steps are counted, those of warps are counts like others. */
static void put_time(FILE *f, const struct vgpu_why *y, uint64_t part,
                     uint64_t whole) {
    char time[WHY_TIME], share[16];
    why_time(time, y, part);
    lines_share(share, part, whole);
    fprintf(f, "%*s%*s", TIME_WIDTH, part ? time : ".", PART_WIDTH, share);
}

static void put_times(FILE *f, const struct vgpu_why *y,
                      const struct vgpu_times *t,
                      const struct vgpu_times *whole) {
    put_time(f, y, why_sum(t->path), why_sum(whole->path));
    if (!y->step_ps) put_time(f, y, why_sum(t->warps), why_sum(whole->warps));
}

static void heading(FILE *f, const struct vgpu_why *y,
                    const struct lines_options *o, const char *first,
                    const char *last) {
    fprintf(f, "%s  %-*s%*s%*s", o->colour ? "\033[1m" : "", NAME_WIDTH, first,
            TIME_WIDTH, "path", PART_WIDTH, "share");
    if (!y->step_ps)
        fprintf(f, "%*s%*s", TIME_WIDTH, "all warps", PART_WIDTH, "share");
    fprintf(f, "%s%s%s\n", *last ? "  " : "", last, o->colour ? "\033[0m" : "");
}

static void put_name(FILE *f, const char *name) {
    fputs("  ", f);
    size_t done = lines_put(f, name, strlen(name), NAME_WIDTH);
    fprintf(f, "%*s", (int)(NAME_WIDTH - done), "");
}

/* ---- causes ---- */

struct cause {
    int number;
    struct vgpu_times times; /* of this one only */
};

static int by_path(const void *a, const void *b) {
    const struct cause *x = a, *y = b;
    uint64_t m = why_sum(x->times.path), n = why_sum(y->times.path);
    if (m != n) return m < n ? 1 : -1;
    m = why_sum(x->times.warps), n = why_sum(y->times.warps);
    if (m != n) return m < n ? 1 : -1;
    return x->number - y->number;
}

static void print_causes(FILE *f, const struct vgpu_why *y,
                         const struct vgpu_times *t,
                         const struct lines_options *o) {
    struct cause causes[VGPU_N_CAUSES] = {0};
    for (int c = 0; c < VGPU_N_CAUSES; c++) {
        causes[c].number = c;
        causes[c].times.path[c] = t->path[c];
        causes[c].times.warps[c] = t->warps[c];
    }
    qsort(causes, VGPU_N_CAUSES, sizeof *causes, by_path);
    heading(f, y, o, "cause", "");
    for (int k = 0; k < VGPU_N_CAUSES; k++) {
        const struct cause *c = &causes[k];
        if (!why_sum(c->times.path) && !why_sum(c->times.warps)) continue;
        put_name(f, vgpu_cause_words((vgpu_cause)c->number));
        put_times(f, y, &c->times, t);
        fputc('\n', f);
    }
}

/* ---- lines ---- */

static int by_line_path(const void *a, const void *b) {
    const struct line_counts *x = a, *y = b;
    uint64_t m = why_sum(x->times.path), n = why_sum(y->times.path);
    if (m != n) return m < n ? 1 : -1;
    m = why_sum(x->times.warps), n = why_sum(y->times.warps);
    if (m != n) return m < n ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void why_print_line(FILE *f, const struct vgpu_why *y, const char *name,
                           const struct vgpu_times *t,
                           const struct vgpu_times *whole) {
    put_name(f, name);
    put_times(f, y, t, whole);
    const char *path = why_most(t->path);
    fprintf(f, "  %s\n", *path ? path : why_most(t->warps));
}

static void why_add(struct vgpu_times *to, const struct vgpu_times *from) {
    for (int c = 0; c < VGPU_N_CAUSES; c++) {
        to->path[c] += from->path[c];
        to->warps[c] += from->warps[c];
    }
}

static void print_lines(FILE *f, const struct vgpu_why *y,
                        const struct line_table *t,
                        const struct vgpu_times *all,
                        const struct lines_options *o) {
    size_t top = o->top ? o->top : LINES_TOP, n = 0;
    struct line_counts *lines = calloc(t->n + 1, sizeof *lines);
    struct vgpu_times others = {0};
    if (!lines) return;
    memcpy(lines, t->lines, t->n * sizeof *lines);
    qsort(lines, t->n, sizeof *lines, by_line_path);
    heading(f, y, o, "line", "mostly");
    for (; n < t->n && n < top; n++) {
        char name[256];
        if (!why_sum(lines[n].times.path) && !why_sum(lines[n].times.warps))
            break;
        lines_place(lines[n].file, lines[n].line, name, sizeof name);
        why_print_line(f, y, name, &lines[n].times, all);
    }
    for (size_t k = n; k < t->n; k++) why_add(&others, &lines[k].times);
    if (why_sum(others.path) || why_sum(others.warps))
        why_print_line(f, y, "other lines", &others, all);
    free(lines);
}

/* ---- all ---- */

static void print_summary(FILE *f, const struct vgpu_why *y, size_t launches) {
    char kernels[WHY_TIME], between[WHY_TIME], all[WHY_TIME];
    why_time(kernels, y, y->launch_ps);
    why_time(between, y, y->between_ps);
    why_time(all, y, y->device_ps);
    fprintf(f, "\n  Where model time went: %s in %zu launch%s", kernels,
            launches, launches == 1 ? "" : "es");
    if (y->between_ps) fprintf(f, ", %s between them", between);
    if (!y->step_ps) fprintf(f, ", %s with the host's calls", all);
    fputs(".\n  The path is the chain of instructions and messages that sets a "
          "launch's end: without a part of\n  it the launch is shorter by that "
          "much at most.",
          f);
    if (!y->step_ps)
        fputs(" All warps: what each warp's time went to, from its\n  start to "
              "its end. No GPU's time: vgpu/docs/clock.md.",
              f);
    fputs("\n\n", f);
    if (y->cut)
        fprintf(f,
                "  The path of %" PRIu64
                " launch%s is not known: its record was cut.\n\n",
                y->cut, y->cut == 1 ? "" : "es");
}

void why_print(FILE *f, vgpu_device *device, const struct line_table *t,
               const struct lines_options *o) {
    const struct vgpu_why *y = vgpu_why(device);
    const struct vgpu_launch_record *list;
    struct vgpu_times all = y->times;
    size_t n = vgpu_launch_records(device, &list), launches = 0;
    if (!y->launch_ps) return;
    if (o->kernel) all = (struct vgpu_times){0};
    for (size_t k = 0; k < n; k++) {
        if (o->kernel && strcmp(list[k].kernel, o->kernel)) continue;
        if (o->kernel) why_add(&all, &list[k].times);
        launches++;
    }
    print_summary(f, y, launches);
    print_causes(f, y, &all, o);
    fputc('\n', f);
    print_lines(f, y, t, &all, o);
    if (!o->kernel || !strcmp(o->kernel, y->kernel)) chain_print(f, y, o);
}

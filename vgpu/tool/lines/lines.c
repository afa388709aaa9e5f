/* SPDX-License-Identifier: MIT
 *
 * lines.c: see lines.h. The columns are a table; those that are zero in all
 * rows are left out.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean_text.h"
#include "text.h"

const struct lines_column lines_columns[LINES_COLUMNS] = {
    {VGPU_COUNT_THREAD_INSTRUCTIONS, "thread", "instr.", 9},
    {VGPU_COUNT_SHARED_WAVEFRONTS, "shared", "wavefronts", 11},
    {VGPU_COUNT_SHARED_CONFLICTS, "bank", "conflicts", 10},
    {VGPU_COUNT_GLOBAL_READ_SECTORS, "sectors", "read", 8},
    {VGPU_COUNT_GLOBAL_WRITE_SECTORS, "sectors", "written", 8},
    {VGPU_COUNT_ATOMICS, "atomics", "", 8},
    {VGPU_COUNT_BARRIERS, "barriers", "", 9},
    {VGPU_COUNT_DIVERGENT_BRANCHES, "divergent", "branches", 10},
    {VGPU_COUNT_SPIN_INSTRUCTIONS, "spin", "instr.", 8},
};
enum { SHARE_WIDTH = 7, KERNEL_WIDTH = 36 };

/* ---- pieces ---- */

bool lines_colour(FILE *file) {
    const char *no_color = getenv("NO_COLOR");
    return !(no_color && *no_color) && isatty(fileno(file));
}

void lines_number(char out[16], uint64_t n) {
    static const char units[] = "MGTPE";
    double x = (double)n / 1e6;
    int unit = 0;
    if (n < 10000000) {
        snprintf(out, 16, "%" PRIu64, n);
        return;
    }
    for (; x >= 999.95 && units[unit + 1]; unit++) x /= 1000;
    snprintf(out, 16, "%.1f%c", x, units[unit]);
}

void lines_share(char out[16], uint64_t part, uint64_t whole) {
    double percent = whole ? 100.0 * (double)part / (double)whole : 0;
    if (!part)
        *out = '\0';
    else if (percent < 0.1)
        snprintf(out, 16, "<0.1%%");
    else
        snprintf(out, 16, "%.1f%%", percent);
}

/* Tabs are narrower than clean_text's: there is little room. */
size_t lines_put(FILE *f, const char *text, size_t bytes, size_t width) {
    enum { TAB = 4, LONGEST = 4 }; /* of a character, in bytes */
    struct text wide = {0};
    size_t column = 0;
    for (size_t k = 0; k < bytes && wide.size < LONGEST * width; k++) {
        size_t blanks = TAB - column % TAB;
        bool is_tab = text[k] == '\t';
        column += is_tab ? blanks : text_columns(text + k, 1);
        if (is_tab)
            text_add(&wide, "%*s", (int)blanks, "");
        else
            text_add(&wide, "%c", text[k] ? text[k] : '?');
    }
    char *clean = clean_name(text_string(&wide));
    column = 0;
    for (const char *at = clean; at && *at; at++) {
        size_t starts = text_columns(at, 1);
        if (column + starts > width) break;
        column += starts;
        fputc(*at, f);
    }
    free(clean);
    text_free(&wide);
    return column;
}

static void put_left(FILE *f, const char *text, size_t width) {
    size_t done = lines_put(f, text, strlen(text), width);
    fprintf(f, "%*s", (int)(width - done), "");
}

static const char *strong(const struct lines_options *o) {
    return o->colour ? "\033[1m" : "";
}

static const char *plain(const struct lines_options *o) {
    return o->colour ? "\033[0m" : "";
}

static bool lines_is_wanted(const struct lines_options *o, const char *kernel) {
    return !o->kernel || (kernel && strcmp(kernel, o->kernel) == 0);
}

/* ---- gathering ---- */

static int by_place(const void *a, const void *b) {
    const struct line_counts *x = a, *y = b;
    int files = strcmp(x->file ? x->file : "", y->file ? y->file : "");
    if (files) return files;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_heat(const void *a, const void *b) {
    const struct line_counts *x = a, *y = b;
    uint64_t m = x->counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
    uint64_t n = y->counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
    return m != n ? (m < n ? 1 : -1) : by_place(a, b);
}

static void add_counts(uint64_t *to, const uint64_t *from) {
    for (int c = 0; c < VGPU_N_COUNTERS; c++) to[c] += from[c];
}

static void add_line(struct line_counts *to, const struct line_counts *from) {
    add_counts(to->counts, from->counts);
    for (int c = 0; c < VGPU_N_CAUSES; c++) {
        to->times.path[c] += from->times.path[c];
        to->times.warps[c] += from->times.warps[c];
    }
}

bool lines_gather(struct line_table *t, vgpu_device *device,
                  const struct lines_options *o) {
    const struct vgpu_line_record *list;
    size_t n = vgpu_line_records(device, &list), kept = 0;
    *t = (struct line_table){.lines = calloc(n + 1, sizeof *t->lines)};
    if (!t->lines) return false;
    for (size_t i = 0; i < n; i++) {
        if (!lines_is_wanted(o, list[i].kernel)) continue;
        struct line_counts *l = &t->lines[t->n++];
        l->file = list[i].where.file;
        l->line = list[i].where.line;
        memcpy(l->counts, list[i].counts, sizeof l->counts);
        l->times = list[i].times;
        add_counts(t->sum, l->counts);
    }
    qsort(t->lines, t->n, sizeof *t->lines, by_place);
    for (size_t i = 0; i < t->n; i++) { /* one row per line, of all kernels */
        if (kept && by_place(&t->lines[kept - 1], &t->lines[i]) == 0)
            add_line(&t->lines[kept - 1], &t->lines[i]);
        else
            t->lines[kept++] = t->lines[i];
    }
    t->n = kept;
    qsort(t->lines, t->n, sizeof *t->lines, by_heat);
    return true;
}

/* ---- kernels ---- */

struct kernel_row {
    const char *name;
    uint64_t launches, counts[VGPU_N_COUNTERS];
    uint64_t by_kernels; /* of the launches */
    const char *by;      /* the first of these kernels */
};

static size_t gather_kernels(struct kernel_row *rows, vgpu_device *device) {
    const struct vgpu_launch_record *list;
    size_t n = vgpu_launch_records(device, &list), rows_used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < rows_used && strcmp(rows[k].name, list[i].kernel)) k++;
        if (k == rows_used)
            rows[rows_used++] = (struct kernel_row){.name = list[i].kernel};
        rows[k].launches++;
        rows[k].by_kernels += list[i].launched_by != NULL;
        if (!rows[k].by) rows[k].by = list[i].launched_by;
        add_counts(rows[k].counts, list[i].counts);
    }
    return rows_used;
}

static void print_kernel(FILE *f, const struct kernel_row *row,
                         uint64_t whole) {
    static const vgpu_counter shown[] = {VGPU_COUNT_BLOCKS, VGPU_COUNT_THREADS,
                                         VGPU_COUNT_THREAD_INSTRUCTIONS};
    static const int widths[] = {10, 12, 16};
    char text[16];
    fputs("  ", f);
    put_left(f, row->name, KERNEL_WIDTH);
    fprintf(f, "%10" PRIu64, row->launches);
    for (int k = 0; k < 3; k++) {
        lines_number(text, row->counts[shown[k]]);
        fprintf(f, "%*s", widths[k], text);
    }
    lines_share(text, row->counts[VGPU_COUNT_THREAD_INSTRUCTIONS], whole);
    fprintf(f, "%9s\n", text);
}

/* Launches that the host did not ask for. */
static void print_children(FILE *f, const struct kernel_row *row) {
    if (!row->by_kernels) return;
    fputs("  ", f);
    put_left(f, row->name, KERNEL_WIDTH);
    fprintf(f, "%10" PRIu64 " of these by kernels, the first by ",
            row->by_kernels);
    lines_put(f, row->by, strlen(row->by), LINES_WIDTH / 2);
    fputc('\n', f);
}

static bool print_kernels(FILE *f, vgpu_device *device,
                          const struct lines_options *o) {
    const struct vgpu_launch_record *list;
    size_t n = vgpu_launch_records(device, &list);
    struct kernel_row *rows = calloc(n + 1, sizeof *rows);
    uint64_t whole = 0;
    bool found = false;
    if (!rows) return false;
    n = gather_kernels(rows, device);
    for (size_t k = 0; k < n; k++) {
        whole += rows[k].counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
        found |= lines_is_wanted(o, rows[k].name);
    }
    if (found || !o->kernel) {
        fprintf(f, "%s  %-*s%10s%10s%12s%16s%9s%s\n", strong(o), KERNEL_WIDTH,
                "kernel", "launches", "blocks", "threads", "thread instr.",
                "share", plain(o));
        for (size_t k = 0; k < n; k++)
            if (lines_is_wanted(o, rows[k].name))
                print_kernel(f, &rows[k], whole);
        for (size_t k = 0; k < n; k++)
            if (lines_is_wanted(o, rows[k].name)) print_children(f, &rows[k]);
    } else {
        fputs("  no kernel '", f);
        lines_put(f, o->kernel, strlen(o->kernel), LINES_WIDTH / 2);
        fprintf(f, "' was launched%s", n ? "; there were:" : "");
        for (size_t k = 0; k < n; k++) {
            fputc(' ', f);
            put_left(f, rows[k].name, strlen(rows[k].name));
        }
        fputc('\n', f);
    }
    free(rows);
    return found || !o->kernel;
}

/* ---- the table of lines ---- */

void lines_place(const char *file, uint32_t line, char *out, size_t bytes) {
    if (file && line)
        snprintf(out, bytes, "%s:%" PRIu32, text_base(file), line);
    else
        snprintf(out, bytes, "(no line)");
}

static void lines_print_row(FILE *f, const char *name, size_t name_width,
                            const uint64_t *counts, const uint64_t *sum) {
    char text[16];
    fputs("  ", f);
    put_left(f, name, name_width);
    lines_share(text, counts[VGPU_COUNT_THREAD_INSTRUCTIONS],
                sum[VGPU_COUNT_THREAD_INSTRUCTIONS]);
    fprintf(f, "%*s", SHARE_WIDTH, text);
    for (int c = 0; c < LINES_COLUMNS; c++) {
        if (!sum[lines_columns[c].counter]) continue;
        lines_number(text, counts[lines_columns[c].counter]);
        fprintf(f, "%*s", lines_columns[c].width,
                counts[lines_columns[c].counter] ? text : ".");
    }
    fputc('\n', f);
}

static void print_headings(FILE *f, const struct lines_options *o,
                           size_t name_width, const uint64_t *sum) {
    for (int lower = 0; lower < 2; lower++) {
        fprintf(f, "%s  %-*s%*s", strong(o), (int)name_width,
                lower ? "line" : "", SHARE_WIDTH, lower ? "share" : "");
        for (int c = 0; c < LINES_COLUMNS; c++)
            if (sum[lines_columns[c].counter])
                fprintf(f, "%*s", lines_columns[c].width,
                        lower == !*lines_columns[c].lower
                            ? lines_columns[c].upper
                        : lower ? lines_columns[c].lower
                                : "");
        fprintf(f, "%s\n", plain(o));
    }
}

static size_t name_width(const struct line_table *t, size_t rows) {
    size_t room = LINES_WIDTH - 2 - SHARE_WIDTH, longest = sizeof "other lines";
    for (int c = 0; c < LINES_COLUMNS; c++)
        if (t->sum[lines_columns[c].counter])
            room -= (size_t)lines_columns[c].width;
    for (size_t i = 0; i < rows; i++) {
        char name[256];
        lines_place(t->lines[i].file, t->lines[i].line, name, sizeof name);
        if (strlen(name) > longest) longest = strlen(name);
    }
    return longest < room ? longest : room;
}

static void print_table(FILE *f, const struct line_table *t,
                        const struct lines_options *o) {
    size_t rows = o->top ? o->top : LINES_TOP;
    if (rows > t->n) rows = t->n;
    size_t width = name_width(t, rows);
    uint64_t others[VGPU_N_COUNTERS] = {0};
    print_headings(f, o, width, t->sum);
    for (size_t i = 0; i < rows; i++) {
        char name[256];
        lines_place(t->lines[i].file, t->lines[i].line, name, sizeof name);
        lines_print_row(f, name, width, t->lines[i].counts, t->sum);
    }
    for (size_t i = rows; i < t->n; i++) add_counts(others, t->lines[i].counts);
    if (rows < t->n) lines_print_row(f, "other lines", width, others, t->sum);
    if (t->n > 1) lines_print_row(f, "all lines", width, t->sum, t->sum);
}

static void print_left_out(FILE *f, const vgpu_device *device) {
    uint64_t n = vgpu_left_out(device)->thread_instructions;
    char text[16];
    lines_number(text, n);
    if (n)
        fprintf(f,
                "\n  There are too many lines: %s thread instructions are on "
                "lines that are left out.\n",
                text);
}

bool lines_print(FILE *f, vgpu_device *device, const struct lines_options *o) {
    struct line_table t;
    if (!print_kernels(f, device, o) || !lines_gather(&t, device, o))
        return false;
    occupancy_print(f, device, o);
    if (t.n) {
        fputs("\n  Hottest lines. A sector is 32 bytes; atomics count threads, "
              "barriers and branches warps.\n\n",
              f);
        print_table(f, &t, o);
        why_print(f, device, &t, o);
        listing_print(f, &t, o);
    }
    print_left_out(f, device);
    free(t.lines);
    return true;
}

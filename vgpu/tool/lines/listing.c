/* SPDX-License-Identifier: MIT
 *
 * listing.c: the source, with counts in its margin: the lines that count and
 * two around them, the rest left out. A file that cannot be read, or that is
 * no ordinary text of sensible size, is passed over with a word.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"

#include "lines.h"

enum {
    AROUND = 2,
    MARGIN_COLUMNS = 2, /* more leave no room for code */
    HOT_PERCENT = 10,
    NUMBER = 5, /* columns of the line number, the share, a count */
    SHARE = 7,
    CELL = 11
};
/* Programs that nobody trusts name files in their debug information: any number
 * of them, and lines that there are not. */
enum { MOST_BYTES = 4 << 20, MOST_FILES = 64 };

/* What may stand in the margin; the first MARGIN_COLUMNS that the file has. */
static const struct margin {
    vgpu_counter counters[2]; /* summed; twice the same: one */
    const char *title;
} margins[] = {
    {{VGPU_COUNT_SHARED_CONFLICTS, VGPU_COUNT_SHARED_CONFLICTS}, "conflicts"},
    {{VGPU_COUNT_GLOBAL_READ_SECTORS, VGPU_COUNT_GLOBAL_WRITE_SECTORS},
     "sectors"},
    {{VGPU_COUNT_ATOMICS, VGPU_COUNT_ATOMICS}, "atomics"},
    {{VGPU_COUNT_DIVERGENT_BRANCHES, VGPU_COUNT_DIVERGENT_BRANCHES},
     "divergent"},
    {{VGPU_COUNT_SHARED_WAVEFRONTS, VGPU_COUNT_SHARED_WAVEFRONTS},
     "wavefronts"},
    {{VGPU_COUNT_BARRIERS, VGPU_COUNT_BARRIERS}, "barriers"},
};
enum { N_MARGINS = sizeof margins / sizeof *margins };

struct page {
    FILE *out;
    const struct lines_options *options;
    const char *file;
    const struct line_counts **at; /* by line - 1; NULL: no counts */
    size_t n_lines;                /* of the file, at least of the counts */
    uint64_t whole;
    const struct margin *shown[MARGIN_COLUMNS];
    int n_shown;
};

/* ---- the file ---- */

const char *lines_source(const char *file, const char *folder, struct text *t) {
    char path[4096];
    int n = folder
                ? snprintf(path, sizeof path, "%s/%s", folder, text_base(file))
                : snprintf(path, sizeof path, "%s", file);
    if (n < 0 || (size_t)n >= sizeof path) return "its name is too long";
    /* In a submission's folder a link may lead to anybody's file. */
    struct stat status;
    if (folder && lstat(path, &status) != 0)
        return "it is not in the submission";
    if (folder && S_ISLNK(status.st_mode)) return "it is a link";
    return text_read_file(t, path, MOST_BYTES);
}

/* ---- the margin ---- */

static uint64_t count_of(const struct margin *m, const struct line_counts *l) {
    uint64_t n = l->counts[m->counters[0]];
    if (m->counters[1] != m->counters[0]) n += l->counts[m->counters[1]];
    return n;
}

static void choose_margins(struct page *p) {
    for (int k = 0; k < N_MARGINS && p->n_shown < MARGIN_COLUMNS; k++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < p->n_lines; i++)
            if (p->at[i]) sum += count_of(&margins[k], p->at[i]);
        if (sum) p->shown[p->n_shown++] = &margins[k];
    }
}

static const char *paint(const struct page *p, const char *colour) {
    return p->options->colour ? colour : "";
}

static void print_margin(const struct page *p, size_t number,
                         const struct line_counts *l) {
    char text[16] = "";
    if (l)
        lines_share(text, l->counts[VGPU_COUNT_THREAD_INSTRUCTIONS], p->whole);
    fprintf(p->out, "%*zu%*s", NUMBER, number, SHARE, text);
    for (int k = 0; k < p->n_shown; k++) {
        uint64_t n = l ? count_of(p->shown[k], l) : 0;
        bool bad = p->shown[k]->counters[0] == VGPU_COUNT_SHARED_CONFLICTS;
        *text = '\0';
        if (n) lines_number(text, n);
        fprintf(p->out, "%s%*s%s", n && bad ? paint(p, "\033[31m") : "", CELL,
                text, n && bad ? paint(p, "\033[39m") : "");
    }
}

/* Where the file was looked for. */
static void print_name(const struct page *p) {
    const char *folder = p->options->folder;
    const char *name = folder ? text_base(p->file) : p->file;
    size_t width = LINES_WIDTH - 40; /* for what may follow */
    if (folder) width -= lines_put(p->out, folder, strlen(folder), width / 2);
    if (folder) fputc('/', p->out);
    lines_put(p->out, name, strlen(name), width);
}

static void print_heading(const struct page *p) {
    fprintf(p->out, "\n%s", paint(p, "\033[1m"));
    print_name(p);
    fprintf(p->out, "%s\n%s%*s%*s", paint(p, "\033[0m"), paint(p, "\033[1m"),
            NUMBER, "line", SHARE, "share");
    for (int k = 0; k < p->n_shown; k++)
        fprintf(p->out, "%*s", CELL, p->shown[k]->title);
    fprintf(p->out, "%s\n", paint(p, "\033[0m"));
}

static void listing_print_line(const struct page *p, size_t index,
                               const char *text, size_t bytes) {
    const struct line_counts *l = p->at[index];
    size_t used = NUMBER + SHARE + (size_t)(CELL * p->n_shown) + 3;
    bool hot = l && l->counts[VGPU_COUNT_THREAD_INSTRUCTIONS] * 100 >=
                        p->whole * HOT_PERCENT;
    while (bytes && (text[bytes - 1] == ' ' || text[bytes - 1] == '\r'))
        bytes--;
    fputs(!l ? paint(p, "\033[2m") : hot ? paint(p, "\033[1m") : "", p->out);
    print_margin(p, index + 1, l);
    fputs(bytes ? " | " : " |", p->out);
    lines_put(p->out, text, bytes, LINES_WIDTH - used);
    fprintf(p->out, "%s\n", paint(p, "\033[0m"));
}

/* ---- pages ---- */

static bool is_near(const struct page *p, size_t index) {
    size_t first = index > AROUND ? index - AROUND : 0;
    for (size_t k = first; k <= index + AROUND && k < p->n_lines; k++)
        if (p->at[k]) return true;
    return false;
}

static void print_text(const struct page *p, const struct text *t) {
    const char *at = t->bytes, *end = t->bytes + t->size;
    bool left_out = false;
    for (size_t index = 0; at < end && index < p->n_lines; index++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((newline ? newline : end) - at);
        if (is_near(p, index)) {
            if (left_out) fputs("   ...\n", p->out);
            listing_print_line(p, index, at, bytes);
            left_out = false;
        } else {
            left_out = true;
        }
        at += bytes + (newline != NULL);
    }
}

static void print_page(struct page *p, const struct line_table *t) {
    struct text text = {0};
    for (size_t i = 0; i < t->n; i++) {
        const struct line_counts *l = &t->lines[i];
        if (l->line && l->file && strcmp(l->file, p->file) == 0)
            p->at[l->line - 1] = l;
    }
    const char *why = lines_source(p->file, p->options->folder, &text);
    if (why) {
        fputs("\n  ", p->out);
        print_name(p);
        fprintf(p->out, " is not shown: %s\n", why);
        return;
    }
    size_t there = 1;
    for (size_t k = 0; k < text.size; k++) there += text.bytes[k] == '\n';
    if (p->n_lines > there) p->n_lines = there;
    choose_margins(p);
    print_heading(p);
    print_text(p, &text);
    text_free(&text);
}

/* Lines of the file that have counts end here; 0: it claims to be longer than
 * any file shown. */
static size_t last_line(const struct line_table *t, const char *file) {
    size_t last = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct line_counts *l = &t->lines[i];
        if (!l->file || strcmp(l->file, file) != 0) continue;
        if (l->line > MOST_BYTES) return 0;
        if (l->line > last) last = l->line;
    }
    return last;
}

static bool is_in(const char *const *files, size_t n, const char *file) {
    for (size_t k = 0; k < n; k++)
        if (files[k] == file || strcmp(files[k], file) == 0) return true;
    return false;
}

static void print_file(FILE *out, const struct line_table *t, const char *file,
                       const struct lines_options *options) {
    size_t n = last_line(t, file);
    if (!n) return;
    struct page p = {.out = out,
                     .options = options,
                     .file = file,
                     .at = calloc(n + AROUND, sizeof *p.at),
                     .n_lines = n + AROUND,
                     .whole = t->sum[VGPU_COUNT_THREAD_INSTRUCTIONS]};
    if (p.at) print_page(&p, t);
    free(p.at);
}

void listing_print(FILE *out, const struct line_table *t,
                   const struct lines_options *options) {
    const char *files[MOST_FILES];
    size_t n_files = 0;
    bool unknown = false, more = false;
    for (size_t i = 0; i < t->n; i++) {
        const char *file = t->lines[i].file;
        unknown |= !t->lines[i].line;
        if (!file || more || is_in(files, n_files, file)) continue;
        more = n_files == MOST_FILES;
        if (more) continue;
        files[n_files++] = file;
        print_file(out, t, file, options);
    }
    if (more)
        fprintf(out, "\n  Only the %d hottest files are shown.\n", MOST_FILES);
    if (unknown)
        fputs("\n  (no line): built without -lineinfo, or in a library\n", out);
}

/* SPDX-License-Identifier: MIT
 *
 * source_make.c: see source_view.h.
 */
#include "source_view.h"

#include <lines.h>
#include <stdlib.h>
#include <string.h>

#include "why_words.h"

/* ---- lines ---- */

static bool copy_lines(struct source_view *v, const struct line_table *t) {
    v->lines = calloc(t->n + 1, sizeof *v->lines);
    if (!v->lines) return false;
    for (size_t i = 0; i < t->n; i++) {
        struct source_line *to = &v->lines[v->n++];
        const struct line_counts *from = &t->lines[i];
        if (from->file && from->line) {
            to->file = strdup(text_base(from->file));
            to->line = from->line;
            if (!to->file) return false;
        }
        memcpy(to->counts, from->counts, sizeof to->counts);
        to->times = from->times;
        for (int c = 0; c < VGPU_N_CAUSES; c++) {
            v->times.path[c] += from->times.path[c];
            v->times.warps[c] += from->times.warps[c];
        }
    }
    return true;
}

/* Lines in the order of their files. */
static int by_place(const void *a, const void *b) {
    const struct source_line *x = *(struct source_line *const *)a;
    const struct source_line *y = *(struct source_line *const *)b;
    int files = strcmp(x->file ? x->file : "", y->file ? y->file : "");
    if (files) return files;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_path(const void *a, const void *b) {
    const struct source_line *x = a, *y = b;
    uint64_t m = why_sum(x->times.path), n = why_sum(y->times.path);
    if (m != n) return m < n ? 1 : -1;
    m = why_sum(x->times.warps), n = why_sum(y->times.warps);
    if (m != n) return m < n ? 1 : -1;
    return by_place(&x, &y);
}

/* Few lines are chosen, one after the other; the others are freed. */
static void keep_most(struct source_view *v, vgpu_counter by, size_t most) {
    for (size_t k = 0; k < most && k < v->n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < v->n; i++)
            if (v->lines[i].counts[by] > v->lines[best].counts[by]) best = i;
        struct source_line line = v->lines[k];
        v->lines[k] = v->lines[best];
        v->lines[best] = line;
    }
    while (v->n > most || (v->n && !v->lines[v->n - 1].counts[by]))
        free(v->lines[--v->n].file);
}

static void find_most(struct source_view *v) {
    for (size_t i = 0; i < v->n; i++)
        for (int c = 0; c < VGPU_N_COUNTERS; c++)
            if (v->lines[i].counts[c] > v->most[c])
                v->most[c] = v->lines[i].counts[c];
}

/* ---- PTX ---- */

struct finding_ptx {
    struct source_view *view;
    struct source_line **by_place;
    struct source_line *last; /* most instructions are of the same line */
    size_t told, bytes;
};

static struct source_line *line_at(const struct finding_ptx *p,
                                   const char *file, uint32_t line) {
    struct source_line key = {.file = (char *)file, .line = line}, *at = &key;
    if (p->last && by_place(&at, &p->last) == 0) return p->last;
    struct source_line **found =
        bsearch(&at, p->by_place, p->view->n, sizeof *p->by_place, by_place);
    return found ? *found : NULL;
}

static bool take_ptx(void *user, const char *function,
                     const struct vgpu_source *where, const char *ptx) {
    struct finding_ptx *p = user;
    (void)function;
    if (p->told++ == SOURCE_PTX_ALL || p->bytes > SOURCE_PTX_BYTES) {
        p->view->ptx_is_cut = true;
        return false;
    }
    if (!where->file || !where->line) return true;
    struct source_line *line = line_at(p, text_base(where->file), where->line);
    if (!line) return true;
    p->last = line;
    if (line->n_ptx++ < SOURCE_PTX) {
        text_add(&line->ptx, "%s\n", ptx);
        p->bytes += strlen(ptx);
    }
    return true;
}

static bool add_ptx(struct source_view *v, vgpu_device *device) {
    struct finding_ptx p = {.view = v,
                            .by_place = calloc(v->n + 1, sizeof *p.by_place)};
    if (!p.by_place) return false;
    for (size_t i = 0; i < v->n; i++) p.by_place[i] = &v->lines[i];
    qsort(p.by_place, v->n, sizeof *p.by_place, by_place);
    vgpu_tell_ptx(device, take_ptx, &p);
    free(p.by_place);
    return true;
}

/* ---- findings ---- */

void source_note(struct source_view *v, const char *file, uint32_t line,
                 const char *text) {
    if (!file || !line || !text) return;
    file = text_base(file);
    for (size_t i = 0; i < v->n_notes; i++)
        if (v->notes[i].line == line && !strcmp(v->notes[i].file, file) &&
            !strcmp(v->notes[i].text, text))
            return;
    if (v->n_notes == SOURCE_NOTES) {
        v->notes_left_out++;
        return;
    }
    struct source_note *more =
        realloc(v->notes, (v->n_notes + 1) * sizeof *more);
    if (!more) return;
    v->notes = more;
    struct source_note note = {strdup(file), strdup(text), line};
    if (note.file && note.text) {
        v->notes[v->n_notes++] = note;
        return;
    }
    free(note.file);
    free(note.text);
}

static void add_notes(struct source_view *v, const vgpu_device *device) {
    const struct vgpu_finding *list;
    size_t n = vgpu_findings(device, &list);
    for (size_t i = 0; i < n; i++) {
        const struct vgpu_finding *f = &list[i];
        char *said = vgpu_message_text(&f->message, NULL);
        if (said) source_note(v, f->where.file, f->where.line, said);
        free(said);
        if (!f->has_other || f->other_where.line == f->where.line) continue;
        char *other = text_format("the earlier access of the race at %s:%u",
                                  f->where.file ? text_base(f->where.file) : "",
                                  f->where.line);
        source_note(v, f->other_where.file, f->other_where.line, other);
        free(other);
    }
    v->notes_left_out += vgpu_left_out(device)->findings;
}

/* ---- together ---- */

struct source_view *source_make(vgpu_device *device, const char *kernel,
                                vgpu_counter by, size_t most) {
    const struct lines_options options = {.kernel = kernel};
    const struct vgpu_launch_record *launches;
    const struct vgpu_why *why = vgpu_why(device);
    struct source_view *v = calloc(1, sizeof *v);
    struct line_table t = {0};
    bool made =
        v && lines_gather(&t, device, &options) && t.n && copy_lines(v, &t);
    if (made) {
        memcpy(v->sum, t.sum, sizeof v->sum);
        v->by = by;
        v->launches = vgpu_launch_records(device, &launches);
        v->has_times = why->launch_ps != 0;
        v->launch_ps = why->launch_ps;
        v->step_ps = why->step_ps;
        v->left_out = vgpu_left_out(device)->thread_instructions;
    }
    if (made && most) keep_most(v, by, most);
    if (made) find_most(v);
    if (made && !most) {
        if (v->has_times) qsort(v->lines, v->n, sizeof *v->lines, by_path);
        made = add_ptx(v, device);
        add_notes(v, device);
    }
    free(t.lines);
    if (made) return v;
    source_free(v);
    return NULL;
}

void source_free(struct source_view *v) {
    if (!v) return;
    for (size_t i = 0; i < v->n; i++) {
        free(v->lines[i].file);
        text_free(&v->lines[i].ptx);
    }
    for (size_t i = 0; i < v->n_notes; i++) {
        free(v->notes[i].file);
        free(v->notes[i].text);
    }
    free(v->lines);
    free(v->notes);
    timeline_view_free(v->timeline);
    free(v);
}

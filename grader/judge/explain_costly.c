/* SPDX-License-Identifier: MIT
 *
 * explain_costly.c: which kernels make a count that is over its bound, and
 * which of their lines. See explain.h.
 */
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "text.h"

enum { FEW = 5 }; /* one of so many is not worth a look */

/* ---- kernels ---- */

enum { KERNELS = 32 };
struct maker {
    const char *kernel;
    uint64_t sum, blocks;
};

static struct maker *maker_of(struct maker *list, size_t *n, const char *name) {
    size_t i = 0;
    while (i < *n && strcmp(list[i].kernel, name) != 0) i++;
    if (i == KERNELS) return NULL;
    if (i == *n) list[(*n)++] = (struct maker){.kernel = name};
    return &list[i];
}

static int by_sum(const void *a, const void *b) {
    const struct maker *x = a, *y = b;
    return x->sum < y->sum ? 1 : x->sum > y->sum ? -1 : 0;
}

/* What launches count together; of the deepest launch, that one. */
static size_t explain_costly_add(const struct harness *h, vgpu_counter c,
                                 struct maker *list) {
    const struct vgpu_launch_record *records;
    size_t n = vgpu_launch_records(h->vgpu, &records), n_list = 0;
    for (size_t i = 0; i < n; i++) {
        struct maker *m = records[i].kernel
                              ? maker_of(list, &n_list, records[i].kernel)
                              : NULL;
        uint64_t count = records[i].counts[c];
        if (!m) continue;
        m->blocks += records[i].counts[VGPU_COUNT_BLOCKS];
        if (c != VGPU_COUNT_DEEPEST_LAUNCH)
            m->sum += count;
        else if (count > m->sum)
            m->sum = count;
    }
    qsort(list, n_list, sizeof *list, by_sum);
    return n_list;
}

/* What the launches count of a counter that they have not themselves. */
static vgpu_counter of_launches(vgpu_counter c) {
    switch ((int)c) {
    case VGPU_COUNT_USEFUL_LAUNCHES: return VGPU_COUNT_LAUNCHES;
    case VGPU_COUNT_USEFUL_THREADS: return VGPU_COUNT_THREADS;
    case VGPU_COUNT_USEFUL_DATA_OPS: return VGPU_COUNT_DATA_OPS;
    case VGPU_COUNT_UNREAD_WORDS: return VGPU_COUNT_GLOBAL_WRITE_BYTES;
    default: return c;
    }
}

/* Does their number, or how many blocks they have, make the count? */
static bool is_of_launches(vgpu_counter c) {
    return c >= VGPU_COUNT_LAUNCHES && c <= VGPU_COUNT_THREADS;
}

static bool costly_of_clock(vgpu_counter c) {
    return c >= VGPU_COUNT_DEPTH && c <= VGPU_COUNT_MODEL_NS;
}

static void keep_makers(const struct maker *list, size_t n, struct outcome *o) {
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) all += list[i].sum;
    for (size_t i = 0; i < n && i < OUTCOME_MAKERS && all; i++)
        if (list[i].sum >= all / FEW)
            o->makers[i] = text_format("%s", list[i].kernel);
}

/* ---- lines ---- */

/* What of a line makes it costly: of the clock what its kernel issues most, of
 * messages where it waits for one. */
static vgpu_counter of_lines(vgpu_counter c) {
    if (c == VGPU_COUNT_LONGEST_CHAIN || c == VGPU_COUNT_LINK_CHAIN)
        return VGPU_COUNT_SPIN_INSTRUCTIONS;
    return costly_of_clock(c) ? VGPU_COUNT_WARP_INSTRUCTIONS : c;
}

static bool is_line(const struct vgpu_line_record *r, const char *kernel) {
    return r->where.file && r->where.line &&
           !vgpu_is_toolkit_file(r->where.file) &&
           (!kernel || (r->kernel && strcmp(r->kernel, kernel) == 0));
}

static struct place costly_at(const struct vgpu_source *s) {
    struct place p = {.file = text_format("%s", text_base(s->file)),
                      .line = s->line,
                      .called = s->called,
                      .has_thread = true};
    memcpy(p.outer, s->outer, sizeof p.outer);
    return p;
}

/* Records of one line, added up. */
struct costly_line {
    const struct vgpu_source *at;
    uint64_t sum;
};

static int by_line(const void *a, const void *b) {
    const struct costly_line *x = a, *y = b;
    int files = strcmp(x->at->file, y->at->file);
    if (files) return files;
    return x->at->line < y->at->line ? -1 : x->at->line > y->at->line;
}

static int by_cost(const void *a, const void *b) {
    const struct costly_line *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? 1 : -1;
    return by_line(a, b);
}

/* The kernel's lines, or all kernels', the costliest first; NULL: none. */
static struct costly_line *costly_lines(const struct harness *h, vgpu_counter c,
                                        const char *kernel, size_t *n) {
    const struct vgpu_line_record *from;
    size_t n_from = vgpu_line_records(h->vgpu, &from), all = 0, k = 0;
    struct costly_line *list = calloc(n_from + 1, sizeof *list);
    for (size_t i = 0; list && i < n_from; i++)
        if (is_line(&from[i], kernel) && from[i].counts[c])
            list[all++] =
                (struct costly_line){&from[i].where, from[i].counts[c]};
    if (all) qsort(list, all, sizeof *list, by_line);
    for (size_t i = 1; i < all; i++)
        if (by_line(&list[k], &list[i]) == 0)
            list[k].sum += list[i].sum;
        else
            list[++k] = list[i];
    *n = all ? k + 1 : 0;
    if (all) qsort(list, *n, sizeof *list, by_cost);
    return list;
}

/* A lane that works alone where all could is the reason of a depth. */
static size_t keep_lane(struct outcome *o) {
    for (size_t i = 0; i < o->n_facts; i++) {
        const struct fact *f = &o->facts[i];
        if (f->row != FACT_ONE_LANE || !f->values[1].u) continue;
        o->costly[0] =
            (struct place){.file = text_format("%s", f->values[0].text),
                           .line = (unsigned)f->values[1].u,
                           .has_thread = true};
        return 1;
    }
    return 0;
}

static void keep_lines(const struct harness *h, vgpu_counter c,
                       struct outcome *o) {
    const char *kernel = costly_of_clock(c) ? o->makers[0] : NULL;
    bool of_chain = c == VGPU_COUNT_LONGEST_CHAIN || c == VGPU_COUNT_LINK_CHAIN;
    bool of_depth = c == VGPU_COUNT_DEPTH || c == VGPU_COUNT_DEEPEST_LAUNCH;
    size_t most = of_chain ? 1 : OUTCOME_COSTLY, n,
           kept = of_depth ? keep_lane(o) : 0;
    struct costly_line *list = costly_lines(h, of_lines(c), kernel, &n);
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) all += list[i].sum;
    for (size_t i = 0; i < n && kept < most; i++) {
        if (list[i].sum < all / FEW) break;
        if (kept && o->costly[0].line == list[i].at->line) continue;
        o->costly[kept++] = costly_at(list[i].at);
    }
    o->costly_waits = of_chain && kept;
    free(list);
}

void explain_costly(const struct harness *h, vgpu_counter c,
                    struct outcome *o) {
    struct maker list[KERNELS] = {{0}};
    vgpu_counter by = of_launches(c);
    size_t n = explain_costly_add(h, by, list);
    keep_makers(list, n, o);
    if (!is_of_launches(by)) keep_lines(h, by, o);
    o->grid_matters |= costly_of_clock(c) && n && list[0].blocks == 1;
    o->launches_matter = is_of_launches(by) || o->grid_matters ||
                         (costly_of_clock(c) && !o->costly[0].file);
}

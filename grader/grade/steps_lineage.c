/* SPDX-License-Identifier: MIT
 *
 * steps_lineage.c: from which lines the first wrong value came.
 */
#include <stdlib.h>
#include <string.h>

#include "steps_parts.h"

enum { LOOKED_AT = 400 };

/* The last write to a byte of the array; UINT32_MAX: none. */
static uint32_t last_write_at(const struct steps_view *v,
                              const struct steps_cell *c) {
    const struct vgpu_steps *s = &v->seen;
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k < s->n_writes; k++) {
        const struct vgpu_write *w = &s->writes[k];
        const struct vgpu_array *a = &s->arrays[w->array];
        if (w->writer != VGPU_WRITER_BEFORE && w->at <= c->at &&
            c->at < (uint64_t)w->at + w->bytes &&
            a->kind == VGPU_ARRAY_GLOBAL && strcmp(a->name, c->array) == 0)
            last = k;
    }
    return last;
}

/* The write at which the way back begins; UINT32_MAX: none. */
static uint32_t begin_of(const struct steps_view *v,
                         const struct steps_cell *cell) {
    if (cell) return last_write_at(v, cell);
    if (v->fault && v->fault != FAULT_NO_WRITE && !v->answer_in)
        return v->fault_write;
    if (v->n_wrong && v->last_write && v->first_wrong < v->n_expected &&
        v->last_write[v->first_wrong])
        return v->last_write[v->first_wrong] - 1;
    return UINT32_MAX;
}

static bool steps_lineage_is_same(const struct vgpu_place *a,
                                  const struct vgpu_place *b) {
    return a->line == b->line && a->called == b->called;
}

static size_t steps_lineage_add(const struct steps_view *v, uint32_t place,
                                const struct vgpu_place *to[], size_t n,
                                size_t most) {
    if (place >= v->seen.n_places || n == most) return n;
    const struct vgpu_place *p = &v->seen.places[place];
    if (!p->file || !p->line) return n;
    for (size_t i = 0; i < n; i++)
        if (steps_lineage_is_same(to[i], p)) return n;
    to[n] = p;
    return n + 1;
}

struct way {
    uint32_t writes[LOOKED_AT];
    size_t n;
};

static void go(struct way *w, const struct steps_view *v, uint32_t write) {
    uint8_t by = v->seen.writes[write].writer;
    if (by == VGPU_WRITER_BEFORE || w->n == LOOKED_AT) return;
    for (size_t i = w->n; i-- > 0;)
        if (w->writes[i] == write) return;
    w->writes[w->n++] = write;
}

size_t steps_lineage(const struct steps_view *v, const struct steps_cell *cell,
                     const struct vgpu_place *to[], size_t most) {
    uint32_t begin = begin_of(v, cell);
    struct way *way = begin == UINT32_MAX ? NULL : calloc(1, sizeof *way);
    size_t n = 0;
    if (way) go(way, v, begin);
    for (size_t i = 0; way && i < way->n && n < most; i++) {
        const struct vgpu_write *w = &v->seen.writes[way->writes[i]];
        bool of_kernel =
            w->writer >= VGPU_WRITER_STORE && w->writer <= VGPU_WRITER_SHUFFLE;
        if (of_kernel && w->made)
            n = steps_lineage_add(v, w->made - 1, to, n, most);
        if (of_kernel) n = steps_lineage_add(v, w->place, to, n, most);
        for (uint32_t f = w->n_feeds; f-- > 0;) /* the last one first */
            go(way, v, v->seen.feeds[w->feed + f].write);
    }
    free(way);
    return n;
}

/* The host wrote it: which of its copies; 0: a kernel did, or it is not known.
 */
static uint32_t copy_of(const struct steps_view *v, uint32_t write) {
    const struct vgpu_write *w = &v->seen.writes[write];
    bool of_host =
        w->writer == VGPU_WRITER_COPY || w->writer == VGPU_WRITER_FILL;
    return of_host && w->made <= v->seen.n_copies ? w->made : 0;
}

static size_t add_copy(uint32_t copy, uint32_t to[], size_t n, size_t most) {
    for (size_t i = 0; i < n; i++)
        if (to[i] == copy) return n;
    if (copy && n < most) to[n++] = copy;
    return n;
}

/* The last of the host's that wrote to the output's array at all. */
static uint32_t last_copy(const struct steps_view *v) {
    uint32_t copy = 0;
    for (uint32_t k = 0; k < v->seen.n_writes; k++)
        if ((int32_t)v->seen.writes[k].array == v->out_array && copy_of(v, k))
            copy = copy_of(v, k);
    return copy;
}

size_t steps_lineage_copies(const struct steps_view *v,
                            const struct steps_cell *cell, uint32_t to[],
                            size_t most) {
    uint32_t begin = begin_of(v, cell);
    struct way *way = calloc(1, sizeof *way);
    size_t n = 0;
    if (way && begin != UINT32_MAX) go(way, v, begin);
    if (begin == UINT32_MAX && !cell) n = add_copy(last_copy(v), to, n, most);
    for (size_t i = 0; way && i < way->n && n < most; i++) {
        const struct vgpu_write *w = &v->seen.writes[way->writes[i]];
        n = add_copy(copy_of(v, way->writes[i]), to, n, most);
        for (uint32_t f = w->n_feeds; f-- > 0;)
            go(way, v, v->seen.feeds[w->feed + f].write);
    }
    free(way);
    return n;
}

const struct vgpu_steps_launch *
steps_lineage_launch(const struct steps_view *v,
                     const struct steps_cell *cell) {
    uint32_t begin = begin_of(v, cell);
    if (begin == UINT32_MAX) return NULL;
    uint32_t step = v->seen.writes[begin].step;
    uint32_t launch = step < v->seen.n_steps ? v->seen.steps[step].launch : 0;
    return launch && launch <= v->seen.n_launches
               ? &v->seen.launches[launch - 1]
               : NULL;
}

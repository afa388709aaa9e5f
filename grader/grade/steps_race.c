/* SPDX-License-Identifier: MIT
 *
 * steps_race.c: the read that a race has made wrong.
 *
 * A read is a candidate where nothing orders it and a write of another thread
 * to the same cell, in the lines that racecheck found, or where weak memory
 * showed it an older value. Which of two orders is the right one the
 * recording alone cannot say; another recording of the same call can, in whose
 * order the answer is right: there the same load (of the same thread, in the
 * same line, the k-th) found another value. Without one it is guilty if it
 * found what was written too early over something that was known, or a cell
 * that nobody had written yet. The first guilty one whose value goes into a
 * wrong output is it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps_parts.h"

void steps_race_lines(struct steps_view *v, const vgpu_device *device) {
    const struct vgpu_finding *list;
    size_t n = vgpu_findings(device, &list);
    for (size_t k = 0; k < n && v->n_races < STEPS_RACES; k++)
        if (list[k].kind == VGPU_FINDING_SHARED_RACE ||
            list[k].kind == VGPU_FINDING_GLOBAL_RACE)
            v->races[v->n_races++] = (struct steps_race_lines){
                list[k].where.line, list[k].other_where.line};
}

static bool races(const struct steps_view *v, uint32_t place) {
    uint32_t line = place < v->seen.n_places ? v->seen.places[place].line : 0;
    for (size_t k = 0; line && k < v->n_races; k++)
        if (v->races[k].here == line || v->races[k].there == line) return true;
    return false;
}

uint32_t *steps_successors(const struct steps_view *v) {
    uint32_t *of = calloc(v->seen.n_writes + 1, sizeof *of);
    for (uint32_t k = 0; of && k < v->seen.n_writes; k++)
        if (v->seen.writes[k].over) of[v->seen.writes[k].over - 1] = k + 1;
    return of;
}

/* No barrier lies between the read and the write of another thread. */
static bool is_unordered(const struct steps_view *v, const struct vgpu_read *r,
                         uint32_t write) {
    const struct vgpu_write *w = &v->seen.writes[write];
    if (w->writer != VGPU_WRITER_STORE && w->writer != VGPU_WRITER_ATOMIC)
        return false;
    const struct vgpu_step *s = &v->seen.steps[w->step];
    if (s->launch != r->launch) return false;
    if (!races(v, r->place) && !races(v, w->place)) return false;
    return s->block != r->block ||
           (w->thread != r->thread && s->n_ordered == r->n_ordered);
}

/* Is it a candidate, and because of which write? */
static enum steps_guilt guilt_of(const struct steps_view *v,
                                 const uint32_t *successors,
                                 const struct vgpu_read *r, uint32_t *other) {
    uint32_t next = successors[r->write];
    *other = next - 1;
    if (next && next - 1 < r->before &&
        v->seen.writes[next - 1].writer != VGPU_WRITER_BEFORE)
        return GUILT_OLD;
    if (next && is_unordered(v, r, next - 1)) return GUILT_EARLY;
    *other = r->write;
    return is_unordered(v, r, r->write) ? GUILT_LATE : GUILT_NONE;
}

/* ---- the same loads of another recording ---- */

struct load {
    uint32_t launch, thread, line, number, at;
    uint64_t block;
};

static int by_load(const void *a, const void *b) {
    const struct load *x = a, *y = b;
#define BY(field)                                                              \
    if (x->field != y->field) return x->field < y->field ? -1 : 1;
    BY(launch)
    BY(block)
    BY(thread)
    BY(line)
    BY(number)
    BY(at)
#undef BY
    return 0;
}

/* Sorted; equal ones are numbered in the order in which they happened. */
static struct load *loads_of(const struct steps_view *v) {
    struct load *list = calloc(v->seen.n_reads + 1, sizeof *list);
    for (uint32_t k = 0; list && k < v->seen.n_reads; k++) {
        const struct vgpu_read *r = &v->seen.reads[k];
        list[k] = (struct load){.launch = r->launch,
                                .thread = r->thread,
                                .line = v->seen.places[r->place].line,
                                .at = k,
                                .block = r->block};
    }
    if (!list) return NULL;
    qsort(list, v->seen.n_reads, sizeof *list, by_load);
    for (uint32_t k = 1; k < v->seen.n_reads; k++) {
        struct load like = list[k - 1];
        uint32_t number = like.number + 1;
        like.number = list[k].number;
        like.at = list[k].at;
        if (by_load(&like, &list[k]) == 0) list[k].number = number;
    }
    return list;
}

/* Of each read, the right recording's, and 1; 0: it has none. NULL: no memory.
 */
static uint32_t *matches_of(const struct steps_view *v) {
    struct load *ours = loads_of(v), *right = loads_of(v->right);
    uint32_t *of = calloc(v->seen.n_reads + 1, sizeof *of);
    uint32_t i = 0, k = 0;
    while (ours && right && of && i < v->seen.n_reads &&
           k < v->right->seen.n_reads) {
        struct load like = right[k];
        like.at = ours[i].at;
        int order = by_load(&ours[i], &like);
        if (order == 0) of[ours[i].at] = right[k].at + 1;
        i += order <= 0;
        k += order >= 0;
    }
    free(ours);
    free(right);
    return of;
}

/* ---- is it guilty? ---- */

static bool is_known(const struct steps_view *v, uint32_t write) {
    const struct vgpu_write *w = &v->seen.writes[write];
    return w->writer != VGPU_WRITER_BEFORE || (int32_t)w->array == v->in_array;
}

/* What the cell held before this launch's unordered writes to it. */
static uint32_t before_all(const struct steps_view *v,
                           const struct vgpu_read *r, uint32_t write) {
    while (is_unordered(v, r, write) && v->seen.writes[write].over)
        write = v->seen.writes[write].over - 1;
    return write;
}

/* Compared with the other recording's load; or, without one, by what it found.
 */
static bool is_guilty(const struct steps_view *v, struct steps_guilty *g,
                      const uint32_t *matches) {
    const struct vgpu_read *r = &v->seen.reads[g->read];
    if (matches) {
        if (!matches[g->read]) return false;
        const struct steps_view *right = v->right;
        uint32_t is = right->seen.reads[matches[g->read] - 1].write;
        steps_value(right, is, g->honest);
        return right->seen.writes[is].value != v->seen.writes[r->write].value;
    }
    uint32_t is =
        g->guilt == GUILT_LATE ? before_all(v, r, g->other) : g->other;
    steps_value(v, is, g->honest);
    bool differs = v->seen.writes[is].value != v->seen.writes[r->write].value;
    return differs && is != r->write &&
           (g->guilt == GUILT_LATE    ? is_known(v, is)
            : g->guilt == GUILT_EARLY ? !is_known(v, r->write)
                                      : true);
}

/* The reader's next write that is made of it. UINT32_MAX: there is none. */
static uint32_t damaged_by(const struct steps_view *v,
                           const struct vgpu_read *r) {
    for (uint32_t k = r->before; k < v->seen.n_writes; k++) {
        const struct vgpu_write *w = &v->seen.writes[k];
        const struct vgpu_step *s = &v->seen.steps[w->step];
        if (w->writer == VGPU_WRITER_BEFORE || w->thread != r->thread ||
            s->launch != r->launch || s->block != r->block)
            continue;
        for (uint32_t f = 0; f < w->n_feeds; f++)
            if (v->seen.feeds[w->feed + f].write == r->write) return k;
    }
    return UINT32_MAX;
}

void steps_find_guilty(struct steps_view *v) {
    if (!v->n_wrong || v->answer_in || v->seen.is_cut || v->seen.reads_cut)
        return;
    uint32_t *next = steps_successors(v);
    uint32_t *matches = v->right ? matches_of(v) : NULL;
    for (uint32_t k = 0; next && k < v->seen.n_reads; k++) {
        struct steps_guilty g = {.read = k};
        g.guilt = guilt_of(v, next, &v->seen.reads[k], &g.other);
        if (!g.guilt || !is_guilty(v, &g, matches)) continue;
        uint32_t damaged = damaged_by(v, &v->seen.reads[k]);
        if (damaged == UINT32_MAX || (v->leads && !v->leads[damaged])) continue;
        v->guilty = g;
        v->fault = FAULT_RACE;
        v->fault_write = damaged;
        break;
    }
    free(next);
    free(matches);
}

void steps_compare(struct steps_view *v, struct steps_view *right) {
    steps_free_view(v->right);
    v->right = right;
    if (right->seen.is_cut || right->seen.reads_cut) return;
    v->guilty = (struct steps_guilty){0};
    v->fault = v->plain_fault;
    v->fault_write = v->plain_write;
    steps_find_guilty(v);
}

/* SPDX-License-Identifier: MIT
 *
 * timeline_view.c: see timeline_view.h.
 */
#include "timeline_view.h"

#include <stdlib.h>
#include <string.h>
#include <vgpu.h>

enum { NS = 1000, MOST_WARPS = 32, NO_ROW = -1 };
_Static_assert((int)VGPU_N_CAUSES <= (int)TIMELINE_CAUSES, "room");

struct timeline_making {
    const struct vgpu_timeline *t;
    struct timeline_view *v;
    uint64_t begin; /* ps */
};

static uint64_t timeline_ns(const struct timeline_making *m, uint64_t ps) {
    return ps > m->begin ? (ps - m->begin) / NS : 0;
}

/* ---- which launch ---- */

/* The launch that took the longest model time; NULL: nothing was launched. */
static const struct vgpu_span *timeline_longest(const struct vgpu_timeline *t) {
    const struct vgpu_span *best = NULL;
    for (size_t k = 0; k < t->n[VGPU_TRACK_QUEUE]; k++) {
        const struct vgpu_span *s = &t->spans[VGPU_TRACK_QUEUE][k];
        if (s->launch && (!best || s->to - s->from > best->to - best->from))
            best = s;
    }
    return best;
}

/* ---- blocks ---- */

static int timeline_row(const struct timeline_view *v, uint32_t block) {
    size_t low = 0, high = v->n_blocks;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (v->blocks[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->n_blocks && v->blocks[low].block == block ? (int)low
                                                              : NO_ROW;
}

static int timeline_by_number(const void *a, const void *b) {
    const struct timeline_block *x = a, *y = b;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* The blocks with the lowest numbers. */
static void timeline_blocks(struct timeline_making *m) {
    struct timeline_view *v = m->v;
    for (size_t k = 0; k < m->t->n[VGPU_TRACK_BLOCKS]; k++) {
        const struct vgpu_span *s = &m->t->spans[VGPU_TRACK_BLOCKS][k];
        if (s->launch != v->launch) continue;
        if (s->block >= TIMELINE_BLOCKS || v->n_blocks == TIMELINE_BLOCKS) {
            v->blocks_left_out++;
            continue;
        }
        if (!v->n_blocks || s->from < m->begin) m->begin = s->from;
        v->blocks[v->n_blocks++] = (struct timeline_block){
            .block = s->block, .sm = s->sm, .from = s->from, .to = s->to};
    }
    for (size_t k = 0; k < v->n_blocks; k++) {
        v->blocks[k].from = timeline_ns(m, v->blocks[k].from);
        v->blocks[k].to = timeline_ns(m, v->blocks[k].to);
    }
    qsort(v->blocks, v->n_blocks, sizeof *v->blocks, timeline_by_number);
}

/* ---- phases ---- */

static int timeline_row_of(const struct timeline_view *v,
                           const struct vgpu_span *s) {
    return s->launch == v->launch && s->warp < MOST_WARPS
               ? timeline_row(v, s->block)
               : NO_ROW;
}

/* A wait for a message counts before all others. */
static void timeline_choose_warps(struct timeline_making *m) {
    static const double message_counts = 1e6;
    struct timeline_view *v = m->v;
    double(*waited)[MOST_WARPS] = calloc(v->n_blocks, sizeof *waited);
    for (size_t k = 0; waited && k < m->t->n[VGPU_TRACK_WARPS]; k++) {
        const struct vgpu_span *s = &m->t->spans[VGPU_TRACK_WARPS][k];
        int row = timeline_row_of(v, s);
        if (row == NO_ROW || s->cause == VGPU_CAUSE_ISSUE) continue;
        waited[row][s->warp] +=
            (double)(s->to - s->from) *
            (s->cause == VGPU_CAUSE_MESSAGE ? message_counts : 1);
    }
    for (size_t row = 0; waited && row < v->n_blocks; row++)
        for (uint32_t w = 1; w < MOST_WARPS; w++)
            if (waited[row][w] > waited[row][v->blocks[row].warp])
                v->blocks[row].warp = w;
    free(waited);
}

/* -1: not known, or too many. */
static int timeline_file(struct timeline_view *v, const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    for (size_t k = 0; name && k < v->n_files; k++)
        if (strcmp(v->files[k], name) == 0) return (int)k;
    if (!name || v->n_files == TIMELINE_FILES) return -1;
    v->files[v->n_files] = strdup(name);
    return v->files[v->n_files] ? (int)v->n_files++ : -1;
}

static void timeline_phases(struct timeline_making *m) {
    struct timeline_view *v = m->v;
    for (size_t k = 0; k < m->t->n[VGPU_TRACK_WARPS]; k++) {
        const struct vgpu_span *s = &m->t->spans[VGPU_TRACK_WARPS][k];
        int row = timeline_row_of(v, s);
        if (row == NO_ROW || s->warp != v->blocks[row].warp) continue;
        if (v->n_phases == TIMELINE_PHASES) {
            v->phases_left_out++;
            continue;
        }
        v->phases[v->n_phases++] =
            (struct timeline_phase){.from = timeline_ns(m, s->from),
                                    .to = timeline_ns(m, s->to),
                                    .row = (uint32_t)row,
                                    .cause = s->cause,
                                    .file = timeline_file(v, s->file),
                                    .line = s->line};
    }
}

static void timeline_arrows(struct timeline_making *m) {
    struct timeline_view *v = m->v;
    for (size_t k = 0; k < m->t->n_arrows; k++) {
        const struct vgpu_arrow *a = &m->t->arrows[k];
        int from = timeline_row(v, a->from_block),
            to = timeline_row(v, a->to_block);
        if (a->launch != v->launch) continue;
        if (from == NO_ROW || to == NO_ROW || v->n_arrows == TIMELINE_ARROWS) {
            v->arrows_left_out++;
            continue;
        }
        v->arrows[v->n_arrows++] = (struct timeline_arrow){
            timeline_ns(m, a->from), timeline_ns(m, a->to), (uint32_t)from,
            (uint32_t)to};
    }
}

struct timeline_view *timeline_view_make(const struct vgpu_timeline *t) {
    const struct vgpu_span *launch = t ? timeline_longest(t) : NULL;
    struct timeline_view *v = launch ? calloc(1, sizeof *v) : NULL;
    struct timeline_making m = {.t = t, .v = v};
    if (!v) return NULL;
    v->launch = launch->launch;
    v->kernel = strdup(launch->name ? launch->name : "");
    v->phases = calloc(TIMELINE_PHASES, sizeof *v->phases);
    v->arrows = calloc(TIMELINE_ARROWS, sizeof *v->arrows);
    for (int c = 0; c < VGPU_N_CAUSES; c++)
        v->causes[v->n_causes++] = (struct timeline_cause){
            vgpu_cause_name((vgpu_cause)c), vgpu_cause_words((vgpu_cause)c)};
    if (v->kernel && v->phases && v->arrows) timeline_blocks(&m);
    if (!v->n_blocks) {
        timeline_view_free(v);
        return NULL;
    }
    timeline_choose_warps(&m);
    timeline_phases(&m);
    timeline_arrows(&m);
    v->phases_left_out += t->left_out[VGPU_TRACK_WARPS];
    v->blocks_left_out += t->left_out[VGPU_TRACK_BLOCKS];
    v->arrows_left_out += t->arrows_left_out;
    return v;
}

void timeline_view_free(struct timeline_view *v) {
    if (!v) return;
    for (size_t k = 0; k < v->n_files; k++) free(v->files[k]);
    free(v->kernel);
    free(v->phases);
    free(v->arrows);
    free(v);
}

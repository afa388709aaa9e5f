/* SPDX-License-Identifier: MIT
 *
 * html_replay.c: a call as a page replays it (html/replay.js): loads and stores
 * in the order in which they happened, around the first wrong step, and, where
 * there is one, in an order in which it is right.
 *
 * An event is a list: [what, frame, block, thread, place, array, cell, value],
 * what: 0 a read, 1 a write, 2 the host's; behind a write's which inputs it
 * sums up, and whether it is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "html_replay.h"
#include "json_parts.h"
#include "spots.h"
#include "steps_parts.h"
#include "translate.h"

enum {
    MOST_EVENTS = 1500,
    MOST_LINES = 60,  /* of code */
    MOST_LINE = 8192, /* the last that may be shown */
    LINES_AROUND = 6, /* a line that did something */
    LINE_BYTES = 400,
    POLLS = 64 /* events back to look whether a read says anything new */
};

/* Frames first to end - 1 of a view, in the order of time. */
struct event {
    uint32_t group, time, index; /* time: 2 * write + 1; a read is before it */
    bool reads;
    uint32_t frame;
};
struct playing {
    const struct steps_view *v;
    uint32_t first, end;
    struct event *events;
    size_t n, room;
    uint32_t *frame_of_step, *group_of_frame;
    uint32_t *from; /* of each array: the first cell that is shown */
};

/* ---- which frame, which order ---- */

static bool has_blocks(const struct steps_view *v, uint32_t launch) {
    const struct vgpu_steps_launch *l =
        launch ? &v->seen.launches[launch - 1] : NULL;
    return l && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > 1;
}

/* The frames of a launch whose blocks talk stand in one group, in which time
 * alone orders; each other frame is a group. */
static void group_frames(struct playing *p) {
    const struct steps_view *v = p->v;
    for (uint32_t f = 0, g = 0; f < v->n_frames; f++) {
        const struct steps_frame *a = &v->frames[f];
        const struct steps_frame *b = f ? a - 1 : NULL;
        bool same = b && a->launch == b->launch && has_blocks(v, a->launch) &&
                    a->n_blocks == 1 && b->n_blocks == 1 &&
                    a->begin != VGPU_STEP_HOST && b->begin != VGPU_STEP_HOST;
        if (!same) g = f;
        p->group_of_frame[f] = g;
    }
}

static bool playing_open(struct playing *p, const struct steps_view *v,
                         uint32_t first, uint32_t end) {
    *p = (struct playing){.v = v, .first = first, .end = end};
    p->frame_of_step = calloc(v->seen.n_steps + 1, sizeof *p->frame_of_step);
    p->group_of_frame = calloc(v->n_frames + 1, sizeof *p->group_of_frame);
    p->from = calloc(v->seen.n_arrays + 1, sizeof *p->from);
    p->room = v->seen.n_writes + v->seen.n_reads;
    p->events = calloc(p->room + 1, sizeof *p->events);
    if (!p->frame_of_step || !p->group_of_frame || !p->from || !p->events)
        return false;
    for (uint32_t s = 0; s < v->seen.n_steps; s++)
        p->frame_of_step[s] = NO_FRAME;
    for (uint32_t k = 0; k < v->seen.n_writes; k++)
        if (v->frame_of[k] != NO_FRAME)
            p->frame_of_step[v->seen.writes[k].step] = v->frame_of[k];
    group_frames(p);
    return true;
}

static void playing_close(struct playing *p) {
    free(p->frame_of_step);
    free(p->group_of_frame);
    free(p->from);
    free(p->events);
}

/* That of its step; of one without writes that of the block's next one. */
static uint32_t frame_of_read(const struct playing *p,
                              const struct vgpu_read *r) {
    const struct vgpu_steps *s = &p->v->seen;
    uint32_t best = NO_FRAME, phase = UINT32_MAX;
    for (uint32_t k = 0; k < s->n_steps; k++) {
        const struct vgpu_step *step = &s->steps[k];
        if (step->begin == VGPU_STEP_HOST || step->launch != r->launch ||
            step->block != r->block || step->phase < r->phase ||
            step->phase >= phase)
            continue;
        best = p->frame_of_step[k];
        phase = step->phase;
    }
    return best;
}

/* ---- which cells ---- */

static uint32_t cell_of(const struct playing *p, uint32_t write) {
    const struct vgpu_write *w = &p->v->seen.writes[write];
    return w->at / steps_cell_bytes(p->v, w->array);
}

/* An old value is a matter between blocks: what each has alone stays away. */
static bool is_shown(const struct playing *p, uint32_t write) {
    uint32_t array = p->v->seen.writes[write].array;
    if (p->v->guilty.guilt == GUILT_OLD &&
        p->v->seen.arrays[array].kind != VGPU_ARRAY_GLOBAL)
        return false;
    return cell_of(p, write) - p->from[p->v->seen.writes[write].array] <
           STEPS_COLUMNS;
}

/* Around the cell that is named, or the first wrong element. */
static void choose_cells(struct playing *p) {
    const struct steps_view *v = p->v;
    for (uint32_t a = 0; a < v->seen.n_arrays; a++)
        if (v->seen.arrays[a].kind == VGPU_ARRAY_GLOBAL &&
            v->seen.arrays[a].bytes / steps_cell_bytes(v, a) > v->first_wrong)
            p->from[a] =
                (uint32_t)(v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS);
    if (!v->fault || v->fault == FAULT_NO_WRITE) return;
    uint32_t write = v->fault_write;
    uint32_t named[] = {
        write, v->guilty.guilt ? v->seen.reads[v->guilty.read].write : write};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        p->from[v->seen.writes[named[k]].array] =
            cell_of(p, named[k]) / STEPS_COLUMNS * STEPS_COLUMNS;
}

/* ---- the events ---- */

static void add_event(struct playing *p, struct event e) {
    if (e.frame == NO_FRAME || e.frame < p->first || e.frame >= p->end) return;
    e.group = p->group_of_frame[e.frame];
    p->events[p->n++] = e;
}

static int replay_by_time(const void *a, const void *b) {
    const struct event *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Who waits for a word reads it again and again: once says it. */
static bool is_again(const struct playing *p, size_t at, size_t kept) {
    const struct vgpu_read *reads = p->v->seen.reads,
                           *r = &reads[p->events[at].index];
    for (size_t k = kept; k > 0 && k + POLLS > kept; k--) {
        const struct event *e = &p->events[k - 1];
        if (!e->reads) continue;
        const struct vgpu_read *old = &reads[e->index];
        if (old->thread == r->thread && old->block == r->block)
            return old->write == r->write && old->place == r->place;
    }
    return false;
}

static void find_events(struct playing *p) {
    const struct vgpu_steps *s = &p->v->seen;
    size_t kept = 0;
    p->n = 0;
    for (uint32_t k = 0; k < s->n_writes; k++)
        if (is_shown(p, k))
            add_event(p, (struct event){.time = 2 * k + 1,
                                        .index = k,
                                        .frame = p->v->frame_of[k]});
    for (uint32_t k = 0; k < s->n_reads; k++)
        if (is_shown(p, s->reads[k].write))
            add_event(p,
                      (struct event){.time = 2 * s->reads[k].before,
                                     .index = k,
                                     .reads = true,
                                     .frame = frame_of_read(p, &s->reads[k])});
    qsort(p->events, p->n, sizeof *p->events, replay_by_time);
    for (size_t k = 0; k < p->n; k++)
        if (!p->events[k].reads || !is_again(p, k, kept))
            p->events[kept++] = p->events[k];
    p->n = kept;
}

/* ---- as JSON ---- */

static json_t *replay_value(const struct steps_view *v, uint32_t write) {
    char text[ELEMENT_TEXT];
    steps_value(v, write, text);
    return json_string(text);
}

static json_t *read_of(const struct playing *p, const struct event *e) {
    const struct vgpu_read *r = &p->v->seen.reads[e->index];
    const struct vgpu_write *w = &p->v->seen.writes[r->write];
    return json_pack("[i, i, I, i, i, i, i, o]", 0, (int)e->frame + 1,
                     (json_int_t)r->block, (int)r->thread, (int)r->place,
                     (int)w->array, (int)cell_of(p, r->write),
                     replay_value(p->v, r->write));
}

static json_t *write_of(const struct playing *p, const struct event *e) {
    const struct steps_view *v = p->v;
    const struct vgpu_write *w = &v->seen.writes[e->index];
    bool of_host =
        w->writer == VGPU_WRITER_COPY || w->writer == VGPU_WRITER_FILL;
    struct text sums = {0};
    if (v->contents) steps_content(&sums, &v->contents[e->index]);
    json_t *is = json_pack(
        "[i, i, I, i, i, i, i, o, s, b]", of_host ? 2 : 1, (int)e->frame + 1,
        (json_int_t)(of_host ? 0 : v->seen.steps[w->step].block),
        (int)(of_host ? 0 : w->thread),
        (int)(of_host ? v->seen.n_places : w->place), (int)w->array,
        (int)cell_of(p, e->index), replay_value(v, e->index),
        text_string(&sums), steps_is_wrong(v, e->index));
    text_free(&sums);
    return is;
}

/* What the cells hold before the first frame: [array, cell, value]. */
static json_t *start_of(const struct playing *p) {
    const struct steps_view *v = p->v;
    json_t *list = json_array();
    for (uint32_t a = 0; a < v->seen.n_arrays; a++) {
        uint32_t held[STEPS_COLUMNS] = {0};
        if (v->seen.arrays[a].kind == VGPU_ARRAY_LANES) continue;
        for (uint32_t k = v->array_first[a]; k < v->array_first[a + 1]; k++) {
            uint32_t w = v->of_array[k];
            bool before = v->frame_of[w] == NO_FRAME;
            if (!is_shown(p, w) || (!before && v->frame_of[w] >= p->first))
                continue;
            held[cell_of(p, w) - p->from[a]] = w + 1;
        }
        for (uint32_t c = 0; c < STEPS_COLUMNS; c++)
            if (held[c])
                json_array_append_new(
                    list, json_pack("[i, i, o]", (int)a, (int)(p->from[a] + c),
                                    replay_value(v, held[c] - 1)));
    }
    return list;
}

static json_t *names_of(const struct steps_view *v) {
    json_t *list = json_array();
    for (uint32_t a = 0; a < v->seen.n_arrays; a++) {
        struct text name = {0};
        steps_array_name(&name, v, a);
        json_array_append_new(list, json_text(text_string(&name)));
        text_free(&name);
    }
    return list;
}

/* [file, line], or null where it is not known. */
static json_t *places_of(const struct steps_view *v) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < v->seen.n_places; k++) {
        const struct vgpu_place *p = &v->seen.places[k];
        json_array_append_new(
            list,
            p->file ? json_pack("[o, i]", html_text(p->file, 60), (int)p->line)
                    : json_null());
    }
    return list;
}

static json_t *frames_of(const struct playing *p) {
    json_t *list = json_array();
    for (uint32_t f = p->first; f < p->end; f++) {
        struct text name = {0};
        steps_frame_name(&name, p->v, f);
        json_array_append_new(list, json_pack("[i, o]", (int)f + 1,
                                              json_text(text_string(&name))));
        text_free(&name);
    }
    return list;
}

/* The event's number, or null. */
static json_t *replay_number(const struct playing *p, bool reads,
                             uint32_t index) {
    for (size_t k = 0; k < p->n; k++)
        if (p->events[k].reads == reads && p->events[k].index == index)
            return json_integer((json_int_t)k);
    return json_null();
}

static json_t *guilty_of(const struct playing *p) {
    static const char *const kinds[] = {"", "late", "early", "old"};
    const struct steps_guilty *g = &p->v->guilty;
    if (!g->guilt) return json_null();
    return json_pack("{s:s, s:o, s:o, s:s}", "kind", kinds[g->guilt], "read",
                     replay_number(p, true, g->read), "other",
                     replay_number(p, false, g->other), "honest", g->honest);
}

/* Before they are shown, fewer frames where there are too many events. */
static void fit(struct playing *p, uint32_t open) {
    find_events(p);
    while (p->n > MOST_EVENTS && p->end - p->first > 1) {
        if (p->end > open + 1)
            p->end--;
        else
            p->first++;
        find_events(p);
    }
    if (p->n > MOST_EVENTS) p->n = MOST_EVENTS;
}

static json_t *replay_run_of(struct playing *p, uint32_t open) {
    const struct steps_view *v = p->v;
    bool has_fault = v->fault && v->fault != FAULT_NO_WRITE;
    choose_cells(p);
    fit(p, open);
    json_t *events = json_array();
    for (size_t k = 0; k < p->n; k++)
        json_array_append_new(events, p->events[k].reads
                                          ? read_of(p, &p->events[k])
                                          : write_of(p, &p->events[k]));
    return json_pack(
        "{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "order", v->in_order,
        "right", v->n_wrong == 0, "arrays", names_of(v), "places", places_of(v),
        "frames", frames_of(p), "start", start_of(p), "events", events,
        "damage",
        has_fault ? replay_number(p, false, v->fault_write) : json_null(),
        "guilty", guilty_of(p));
}

static json_t *replay_run(const struct steps_view *v, struct replay_frames f) {
    struct playing p;
    json_t *is = playing_open(&p, v, f.first, f.end) ? replay_run_of(&p, f.open)
                                                     : json_null();
    playing_close(&p);
    return is;
}

/* ---- the code ---- */

struct code {
    const char *file;
    bool has[MOST_LINE + 1]; /* lines that are shown */
    size_t n;
};

/* Adds lines around a place, where there is room for all of them. */
static void replay_add_around(struct code *c, const struct vgpu_place *p,
                              uint32_t around) {
    if (!p || !p->file || strcmp(p->file, c->file) != 0 || !p->line) return;
    uint32_t first = p->line > around ? p->line - around : 1, more = 0;
    uint32_t last = p->line + around;
    if (last > MOST_LINE) return;
    for (uint32_t k = first; k <= last; k++) more += !c->has[k];
    if (c->n + more > MOST_LINES) return;
    for (uint32_t k = first; k <= last; k++) c->has[k] = true;
    c->n += more;
}

static const struct vgpu_place *place_of_write(const struct steps_view *v,
                                               uint32_t write) {
    uint32_t place = v->seen.writes[write].place;
    return place < v->seen.n_places ? &v->seen.places[place] : NULL;
}

/* Where it opens comes first, then the fault, then all else that did something.
 */
static void choose_lines(const struct steps_view *v, struct code *c) {
    const struct steps_guilty *g = &v->guilty;
    if (g->guilt) {
        uint32_t place = v->seen.reads[g->read].place;
        if (place < v->seen.n_places)
            replay_add_around(c, &v->seen.places[place], LINES_AROUND);
        replay_add_around(c, place_of_write(v, g->other), LINES_AROUND);
    }
    if (v->fault && v->fault != FAULT_NO_WRITE)
        replay_add_around(c, place_of_write(v, v->fault_write), LINES_AROUND);
    replay_add_around(c, steps_fault_place(v), LINES_AROUND);
    for (uint32_t around = LINES_AROUND; around; around /= 2)
        for (uint32_t k = 0; k < v->seen.n_places; k++)
            replay_add_around(c, &v->seen.places[k], around);
}

/* No part ends in empty lines. */
static void leave_blank_ends(struct code *c, const char *text) {
    for (uint32_t line = MOST_LINE; line; line--) {
        size_t size = 0;
        if (!c->has[line] || (line < MOST_LINE && c->has[line + 1])) continue;
        if (!spot_line(text, line, &size) || !size) c->has[line] = false;
    }
}

/* Lines of the fault's file or else of the first one, with their numbers: what
 * lies between is left out. */
static json_t *code_of(const struct steps_view *v, const struct grade *g) {
    const struct vgpu_place *at = steps_fault_place(v);
    for (uint32_t k = 0; !at && k < v->seen.n_places; k++)
        if (v->seen.places[k].file) at = &v->seen.places[k];
    const char *text = g && at && at->file ? spot_text(g, at->file) : NULL;
    struct code *c = text ? calloc(1, sizeof *c) : NULL;
    if (!c) return json_null();
    c->file = at->file;
    choose_lines(v, c);
    json_t *lines = json_array(), *numbers = json_array();
    leave_blank_ends(c, text);
    for (uint32_t line = 1; line <= MOST_LINE; line++) {
        size_t size;
        const char *words = c->has[line] ? spot_line(text, line, &size) : NULL;
        if (!words) continue;
        json_array_append_new(numbers, json_integer(line));
        json_array_append_new(
            lines, html_own(text_format("%.*s", (int)size, words), LINE_BYTES));
    }
    free(c);
    return json_pack("{s:o, s:o, s:o}", "file", html_text(at->file, 60),
                     "numbers", numbers, "lines", lines);
}

json_t *html_replay(const struct steps_view *v, struct replay_frames frames,
                    const struct grade *grade) {
    json_t *runs = json_array();
    json_array_append_new(runs, replay_run(v, frames));
    if (v->right) {
        struct replay_frames of = frames;
        if (of.end > v->right->n_frames) of.end = v->right->n_frames;
        if (of.first < of.end)
            json_array_append_new(runs, replay_run(v->right, of));
    }
    return json_pack("{s:o, s:o}", "runs", runs, "code", code_of(v, grade));
}

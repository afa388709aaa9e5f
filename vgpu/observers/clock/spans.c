/* SPDX-License-Identifier: MIT
 *
 * spans.c: see timeline.h.
 */
#include "timeline.h"

#include <string.h>

#include "why_inside.h"

/* Of each kind; together some 20 MiB, which are charged. */
enum { MOST_SPANS = 1 << 16, MOST_ARROWS = 1 << 16, FIRST = 1 << 8 };
/* A shorter wait is no phase: the warp runs, with gaps. */
enum { LEAST_WAIT_PS = 20000 };

struct timeline {
    struct vgpu_timeline seen; /* its lists are these */
    struct vgpu_span *spans[VGPU_N_TRACKS];
    struct vgpu_arrow *arrows;
    size_t room[VGPU_N_TRACKS], arrows_room;
    uint32_t launch;
    uint32_t n_slots;
    size_t n_placed;          /* phases whose instruction became a line */
    struct vgpu_span *blocks; /* that run now, by slot */
};

/* Room for one more in a list of n; false: there is none. */
static bool has_room(struct charges *c, void **list, size_t *room, size_t n,
                     size_t bytes, size_t most) {
    if (n < *room) return true;
    size_t more = *room ? *room * 2 : FIRST;
    void *grown = more > most ? NULL : charges_bytes(c, more * bytes, NULL);
    if (!grown) return false;
    if (n) memcpy(grown, *list, n * bytes);
    charges_free(c, *list);
    *list = grown;
    *room = more;
    return true;
}

static void spans_add(struct clock *k, enum vgpu_track track,
                      struct vgpu_span s) {
    struct timeline *t = k->timeline;
    size_t n = t->seen.n[track];
    void *list = t->spans[track];
    if (s.from >= s.to) return;
    if (!has_room(k->charges, &list, &t->room[track], n, sizeof s,
                  MOST_SPANS)) {
        t->seen.left_out[track]++;
        return;
    }
    t->seen.spans[track] = t->spans[track] = list;
    t->spans[track][n] = s;
    t->seen.n[track]++;
}

bool clock_keeps_timeline(struct clock *k) {
    if (k->timeline || k->profile->counts_steps) return true;
    k->timeline =
        charges_zeroed(k->charges, sizeof *k->timeline, "the clock's timeline");
    return k->timeline != NULL;
}

const struct vgpu_timeline *clock_timeline(const struct clock *k) {
    if (!k->timeline) return NULL;
    k->timeline->seen.origin = k->origin;
    return &k->timeline->seen;
}

void timeline_clear(struct clock *k) {
    struct timeline *t = k->timeline;
    memset(t->seen.n, 0, sizeof t->seen.n);
    memset(t->seen.left_out, 0, sizeof t->seen.left_out);
    t->seen.n_arrows = t->seen.arrows_left_out = 0;
    t->n_placed = 0;
    t->launch = 0;
}

void timeline_free(struct clock *k) {
    struct timeline *t = k->timeline;
    if (!t) return;
    for (int n = 0; n < VGPU_N_TRACKS; n++)
        charges_free(k->charges, t->spans[n]);
    charges_free(k->charges, t->arrows);
    charges_free(k->charges, t->blocks);
    charges_free(k->charges, t);
    k->timeline = NULL;
}

/* ---- host and queue ---- */

void timeline_called(struct clock *k, const char *name, uint64_t host,
                     uint64_t queue) {
    spans_add(k, VGPU_TRACK_HOST,
              (struct vgpu_span){.name = name, .from = host, .to = k->host});
    spans_add(k, VGPU_TRACK_QUEUE,
              (struct vgpu_span){
                  .name = name, .from = later(queue, k->host), .to = k->queue});
}

void timeline_launch_ends(struct clock *k) {
    struct timeline *t = k->timeline;
    t->launch++;
    spans_add(k, VGPU_TRACK_QUEUE,
              (struct vgpu_span){
                  .launch = t->launch, .from = k->begin, .to = k->end});
    charges_free(k->charges, t->blocks);
    t->blocks = NULL;
}

void clock_names_launch(struct clock *k, const char *name) {
    struct timeline *t = k->timeline;
    size_t n = t ? t->seen.n[VGPU_TRACK_QUEUE] : 0;
    if (n && t->spans[VGPU_TRACK_QUEUE][n - 1].launch == t->launch)
        t->spans[VGPU_TRACK_QUEUE][n - 1].name = name;
}

/* ---- blocks and warps ---- */

void timeline_block_starts(struct clock *k, uint32_t slot,
                           const struct block *b, uint64_t time) {
    struct timeline *t = k->timeline;
    if (!t->blocks)
        t->blocks =
            charges_zeroed(k->charges, k->n_slots * sizeof *t->blocks, NULL);
    if (!t->blocks) return;
    t->blocks[slot] = (struct vgpu_span){.from = time,
                                         .launch = t->launch + 1,
                                         .sm = b->sm % k->n_sms,
                                         .place = slot / k->n_sms,
                                         .block = (uint32_t)b->linear};
}

void timeline_block_ends(struct clock *k, const struct clock_warp *first,
                         uint64_t time) {
    struct timeline *t = k->timeline;
    if (!t->blocks) return;
    struct vgpu_span *s = &t->blocks[(first - k->warps) / k->warps_per_block];
    s->to = time;
    spans_add(k, VGPU_TRACK_BLOCKS, *s);
}

static void end_phase(struct clock *k, const struct why_warp *w, uint64_t to) {
    const struct timeline *t = k->timeline;
    uint64_t number = (uint64_t)(w - k->why->warps);
    uint64_t slot = number / k->warps_per_block;
    if (!t->blocks) return;
    struct vgpu_span s = t->blocks[slot];
    s.from = w->phase_from;
    s.to = to;
    s.warp = (uint32_t)(number % k->warps_per_block);
    s.cause = w->phase;
    s.line = w->phase == VGPU_CAUSE_ISSUE ? 0 : w->phase_at;
    spans_add(k, VGPU_TRACK_WARPS, s);
}

void timeline_phase(struct clock *k, struct why_warp *w, int cause, uint32_t at,
                    uint64_t from, uint64_t to) {
    if (to - from < LEAST_WAIT_PS) cause = VGPU_CAUSE_ISSUE;
    if (cause != w->phase) {
        end_phase(k, w, from);
        w->phase = (uint8_t)cause;
        w->phase_from = from;
        w->phase_longest = 0;
    }
    if (to - from <= w->phase_longest) return;
    w->phase_longest = to - from;
    w->phase_at = at;
}

void clock_places_phases(struct clock *k, clock_place_fn *place, void *user) {
    struct timeline *t = k->timeline;
    if (!t) return;
    for (; t->n_placed < t->seen.n[VGPU_TRACK_WARPS]; t->n_placed++) {
        struct vgpu_span *s = &t->spans[VGPU_TRACK_WARPS][t->n_placed];
        uint32_t at = s->line;
        s->line = 0;
        if (at) place(user, at, &s->file, &s->line);
    }
}

void timeline_warp_ends(struct clock *k, struct why_warp *w, uint64_t time) {
    end_phase(k, w, time);
    w->phase = VGPU_CAUSE_ISSUE;
}

/* Once for each word that the warp hears of. */
void timeline_message(struct clock *k, struct why_warp *w, uint64_t time) {
    struct timeline *t = k->timeline;
    const struct step *m = &k->why->steps[k->why->message];
    uint64_t from = k->why->steps[m->before].time;
    void *list = t->arrows;
    if (k->why->cut || (w->heard_block == m->block && w->heard == from)) return;
    w->heard_block = m->block;
    w->heard = from;
    if (!has_room(k->charges, &list, &t->arrows_room, t->seen.n_arrows,
                  sizeof *t->arrows, MOST_ARROWS)) {
        t->seen.arrows_left_out++;
        return;
    }
    t->seen.arrows = t->arrows = list;
    t->arrows[t->seen.n_arrows++] = (struct vgpu_arrow){.from = from,
                                                        .to = time,
                                                        .launch = t->launch + 1,
                                                        .from_block = m->block,
                                                        .to_block = w->block};
}

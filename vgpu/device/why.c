/* SPDX-License-Identifier: MIT
 *
 * why.c: where the model time of launches went: the clock's steps (clock/why.h)
 * as times of causes, lines and launches.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { MOST_PIECES = 1 << 16 };

/* An instruction of the launch, by its number. */
struct spot {
    bool is_known;
    struct vgpu_source where;
    uint64_t path[VGPU_N_CAUSES];
};

struct collected {
    vgpu_device *device;
    const struct program *program;
    struct spot *spots;
    uint64_t begin; /* of the launch */
    bool keeps;     /* its path: it is the longest launch so far */
};

static const struct insn *insn_of(const struct collected *c, uint32_t at,
                                  uint32_t *function) {
    const struct program *p = c->program;
    for (uint32_t f = p->n_functions; at && f-- > 0;) {
        const struct function *fn = &p->functions[f];
        uint32_t first = clock_instruction(c->device->clock, f);
        if (!fn->decoded || at < first || at >= first + fn->n_code) continue;
        *function = f;
        return &fn->code[at - first];
    }
    return NULL;
}

static struct spot *spot_of(struct collected *c, uint32_t at) {
    struct spot *s = &c->spots[at];
    uint32_t f;
    if (s->is_known) return s;
    s->is_known = true;
    const struct insn *i = insn_of(c, at, &f);
    if (!i || !i->source) return s;
    s->where = program_source(c->program->ptx, i->source->loc);
    s->where.file = device_keep(c->device, s->where.file);
    s->where.function = device_keep(c->device, s->where.function);
    return s;
}

/* ---- the path ---- */

/* How the device starts block after block is one piece. */
static bool goes_on(const struct vgpu_path_piece *p,
                    const struct clock_piece *e, const struct spot *s) {
    return p->where.line == s->where.line && p->where.file == s->where.file &&
           p->cause == e->cause &&
           (p->block == e->block || p->cause == VGPU_CAUSE_LAUNCH);
}

static void why_keep(struct collected *c, const struct clock_piece *e,
                     const struct spot *s) {
    vgpu_device *d = c->device;
    struct vgpu_path_piece *p = d->path + d->why.n_path;
    if (d->why.n_path && goes_on(p - 1, e, s)) {
        p[-1].from = e->from - c->begin;
        return;
    }
    if (d->why.n_path == MOST_PIECES || !d->path) {
        d->why.left_out++;
        return;
    }
    d->why.n_path++;
    *p = (struct vgpu_path_piece){.where = s->where,
                                  .block = e->block,
                                  .cause = (vgpu_cause)e->cause,
                                  .from = e->from - c->begin,
                                  .to = e->to - c->begin};
}

static void add_piece(void *user, const struct clock_piece *e) {
    struct collected *c = user;
    struct spot *s = spot_of(c, e->at);
    s->path[e->cause] += e->to - e->from;
    if (c->keeps) why_keep(c, e, s);
}

/* From its start to its end. */
static void turn_path(vgpu_device *d) {
    for (size_t a = 0, b = d->why.n_path; a + 1 < b; a++) {
        struct vgpu_path_piece p = d->path[--b];
        d->path[b] = d->path[a];
        d->path[a] = p;
    }
}

/* ---- sums ---- */

static void why_add(uint64_t *to, const uint64_t *from) {
    for (int c = 0; c < VGPU_N_CAUSES; c++) to[c] += from[c];
}

static bool any(const uint64_t *times) {
    uint64_t all = 0;
    for (int c = 0; c < VGPU_N_CAUSES; c++) all |= times[c];
    return all != 0;
}

static void add_spot(struct collected *c, const char *kernel, uint32_t at,
                     struct vgpu_times *launch) {
    struct spot *s = &c->spots[at];
    const uint64_t *warps = clock_waits(c->device->clock, at);
    if (!any(s->path) && !any(warps)) return;
    why_add(launch->path, s->path);
    why_add(launch->warps, warps);
    spot_of(c, at);
    struct vgpu_line_record *r = device_line(c->device, kernel, &s->where);
    if (!r) return;
    why_add(r->times.path, s->path);
    why_add(r->times.warps, warps);
}

/* The path without a cause: the launch's time is nobody's, or the processors'.
 */
static void add_rest(struct vgpu_times *t, uint64_t ps, bool is_known) {
    uint64_t sum = 0;
    for (int c = 0; c < VGPU_N_CAUSES; c++) sum += t->path[c];
    t->path[is_known ? VGPU_CAUSE_PROCESSORS : VGPU_CAUSE_UNKNOWN] += ps - sum;
}

static void begin_path(vgpu_device *d, const char *kernel, uint64_t ps) {
    if (!d->path) d->path = malloc(MOST_PIECES * sizeof *d->path);
    d->why.launch = d->counts[VGPU_COUNT_LAUNCHES] + 1;
    d->why.kernel = kernel;
    d->why.longest_ps = ps;
    d->why.n_path = d->why.left_out = 0;
}

static void place_phase(void *user, uint32_t at, const char **file,
                        uint32_t *line) {
    const struct spot *s = spot_of(user, at);
    *file = s->where.file;
    *line = s->where.line;
}

static void no_place(void *user, uint32_t at, const char **file,
                     uint32_t *line) {
    (void)user, (void)at, (void)file, (void)line;
}

static bool collect(vgpu_device *d, const struct vgpu_kernel *k, uint64_t ps,
                    struct vgpu_times *t) {
    const char *kernel = device_keep(d, k->name);
    struct collected c = {.device = d,
                          .program = &k->module->program,
                          .begin = clock_launch_begin(d->clock),
                          .keeps = !d->why.launch || ps > d->why.longest_ps};
    uint32_t n = clock_has_why(d->clock) ? clock_instructions(d->clock) : 0;
    c.spots = calloc(n + 1, sizeof *c.spots);
    if (!c.spots || !n) {
        clock_places_phases(d->clock, no_place, NULL);
        free(c.spots);
        return false;
    }
    if (c.keeps) begin_path(d, kernel, ps);
    bool is_known = clock_path(d->clock, add_piece, &c);
    if (c.keeps) turn_path(d);
    clock_places_phases(d->clock, place_phase, &c);
    for (uint32_t at = 0; at < n; at++) add_spot(&c, kernel, at, t);
    free(c.spots);
    return is_known;
}

void device_why(vgpu_device *d, const struct vgpu_kernel *k,
                struct vgpu_times *t) {
    uint64_t ps = clock_launch_totals(d->clock).ps;
    uint64_t begin = clock_launch_begin(d->clock);
    if (d->why.launch && begin > d->launch_end)
        d->why.between_ps += begin - d->launch_end;
    d->launch_end = begin + ps;
    bool is_known = collect(d, k, ps, t);
    add_rest(t, ps, is_known);
    why_add(d->why.times.path, t->path);
    why_add(d->why.times.warps, t->warps);
    d->why.cut += !is_known;
    d->why.launch_ps += ps;
    clock_forget_why(d->clock);
}

const struct vgpu_timeline *vgpu_timeline(const vgpu_device *d) {
    return d->clock ? clock_timeline(d->clock) : NULL;
}

const struct vgpu_why *vgpu_why(vgpu_device *d) {
    d->why.path = d->path;
    if (!d->clock) return &d->why;
    const struct clock_profile *p = clock_profile_of(d->clock);
    d->why.device_ps = clock_device_totals(d->clock).ps;
    d->why.step_ps = p->counts_steps ? p->cycle_ps : 0;
    return &d->why;
}

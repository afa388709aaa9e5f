/* SPDX-License-Identifier: MIT
 *
 * warp_ops.c: shuffles, votes, matches, reductions and bar.warp.sync.
 *
 * The .sync forms name the lanes that take part. When some of them are in
 * other groups, the group waits; the last to come does the operation for all
 * (PTX ISA, "shfl.sync": waits until all non-exited threads of the mask have
 * executed it).
 */
#include <string.h>

#include "race.h"

static const uint32_t *word(const struct context *c, int k) {
    return (const uint32_t *)(c->registers + c->insn->operands.at[k]);
}

/* Lanes that lane l's mask names and that are here. */
static uint32_t members(const struct context *c, uint32_t here, uint32_t l) {
    uint32_t named = word(c, 3)[l];
    return named ? named & here : here;
}

static void set_predicate(struct context *c, uint32_t at, uint32_t here,
                          uint32_t value) {
    if (at == NO_REGISTER) return;
    uint32_t *p = (uint32_t *)(c->registers + at);
    *p = (*p & ~here) | (value & here);
}

static void set_words(struct context *c, uint32_t here, const uint32_t *v) {
    uint32_t *d = (uint32_t *)(c->registers + c->insn->operands.at[0]);
    for (uint32_t m = here; m; m &= m - 1)
        d[__builtin_ctz(m)] = v[__builtin_ctz(m)];
}

/* ---- shuffle ---- */

static uint32_t shuffle_source(uint8_t mode, uint32_t lane, uint32_t b,
                               uint32_t c, bool *in_range) {
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    b &= 31;
    uint32_t most = (lane & segment) | (clamp & ~segment);
    uint32_t least = lane & segment;
    int32_t j;
    switch (mode) {
    case 0:
        j = (int32_t)lane - (int32_t)b;
        *in_range = j >= (int32_t)most;
        break;
    case 1: j = (int32_t)(lane + b); break;
    case 2: j = (int32_t)(lane ^ b); break;
    default: j = (int32_t)(least | (b & ~segment)); break;
    }
    if (mode) *in_range = j <= (int32_t)most;
    return *in_range ? (uint32_t)j & 31 : lane;
}

static void shuffle(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t v[WARP_LANES], predicate = 0, marks = 0;
    uint32_t had = c->machine->track_data ? *marks_of(c, i->operands.at[2]) : 0;
    bool told = false;
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        bool in_range;
        uint32_t j =
            shuffle_source(i->mode, l, word(c, 4)[l], word(c, 5)[l], &in_range);
        v[l] = word(c, 2)[j];
        predicate |= (uint32_t)in_range << l;
        marks |= (had >> j & 1) << l;
        if (!(here >> j & 1) && !told) {
            told = true;
            exec_report(c, VGPU_FINDING_INACTIVE_LANE, l, 0, 0,
                        "lane %u shuffles from lane %u, which does not take "
                        "part: the value is undefined",
                        l, j);
        }
    }
    set_words(c, here, v);
    set_predicate(c, i->operands.at[1], here, predicate);
    if (!c->machine->track_data) return;
    uint32_t *to = marks_of(c, i->operands.at[0]);
    *to = (*to & ~here) | marks;
}

/* ---- votes, matches, reductions ---- */

static void vote(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t yes = *word(c, 2) ^ i->operands.immediate;
    uint32_t v[WARP_LANES], predicate = 0;
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t all = members(c, here, l), y = yes & all;
        bool answer = i->mode == 0   ? y == all
                      : i->mode == 1 ? y != 0
                                     : !y || y == all;
        v[l] = y;
        predicate |= (uint32_t)answer << l;
    }
    if (i->mode == 3)
        set_words(c, here, v);
    else
        set_predicate(c, i->operands.at[0], here, predicate);
}

static uint64_t match_value(const struct context *c, uint32_t l) {
    const uint8_t *r = c->registers + c->insn->operands.at[2];
    return c->insn->register_is_wide ? ((const uint64_t *)r)[l]
                                     : ((const uint32_t *)r)[l];
}

static void match(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t v[WARP_LANES], predicate = 0;
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t all = members(c, here, l), same = 0;
        for (uint32_t k = all; k; k &= k - 1) {
            uint32_t o = (uint32_t)__builtin_ctz(k);
            if (match_value(c, o) == match_value(c, l)) same |= 1u << o;
        }
        if (i->mode && same != all) same = 0;
        v[l] = same;
        predicate |= (uint32_t)(same != 0) << l;
    }
    set_words(c, here, v);
    set_predicate(c, i->operands.at[1], here, predicate);
}

static uint32_t reduce(uint8_t mode, bool is_signed, uint32_t a, uint32_t b) {
    bool less = is_signed ? (int32_t)b < (int32_t)a : b < a;
    switch (mode) {
    case 0: return a + b;
    case 1: return less ? b : a;
    case 2: return less ? a : b;
    case 3: return a & b;
    case 4: return a | b;
    default: return a ^ b;
    }
}

static void redux(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t v[WARP_LANES];
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t all = members(c, here, l);
        uint32_t first = (uint32_t)__builtin_ctz(all);
        v[l] = word(c, 2)[first];
        for (uint32_t k = all & (all - 1); k; k &= k - 1)
            v[l] = reduce(i->mode, i->type == PTX_S32, v[l],
                          word(c, 2)[__builtin_ctz(k)]);
    }
    set_words(c, here, v);
    if (!c->machine->track_data) return;
    uint32_t had = *marks_of(c, i->operands.at[2]) & here;
    uint32_t *to = marks_of(c, i->operands.at[0]);
    *to = (*to & ~here) | (had ? here : 0);
    if (had & (had - 1))
        i->counts[VGPU_COUNT_DATA_OPS] += (uint64_t)__builtin_popcount(had) - 1;
}

static void elect(struct context *c, uint32_t here) {
    uint32_t v[WARP_LANES], predicate = 0;
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        v[l] = (uint32_t)__builtin_ctz(members(c, here, l));
        predicate |= (uint32_t)(v[l] == l) << l;
    }
    set_words(c, here, v);
    set_predicate(c, c->insn->operands.at[1], here, predicate);
}

/* What a vote or a match gives is no data. */
static void clear_marks(struct context *c, uint32_t here) {
    for (uint32_t k = 0; k < c->insn->n_destinations; k++)
        if (c->insn->operands.at[k] != NO_REGISTER)
            *marks_of(c, c->insn->operands.at[k]) &= ~here;
}

static void perform(struct context *c, uint32_t here) {
    static void (*const ops[])(struct context *,
                               uint32_t) = {[KIND_SHUFFLE] = shuffle,
                                            [KIND_VOTE] = vote,
                                            [KIND_MATCH] = match,
                                            [KIND_REDUX] = redux,
                                            [KIND_ELECT] = elect};
    if (c->insn->kind == KIND_WARP_SYNC) {
        race_warp_sync(c, here);
        return;
    }
    c->insn->counts[VGPU_COUNT_SHUFFLES]++;
    ops[c->insn->kind](c, here);
    if (c->machine->track_data &&
        (c->insn->kind == KIND_VOTE || c->insn->kind == KIND_MATCH))
        clear_marks(c, here);
}

/* ---- meeting ---- */

static bool meets(const struct group *g, const struct context *c) {
    if (g->state != GROUP_AT_WARP_OP) return false;
    const struct insn *i = &g->frame->function->code[g->pc - 1];
    if (c->insn->kind == KIND_WARP_SYNC) return i->kind == KIND_WARP_SYNC;
    return i == c->insn && g->frame == c->group->frame;
}

/* Which lanes a lane of a group that has come to a warp operation names. */
static uint32_t names(const struct warp *w, const struct group *g, uint32_t l) {
    const struct insn *i = &g->frame->function->code[g->pc - 1];
    const void *r = g->frame->registers + i->operands.at[3];
    return ((const uint32_t *)r)[l] & w->live;
}

/* Of the lanes that have come, those that need wait for no other: a warp may be
 * in several parts, each with a mask of its own (tiles of a warp). */
static uint32_t complete(const struct context *c, uint32_t all) {
    const struct warp *w = c->warp;
    uint32_t ready = 0;
    for (uint32_t k = 0; k < w->n_groups; k++) {
        const struct group *g = &w->groups[k];
        if (!meets(g, c)) continue;
        for (uint32_t m = g->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            if (!(names(w, g, l) & ~all)) ready |= 1u << l;
        }
    }
    return ready;
}

/* The lanes that are done go on as a group of their own. */
static void release(struct warp *w, struct group *g, uint32_t ready) {
    if (!(g->mask & ~ready)) {
        g->state = GROUP_READY;
        return;
    }
    group_split(w, g, ready);
    g->wants = 0;
    for (uint32_t m = g->mask; m; m &= m - 1)
        g->wants |= names(w, g, (uint32_t)__builtin_ctz(m));
}

bool exec_warp_op(struct context *c) {
    uint32_t here = c->lanes->mask, named = 0;
    for (uint32_t m = here; m; m &= m - 1)
        named |= word(c, 3)[__builtin_ctz(m)];
    named &= c->warp->live;
    if (!(named & ~here)) {
        perform(c, here);
        return true;
    }
    struct warp *w = c->warp;
    uint32_t all = 0;
    c->group->state = GROUP_AT_WARP_OP;
    c->group->wants = named;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (meets(&w->groups[k], c)) all |= w->groups[k].mask;
    uint32_t ready = complete(c, all);
    if (!ready) return false;
    perform(c, ready);
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (meets(&w->groups[k], c)) release(w, &w->groups[k], ready);
    /* They go on as one: see groups_merge. */
    return false;
}

bool exec_warp_op_forced(struct context *c, struct group *g) {
    c->group = g;
    c->registers = g->frame->registers;
    c->insn = &g->frame->function->code[g->pc - 1];
    lane_set_fill(&c->of_group, g->mask);
    c->lanes = &c->of_group;
    struct warp *w = c->warp;
    uint32_t here = 0;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (meets(&w->groups[k], c)) here |= w->groups[k].mask;
    uint32_t missing = g->wants & w->live & ~here;
    exec_report(c, VGPU_FINDING_INACTIVE_LANE, (uint32_t)__builtin_ctz(g->mask),
                0, 0,
                "%s names lanes 0x%08x, but lanes 0x%08x are elsewhere and "
                "cannot come: on a GPU this hangs or gives garbage. Every lane "
                "of the mask must reach it",
                c->insn->source->form, g->wants, missing);
    perform(c, here);
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (meets(&w->groups[k], c)) w->groups[k].state = GROUP_READY;
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * warp_ops.c: shuffles, votes, matches, reductions and bar.warp.sync, for the
 * lanes that have met (warp_meet.c).
 *
 * How to read this: an operation is defined lane by lane. In front of the lanes
 * stands the usual case, where all name the same others and ask for the same:
 * there one answer is everybody's.
 */
#include <string.h>

#include "async.h"
#include "fault.h"
#include "watch.h"
#include "run.h"
#include "warp_used.h"

static const uint32_t *warp_ops_word(const struct context *c, int k) {
    return (const uint32_t *)(c->registers + c->insn->operands.at[k]);
}

/* Lanes that lane l's mask names and that are here. */
static uint32_t members(const struct context *c, uint32_t here, uint32_t l) {
    uint32_t named = warp_ops_word(c, 3)[l];
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

/* ---- what is the same for all lanes ---- */

WIDER static bool are_all(const uint32_t *r, const uint32_t *active,
                          uint32_t v) {
    uint32_t differs = 0;
    for (int l = 0; l < WARP_LANES; l++) differs |= (r[l] ^ v) & active[l];
    return !differs;
}

WIDER static void fill_words(uint32_t *d, const uint32_t *active, uint32_t v) {
    for (int l = 0; l < WARP_LANES; l++)
        d[l] = (d[l] & ~active[l]) | (v & active[l]);
}

/* Lanes whose word is v, of all 32. */
WIDER static uint32_t lanes_with(const uint32_t *r, uint32_t v) {
    uint32_t same = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        same |= (uint32_t)(r[l] == v) << l;
    return same;
}

WIDER static uint32_t lanes_with_wide(const uint64_t *r, uint64_t v) {
    uint64_t same = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++)
        same |= (uint64_t)(r[l] == v) << l;
    return (uint32_t)same;
}

/* Operand k is one value for all lanes that are here. */
static bool is_one(const struct context *c, uint32_t here, int k, uint32_t *v) {
    *v = warp_ops_word(c, k)[__builtin_ctz(here)];
    return c->lanes->mask == here &&
           are_all(warp_ops_word(c, k), c->lanes->w, *v);
}

/* All lanes name the same others: those of them that are here. */
static bool is_one_mask(const struct context *c, uint32_t here, uint32_t *all) {
    if (!is_one(c, here, 3, all)) return false;
    *all = *all ? *all & here : here;
    return true;
}

static void set_all(struct context *c, uint32_t v) {
    fill_words((uint32_t *)(c->registers + c->insn->operands.at[0]),
               c->lanes->w, v);
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

/* A whole warp, not in segments, all lanes by the same distance or from the
 * same lane: words are moved as a block. */
static bool shuffle_whole(struct context *c, uint32_t *v, uint32_t *predicate,
                          uint32_t *by) {
    const struct insn *i = c->insn;
    const uint32_t *from = warp_ops_word(c, 2);
    uint32_t b, clamp, usual = i->mode ? 31 : 0;
    if (!is_one(c, FULL_MASK, 4, &b) || !is_one(c, FULL_MASK, 5, &clamp) ||
        (clamp & 0x1f1f) != usual)
        return false;
    b &= 31;
    uint32_t n = WARP_LANES - b;
    *by = b;
    memcpy(v, from, WARP_LANES * sizeof *v);
    switch (i->mode) {
    case 0: /* the first b keep their own */
        memcpy(v + b, from, n * sizeof *v);
        *predicate = FULL_MASK << b;
        return true;
    case 1: /* the last b do */
        memcpy(v, from + b, n * sizeof *v);
        *predicate = FULL_MASK >> b;
        return true;
    case 2:
        for (uint32_t l = 0; l < WARP_LANES; l++) v[l] = from[l ^ b];
        *predicate = FULL_MASK;
        return true;
    default:
        for (int l = 0; l < WARP_LANES; l++) v[l] = from[b];
        *predicate = FULL_MASK;
        return true;
    }
}

/* What the lanes get from lanes that are away is stored: only then it matters
 * (warp_used.h). */
static bool is_stored(const struct context *c) {
    const struct function *f = c->group->frame->function;
    return c->machine->checks & VGPU_CHECK_SYNCCHECK &&
           warp_used_is_stored(c->insn, f->code + f->n_code);
}

/* A sum by halves (`down` by d, d / 2, ... 1) keeps the first d lanes' values
 * after each step; those behind them may read lanes that are not there, and
 * nobody uses what they get: if nothing stores it. */
static bool is_behind_a_half(const struct context *c, uint32_t here,
                             uint32_t l) {
    uint32_t first = (uint32_t)__builtin_ctz(members(c, here, l));
    return c->insn->mode == 1 && l - first >= (warp_ops_word(c, 4)[l] & 31);
}

static void finish_shuffle(struct context *c, const struct shuffle *s,
                           const uint32_t *v, uint32_t predicate) {
    const struct insn *i = c->insn;
    uint32_t here = s->lanes;
    watch_shuffles(c->machine->watching, c, s);
    if (here == FULL_MASK)
        memcpy(c->registers + i->operands.at[0], v, WARP_LANES * sizeof *v);
    else
        set_words(c, here, v);
    set_predicate(c, i->operands.at[1], here, predicate);
}

/* Who comes to this register, by copies of registers, in the function? */
static bool is_of_activemask(const struct ptx_function *f, int32_t reg) {
    for (uint32_t k = f->n_insns; reg >= 0 && k-- > 0;) {
        const struct ptx_insn *i = &f->insns[k];
        if (!i->n_operands || i->operands[0].reg != reg) continue;
        if (i->op == PTX_OP_activemask) return true;
        if (i->op == PTX_OP_mov) reg = i->operands[1].reg;
    }
    return false;
}

static void report_away(struct context *c, uint32_t lane, uint32_t other) {
    const struct ptx_insn *at = c->insn->source;
    struct vgpu_message m;
    if (is_of_activemask(c->group->frame->function->ptx,
                         at->operands[at->n_operands - 1].reg))
        VGPU_SAY(&m, LANE_AWAY_ACTIVE, .lane = lane, .other = other);
    else
        VGPU_SAY(&m, LANE_AWAY, .lane = lane, .other = other);
    exec_report(c, VGPU_FINDING_INACTIVE_LANE, (struct fault_at){.lane = lane},
                &m);
}

static void shuffle(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t v[WARP_LANES], predicate = 0;
    bool reported = false, recorded = c->machine->watching & WATCH_STEPS;
    uint8_t sources[WARP_LANES];
    struct shuffle s = {.lanes = here};
    if (here == FULL_MASK && !recorded &&
        shuffle_whole(c, v, &predicate, &s.by)) {
        finish_shuffle(c, &s, v, predicate);
        return;
    }
    s.from = sources;
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        bool in_range;
        uint32_t j = shuffle_source(i->mode, l, warp_ops_word(c, 4)[l],
                                    warp_ops_word(c, 5)[l], &in_range);
        v[l] = warp_ops_word(c, 2)[j];
        sources[l] = (uint8_t)j;
        predicate |= (uint32_t)in_range << l;
        if (!(here >> j & 1) && !reported &&
            (!is_behind_a_half(c, here, l) || is_stored(c))) {
            reported = true;
            report_away(c, l, j);
        }
    }
    finish_shuffle(c, &s, v, predicate);
}

/* ---- votes, matches, reductions ---- */

/* all, any, uni; ballot takes no notice. */
static bool vote_of(uint8_t mode, uint32_t yes, uint32_t all) {
    return mode == 0 ? yes == all : mode == 1 ? yes != 0 : !yes || yes == all;
}

static void vote(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t yes = *warp_ops_word(c, 2) ^ i->operands.immediate;
    uint32_t v[WARP_LANES], predicate = 0, everybody;
    if (is_one_mask(c, here, &everybody)) {
        bool answer = vote_of(i->mode, yes & everybody, everybody);
        if (i->mode == 3)
            set_all(c, yes & everybody);
        else
            set_predicate(c, i->operands.at[0], here, answer ? here : 0);
        return;
    }
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t all = members(c, here, l), y = yes & all;
        v[l] = y;
        predicate |= (uint32_t)vote_of(i->mode, y, all) << l;
    }
    if (i->mode == 3)
        set_words(c, here, v);
    else
        set_predicate(c, i->operands.at[0], here, predicate);
}

/* Lanes that hold what lane l holds. */
static uint32_t match_of(const struct context *c, uint32_t l) {
    const uint8_t *r = c->registers + c->insn->operands.at[2];
    const uint64_t *wide = (const uint64_t *)r;
    const uint32_t *narrow = (const uint32_t *)r;
    return c->insn->register_is_wide ? lanes_with_wide(wide, wide[l])
                                     : lanes_with(narrow, narrow[l]);
}

static void match(struct context *c, uint32_t here) {
    const struct insn *i = c->insn;
    uint32_t v[WARP_LANES], predicate = 0, everybody;
    bool one = is_one_mask(c, here, &everybody);
    for (uint32_t left = here; left;) {
        uint32_t l = (uint32_t)__builtin_ctz(left), alike = match_of(c, l);
        /* Who holds the same and names the same has the same answer. */
        uint32_t these = one ? alike & left : 1u << l;
        uint32_t all = one ? everybody : members(c, here, l);
        uint32_t same = alike & all;
        if (i->mode && same != all) same = 0;
        if (same) predicate |= these;
        left &= ~these;
        for (uint32_t m = these; m; m &= m - 1) v[__builtin_ctz(m)] = same;
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

static uint32_t redux_of(const struct context *c, uint32_t all) {
    const struct insn *i = c->insn;
    uint32_t v = warp_ops_word(c, 2)[__builtin_ctz(all)];
    for (uint32_t k = all & (all - 1); k; k &= k - 1)
        v = reduce(i->mode, i->type == PTX_S32, v,
                   warp_ops_word(c, 2)[__builtin_ctz(k)]);
    return v;
}

static void redux(struct context *c, uint32_t here) {
    uint32_t v[WARP_LANES], everybody;
    if (is_one_mask(c, here, &everybody)) {
        set_all(c, redux_of(c, everybody));
    } else {
        for (uint32_t m = here; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            v[l] = redux_of(c, members(c, here, l));
        }
        set_words(c, here, v);
    }
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

void warp_op_perform(struct context *c, uint32_t here) {
    static void (*const ops[])(struct context *,
                               uint32_t) = {[KIND_SHUFFLE] = shuffle,
                                            [KIND_VOTE] = vote,
                                            [KIND_MATCH] = match,
                                            [KIND_REDUX] = redux,
                                            [KIND_ELECT] = elect};
    if (c->insn->kind == KIND_WARP_SYNC) {
        warp_lanes_meet(c, here);
        return;
    }
    if (c->insn->kind == KIND_MATRIX) {
        exec_matrix(c, here);
        return;
    }
    watch_exchanged(c->machine->watching, c);
    ops[c->insn->kind](c, here);
    if (c->insn->kind != KIND_SHUFFLE)
        watch_voted(c->machine->watching, c, here);
}

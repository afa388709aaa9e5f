/* SPDX-License-Identifier: MIT
 *
 * taint.c: taint through memory. See taint.h.
 */
#include "taint.h"

#include <stdlib.h>

/* ---- registers ---- */

void taint_alu_many(struct context *c, const struct insn *i, uint32_t *taint,
                    uint32_t on) {
    uint32_t any = 0, twice = 0, joined = 0;
    const uint32_t *at = i->operands.at + i->n_destinations;
    for (uint32_t k = 0; k < i->n_sources; k++) {
        const uint32_t *m = &taint[at[k] >> 5];
        if (k >= i->n_moved)
            twice |= any & m[0];
        else if (i->joins)
            joined |= any & m[0];
        if (k >= i->n_kept) twice |= m[1];
        any |= m[0];
        joined |= m[1];
    }
    if (i->adds_parts) twice = any;
    if (twice & on) taint_count(c, i, twice & on);
    for (uint32_t k = 0; k < i->n_destinations; k++) {
        uint32_t *d = &taint[i->operands.at[k] >> 5];
        d[0] = (d[0] & ~on) | (any & on);
        d[1] = (d[1] & ~on) | (joined & on);
    }
}

void taint_clear(struct context *c, uint32_t lanes) {
    for (uint32_t k = 0; k < c->insn->n_destinations; k++)
        if (c->insn->operands.at[k] != NO_REGISTER)
            taint_set(c, c->insn->operands.at[k], lanes, 0);
}

/* Of a warp operation: what it asks of the lanes; whom it names. */
static uint32_t asked(struct context *c, uint32_t lanes) {
    uint32_t at = c->insn->operands.at[2];
    return at == NO_REGISTER ? 0 : *taint_of(c, at) & lanes;
}

static uint32_t taint_named(struct context *c, uint32_t lanes) {
    return *taint_of(c, c->insn->operands.at[3]) & lanes;
}

/* The same, of joined registers. */
static uint32_t asked_joined(struct context *c, uint32_t lanes) {
    uint32_t at = c->insn->operands.at[2];
    return at == NO_REGISTER ? 0 : *joined_of(c, at) & lanes;
}

void taint_voted(struct context *c, uint32_t lanes) {
    uint32_t had = asked(c, lanes), all = had | taint_named(c, lanes);
    bool several = had & (had - 1);
    uint32_t joined = several || asked_joined(c, lanes) ? lanes : 0;
    for (uint32_t k = 0; k < 2; k++)
        if (c->insn->operands.at[k] != NO_REGISTER)
            taint_set_joined(c, c->insn->operands.at[k], lanes, all ? lanes : 0,
                             joined);
    if (several || joined) costs_of(c->machine, c->insn)[VGPU_COUNT_DATA_OPS]++;
}

void taint_reduced(struct context *c, uint32_t lanes) {
    const struct insn *i = c->insn;
    uint32_t had = asked(c, lanes);
    uint32_t joined = asked_joined(c, lanes);
    taint_set_joined(c, i->operands.at[0], lanes,
                     had | taint_named(c, lanes) ? lanes : 0,
                     joined ? lanes : 0);
    if (joined && !(had & (had - 1))) taint_count(c, i, 1);
    if (had & (had - 1))
        costs_of(c->machine, i)[VGPU_COUNT_DATA_OPS] +=
            (uint64_t)__builtin_popcount(had) - 1;
}

void taint_voted_on(struct context *c, uint32_t lanes) {
    if (c->insn->kind == KIND_REDUX)
        taint_reduced(c, lanes);
    else
        taint_voted(c, lanes);
}

void taint_shuffles(struct context *c, const struct shuffle *s) {
    const uint32_t *at = c->insn->operands.at;
    uint32_t lanes = s->lanes, taint = shuffle_bits(c, s, *taint_of(c, at[2]));
    /* Whose word it is may tell as much as the word. */
    uint32_t chosen =
        *taint_of(c, at[4]) | *taint_of(c, at[5]) | taint_named(c, lanes);
    uint32_t by =
        *joined_of(c, at[4]) | *joined_of(c, at[5]) | *joined_of(c, at[3]);
    uint32_t joined = asked_joined(c, FULL_MASK) ? FULL_MASK : by;
    uint32_t twice = ((taint & chosen) | by) & lanes;
    taint_set_joined(c, at[0], lanes, taint | chosen, joined);
    if (at[1] != NO_REGISTER) taint_set_joined(c, at[1], lanes, chosen, by);
    if (twice) taint_count(c, c->insn, twice);
}

/* ---- bytes of a lane ---- */

static bool any(const struct access *x, uint32_t lane, uint32_t plus,
                uint32_t n) {
    const struct region *r = access_region(x, lane);
    return r->data && bits_any(r->data, x->address[lane] - r->base + plus, n);
}

/* What is stored in parts, or as two words that are one, may be joined. */
static void taint_write(const struct access *x, uint32_t lane, uint32_t plus,
                        uint32_t n, bool tainted, bool joined) {
    const struct region *r = access_region(x, lane);
    if (!r->data) return;
    uint64_t at = x->address[lane] - r->base + plus;
    bits_set(r->data, at, n, tainted);
    if (tainted && (joined || n < 4)) bits_join(r->data, at, n);
}

/* ---- loads ---- */

/* The taint of words, one or two to a lane. */
static uint32_t taint_of_words(const struct access *x) {
    uint32_t taint = 0;
    const uint8_t *data = x->one->data;
    if (x->bytes == 4)
        EACH_WORD(x, const uint8_t, data, taint |= (*at ? 1u : 0) << l);
    else
        EACH_WORD(x, const uint8_t, data,
                  taint |= (at[0] | at[1] ? 1u : 0) << l);
    return taint;
}

static uint32_t taint_of_lanes(const struct access *x, uint32_t plus,
                               uint32_t n) {
    uint32_t taint = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (any(x, l, plus, n)) taint |= 1u << l;
    }
    return taint;
}

/* One element of each lane, all in one region. */
static uint32_t taint_of_access(struct access *x) {
    if (!x->one->data) return 0;
    if (x->shape.run) {
        uint64_t from = access_first(x);
        uint64_t n = (uint64_t)x->shape.lanes * x->bytes;
        if (bits_all(x->one->data, from, n)) return x->mask;
        if (!bits_any(x->one->data, from, n)) return 0;
    }
    if (access_is_words(x)) return taint_of_words(x);
    access_spread(x);
    return taint_of_lanes(x, 0, x->bytes);
}

/* The lanes whose address is tainted. What is loaded from such an address is
 * tainted (the address may index a table), and so is what is stored there. */
static uint32_t taint_of_place(struct context *c) {
    return c->insn->base != NO_REGISTER ? *taint_of(c, c->insn->base) : 0;
}

/* Of n bytes of each lane: a word of them is joined, or two are loaded as one.
 */
static uint32_t joined_of_lanes(struct access *x, uint32_t plus, uint32_t n,
                                uint32_t taint) {
    uint32_t joined = 0;
    if (x->one && x->shape.run && !plus && n == x->bytes) {
        uint64_t from = access_first(x);
        uint64_t all = (uint64_t)x->shape.lanes * n;
        if (n < 8 && !bits_joined(x->one->data, from, all)) return 0;
    }
    access_spread(x);
    for (uint32_t m = taint & x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const struct region *r = access_region(x, l);
        uint64_t at = x->address[l] - r->base + plus;
        bool two =
            n >= 8 && bits_any(r->data, at, 4) && bits_any(r->data, at + 4, 4);
        if (two || bits_joined(r->data, at, n)) joined |= 1u << l;
    }
    return joined;
}

/* A load at a tainted address. It counts as a data operation where what it
 * loads is tainted, too, or the address is joined: the table may hold sums. */
static void looked_up(struct context *c, struct access *x, uint32_t place,
                      uint32_t joined, uint32_t found) {
    const struct insn *i = c->insn;
    uint32_t twice = ((place & found) | joined) & x->mask;
    if (twice) taint_count(c, c->insn, twice);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        uint32_t *to = taint_of(c, i->operands.at[e]);
        to[0] |= place & x->mask;
        to[1] |= joined & x->mask;
    }
}

void taint_loaded(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint32_t place = taint_of_place(c) & x->mask, found = 0;
    /* The address may be where the first element goes. */
    uint32_t joined = place ? *joined_of(c, i->base) : 0;
    if (i->n_elements == 1 && x->one) {
        found = taint_of_access(x);
        taint_set_joined(c, i->operands.at[0], x->mask, found,
                         found ? joined_of_lanes(x, 0, i->bytes, found) : 0);
    } else {
        for (uint32_t e = 0; e < i->n_elements; e++) {
            uint32_t is = taint_of_lanes(x, e * i->bytes, i->bytes);
            taint_set_joined(c, i->operands.at[e], x->mask, is,
                             is ? joined_of_lanes(x, e * i->bytes, i->bytes, is)
                                : 0);
            found |= is;
        }
    }
    if (place) looked_up(c, x, place, joined, found);
}

/* ---- stores ---- */

static void taint_words(const struct access *x, uint32_t taint) {
    uint8_t *data = x->one->data;
    if (x->bytes == 4)
        EACH_WORD(x, uint8_t, data, *at = taint >> l & 1 ? BITS_WORD : 0);
    else
        EACH_WORD(x, uint8_t, data,
                  at[0] = at[1] = taint >> l & 1 ? BITS_WORD : 0);
}

/* The lanes of which element e is joined once it is stored. */
static uint32_t stored_joined(struct context *c, const struct access *x,
                              uint32_t e, uint32_t taint) {
    const struct insn *i = c->insn;
    if (i->bytes < 4) return taint & x->mask;
    uint32_t at = taint_of_place(c) & x->mask ? *joined_of(c, i->base) : 0;
    return (*joined_of(c, i->operands.at[e]) | at) & x->mask;
}

void taint_stored(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint32_t place = taint_of_place(c);
    if (place & x->mask) taint_chosen(c, i->base, x->mask);
    if (x->one && !x->one->data) return;
    uint32_t taint = (*taint_of(c, i->operands.at[0]) | place) & x->mask;
    uint32_t joined = stored_joined(c, x, 0, taint);
    if (i->n_elements == 1 && x->one && !joined) {
        if (x->shape.run && (!taint || taint == x->mask)) {
            bits_set(x->one->data, access_first(x),
                     (uint64_t)x->shape.lanes * x->bytes, taint != 0);
            return;
        }
        if (access_is_words(x)) {
            taint_words(x, taint);
            return;
        }
    }
    access_spread(x);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        taint = *taint_of(c, i->operands.at[e]) | place;
        joined = stored_joined(c, x, e, taint);
        for (uint32_t m = x->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            taint_write(x, l, e * i->bytes, i->bytes, taint >> l & 1,
                        joined >> l & 1);
        }
    }
}

/* ---- atomic operations ---- */

void taint_added(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    uint32_t place = taint_of_place(c), taint = 0, twice = 0;
    uint32_t source = *taint_of(c, i->operands.at[1]) | place;
    uint32_t by = *joined_of(c, i->operands.at[1]), joined = 0;
    if (place & x->mask) taint_chosen(c, i->base, x->mask);
    for (uint32_t m = x->one->data ? x->mask : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint8_t *at = x->one->data + ((x->address[l] - x->one->base) >> 2);
        bool old = *at, is = source >> l & 1;
        bool join = *at & BITS_JOINED || by >> l & 1;
        twice += (old && is) || join;
        taint |= (uint32_t)old << l;
        joined |= (uint32_t)join << l;
        *at = old || is ? BITS_WORD | (join ? BITS_JOINED : 0) : 0;
    }
    taint_set_joined(c, i->operands.at[0], x->mask, taint | place, joined);
    costs_of(c->machine, i)[VGPU_COUNT_DATA_OPS] += twice;
}

/* What an atomic operation is given, or a part of it: is it data, joined? */
struct given {
    bool is, joined;
};

static void give(struct context *c, uint32_t from, uint32_t lane,
                 struct given *g) {
    const uint32_t *taint = taint_of(c, from);
    g->is |= taint[0] >> lane & 1;
    g->joined |= taint[1] >> lane & 1;
}

/* n bytes of a lane, `plus` bytes into its access, were changed by what was
 * given; the old bytes go to register `to`. */
static void changed(struct context *c, const struct access *x, uint32_t lane,
                    uint32_t plus, uint32_t n, uint32_t to, struct given g) {
    const struct region *r = access_region(x, lane);
    uint64_t at = x->address[lane] - r->base + plus;
    bool was = any(x, lane, plus, n), place = taint_of_place(c) >> lane & 1;
    bool joined = was && (n >= 8 || bits_joined(r->data, at, n));
    bool makes = c->insn->atomic != ATOMIC_EXCH;
    if (place && !plus) taint_chosen(c, c->insn->base, 1u << lane);
    if (makes && ((was && g.is) || joined || g.joined))
        taint_count(c, c->insn, 1);
    taint_write(x, lane, plus, n, was || g.is || place,
                g.joined || (makes && joined));
    taint_set_joined(c, to, 1u << lane, (uint32_t)(was || place) << lane,
                     (uint32_t)joined << lane);
}

void taint_atomic(struct context *c, const struct access *x, uint32_t lane) {
    const struct insn *i = c->insn;
    struct given g = {false, false};
    for (uint32_t s = 1; s <= i->n_sources; s++)
        give(c, i->operands.at[s], lane, &g);
    changed(c, x, lane, 0, i->bytes, i->operands.at[0], g);
}

void taint_element(struct context *c, const struct access *x, uint32_t lane,
                   uint32_t e, uint32_t to, uint32_t from) {
    struct given g = {false, false};
    give(c, from, lane, &g);
    changed(c, x, lane, e * c->insn->bytes, c->insn->bytes, to, g);
}

/* The lower half of two stands before the upper one. */
void taint_wide(struct context *c, const struct access *x, uint32_t lane) {
    enum { HALF = 256 };
    const struct insn *i = c->insn;
    struct given g = {false, false};
    for (uint32_t s = 1; s <= i->n_sources; s++) {
        give(c, i->operands.at[s], lane, &g);
        give(c, i->operands.at[s] + HALF, lane, &g);
    }
    changed(c, x, lane, 0, i->bytes, i->operands.at[0], g);
    taint_set_joined(c, i->operands.at[0] + HALF, 1u << lane,
                     *taint_of(c, i->operands.at[0]),
                     *joined_of(c, i->operands.at[0]));
}

/* ---- shared and local memory ----
 *
 * What a block leaves there the next one finds, and it is as much data as it
 * was: the taint of a byte lives as long as the byte.
 */

void taint_slot_made(struct block *b) {
    static const char what[] = "marks of data of its blocks";
    struct machine *m = b->machine;
    struct charges *charges = &m->memory->charges;
    b->shared.data = charges_zeroed(charges, bits_size(m->shared_bytes), what);
    bool ok = b->shared.data != NULL;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        if (!w->local) continue;
        uint64_t bytes = (uint64_t)WARP_LANES * w->local_bytes;
        w->local_data = charges_zeroed(charges, bits_size(bytes), what);
        ok &= w->local_data != NULL;
    }
    if (!ok) m->status = VGPU_OUT_OF_MEMORY;
}

void taint_slot_freed(struct block *b) {
    struct charges *charges = &b->machine->memory->charges;
    charges_free(charges, b->shared.data);
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        charges_free(charges, b->warps[k].local_data);
}

/* SPDX-License-Identifier: MIT
 *
 * marks.c: data marks through memory. See marks.h.
 */
#include "marks.h"

#include <stdlib.h>

/* ---- registers ---- */

void marks_alu_many(struct context *c, const struct insn *i, uint32_t *marks,
                    uint32_t on) {
    uint32_t any = 0, twice = 0, joined = 0;
    const uint32_t *at = i->operands.at + i->n_destinations;
    for (uint32_t k = 0; k < i->n_sources; k++) {
        const uint32_t *m = &marks[at[k] >> 5];
        if (k >= i->n_moved)
            twice |= any & m[0];
        else if (i->joins)
            joined |= any & m[0];
        if (k >= i->n_kept) twice |= m[1];
        any |= m[0];
        joined |= m[1];
    }
    if (i->adds_parts) twice = any;
    if (twice & on) marks_count(c, i, twice & on);
    for (uint32_t k = 0; k < i->n_destinations; k++) {
        uint32_t *d = &marks[i->operands.at[k] >> 5];
        d[0] = (d[0] & ~on) | (any & on);
        d[1] = (d[1] & ~on) | (joined & on);
    }
}

void marks_clear(struct context *c, uint32_t lanes) {
    for (uint32_t k = 0; k < c->insn->n_destinations; k++)
        if (c->insn->operands.at[k] != NO_REGISTER)
            marks_set(c, c->insn->operands.at[k], lanes, 0);
}

/* Of a warp operation: what it asks of the lanes; whom it names. */
static uint32_t asked(struct context *c, uint32_t lanes) {
    uint32_t at = c->insn->operands.at[2];
    return at == NO_REGISTER ? 0 : *marks_of(c, at) & lanes;
}

static uint32_t named(struct context *c, uint32_t lanes) {
    return *marks_of(c, c->insn->operands.at[3]) & lanes;
}

/* The same, of joined registers. */
static uint32_t asked_joined(struct context *c, uint32_t lanes) {
    uint32_t at = c->insn->operands.at[2];
    return at == NO_REGISTER ? 0 : *joined_of(c, at) & lanes;
}

void marks_voted(struct context *c, uint32_t lanes) {
    uint32_t had = asked(c, lanes), all = had | named(c, lanes);
    bool several = had & (had - 1);
    uint32_t joined = several || asked_joined(c, lanes) ? lanes : 0;
    for (uint32_t k = 0; k < 2; k++)
        if (c->insn->operands.at[k] != NO_REGISTER)
            marks_set_joined(c, c->insn->operands.at[k], lanes, all ? lanes : 0,
                             joined);
    if (several || joined) costs_of(c->machine, c->insn)[VGPU_COUNT_DATA_OPS]++;
}

void marks_reduced(struct context *c, uint32_t lanes) {
    const struct insn *i = c->insn;
    uint32_t had = asked(c, lanes);
    uint32_t joined = asked_joined(c, lanes);
    marks_set_joined(c, i->operands.at[0], lanes,
                     had | named(c, lanes) ? lanes : 0, joined ? lanes : 0);
    if (joined && !(had & (had - 1))) marks_count(c, i, 1);
    if (had & (had - 1))
        costs_of(c->machine, i)[VGPU_COUNT_DATA_OPS] +=
            (uint64_t)__builtin_popcount(had) - 1;
}

void marks_voted_on(struct context *c, uint32_t lanes) {
    if (c->insn->kind == KIND_REDUX)
        marks_reduced(c, lanes);
    else
        marks_voted(c, lanes);
}

void marks_shuffles(struct context *c, const struct shuffle *s) {
    const uint32_t *at = c->insn->operands.at;
    uint32_t lanes = s->lanes, marks = shuffle_bits(c, s, *marks_of(c, at[2]));
    /* Whose word it is may tell as much as the word. */
    uint32_t chosen =
        *marks_of(c, at[4]) | *marks_of(c, at[5]) | named(c, lanes);
    uint32_t by =
        *joined_of(c, at[4]) | *joined_of(c, at[5]) | *joined_of(c, at[3]);
    uint32_t joined = asked_joined(c, FULL_MASK) ? FULL_MASK : by;
    uint32_t twice = ((marks & chosen) | by) & lanes;
    marks_set_joined(c, at[0], lanes, marks | chosen, joined);
    if (at[1] != NO_REGISTER) marks_set_joined(c, at[1], lanes, chosen, by);
    if (twice) marks_count(c, c->insn, twice);
}

/* ---- bytes of a lane ---- */

static bool any(const struct access *x, uint32_t lane, uint32_t plus,
                uint32_t n) {
    const struct region *r = access_region(x, lane);
    return r->data && bits_any(r->data, x->address[lane] - r->base + plus, n);
}

/* What is stored in parts, or as two words that are one, may be joined. */
static void mark(const struct access *x, uint32_t lane, uint32_t plus,
                 uint32_t n, bool marked, bool joined) {
    const struct region *r = access_region(x, lane);
    if (!r->data) return;
    uint64_t at = x->address[lane] - r->base + plus;
    bits_set(r->data, at, n, marked);
    if (marked && (joined || n < 4)) bits_join(r->data, at, n);
}

/* ---- loads ---- */

/* Marks of words, one or two to a lane. */
static uint32_t marks_of_words(const struct access *x) {
    uint32_t marks = 0;
    const uint8_t *data = x->one->data;
    if (x->bytes == 4)
        EACH_WORD(x, const uint8_t, data, marks |= (*at ? 1u : 0) << l);
    else
        EACH_WORD(x, const uint8_t, data,
                  marks |= (at[0] | at[1] ? 1u : 0) << l);
    return marks;
}

static uint32_t marks_of_lanes(const struct access *x, uint32_t plus,
                               uint32_t n) {
    uint32_t marks = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (any(x, l, plus, n)) marks |= 1u << l;
    }
    return marks;
}

/* One element of each lane, all in one region. */
static uint32_t marks_of_access(struct access *x) {
    if (!x->one->data) return 0;
    if (x->shape.run) {
        uint64_t from = access_first(x);
        uint64_t n = (uint64_t)x->shape.lanes * x->bytes;
        if (bits_all(x->one->data, from, n)) return x->mask;
        if (!bits_any(x->one->data, from, n)) return 0;
    }
    if (access_is_words(x)) return marks_of_words(x);
    access_spread(x);
    return marks_of_lanes(x, 0, x->bytes);
}

/* Marks of the address: what is found where data points to is data (a table
 * hands it on), and so is what is put there. */
static uint32_t marks_of_place(struct context *c) {
    return c->insn->base != NO_REGISTER ? *marks_of(c, c->insn->base) : 0;
}

/* Of n bytes of each lane: a word of them is joined, or two are loaded as one.
 */
static uint32_t joined_of_lanes(struct access *x, uint32_t plus, uint32_t n,
                                uint32_t marks) {
    uint32_t joined = 0;
    if (x->one && x->shape.run && !plus && n == x->bytes) {
        uint64_t from = access_first(x);
        uint64_t all = (uint64_t)x->shape.lanes * n;
        if (n < 8 && !bits_joined(x->one->data, from, all)) return 0;
    }
    access_spread(x);
    for (uint32_t m = marks & x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const struct region *r = access_region(x, l);
        uint64_t at = x->address[l] - r->base + plus;
        bool two =
            n >= 8 && bits_any(r->data, at, 4) && bits_any(r->data, at + 4, 4);
        if (two || bits_joined(r->data, at, n)) joined |= 1u << l;
    }
    return joined;
}

/* A table, and who looks something up: where both are data, or who does has
 * parts of two, an addition may be in it. */
static void looked_up(struct context *c, struct access *x, uint32_t place,
                      uint32_t joined, uint32_t found) {
    const struct insn *i = c->insn;
    uint32_t twice = ((place & found) | joined) & x->mask;
    if (twice) marks_count(c, c->insn, twice);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        uint32_t *to = marks_of(c, i->operands.at[e]);
        to[0] |= place & x->mask;
        to[1] |= joined & x->mask;
    }
}

void marks_loaded(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint32_t place = marks_of_place(c) & x->mask, found = 0;
    /* The address may be where the first element goes. */
    uint32_t joined = place ? *joined_of(c, i->base) : 0;
    if (i->n_elements == 1 && x->one) {
        found = marks_of_access(x);
        marks_set_joined(c, i->operands.at[0], x->mask, found,
                         found ? joined_of_lanes(x, 0, i->bytes, found) : 0);
    } else {
        for (uint32_t e = 0; e < i->n_elements; e++) {
            uint32_t is = marks_of_lanes(x, e * i->bytes, i->bytes);
            marks_set_joined(c, i->operands.at[e], x->mask, is,
                             is ? joined_of_lanes(x, e * i->bytes, i->bytes, is)
                                : 0);
            found |= is;
        }
    }
    if (place) looked_up(c, x, place, joined, found);
}

/* ---- stores ---- */

static void mark_words(const struct access *x, uint32_t marks) {
    uint8_t *data = x->one->data;
    if (x->bytes == 4)
        EACH_WORD(x, uint8_t, data, *at = marks >> l & 1 ? BITS_WORD : 0);
    else
        EACH_WORD(x, uint8_t, data,
                  at[0] = at[1] = marks >> l & 1 ? BITS_WORD : 0);
}

/* The lanes of which element e is joined once it is stored. */
static uint32_t stored_joined(struct context *c, const struct access *x,
                              uint32_t e, uint32_t marks) {
    const struct insn *i = c->insn;
    if (i->bytes < 4) return marks & x->mask;
    uint32_t at = marks_of_place(c) & x->mask ? *joined_of(c, i->base) : 0;
    return (*joined_of(c, i->operands.at[e]) | at) & x->mask;
}

void marks_stored(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint32_t place = marks_of_place(c);
    if (place & x->mask) marks_chosen(c, i->base, x->mask);
    if (x->one && !x->one->data) return;
    uint32_t marks = (*marks_of(c, i->operands.at[0]) | place) & x->mask;
    uint32_t joined = stored_joined(c, x, 0, marks);
    if (i->n_elements == 1 && x->one && !joined) {
        if (x->shape.run && (!marks || marks == x->mask)) {
            bits_set(x->one->data, access_first(x),
                     (uint64_t)x->shape.lanes * x->bytes, marks != 0);
            return;
        }
        if (access_is_words(x)) {
            mark_words(x, marks);
            return;
        }
    }
    access_spread(x);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        marks = *marks_of(c, i->operands.at[e]) | place;
        joined = stored_joined(c, x, e, marks);
        for (uint32_t m = x->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            mark(x, l, e * i->bytes, i->bytes, marks >> l & 1, joined >> l & 1);
        }
    }
}

/* ---- atomic operations ---- */

void marks_added(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    uint32_t place = marks_of_place(c), marks = 0, twice = 0;
    uint32_t source = *marks_of(c, i->operands.at[1]) | place;
    uint32_t by = *joined_of(c, i->operands.at[1]), joined = 0;
    if (place & x->mask) marks_chosen(c, i->base, x->mask);
    for (uint32_t m = x->one->data ? x->mask : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint8_t *at = x->one->data + ((x->address[l] - x->one->base) >> 2);
        bool old = *at, is = source >> l & 1;
        bool join = *at & BITS_JOINED || by >> l & 1;
        twice += (old && is) || join;
        marks |= (uint32_t)old << l;
        joined |= (uint32_t)join << l;
        *at = old || is ? BITS_WORD | (join ? BITS_JOINED : 0) : 0;
    }
    marks_set_joined(c, i->operands.at[0], x->mask, marks | place, joined);
    costs_of(c->machine, i)[VGPU_COUNT_DATA_OPS] += twice;
}

/* What an atomic operation is given, or a part of it: is it data, joined? */
struct given {
    bool is, joined;
};

static void give(struct context *c, uint32_t from, uint32_t lane,
                 struct given *g) {
    const uint32_t *marks = marks_of(c, from);
    g->is |= marks[0] >> lane & 1;
    g->joined |= marks[1] >> lane & 1;
}

/* n bytes of a lane, `plus` bytes into its access, were changed by what was
 * given; the old bytes go to register `to`. */
static void changed(struct context *c, const struct access *x, uint32_t lane,
                    uint32_t plus, uint32_t n, uint32_t to, struct given g) {
    const struct region *r = access_region(x, lane);
    uint64_t at = x->address[lane] - r->base + plus;
    bool was = any(x, lane, plus, n), place = marks_of_place(c) >> lane & 1;
    bool joined = was && (n >= 8 || bits_joined(r->data, at, n));
    bool makes = c->insn->atomic != ATOMIC_EXCH;
    if (place && !plus) marks_chosen(c, c->insn->base, 1u << lane);
    if (makes && ((was && g.is) || joined || g.joined))
        marks_count(c, c->insn, 1);
    mark(x, lane, plus, n, was || g.is || place, g.joined || (makes && joined));
    marks_set_joined(c, to, 1u << lane, (uint32_t)(was || place) << lane,
                     (uint32_t)joined << lane);
}

void marks_atomic(struct context *c, const struct access *x, uint32_t lane) {
    const struct insn *i = c->insn;
    struct given g = {false, false};
    for (uint32_t s = 1; s <= i->n_sources; s++)
        give(c, i->operands.at[s], lane, &g);
    changed(c, x, lane, 0, i->bytes, i->operands.at[0], g);
}

void marks_element(struct context *c, const struct access *x, uint32_t lane,
                   uint32_t e, uint32_t to, uint32_t from) {
    struct given g = {false, false};
    give(c, from, lane, &g);
    changed(c, x, lane, e * c->insn->bytes, c->insn->bytes, to, g);
}

/* The lower half of two stands before the upper one. */
void marks_wide(struct context *c, const struct access *x, uint32_t lane) {
    enum { HALF = 256 };
    const struct insn *i = c->insn;
    struct given g = {false, false};
    for (uint32_t s = 1; s <= i->n_sources; s++) {
        give(c, i->operands.at[s], lane, &g);
        give(c, i->operands.at[s] + HALF, lane, &g);
    }
    changed(c, x, lane, 0, i->bytes, i->operands.at[0], g);
    marks_set_joined(c, i->operands.at[0] + HALF, 1u << lane,
                     *marks_of(c, i->operands.at[0]),
                     *joined_of(c, i->operands.at[0]));
}

/* ---- shared and local memory ----
 *
 * What a block leaves there the next one finds, and it is as much data as it
 * was: no mark goes before its byte does.
 */

void marks_slot_made(struct block *b) {
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

void marks_slot_freed(struct block *b) {
    struct charges *charges = &b->machine->memory->charges;
    charges_free(charges, b->shared.data);
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        charges_free(charges, b->warps[k].local_data);
}

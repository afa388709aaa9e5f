/* SPDX-License-Identifier: MIT
 *
 * state_copies.c: initcheck and structs that are copied whole. Whole words that
 * nothing has written may pad a struct (an int before a double): a load whose
 * registers are only stored again (decode_copies.c) takes along which bytes
 * these are, and the store leaves them unwritten where it puts them. So whoever
 * uses them, from there or from here, is found.
 */
#include "state_copies.h"

#include "fault.h"

enum { MOST = 64 /* registers of a warp */ };

struct state_copies {
    uint32_t n;
    struct copied {
        const uint8_t *reg;        /* of lane 0 */
        uint8_t lacks[WARP_LANES]; /* a bit for each byte of the lane's */
    } list[MOST];
};

static struct copied *state_copies_find(struct state_copies *s,
                                        const uint8_t *reg) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->list[k].reg == reg) return &s->list[k];
    return NULL;
}

static struct copied *take(struct state_copies *s, const uint8_t *reg) {
    struct copied *r = state_copies_find(s, reg);
    if (r || s->n == MOST) return r;
    r = &s->list[s->n++];
    *r = (struct copied){.reg = reg};
    return r;
}

/* Bytes that nothing has written, of so many from an address on. */
static uint8_t lacking(const struct access *x, uint32_t l, uint32_t plus,
                       uint32_t n) {
    const struct region *r = access_region(x, l);
    uint64_t at = x->address[l] - r->base + plus;
    uint32_t bits = 0;
    for (uint32_t k = 0; r->written && k < n; k++)
        if (!bits_all(r->written, at + k, 1)) bits |= 1u << k;
    return (uint8_t)bits;
}

/* Was anything written just before? What pads a struct stands behind a member,
 * by less than an alignment, which is 16 bytes at most. */
static bool is_behind_written(const struct access *x, uint32_t l) {
    enum { FURTHEST = 15 };
    const struct region *r = access_region(x, l);
    uint64_t at = x->address[l] - r->base, n = at < FURTHEST ? at : FURTHEST;
    return n && bits_any(r->written, at - n, n);
}

/* A lane of which nothing at all was written copies no struct, but for single
 * bytes, as which a compiler copies the end of one, and for a part on its own
 * behind one that was. */
static bool may_pad(const struct insn *i, const struct access *x, uint32_t l) {
    bool some = i->n_elements == 1 ? is_behind_written(x, l) : i->bytes == 1;
    for (uint32_t e = 0; e < i->n_elements; e++) {
        uint8_t lacks = lacking(x, l, e * i->bytes, i->bytes);
        if (lacks && !((i->copied | i->carried) >> e & 1)) return false;
        some |= lacks != (1u << i->bytes) - 1;
    }
    return some;
}

bool state_copies_take(struct context *c, const struct access *x, uint32_t l) {
    const struct insn *i = c->insn;
    struct warp *w = c->warp;
    bool may = x->space == PTX_GLOBAL || x->space == PTX_LOCAL ||
               (x->space == PTX_SHARED && i->n_elements > 1);
    if (!may || !may_pad(i, x, l)) return false;
    if (!i->copied) return true; /* where it goes is not followed */
    if (!state_copies_of(w))
        w->slots[OBSERVER_STATE] = charges_zeroed(
            &c->machine->memory->charges, sizeof(struct state_copies), NULL);
    if (!state_copies_of(w)) return false;
    for (uint32_t e = 0; e < i->n_elements; e++)
        if (i->copied >> e & 1 &&
            !take(state_copies_of(w), c->registers + i->operands.at[e]))
            return false;
    return true;
}

void state_copies_loaded(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    access_spread(x);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        struct copied *r = state_copies_find(state_copies_of(c->warp),
                                             c->registers + i->operands.at[e]);
        for (uint32_t m = r ? x->mask : 0; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            r->lacks[l] = lacking(x, l, e * i->bytes, i->bytes);
        }
    }
}

void state_copies_stored(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    access_spread(x);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        const struct copied *s = state_copies_find(
            state_copies_of(c->warp), c->registers + i->operands.at[e]);
        for (uint32_t m = s ? x->mask : 0; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            const struct region *r = access_region(x, l);
            uint64_t at = x->address[l] - r->base + e * i->bytes;
            for (uint32_t k = 0; r->written && k < i->bytes; k++)
                if (s->lacks[l] >> k & 1)
                    bits_set(r->written, at + k, 1, false);
        }
    }
}

void state_copies_forget(struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (state_copies_of(&b->warps[k])) state_copies_of(&b->warps[k])->n = 0;
}

void state_copies_free(struct block *b) {
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        charges_free(&b->machine->memory->charges,
                     state_copies_of(&b->warps[k]));
}

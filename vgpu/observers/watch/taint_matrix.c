/* SPDX-License-Identifier: MIT
 *
 * taint_matrix.c: taint through matrix instructions.
 *
 * How to read this: an element has the taint of its register, so two that share
 * one share it. An element of a product is tainted where one of its factors or
 * its element of c is. Its data operations are the multiplications of two
 * tainted factors and the additions of tainted terms: what the loop would count
 * that the instruction stands for, though a factor may be 0. Where a register
 * gets two tainted elements it is joined (taint.h), and what is joined counts
 * once more in each term.
 */
#include "event.h"
#include "matrix_moves.h"
#include "taint.h"

/* ---- memory ---- */

/* Moved bytes are a register's, from its bit 0 on: they replace its taint; the
 * others add to it. */
static void taint_into(struct context *c, const struct access *x,
                       const struct matrix_move *v) {
    const struct region *r = access_region(x, v->lane);
    uint64_t at = x->address[v->lane] - r->base + v->plus;
    bool is = r->data && bits_any(r->data, at, v->bytes);
    bool joined = is && bits_joined(r->data, at, v->bytes);
    uint32_t bit = 1u << v->to, *to = taint_of(c, v->at);
    bool had = v->shift && to[0] & bit;
    if (v->shift && to[1] & bit) joined = true;
    taint_set_joined(c, v->at, bit, is || had ? bit : 0,
                     joined || (is && had) ? bit : 0);
}

static void taint_out_of(struct context *c, const struct access *x,
                         const struct matrix_move *v) {
    const struct region *r = access_region(x, v->lane);
    if (!r->data) return;
    const uint32_t *from = taint_of(c, v->at);
    uint64_t at = x->address[v->lane] - r->base + v->plus;
    bool is = from[0] >> v->to & 1, joined = from[1] >> v->to & 1;
    bits_set(r->data, at, v->bytes, is);
    if (is && (joined || v->bytes < 4)) bits_join(r->data, at, v->bytes);
}

/* The register that an address or a distance of rows stands in chooses. */
static uint32_t taint_of_address(struct context *c) {
    const struct matrix_op *op = c->insn->extra;
    uint32_t base = c->insn->base, all = 0;
    if (base != NO_REGISTER) all |= *taint_of(c, base);
    if (op->stride_at != NO_REGISTER) all |= *taint_of(c, op->stride_at);
    return all;
}

void taint_matrix_moved(struct context *c, struct access *x,
                        const struct matrix_moves *m) {
    uint32_t here = c->lanes->mask, place = taint_of_address(c) & x->mask;
    if (place && x->write) {
        taint_chosen(c, c->insn->base, x->mask);
    } else if (place) {
        taint_count(c, c->insn, place);
    }
    for (uint32_t k = 0; k < m->n; k++) {
        const struct matrix_move *v = &m->list[k];
        if (!(x->mask >> v->lane & here >> v->to & 1)) continue;
        if (x->write)
            taint_out_of(c, x, v);
        else
            taint_into(c, x, v);
        if (!x->write && place >> v->lane & 1)
            taint_of(c, v->at)[0] |= 1u << v->to;
    }
}

/* ---- products ---- */

/* Of each row of a or column of b: a bit for each place along k that is
 * tainted, that is joined. */
struct taint_factors {
    uint64_t is[MATRIX_LANES], joined[MATRIX_LANES];
};

static void gather_factors(struct context *c, const struct matrix_op *op,
                           const struct matrix_part *p,
                           struct taint_factors *f) {
    *f = (struct taint_factors){{0}, {0}};
    for (uint32_t r = 0; r < p->distinct; r++) {
        const uint32_t *taint = taint_of(c, p->at[r]);
        for (uint32_t m = taint[0]; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            for (uint32_t e = 0; e < matrix_per_register(p); e++) {
                struct matrix_place at = matrix_place(op, p, l, r, e);
                f->is[at.major] |= 1ull << at.minor;
                if (taint[1] >> l & 1) f->joined[at.major] |= 1ull << at.minor;
            }
        }
    }
}

/* An element of the result; *n: its data operations. */
struct element_taint {
    bool is, joined;
};
static struct element_taint taint_of_element(const struct taint_factors *a,
                                             const struct taint_factors *b,
                                             struct matrix_place at, bool c,
                                             bool c_joined, uint64_t *n) {
    uint64_t is_a = a->is[at.major], is_b = b->is[at.minor];
    uint64_t joined = a->joined[at.major] | b->joined[at.minor];
    uint32_t terms = (uint32_t)__builtin_popcountll(is_a | is_b) + c;
    if (terms) *n += terms - 1;
    *n += (uint64_t)__builtin_popcountll(is_a & is_b) +
          (uint64_t)__builtin_popcountll(joined) + c_joined;
    return (struct element_taint){terms > 0, joined || c_joined};
}

static void taint_product(struct context *c, const struct matrix_op *op,
                          uint32_t lanes) {
    struct taint_factors a, b;
    const struct matrix_part *d = &op->d;
    uint32_t is[MATRIX_REGISTERS], joined[MATRIX_REGISTERS];
    uint64_t n = 0;
    gather_factors(c, op, &op->a, &a);
    gather_factors(c, op, &op->b, &b);
    /* Elements of c lie where those of d do, but perhaps in a half. */
    uint32_t of_d = matrix_per_register(d), of_c = matrix_per_register(&op->c);
    for (uint32_t r = 0; r < d->n; r++) {
        is[r] = joined[r] = 0;
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m), tainted = 0;
            for (uint32_t e = 0; e < of_d; e++) {
                uint32_t in_c = (r * of_d + e) / of_c;
                const uint32_t *t = taint_of(c, op->c.at[in_c]);
                struct element_taint x =
                    taint_of_element(&a, &b, matrix_place(op, d, l, r, e),
                                     t[0] >> l & 1, t[1] >> l & 1, &n);
                tainted += x.is;
                joined[r] |= (uint32_t)x.joined << l;
            }
            is[r] |= (uint32_t)(tainted > 0) << l;
            joined[r] |= (uint32_t)(tainted > 1) << l;
        }
    }
    for (uint32_t r = 0; r < d->n; r++)
        taint_set_joined(c, d->at[r], lanes, is[r], joined[r]);
    costs_of(c->machine, c->insn)[VGPU_COUNT_DATA_OPS] += n;
}

/* The halves of a register come from two lanes. */
static void taint_turned(struct context *c, const struct matrix_op *op,
                         uint32_t lanes) {
    uint32_t was = *taint_of(c, op->a.at[0]), is = 0, joined = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t from = 8 * (l & 3) + (l >> 3); /* and four lanes behind it */
        uint32_t one = was >> from & 1, other = was >> (from + 4) & 1;
        is |= (one | other) << l;
        joined |= (one & other) << l;
    }
    if (*joined_of(c, op->a.at[0]) & lanes) joined = lanes;
    taint_set_joined(c, op->d.at[0], lanes, is, joined);
}

void taint_matrix_made(struct context *c, uint32_t lanes) {
    const struct matrix_op *op = c->insn->extra;
    if (op->verb == MATRIX_TURN)
        taint_turned(c, op, lanes);
    else
        taint_product(c, op, lanes);
}

/* SPDX-License-Identifier: MIT
 *
 * steps_matrix.c: how values flow through matrix instructions. See steps.h.
 *
 * An element of a product counts as computed from the whole row of a and the
 * whole column of b, also where a factor is 0.
 */
#include <string.h>

#include "event.h"
#include "matrix_moves.h"
#include "steps_inside.h"

static uint32_t steps_held(struct context *c, uint32_t at, uint32_t lane) {
    const uint32_t *of = steps_register(c, at);
    return of ? of[lane] : 0;
}

static void steps_hold(struct context *c, uint32_t at, uint32_t lane,
                       uint32_t set) {
    uint32_t *of = steps_register(c, at);
    if (of) of[lane] = set;
}

static void move_in(struct context *c, const struct access *x,
                    const struct matrix_move *v) {
    uint32_t set = steps_set_of_cell(c, x, v->lane, v->plus, v->bytes);
    if (v->shift) /* the register has other elements */
        set = set_join(&steps_of(c->machine)->sets, set,
                       steps_held(c, v->at, v->to), SET_EITHER);
    steps_hold(c, v->at, v->to, set);
}

static void move_out(struct context *c, const struct access *x,
                     const struct matrix_move *v) {
    struct vgpu_write w = {.bytes = v->bytes, .writer = VGPU_WRITER_STORE};
    memcpy(&w.value, access_bytes(x, v->lane) + v->plus, v->bytes);
    steps_put_cell(c, x, v->lane, v->plus, w, steps_held(c, v->at, v->to));
}

void steps_matrix_moved(struct context *c, struct access *x,
                        const struct matrix_moves *m) {
    uint32_t here = c->lanes->mask;
    if (x->write && steps_of(c->machine)->word_bytes) word_stored(c, x);
    for (uint32_t k = 0; k < m->n; k++) {
        const struct matrix_move *v = &m->list[k];
        if (x->mask >> v->lane & here >> v->to & 1)
            (x->write ? move_out : move_in)(c, x, v);
    }
}

/* The set of each row of a, or column of b. */
static void sets_of_factors(struct context *c, const struct matrix_op *op,
                            const struct matrix_part *p, uint32_t lanes,
                            uint32_t sets[MATRIX_LANES]) {
    for (uint32_t k = 0; k < MATRIX_LANES; k++) sets[k] = 0;
    for (uint32_t r = 0; r < p->distinct; r++)
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            uint32_t *to = &sets[matrix_place(op, p, l, r, 0).major];
            *to = set_join(&steps_of(c->machine)->sets, *to,
                           steps_held(c, p->at[r], l), SET_EITHER);
        }
}

static void steps_product(struct context *c, const struct matrix_op *op,
                          uint32_t lanes) {
    struct feed_sets *sets = &steps_of(c->machine)->sets;
    uint32_t rows[MATRIX_LANES], columns[MATRIX_LANES];
    uint32_t is[MATRIX_REGISTERS][MATRIX_LANES] = {{0}};
    uint32_t of_d = matrix_per_register(&op->d);
    uint32_t of_c = matrix_per_register(&op->c);
    sets_of_factors(c, op, &op->a, lanes, rows);
    sets_of_factors(c, op, &op->b, lanes, columns);
    for (uint32_t r = 0; r < op->d.n; r++)
        for (uint32_t m = lanes; m; m &= m - 1)
            for (uint32_t e = 0; e < of_d; e++) {
                uint32_t l = (uint32_t)__builtin_ctz(m), *to = &is[r][l];
                struct matrix_place at = matrix_place(op, &op->d, l, r, e);
                uint32_t of = set_join(sets, rows[at.major], columns[at.minor],
                                       SET_EITHER);
                uint32_t in_c = op->c.at[(r * of_d + e) / of_c];
                of = set_join(sets, of, steps_held(c, in_c, l), SET_EITHER);
                *to = set_join(sets, *to, of, SET_EITHER);
            }
    for (uint32_t r = 0; r < op->d.n; r++)
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            steps_hold(c, op->d.at[r], l, is[r][l]);
        }
}

/* Each lane gets halves of two others. */
static void steps_turned(struct context *c, const struct matrix_op *op,
                         uint32_t lanes) {
    uint32_t was[MATRIX_LANES];
    for (uint32_t l = 0; l < MATRIX_LANES; l++)
        was[l] = steps_held(c, op->a.at[0], l);
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), from = 8 * (l & 3) + (l >> 3);
        steps_hold(c, op->d.at[0], l,
                   set_join(&steps_of(c->machine)->sets, was[from],
                            was[from + 4], SET_EITHER));
    }
}

void steps_matrix_made(struct context *c, uint32_t lanes) {
    const struct matrix_op *op = c->insn->extra;
    if (op->verb == MATRIX_TURN)
        steps_turned(c, op, lanes);
    else
        steps_product(c, op, lanes);
}

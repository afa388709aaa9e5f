/* SPDX-License-Identifier: MIT
 *
 * matrix_access.c: ldmatrix, stmatrix, wmma.load, wmma.store.
 *
 * How to read this: each is one access to memory, or several, one after
 * another, as if the lanes loaded or stored vectors; and a list of moves, which
 * says where their bytes go among the registers of all lanes. ldmatrix accesses
 * 16 bytes, a row of 8 elements, for each lane that gives an address. wmma
 * accesses what lies side by side in memory and in a register (of f32 and s32,
 * in two) at once, and the rest element by element; how a GPU's assembler
 * divides it was not measured.
 */
#include <string.h>

#include "access.h"
#include "matrix_moves.h"

/* An access with its moves: a callback gets the former (access_lanes). */
struct matrix_access {
    struct access x; /* first */
    struct matrix_moves moves;
};

/* Before registers change, which may be those of the address. */
struct matrix_bases {
    uint64_t base[WARP_LANES], stride[WARP_LANES];
};

static void take_bases(const struct context *c, struct matrix_bases *b) {
    const struct insn *i = c->insn;
    const struct matrix_op *op = i->extra;
    const void *base = c->registers + i->base, *stride = c->registers;
    if (op->stride_at != NO_REGISTER) stride = c->registers + op->stride_at;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t at = i->base == NO_REGISTER ? 0
                      : i->is_base_wide      ? ((const uint64_t *)base)[l]
                                             : ((const uint32_t *)base)[l];
        b->base[l] = at + (uint64_t)i->offset;
        if (i->base != NO_REGISTER && !i->is_base_wide)
            b->base[l] = (uint32_t)b->base[l];
        b->stride[l] = op->stride_at == NO_REGISTER
                           ? op->stride
                           : ((const uint32_t *)stride)[l] / op->stride_unit;
    }
}

static void add_move(struct matrix_moves *m, struct matrix_move move) {
    if (m->n < MATRIX_MOVES) m->list[m->n++] = move;
}

/* ---- bytes and registers ---- */

static uint32_t move_mask(const struct matrix_move *v) {
    return FULL_MASK >> (32 - 8 * v->bytes);
}

static void move_bytes(struct context *c, struct access *x) {
    const struct matrix_access *all = (const void *)x;
    uint32_t here = c->lanes->mask;
    for (uint32_t k = 0; k < all->moves.n; k++) {
        const struct matrix_move *v = &all->moves.list[k];
        if (!(x->mask >> v->lane & here >> v->to & 1)) continue;
        uint32_t *r = (uint32_t *)(c->registers + v->at) + v->to, word = 0;
        uint8_t *at = access_bytes(x, v->lane) + v->plus;
        if (x->write) {
            word = *r >> v->shift;
            memcpy(at, &word, v->bytes);
        } else {
            memcpy(&word, at, v->bytes);
            *r = (*r & ~(move_mask(v) << v->shift)) | word << v->shift;
        }
    }
    watch_matrix_moved(c->machine->watching, c, x, &all->moves);
    if (!x->write) return;
    c->machine->progress++;
    c->group->polls.same = 0;
}

static bool access_all(struct context *c, struct matrix_access *all,
                       uint32_t lanes, uint32_t bytes) {
    const struct matrix_op *op = c->insn->extra;
    if (!lanes) return true;
    access_set_mask(&all->x, lanes);
    all->x.bytes = bytes;
    all->x.write = op->verb == MATRIX_STORE;
    all->x.atomic = false;
    return access_lanes(c, &all->x, c->insn->space, move_bytes);
}

/* ---- ldmatrix, stmatrix: lane 8 * k + j has the address of row j of tile k
 * ---- */

static void move_tile(struct matrix_moves *m, const struct matrix_op *op,
                      const struct matrix_part *p, uint32_t tile) {
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint32_t row = l >> 2, column = 2 * (l & 3);
        struct matrix_move v = {.lane = (uint8_t)(8 * tile + row),
                                .plus = (uint8_t)(2 * column),
                                .bytes = 4,
                                .to = (uint8_t)l,
                                .at = p->at[tile]};
        if (!op->transposes) {
            add_move(m, v);
            continue;
        }
        v.bytes = 2;
        v.plus = (uint8_t)(2 * row);
        for (uint32_t e = 0; e < 2; e++) {
            v.lane = (uint8_t)(8 * tile + column + e);
            v.shift = (uint8_t)(16 * e);
            add_move(m, v);
        }
    }
}

static void access_tiles(struct context *c, uint32_t here,
                         const struct matrix_part *p) {
    const struct matrix_op *op = c->insn->extra;
    struct matrix_bases b;
    struct matrix_access all;
    all.moves.n = 0;
    take_bases(c, &b);
    memcpy(all.x.address, b.base, sizeof b.base);
    for (uint32_t k = 0; k < op->tiles; k++) move_tile(&all.moves, op, p, k);
    uint32_t given = FULL_MASK >> (32 - 8 * op->tiles);
    access_all(c, &all, here & given, 16);
}

/* ---- wmma ---- */

/* Elements of a register stand side by side in memory. */
static bool is_along(const struct matrix_op *op, const struct matrix_part *p) {
    bool by_column =
        p->role == MATRIX_ROLE_C ? op->turned : p->role == MATRIX_ROLE_B;
    return op->by_column == by_column;
}

/* Where a lane's element lies, from the base on. */
static uint64_t byte_of(const struct matrix_op *op, const struct matrix_part *p,
                        uint64_t stride, uint32_t lane, uint32_t r,
                        uint32_t e) {
    struct matrix_place at = matrix_place(op, p, lane, r, e);
    bool is_b = p->role == MATRIX_ROLE_B;
    uint64_t row = is_b ? at.minor : at.major;
    uint64_t column = is_b ? at.major : at.minor;
    uint64_t element =
        op->by_column ? column * stride + row : row * stride + column;
    return element * matrix_bits((enum matrix_type)p->type) / 8;
}

/* The moves of one register of a lane, and of those that hold the same. */
static void move_register(struct matrix_moves *m, const struct matrix_op *op,
                          const struct matrix_part *p, uint32_t r,
                          struct matrix_move v) {
    for (; r < p->n; r += p->distinct) {
        v.at = p->at[r];
        add_move(m, v);
        if (op->verb == MATRIX_STORE) return;
    }
}

/* Element e of register r of all lanes, and what is accessed with it. */
static bool access_elements(struct context *c, uint32_t here,
                            const struct matrix_part *p,
                            const struct matrix_bases *b, uint32_t r,
                            uint32_t e, uint32_t words) {
    const struct matrix_op *op = c->insn->extra;
    struct matrix_access all;
    uint32_t bits = matrix_bits((enum matrix_type)p->type);
    uint32_t bytes = words ? 4 : bits / 8;
    all.moves.n = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        all.x.address[l] = b->base[l] + byte_of(op, p, b->stride[l], l, r, e);
        if (!c->insn->is_base_wide && c->insn->base != NO_REGISTER)
            all.x.address[l] = (uint32_t)all.x.address[l];
        struct matrix_move v = {.lane = (uint8_t)l,
                                .bytes = (uint8_t)bytes,
                                .to = (uint8_t)l,
                                .shift = (uint8_t)(e * bits)};
        for (uint32_t k = 0; k < (words ? words : 1); k++) {
            v.plus = (uint8_t)(4 * k);
            move_register(&all.moves, op, p, r + k, v);
        }
    }
    return access_all(c, &all, here, words ? 4 * words : bytes);
}

static void access_fragment(struct context *c, uint32_t here,
                            const struct matrix_part *p) {
    const struct matrix_op *op = c->insn->extra;
    struct matrix_bases b;
    bool along = is_along(op, p);
    bool pairs = along && p->role == MATRIX_ROLE_C &&
                 matrix_bits((enum matrix_type)p->type) == 32;
    take_bases(c, &b);
    for (uint32_t r = 0; r < p->distinct; r += pairs ? 2 : 1)
        for (uint32_t e = 0; e < (along ? 1 : matrix_per_register(p)); e++)
            if (!access_elements(c, here, p, &b, r, e,
                                 pairs   ? 2
                                 : along ? 1
                                         : 0))
                return;
}

void exec_matrix_access(struct context *c, uint32_t here) {
    const struct matrix_op *op = c->insn->extra;
    const struct matrix_part *p = op->verb == MATRIX_STORE ? &op->c : &op->d;
    if (op->tiles)
        access_tiles(c, here, p);
    else
        access_fragment(c, here, p);
}

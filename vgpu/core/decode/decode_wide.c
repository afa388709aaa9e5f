/* SPDX-License-Identifier: MIT
 *
 * decode_wide.c: registers of 128 bits (two wide registers one after another)
 * and atomics on 128 bits and on vectors.
 */
#include "decode.h"

enum { HALF = 256 }; /* bytes of a wide register of 32 lanes */

/* at[0], at[1] = at[2], at[3] */
static void move_two(uint8_t *r, const struct alu_operands *o,
                     const struct lane_set *on) {
    for (int k = 0; k < 2; k++) {
        uint64_t *to = (uint64_t *)(r + o->at[k]);
        const uint64_t *from = (const uint64_t *)(r + o->at[2 + k]);
        for (int l = 0; l < VGPU_LANES; l++)
            to[l] = (to[l] & ~on->d[l]) | (from[l] & on->d[l]);
    }
}

/* The two halves of "q" or of "{x, y}". */
static bool halves(struct decoder *d, const struct ptx_operand *o,
                   uint32_t *at) {
    if (o->kind == PTX_VECTOR) {
        if (o->n_items != 2)
            return decode_fail(d, "two 64-bit registers are expected");
        at[0] = decode_operand(d, &o->items[0], 'd', PTX_B64);
        at[1] = decode_operand(d, &o->items[1], 'd', PTX_B64);
        return !d->failed;
    }
    if (o->kind != PTX_REGISTER || d->ptx->registers[o->reg].type != PTX_B128)
        return decode_fail(d, "a register of type .b128 is expected");
    at[0] = d->register_at[o->reg];
    at[1] = at[0] + HALF;
    return true;
}

bool decode_move_wide(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (i->n_operands != 2) return decode_fail(d, "wrong number of operands");
    out->kind = KIND_ALU;
    out->run = move_two;
    out->n_destinations = out->n_sources = out->n_moved = out->n_kept = 2;
    out->joins = true;
    return halves(d, &i->operands[0], &out->operands.at[0]) &&
           halves(d, &i->operands[1], &out->operands.at[2]);
}

/* atom.exch.b128, atom.cas.b128: operands.at as in an atomic of 64 bits, each
 * the lower half of two. */
bool decode_atomic_wide(struct decoder *d, struct insn *out, uint32_t values) {
    const struct ptx_insn *i = d->at;
    uint32_t at[2] = {0};
    if (i->op != PTX_OP_atom ||
        (out->atomic != ATOMIC_EXCH && out->atomic != ATOMIC_CAS))
        return decode_fail(d, "the virtual GPU does not have this atomic");
    out->register_is_wide = true;
    out->n_destinations = 1;
    out->n_sources = (uint8_t)values;
    for (uint32_t k = 0; k < 1 + values; k++) {
        if (!halves(d, &i->operands[k ? k + 1 : 0], at)) return false;
        out->operands.at[k] = at[0];
    }
    return decode_place(d, out, &i->operands[1]);
}

/* atom and red on vectors: extra holds the registers. */
bool decode_atomic_vector(struct decoder *d, struct insn *out, uint32_t first,
                          uint32_t n) {
    const struct ptx_insn *i = d->at;
    struct vector_atomic *v = decode_extra(d, out, sizeof *v);
    if (!v) return false;
    out->n_elements = (uint8_t)n;
    const struct ptx_operand *to = first ? &i->operands[0] : NULL;
    const struct ptx_operand *from = &i->operands[first + 1];
    if (from->kind != PTX_VECTOR || from->n_items != n ||
        (to && (to->kind != PTX_VECTOR || to->n_items != n)))
        return decode_fail(d, "a vector of %u elements is expected", n);
    enum ptx_type type = (enum ptx_type)out->type;
    for (uint32_t k = 0; k < n; k++) {
        v->to[k] = to ? decode_operand(d, &to->items[k], 'w', type)
                      : decode_sink(d, 'w');
        v->from[k] = decode_operand(d, &from->items[k], 'w', type);
    }
    return !d->failed && decode_place(d, out, &i->operands[first]);
}

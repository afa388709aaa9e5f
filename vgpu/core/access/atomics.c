/* SPDX-License-Identifier: MIT
 *
 * atomics.c: atom and red. Lanes take effect one after another, lowest first.
 */
#include <string.h>

#include "access.h"
#include "alu_lanes.h"

/* A float holds the sum of two halves well enough to round it but once. */
static uint32_t add_half(uint32_t a, uint32_t b) {
    return put_f16(get_f16(a & 0xffff) + get_f16(b & 0xffff));
}

static uint32_t add_brain(uint32_t a, uint32_t b) {
    return put_bf16(get_bf16(a & 0xffff) + get_bf16(b & 0xffff));
}

static uint64_t flush_f32(uint64_t x) {
    return x & 0x7f800000 ? x : x & 0x80000000;
}

/* A NaN is the first operand's, else the second's, made quiet, else new: not
 * left to the processor, since they differ. */
static uint64_t sum_f32(uint32_t a, uint32_t b) {
    float x = f32_of_bits((uint32_t)a), y = f32_of_bits((uint32_t)b),
          sum = x + y;
    if (sum == sum) return bits_of_f32(sum);
    return (x != x ? a : y != y ? b : 0xff800000u) | 0x00400000u;
}

static uint64_t sum_f64(uint64_t a, uint64_t b) {
    double x = f64_of_bits(a), y = f64_of_bits(b), sum = x + y;
    if (sum == sum) return bits_of_f64(sum);
    return (x != x   ? a
            : y != y ? b
                     : 0xfff0000000000000u) |
           0x0008000000000000u;
}

/* In global memory, an addition of f32 takes subnormal numbers for zero and
 * gives none; in shared memory it does not (PTX ISA, atom). */
static uint64_t atomics_add(uint8_t type, uint64_t a, uint64_t b, bool global) {
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    if (type == PTX_F16) return add_half(x, y);
    if (type == PTX_BF16) return add_brain(x, y);
    if (type == PTX_F16X2)
        return add_half(x, y) | add_half(x >> 16, y >> 16) << 16;
    if (type == PTX_BF16X2)
        return add_brain(x, y) | add_brain(x >> 16, y >> 16) << 16;
    if (type == PTX_F32 && global)
        return flush_f32(
            sum_f32((uint32_t)flush_f32(a), (uint32_t)flush_f32(b)));
    if (type == PTX_F32) return sum_f32(x, y);
    if (type == PTX_F64) return sum_f64(a, b);
    return a + b;
}

static bool less(uint8_t type, uint64_t a, uint64_t b) {
    switch (type) {
    case PTX_S32: return (int32_t)a < (int32_t)b;
    case PTX_S64: return (int64_t)a < (int64_t)b;
    case PTX_F32: return f32_of_bits((uint32_t)a) < f32_of_bits((uint32_t)b);
    case PTX_F64: return f64_of_bits(a) < f64_of_bits(b);
    default: return a < b;
    }
}

static uint64_t apply(const struct insn *i, uint64_t old, uint64_t b,
                      uint64_t d, bool global) {
    switch ((enum atomic_op)i->atomic) {
    case ATOMIC_ADD: return atomics_add(i->type, old, b, global);
    case ATOMIC_MIN: return less(i->type, b, old) ? b : old;
    case ATOMIC_MAX: return less(i->type, old, b) ? b : old;
    case ATOMIC_AND: return old & b;
    case ATOMIC_OR: return old | b;
    case ATOMIC_XOR: return old ^ b;
    case ATOMIC_EXCH: return b;
    case ATOMIC_CAS: return old == b ? d : old;
    case ATOMIC_INC: return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case ATOMIC_DEC:
        return !(uint32_t)old || (uint32_t)old > (uint32_t)b ? b : old - 1;
    }
    return old;
}

static void took_effect(struct context *c, struct access *x, bool changed,
                        uint64_t seen, const uint64_t *operands) {
    watch_changed(c->machine->watching, c, x, changed);
    if (changed) {
        c->machine->progress++;
        c->group->polls.same = 0;
    } else {
        watch_polled(c->machine->watching, c,
                     x->address[__builtin_ctz(x->mask)], seen);
    }
    if (!changed || c->group->trace)
        watch_poll_ends(c->machine->watching, c, x->mask, operands, true);
    if (changed) watch_works(c->machine->watching, c->machine, c->group);
}

static inline void add_word(uint8_t *at, uint32_t b, uint32_t *to) {
    uint32_t old, new;
    memcpy(&old, at, 4);
    new = old + b;
    memcpy(at, &new, 4);
    *to = old;
}

/* Additions to words of 32 bits in one region, of which one at least is not of
 * nothing: something changes, so nobody asks whether this is a poll. */
static bool add_words(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    const uint32_t *b = (const uint32_t *)(c->registers + i->operands.at[1]);
    uint32_t *to = (uint32_t *)(c->registers + i->operands.at[0]);
    if (i->atomic != ATOMIC_ADD || i->bytes != 4 || i->register_is_wide ||
        (i->type != PTX_U32 && i->type != PTX_S32) || !x->one || x->scratch ||
        c->group->trace)
        return false;
    uint32_t any = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) any |= b[l] & c->lanes->w[l];
    if (!any || x->mask != c->lanes->mask) return false;
    watch_adds(c->machine->watching, c, x);
    /* from a lane's address to this computer's */
    uint8_t *bytes = x->one->bytes;
    uint64_t base = x->one->base;
    if (x->mask == FULL_MASK)
        for (uint32_t l = 0; l < WARP_LANES; l++)
            add_word(bytes + (x->address[l] - base), b[l], &to[l]);
    else
        for (uint32_t m = x->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            add_word(bytes + (x->address[l] - base), b[l], &to[l]);
        }
    return true;
}

static void finish_atomic(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    if (add_words(c, x)) {
        took_effect(c, x, true, 0, NULL);
        return;
    }
    uint64_t mask = i->bytes == 8 ? ~0ull : (1ull << (8 * i->bytes)) - 1;
    uint64_t seen = x->mask;
    uint64_t operands[WARP_LANES];
    bool changed = false;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t old = 0;
        memcpy(&old, access_bytes(x, l), i->bytes);
        uint64_t b = context_lane(c, i->operands.at[1], l) & mask;
        uint64_t d = context_lane(c, i->operands.at[2], l) & mask;
        bool global = x->address[l] >= VGPU_ADDRESS_BASE;
        uint64_t new = apply(i, old, b, d, global) & mask;
        operands[l] = x->address[l] ^ (b * 0x9e3779b97f4a7c15ull + d) << 1;
        memcpy(access_bytes(x, l), &new, i->bytes);
        watch_changed_lane(c->machine->watching, c, x, l);
        context_set_lane(c, i->operands.at[0], l, old);
        changed |= new != old;
        seen = (seen ^ old ^ operands[l]) * 0x9e3779b97f4a7c15ull;
    }
    took_effect(c, x, changed, seen, operands);
}

/* ---- 128 bits, vectors ---- */

static void wide_pair(struct context *c, uint32_t at, uint32_t lane,
                      uint64_t v[2]) {
    for (uint32_t k = 0; k < 2; k++)
        v[k] = ((const uint64_t *)(c->registers + at + 256 * k))[lane];
}

/* cas and exch of 128 bits. */
static void finish_wide(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint64_t operands[WARP_LANES], seen = x->mask;
    bool changed = false, swaps = i->atomic == ATOMIC_CAS;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t old[2], b[2], d[2] = {0, 0};
        memcpy(old, access_bytes(x, l), 16);
        wide_pair(c, i->operands.at[1], l, b);
        if (swaps) wide_pair(c, i->operands.at[2], l, d);
        const uint64_t *new = !swaps ? b : memcmp(old, b, 16) ? old : d;
        changed |= memcmp(old, new, 16) != 0;
        memcpy(access_bytes(x, l), new, 16);
        operands[l] =
            x->address[l] ^
            ((b[0] ^ b[1] << 7) * 0x9e3779b97f4a7c15ull + (d[0] ^ d[1] << 9))
                << 1;
        seen = (seen ^ old[0] ^ old[1] * 3 ^ x->address[l]) *
               0x9e3779b97f4a7c15ull;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t to = i->operands.at[0] + 256 * k;
            ((uint64_t *)(c->registers + to))[l] = old[k];
        }
        watch_changed_wide(c->machine->watching, c, x, l);
    }
    took_effect(c, x, changed, seen, operands);
}

/* Several elements of 16 or 32 bits, each atomic by itself. */
static void finish_vector(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    const struct vector_atomic *v = i->extra;
    uint64_t operands[WARP_LANES];
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        operands[l] = x->address[l];
        for (uint32_t e = 0; e < i->n_elements; e++) {
            uint8_t *at = access_bytes(x, l) + e * i->bytes;
            uint64_t old = 0;
            memcpy(&old, at, i->bytes);
            uint64_t b = context_lane(c, v->from[e], l);
            bool global = x->address[l] >= VGPU_ADDRESS_BASE;
            uint64_t new = apply(i, old, b, 0, global);
            memcpy(at, &new, i->bytes);
            context_set_lane(c, v->to[e], l, old);
            watch_changed_element(c->machine->watching, c, x, l, e, v->to[e],
                                  v->from[e]);
        }
    }
    took_effect(c, x, true, 0, operands);
}

bool exec_atomic(struct context *c) {
    watch_poll_begins(c->machine->watching, c);
    access_fn *finish = c->insn->bytes == 16       ? finish_wide
                        : c->insn->n_elements == 1 ? finish_atomic
                                                   : finish_vector;
    return access_each(c, true, true, finish);
}

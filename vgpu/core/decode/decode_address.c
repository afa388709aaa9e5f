/* SPDX-License-Identifier: MIT
 *
 * decode_address.c: cvta and isspacep. Global and const addresses are the same
 * in both spaces; shared, local and param have a window of the generic space.
 */
#include "decode.h"

static uint64_t window_of(const struct ptx_insn *i) {
    switch (i->typed->space) {
    case PTX_SHARED: return SHARED_WINDOW;
    case PTX_LOCAL: return LOCAL_WINDOW;
    case PTX_PARAM: return PARAM_WINDOW;
    default: return 0;
    }
}

static void to_generic(uint8_t *r, const struct alu_operands *o,
                       const struct lane_set *on, uint64_t window) {
    uint64_t *dst = (uint64_t *)(r + o->at[0]);
    const uint64_t *src = (const uint64_t *)(r + o->at[1]);
    for (int l = 0; l < VGPU_LANES; l++)
        dst[l] = (dst[l] & ~on->d[l]) | ((src[l] | window) & on->d[l]);
}

static void from_generic(uint8_t *r, const struct alu_operands *o,
                         const struct lane_set *on) {
    uint64_t *dst = (uint64_t *)(r + o->at[0]);
    const uint64_t *src = (const uint64_t *)(r + o->at[1]);
    for (int l = 0; l < VGPU_LANES; l++)
        dst[l] = (dst[l] & ~on->d[l]) | (src[l] & ~WINDOW_MASK & on->d[l]);
}

#define WINDOW_ROW(name, window)                                               \
    static void cvta_##name(uint8_t *r, const struct alu_operands *o,          \
                            const struct lane_set *on) {                       \
        to_generic(r, o, on, window);                                          \
    }                                                                          \
    static void is_##name(uint8_t *r, const struct alu_operands *o,            \
                          const struct lane_set *on) {                         \
        uint32_t *p = (uint32_t *)(r + o->at[0]), hit = 0;                     \
        const uint64_t *a = (const uint64_t *)(r + o->at[1]);                  \
        for (int l = 0; l < VGPU_LANES; l++)                                   \
            hit |= (uint32_t)((a[l] & WINDOW_MASK) == (window)) << l;          \
        *p = (*p & ~on->mask) | (hit & on->mask);                              \
    }
WINDOW_ROW(shared, SHARED_WINDOW)
WINDOW_ROW(local, LOCAL_WINDOW)
WINDOW_ROW(param, PARAM_WINDOW)

static void copy(uint8_t *r, const struct alu_operands *o,
                 const struct lane_set *on) {
    to_generic(r, o, on, 0);
}

static void is_global(uint8_t *r, const struct alu_operands *o,
                      const struct lane_set *on) {
    uint32_t *p = (uint32_t *)(r + o->at[0]), hit = 0;
    const uint64_t *a = (const uint64_t *)(r + o->at[1]);
    for (int l = 0; l < VGPU_LANES; l++)
        hit |= (uint32_t)((a[l] & WINDOW_MASK) < SHARED_WINDOW) << l;
    *p = (*p & ~on->mask) | (hit & on->mask);
}

/* mapa: the address itself, or nothing that exists in a block of another rank.
 */
static void map_wide(uint8_t *r, const struct alu_operands *o,
                     const struct lane_set *on) {
    uint64_t *dst = (uint64_t *)(r + o->at[0]);
    const uint64_t *src = (const uint64_t *)(r + o->at[1]);
    const uint32_t *rank = (const uint32_t *)(r + o->at[2]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint64_t a = rank[l] ? (src[l] & WINDOW_MASK) | 0xffffffff : src[l];
        dst[l] = (dst[l] & ~on->d[l]) | (a & on->d[l]);
    }
}

static void map_narrow(uint8_t *r, const struct alu_operands *o,
                       const struct lane_set *on) {
    uint32_t *dst = (uint32_t *)(r + o->at[0]);
    const uint32_t *src = (const uint32_t *)(r + o->at[1]);
    const uint32_t *rank = (const uint32_t *)(r + o->at[2]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t a = rank[l] ? ~0u : src[l];
        dst[l] = (dst[l] & ~on->w[l]) | (a & on->w[l]);
    }
}

static bool decode_rank(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool map = i->op == PTX_OP_mapa;
    if (i->n_operands != (map ? 3u : 2u))
        return decode_fail(d, "wrong number of operands");
    out->kind = KIND_ALU;
    out->n_destinations = out->n_sources = 1;
    char class = decode_operand_class(d, &i->operands[0]);
    if (class != 'd') class = 'w';
    if (!map) {
        out->run = alu_find(d->program->alu, "mov.b32")->run;
        out->operands.at[0] = decode_operand(d, &i->operands[0], 'w', PTX_B32);
        out->operands.at[1] = decode_constant(d, 'w', 0);
        return !d->failed;
    }
    out->run = class == 'd' ? map_wide : map_narrow;
    out->operands.at[0] = decode_operand(d, &i->operands[0], class, PTX_B64);
    out->operands.at[1] = decode_operand(d, &i->operands[1], class, PTX_B64);
    out->operands.at[2] = decode_operand(d, &i->operands[2], 'w', PTX_B32);
    return !d->failed;
}

bool decode_address(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (i->op == PTX_OP_mapa || i->op == PTX_OP_getctarank)
        return decode_rank(d, out);
    uint64_t window = window_of(i);
    bool test = i->op == PTX_OP_isspacep;
    if (i->n_operands != 2) return decode_fail(d, "two operands expected");
    out->kind = KIND_ALU;
    out->n_destinations = out->n_sources = 1;
    char class = decode_operand_class(d, &i->operands[1]);
    if (class == 'w')
        return decode_fail(d, "32-bit generic addresses are not supported");
    out->operands.at[0] =
        decode_operand(d, &i->operands[0], test ? 'p' : 'd', PTX_B64);
    out->operands.at[1] = decode_operand(d, &i->operands[1], 'd', PTX_B64);
    if (d->failed) return false;
    if (test)
        out->run = window == SHARED_WINDOW  ? is_shared
                   : window == LOCAL_WINDOW ? is_local
                   : window == PARAM_WINDOW ? is_param
                                            : is_global;
    else if (!window)
        out->run = copy;
    else if (decode_has(i, TO))
        out->run = from_generic;
    else
        out->run = window == SHARED_WINDOW  ? cvta_shared
                   : window == LOCAL_WINDOW ? cvta_local
                                            : cvta_param;
    return true;
}

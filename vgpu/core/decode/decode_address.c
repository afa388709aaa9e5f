/* SPDX-License-Identifier: MIT
 *
 * decode_address.c: cvta and isspacep. Global and const addresses are the same
 * in both spaces; shared, local and param have a window of the generic space.
 */
#include "decode.h"
#include "decode_cluster.h"

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

bool decode_address(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (i->op == PTX_OP_mapa || i->op == PTX_OP_getctarank)
        return decode_rank(d, out);
    if (d->program->ptx->target_sm >= FIRST_WITH_CLUSTERS &&
        i->typed->space == PTX_SHARED && !decode_has(i, TO))
        return decode_window(d, out);
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

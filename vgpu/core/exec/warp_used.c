/* SPDX-License-Identifier: MIT
 *
 * warp_used.c: is what a shuffle brings stored for sure? It looks at the code
 * behind the shuffle that all its lanes execute, and follows the value through
 * additions, moves and their like, as far as no instruction there may choose
 * another one instead: a guard, selp, and, a product. So a sum by halves, of
 * which one lane stores the result behind a branch, is none.
 */
#include "warp_used.h"

enum { FURTHEST = 48, MOST = 8 };

struct used_registers {
    uint32_t at[MOST], n;
};

static bool used_has(const struct used_registers *s, uint32_t at) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->at[k] == at) return true;
    return false;
}

static void used_drop(struct used_registers *s, uint32_t at) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->at[k] == at) s->at[k] = s->at[--s->n];
}

static bool hands_on(const struct insn *i) {
    if (i->guard != NO_REGISTER || !i->source || i->n_destinations != 1)
        return false;
    switch (i->source->op) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mov:
    case PTX_OP_cvt:
    case PTX_OP_neg:
    case PTX_OP_max:
    case PTX_OP_min: return true;
    default: return false;
    }
}

static void used_computes(struct used_registers *s, const struct insn *i) {
    const uint32_t *at = i->operands.at;
    bool any = false;
    for (uint32_t k = 0; k < i->n_sources; k++)
        any |= used_has(s, at[i->n_destinations + k]);
    for (uint32_t k = 0; k < i->n_destinations; k++) used_drop(s, at[k]);
    if (any && hands_on(i) && s->n < MOST) s->at[s->n++] = at[0];
}

/* Stores one of them where others see it. */
static bool used_stores(const struct used_registers *s, const struct insn *i) {
    uint32_t from = i->kind == KIND_ATOMIC ? 1 : 0;
    if (i->guard != NO_REGISTER || i->space == PTX_LOCAL ||
        i->space == PTX_PARAM)
        return false;
    for (uint32_t e = 0; e < i->n_sources; e++)
        if (used_has(s, i->operands.at[from + e])) return true;
    return false;
}

bool warp_used_is_stored(const struct insn *i, const struct insn *end) {
    struct used_registers s = {.at = {i->operands.at[0]}, .n = 1};
    if (i->guard != NO_REGISTER) return false;
    for (uint32_t k = 0; ++i < end && s.n && k < FURTHEST; k++)
        switch (i->kind) {
        case KIND_ALU: used_computes(&s, i); break;
        case KIND_STORE:
        case KIND_ATOMIC:
            if (used_stores(&s, i)) return true;
            if (i->kind == KIND_ATOMIC) used_drop(&s, i->operands.at[0]);
            break;
        case KIND_LOAD:
            for (uint32_t e = 0; e < i->n_elements; e++)
                used_drop(&s, i->operands.at[e]);
            break;
        case KIND_JOIN:
        case KIND_NOTHING:
        case KIND_FENCE:
        case KIND_BARRIER: break;
        default: return false;
        }
    return false;
}

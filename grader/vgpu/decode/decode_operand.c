/* SPDX-License-Identifier: MIT
 *
 * decode_operand.c: every operand becomes a register: constants and special
 * registers get one of their own, filled before the kernel runs.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"

char decode_class(enum ptx_type type) {
    if (type == PTX_PRED) return 'p';
    return ptx_type_bytes(type) >= 8 ? 'd' : 'w';
}

static uint32_t take(struct decoder *d, char class) {
    uint32_t at = d->next_register;
    d->next_register += class == 'p' ? 64 : class == 'd' ? 256 : 128;
    return at;
}

uint32_t decode_constant(struct decoder *d, char class, uint64_t value) {
    struct function *f = d->function;
    if (class != 'd') value &= 0xffffffffu;
    for (uint32_t i = 0; i < f->n_fills; i++) {
        const struct slot_fill *x = &f->fills[i];
        if (x->value == value && x->wide == (class == 'd') &&
            x->predicate == (class == 'p'))
            return x->at;
    }
    if (f->n_fills == d->n_fills_allocated) {
        uint32_t n = d->n_fills_allocated * 2 + 32;
        struct slot_fill *t = realloc(f->fills, n * sizeof *t);
        if (!t) {
            decode_fail(d, "out of memory");
            return NO_REGISTER;
        }
        f->fills = t;
        d->n_fills_allocated = n;
    }
    uint32_t at = take(d, class);
    f->fills[f->n_fills++] =
        (struct slot_fill){at, class == 'd', class == 'p', value};
    return at;
}

uint32_t decode_sink(struct decoder *d, char class) {
    int k = class == 'w' ? 0 : class == 'd' ? 1 : 2;
    if (d->sink[k] == NO_REGISTER) d->sink[k] = take(d, class);
    return d->sink[k];
}

uint32_t decode_scratch(struct decoder *d, char class) {
    return take(d, class);
}

uint32_t decode_carry(struct decoder *d) {
    if (d->function->carry == NO_REGISTER) d->function->carry = take(d, 'p');
    return d->function->carry;
}

/* Every block is a cluster of its own. NO_REGISTER: no register of clusters. */
static uint32_t cluster_special(struct decoder *d, const char *name) {
    static const struct {
        const char *name, *same;
        char class;
        uint32_t value;
    } table[] = {{"%clusterid.x", "%ctaid.x", 'w', 0},
                 {"%clusterid.y", "%ctaid.y", 'w', 0},
                 {"%clusterid.z", "%ctaid.z", 'w', 0},
                 {"%nclusterid.x", "%nctaid.x", 'w', 0},
                 {"%nclusterid.y", "%nctaid.y", 'w', 0},
                 {"%nclusterid.z", "%nctaid.z", 'w', 0},
                 {"%cluster_ctaid.x", NULL, 'w', 0},
                 {"%cluster_ctaid.y", NULL, 'w', 0},
                 {"%cluster_ctaid.z", NULL, 'w', 0},
                 {"%cluster_nctaid.x", NULL, 'w', 1},
                 {"%cluster_nctaid.y", NULL, 'w', 1},
                 {"%cluster_nctaid.z", NULL, 'w', 1},
                 {"%cluster_ctarank", NULL, 'w', 0},
                 {"%cluster_nctarank", NULL, 'w', 1},
                 {"%is_explicit_cluster", NULL, 'p', 0}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(table[k].name, name))
            return table[k].same
                       ? decode_special(d, table[k].same)
                       : decode_constant(d, table[k].class, table[k].value);
    return NO_REGISTER;
}

uint32_t decode_special(struct decoder *d, const char *name) {
    uint32_t of_cluster = cluster_special(d, name);
    if (of_cluster != NO_REGISTER) return of_cluster;
    static const struct {
        const char *name;
        enum special special;
    } table[] = {{"%tid.x", SPECIAL_TID_X},
                 {"%tid.y", SPECIAL_TID_Y},
                 {"%tid.z", SPECIAL_TID_Z},
                 {"%ntid.x", SPECIAL_NTID_X},
                 {"%ntid.y", SPECIAL_NTID_Y},
                 {"%ntid.z", SPECIAL_NTID_Z},
                 {"%ctaid.x", SPECIAL_CTAID_X},
                 {"%ctaid.y", SPECIAL_CTAID_Y},
                 {"%ctaid.z", SPECIAL_CTAID_Z},
                 {"%nctaid.x", SPECIAL_NCTAID_X},
                 {"%nctaid.y", SPECIAL_NCTAID_Y},
                 {"%nctaid.z", SPECIAL_NCTAID_Z},
                 {"%laneid", SPECIAL_LANEID},
                 {"%warpid", SPECIAL_WARPID},
                 {"%nwarpid", SPECIAL_NWARPID},
                 {"%smid", SPECIAL_SMID},
                 {"%nsmid", SPECIAL_NSMID},
                 {"%gridid", SPECIAL_GRIDID},
                 {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
                 {"%lanemask_le", SPECIAL_LANEMASK_LE},
                 {"%lanemask_lt", SPECIAL_LANEMASK_LT},
                 {"%lanemask_ge", SPECIAL_LANEMASK_GE},
                 {"%lanemask_gt", SPECIAL_LANEMASK_GT},
                 {"%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM},
                 {"%total_smem_size", SPECIAL_TOTAL_SMEM}};
    enum special s = N_SPECIALS;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(table[k].name, name)) s = table[k].special;
    if (!strncmp(name, "%envreg", 7)) s = SPECIAL_ENVREG;
    if (!strcmp(name, "%envreg1")) s = SPECIAL_ENVREG1;
    if (!strcmp(name, "%envreg2")) s = SPECIAL_ENVREG2;
    if (s == N_SPECIALS) {
        decode_fail(d, "the virtual GPU does not have the register %s", name);
        return NO_REGISTER;
    }
    uint32_t *at = &d->function->specials[s];
    if (*at == NO_REGISTER) *at = take(d, s == SPECIAL_GRIDID ? 'd' : 'w');
    return *at;
}

char decode_operand_class(struct decoder *d, const struct ptx_operand *o) {
    if (o->kind != PTX_REGISTER) return 0;
    return decode_class(d->ptx->registers[o->reg].type);
}

static uint64_t literal(const struct ptx_operand *o, const char *type) {
    uint64_t bits = (uint64_t)o->integer;
    if (!type) return bits;
    if (!strcmp(type, "f32") && o->kind == PTX_FLOAT64) {
        double x;
        memcpy(&x, &bits, 8);
        float y = (float)x;
        uint32_t b;
        memcpy(&b, &y, 4);
        return b;
    }
    if (!strcmp(type, "f64") && o->kind == PTX_FLOAT32) {
        uint32_t b = (uint32_t)bits;
        float x;
        memcpy(&x, &b, 4);
        double y = x;
        memcpy(&bits, &y, 8);
        return bits;
    }
    /* 8- and 16-bit values live zero-extended */
    enum ptx_type t = decode_type(type);
    if (t != PTX_NONE && ptx_type_bytes(t) == 2) return bits & 0xffff;
    if (t != PTX_NONE && ptx_type_bytes(t) == 1) return bits & 0xff;
    return bits;
}

uint32_t decode_operand(struct decoder *d, const struct ptx_operand *o,
                        char class, const char *type) {
    switch (o->kind) {
    case PTX_REGISTER: {
        char have = decode_operand_class(d, o);
        if (have != class) {
            decode_fail(d,
                        "register %s has the wrong size for this instruction",
                        d->ptx->registers[o->reg].name);
            return NO_REGISTER;
        }
        return d->register_at[o->reg];
    }
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64: {
        uint64_t bits = literal(o, type);
        return decode_constant(d, class,
                               class == 'p' ? (bits ? 0xffffffffu : 0) : bits);
    }
    case PTX_SPECIAL: return decode_special(d, o->symbol);
    case PTX_SYMBOL: return decode_symbol(d, o, class);
    case PTX_SINK: return decode_sink(d, class);
    default: decode_fail(d, "operand of a kind not expected here");
    }
    return NO_REGISTER;
}

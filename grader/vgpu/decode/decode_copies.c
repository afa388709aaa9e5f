/* SPDX-License-Identifier: MIT
 *
 * decode_copies.c: elements of vector loads from global memory that go, as they
 * are, to vector stores and nowhere else. So compilers copy structs, and some
 * words of these are padding that nobody writes (initcheck, state_copies.c).
 */
#include <stdlib.h>

#include "decode.h"

/* Where a register stands in a function's text. */
struct uses {
    uint32_t all, loads, stores;
    uint8_t bytes; /* of the load's element; other stores count as no store */
};

static void count(struct uses *uses, const struct ptx_operand *o) {
    if (o->reg >= 0) uses[o->reg].all++;
    if (o->second >= 0) uses[o->second].all++;
    for (uint32_t k = 0; k < o->n_items; k++) count(uses, &o->items[k]);
}

/* The elements of a vector in memory; NULL: it is none of those. */
static const struct ptx_operand *vector_of(const struct insn *i,
                                           enum insn_kind kind) {
    const struct ptx_insn *s = i->source;
    if (!s || i->kind != kind || i->order != ORDER_WEAK || i->n_elements < 2)
        return NULL;
    const struct ptx_operand *o = &s->operands[kind == KIND_LOAD ? 0 : 1];
    return o->kind == PTX_VECTOR && o->n_items == i->n_elements ? o : NULL;
}

/* A load that every use of its registers comes behind, whatever the guards. */
static const struct ptx_operand *loaded(const struct insn *i) {
    return i->guard == NO_REGISTER &&
                   (i->space == PTX_GLOBAL || i->space == PTX_GENERIC)
               ? vector_of(i, KIND_LOAD)
               : NULL;
}

static bool count_loads(struct uses *uses, const struct function *f) {
    bool any = false;
    for (uint32_t k = 0; k < f->n_code; k++) {
        const struct ptx_operand *o = loaded(&f->code[k]);
        for (uint32_t e = 0; o && e < o->n_items; e++) {
            if (o->items[e].kind != PTX_REGISTER) continue;
            struct uses *u = &uses[o->items[e].reg];
            u->loads++;
            u->bytes = f->code[k].bytes;
            any = true;
        }
    }
    return any;
}

static void count_stores(struct uses *uses, const struct function *f) {
    for (uint32_t k = 0; k < f->n_code; k++) {
        const struct ptx_operand *o = vector_of(&f->code[k], KIND_STORE);
        for (uint32_t e = 0; o && e < o->n_items; e++)
            if (o->items[e].kind == PTX_REGISTER &&
                uses[o->items[e].reg].bytes == f->code[k].bytes)
                uses[o->items[e].reg].stores++;
    }
}

static bool is_copied(const struct uses *u) {
    return u->loads == 1 && u->stores > 0 && u->all == u->stores + 1;
}

void decode_copies(struct decoder *d) {
    struct function *f = d->function;
    struct uses *uses = NULL;
    bool any = false;
    for (uint32_t k = 0; k < f->n_code && !any; k++)
        any = loaded(&f->code[k]) != NULL;
    if (any) uses = calloc(d->ptx->n_registers + 1, sizeof *uses);
    if (!uses || !count_loads(uses, f)) { /* no memory: none is known */
        free(uses);
        return;
    }
    count_stores(uses, f);
    for (uint32_t k = 0; k < d->ptx->n_insns; k++)
        for (uint32_t o = 0; o < d->ptx->insns[k].n_operands; o++)
            count(uses, &d->ptx->insns[k].operands[o]);
    for (uint32_t k = 0; k < f->n_code; k++) {
        struct insn *i = &f->code[k];
        const struct ptx_operand *o = loaded(i);
        if (!o) o = vector_of(i, KIND_STORE);
        for (uint32_t e = 0; o && e < o->n_items; e++)
            if (o->items[e].kind == PTX_REGISTER &&
                is_copied(&uses[o->items[e].reg]))
                i->copied |= (uint8_t)(1u << e);
    }
    free(uses);
}

/* SPDX-License-Identifier: MIT
 *
 * decode_copies.c: what loads bring and stores take, as it is, and nothing else
 * uses. So structs are copied, by compilers in vectors and by memcpy in bytes,
 * and some words of these are padding that nobody writes (initcheck,
 * state_copies.c). From shared memory vectors only: single words of it next to
 * others are elements far more often than padding.
 *
 * Also what loads bring and selp at most uses. From local memory a compiler
 * loads early: of `i < n ? a[i] : 0` a[i] whatever n is, since the load cannot
 * fail there.
 *
 * Also what moves from register to register before it is stored again: of a
 * struct that is the best so far, say, in a loop.
 *
 * And atomics whose old value nothing reads (ATOMIC_UNUSED).
 */
#include <stdlib.h>

#include "decode.h"

/* Where a register stands in a function's text. */
struct uses {
    uint32_t all, loads, stores, selected;
    uint8_t bytes;   /* of the load's element; other stores count as no store */
    uint32_t moved;  /* mov, selp: as a source or the result */
    uint32_t stored; /* by any store */
    bool is_carried;
};

static void decode_copies_count(struct uses *uses,
                                const struct ptx_operand *o) {
    if (o->reg >= 0) uses[o->reg].all++;
    if (o->second >= 0) uses[o->second].all++;
    for (uint32_t k = 0; k < o->n_items; k++)
        decode_copies_count(uses, &o->items[k]);
}

/* The registers of a load or a store; n 0: it is none of those. 8 bytes on
 * their own are a number, or a word with a flag, and none that copies a struct.
 */
struct elements {
    const struct ptx_operand *at;
    uint32_t n;
};

static struct elements elements_of(const struct insn *i, enum insn_kind kind) {
    const struct ptx_insn *s = i->source;
    const struct elements none = {0};
    if (!s || i->kind != kind || i->order != ORDER_WEAK) return none;
    const struct ptx_operand *o = &s->operands[kind == KIND_LOAD ? 0 : 1];
    if (o->kind == PTX_VECTOR && o->n_items == i->n_elements)
        return (struct elements){o->items, o->n_items};
    bool is_one = o->kind == PTX_REGISTER && i->n_elements == 1 && i->bytes < 8;
    return is_one ? (struct elements){o, 1} : none;
}

/* A load that every use of its registers comes behind, whatever the guards. */
static struct elements loaded(const struct insn *i) {
    bool may = i->space == PTX_GLOBAL || i->space == PTX_GENERIC ||
               i->space == PTX_LOCAL ||
               (i->space == PTX_SHARED && i->n_elements > 1);
    return i->guard == NO_REGISTER && may ? elements_of(i, KIND_LOAD)
                                          : (struct elements){0};
}

static void count_loads(struct uses *uses, const struct function *f) {
    for (uint32_t k = 0; k < f->n_code; k++) {
        const struct elements all = loaded(&f->code[k]);
        for (uint32_t e = 0; e < all.n; e++) {
            if (all.at[e].kind != PTX_REGISTER) continue;
            struct uses *u = &uses[all.at[e].reg];
            u->loads++;
            u->bytes = f->code[k].bytes;
        }
    }
}

static void count_stores(struct uses *uses, const struct function *f) {
    for (uint32_t k = 0; k < f->n_code; k++) {
        const struct elements all = elements_of(&f->code[k], KIND_STORE);
        for (uint32_t e = 0; e < all.n; e++)
            if (all.at[e].kind == PTX_REGISTER &&
                uses[all.at[e].reg].bytes == f->code[k].bytes)
                uses[all.at[e].reg].stores++;
    }
}

static void count_selected(struct uses *uses, const struct ptx_insn *i) {
    if (i->op != PTX_OP_selp) return;
    for (uint32_t o = 1; o < 3; o++)
        if (i->operands[o].kind == PTX_REGISTER)
            uses[i->operands[o].reg].selected++;
}

static bool is_copied(const struct uses *u) {
    return u->loads == 1 && u->stores > 0 && u->all == u->stores + 1;
}

static bool is_tried(const struct uses *u) {
    return u->loads > 0 && u->all == u->loads + u->selected;
}

/* ---- what moves ---- */

/* The registers that an instruction only moves: from the second on its sources,
 * of which it takes one. n 0: it does more. */
static uint32_t moved(const struct ptx_insn *i, int32_t regs[3]) {
    uint32_t n = i->op == PTX_OP_mov ? 2 : i->op == PTX_OP_selp ? 3 : 0;
    for (uint32_t o = 0; o < n; o++) {
        if (i->operands[o].kind == PTX_VECTOR) return 0;
        regs[o] = i->operands[o].kind == PTX_REGISTER ? i->operands[o].reg : -1;
    }
    return n && regs[0] >= 0 ? n : 0;
}

static void count_moves(struct uses *uses, const struct ptx_insn *i) {
    int32_t regs[3];
    uint32_t n = moved(i, regs);
    for (uint32_t o = 0; o < n; o++)
        if (regs[o] >= 0) uses[regs[o]].moved++;
}

static void count_stored(struct uses *uses, const struct function *f) {
    for (uint32_t k = 0; k < f->n_code; k++) {
        const struct elements all = elements_of(&f->code[k], KIND_STORE);
        for (uint32_t e = 0; e < all.n; e++)
            if (all.at[e].kind == PTX_REGISTER) uses[all.at[e].reg].stored++;
    }
}

/* What is moved into a register that does more is no copy either. */
static bool drop_moved(struct uses *uses, const struct ptx_insn *i) {
    int32_t regs[3];
    uint32_t n = moved(i, regs);
    bool any = false;
    for (uint32_t o = 1; o < n; o++)
        if (regs[o] >= 0 && !uses[regs[0]].is_carried &&
            uses[regs[o]].is_carried) {
            uses[regs[o]].is_carried = false;
            any = true;
        }
    return any;
}

static void find_carried(struct decoder *d, struct uses *uses) {
    enum { ROUNDS = 32 };
    count_stored(uses, d->function);
    for (uint32_t k = 0; k < d->ptx->n_insns; k++)
        count_moves(uses, &d->ptx->insns[k]);
    for (uint32_t r = 0; r < d->ptx->n_registers; r++) {
        struct uses *u = &uses[r];
        u->is_carried = u->all && u->all == u->loads + u->moved + u->stored;
    }
    bool any = true;
    for (uint32_t round = 0; any && round < ROUNDS; round++) {
        any = false;
        for (uint32_t k = d->ptx->n_insns; k-- > 0;)
            any |= drop_moved(uses, &d->ptx->insns[k]);
    }
    for (uint32_t r = 0; any && r < d->ptx->n_registers; r++)
        uses[r].is_carried = false; /* a chain that long is not followed */
}

/* ---- local memory by an index ---- */

/* Of a register that gives addresses in local memory: an offset that is
 * used with it; whether there are others. */
struct places {
    int64_t first;
    bool is_used, several;
};

static struct places *places_of(const struct function *f) {
    struct places *all = calloc((f->register_bytes >> 6) + 1, sizeof *all);
    for (uint32_t k = 0; all && k < f->n_code; k++) {
        const struct insn *i = &f->code[k];
        bool access = i->kind == KIND_LOAD || i->kind == KIND_STORE;
        if (!access || i->base == NO_REGISTER) continue;
        struct places *p = &all[i->base >> 6];
        p->several |= p->is_used && p->first != i->offset;
        p->first = i->offset;
        p->is_used = true;
    }
    return all;
}

/* Such an address is one element's, and no part of a struct that is copied: of
 * that the other parts would have the same register, and other offsets. */
static void forget_indexed(struct decoder *d) {
    const struct function *f = d->function;
    struct places *all = places_of(f);
    for (uint32_t k = 0; all && k < f->n_code; k++) {
        struct insn *i = &d->code[k];
        if (i->kind == KIND_LOAD && i->space == PTX_LOCAL &&
            i->n_elements == 1 && i->base != NO_REGISTER &&
            !all[i->base >> 6].several)
            i->copied = 0;
    }
    free(all);
}

/* An atomic that the hardware can do without an old value. */
static bool may_be_red(const struct insn *i) {
    return i->kind == KIND_ATOMIC && i->source &&
           i->source->op == PTX_OP_atom && i->atomic != ATOMIC_CAS &&
           i->atomic != ATOMIC_EXCH;
}

static bool is_unused(const struct uses *uses, const struct ptx_operand *o) {
    for (uint32_t k = 0; k < o->n_items; k++)
        if (!is_unused(uses, &o->items[k])) return false;
    return o->kind != PTX_REGISTER || uses[o->reg].all == 1;
}

/* Sets the bits of one instruction. */
static void decode_copies_mark(struct insn *i, const struct uses *uses) {
    struct elements all = loaded(i);
    bool load = all.n;
    if (may_be_red(i) && is_unused(uses, &i->source->operands[0]))
        i->mode = ATOMIC_UNUSED;
    if (!load) all = elements_of(i, KIND_STORE);
    for (uint32_t e = 0; e < all.n; e++) {
        if (all.at[e].kind != PTX_REGISTER) continue;
        const struct uses *u = &uses[all.at[e].reg];
        if (is_copied(u)) i->copied |= (uint8_t)(1u << e);
        if (load && is_tried(u)) i->tried |= (uint8_t)(1u << e);
        if (load && u->is_carried && i->space != PTX_LOCAL)
            i->carried |= (uint8_t)(1u << e);
    }
}

void decode_copies(struct decoder *d) {
    struct function *f = d->function;
    struct uses *uses = NULL;
    bool any = false;
    for (uint32_t k = 0; k < f->n_code && !any; k++)
        any = loaded(&f->code[k]).n > 0 || may_be_red(&f->code[k]);
    if (any) uses = calloc(d->ptx->n_registers + 1, sizeof *uses);
    if (!uses) return; /* no memory: none is known */
    count_loads(uses, f);
    count_stores(uses, f);
    for (uint32_t k = 0; k < d->ptx->n_insns; k++) {
        for (uint32_t o = 0; o < d->ptx->insns[k].n_operands; o++)
            decode_copies_count(uses, &d->ptx->insns[k].operands[o]);
        count_selected(uses, &d->ptx->insns[k]);
    }
    find_carried(d, uses);
    for (uint32_t k = 0; k < f->n_code; k++)
        decode_copies_mark(&d->code[k], uses);
    free(uses);
    forget_indexed(d);
}

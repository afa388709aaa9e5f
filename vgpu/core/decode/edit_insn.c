/* SPDX-License-Identifier: MIT
 *
 * edit_insn.c: see edit_insn.h. A table says for each kind which instructions
 * it fits and how it changes one.
 */
#include "edit_insn.h"

#include <stdio.h>
#include <string.h>

#include "change.h"

enum { FORM = 128 };

static bool is_one(enum ptx_op op, const enum ptx_op *ops, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (op == ops[k]) return true;
    return false;
}
#define IS_ONE(op, ...)                                                        \
    is_one(op, (const enum ptx_op[]){__VA_ARGS__},                             \
           sizeof((const enum ptx_op[]){__VA_ARGS__}) / sizeof(enum ptx_op))

static bool is_seen(const struct ptx_insn *i) {
    enum ptx_space s = (enum ptx_space)i->typed->space;
    return s == PTX_GENERIC || s == PTX_GLOBAL || s == PTX_SHARED;
}

bool edit_is_access(const struct ptx_insn *i) {
    return is_seen(i) && IS_ONE(i->op, PTX_OP_ld, PTX_OP_ldu, PTX_OP_st,
                                PTX_OP_atom, PTX_OP_red);
}

static bool is_of_device(const struct ptx_insn *i) {
    return edit_is_access(i) && i->typed->space != PTX_SHARED;
}

static const struct ptx_operand *
edit_insn_address_of(const struct ptx_insn *i) {
    for (uint32_t k = 0; k < i->n_operands; k++)
        if (i->operands[k].kind == PTX_ADDRESS) return &i->operands[k];
    return NULL;
}

static struct ptx_operand *constant_of(const struct ptx_insn *i) {
    for (uint32_t k = 1; k < i->n_operands; k++)
        if (i->operands[k].kind == PTX_INTEGER)
            return (struct ptx_operand *)&i->operands[k];
    return NULL;
}

static bool fits_none(const struct ptx_function *f, const struct ptx_insn *i) {
    (void)f, (void)i;
    return false;
}

/* ---- orders ---- */

static bool fits_any(const struct ptx_function *f, const struct ptx_insn *i) {
    (void)f, (void)i;
    return true;
}

static bool fits_access(const struct ptx_function *f,
                        const struct ptx_insn *i) {
    (void)f;
    return edit_is_access(i);
}

static bool fits_device(const struct ptx_function *f,
                        const struct ptx_insn *i) {
    (void)f;
    return is_of_device(i);
}

static bool fits_strong(const struct ptx_function *f,
                        const struct ptx_insn *i) {
    (void)f;
    return is_of_device(i) && IS_ONE(i->op, PTX_OP_ld, PTX_OP_st) &&
           i->typed->order < ORDER_ACQUIRE &&
           !ptx_given(i->typed, PTX_CLASS_VECTOR);
}

/* "ld.volatile.global.u32": "ld.acquire.gpu.global.u32" */
static bool make_strong(struct ptx_module *m, const struct ptx_function *f,
                        struct ptx_insn *i, const struct vgpu_edit *e) {
    (void)f, (void)e;
    char text[FORM];
    enum ptx_type type = ptx_type_at(i->typed, 0);
    snprintf(text, sizeof text, "%s.gpu%s%s",
             i->op == PTX_OP_ld ? "ld.acquire" : "st.release",
             i->typed->space == PTX_GLOBAL ? ".global" : "",
             ptx_type_name(type));
    return ptx_set_form(m, i, text);
}

/* ---- an addition that is not atomic ---- */

static const struct ptx_insn *definition(const struct ptx_function *f,
                                         const struct ptx_insn *before,
                                         int32_t reg) {
    for (const struct ptx_insn *i = before; i-- > f->insns;)
        if (i->n_operands && i->operands[0].kind == PTX_REGISTER &&
            i->operands[0].reg == reg && i->op != PTX_OP_st)
            return i;
    return NULL;
}

static bool is_same_word(const struct ptx_insn *load,
                         const struct ptx_insn *store) {
    const struct ptx_operand *a = edit_insn_address_of(load),
                             *b = edit_insn_address_of(store);
    return load->op == PTX_OP_ld && a && b && a->reg == b->reg &&
           a->symbol == b->symbol && a->integer == b->integer;
}

/* Where a kernel loads a word, adds something and stores the sum there: what it
 * adds. NULL: the store is no such one. */
static const struct ptx_operand *added(const struct ptx_function *f,
                                       const struct ptx_insn *store) {
    if (store->op != PTX_OP_st || !is_seen(store) || store->n_operands != 2 ||
        store->operands[1].kind != PTX_REGISTER)
        return NULL;
    const struct ptx_insn *sum = definition(f, store, store->operands[1].reg);
    if (!sum || sum->op != PTX_OP_add || sum->n_operands != 3) return NULL;
    for (int k = 1; k <= 2; k++) {
        const struct ptx_operand *o = &sum->operands[k];
        const struct ptx_insn *load =
            o->kind == PTX_REGISTER ? definition(f, sum, o->reg) : NULL;
        if (load && is_same_word(load, store)) return &sum->operands[3 - k];
    }
    return NULL;
}

static bool fits_atomic(const struct ptx_function *f,
                        const struct ptx_insn *i) {
    return added(f, i) != NULL;
}

static bool make_atomic(struct ptx_module *m, const struct ptx_function *f,
                        struct ptx_insn *i, const struct vgpu_edit *e) {
    (void)e;
    char text[FORM];
    const struct ptx_operand *what = added(f, i);
    bool is_wide = ptx_type_bytes(ptx_type_at(i->typed, 0)) == 8;
    enum ptx_space space = (enum ptx_space)i->typed->space;
    snprintf(text, sizeof text, "red%s.add.%s",
             space == PTX_GLOBAL   ? ".global"
             : space == PTX_SHARED ? ".shared"
                                   : "",
             is_wide ? "u64" : "u32");
    i->operands[1] = *what;
    return ptx_set_form(m, i, text);
}

/* ---- comparisons ---- */

static const struct {
    const char *from, *to;
} other_edge[] = {{".lt.", ".le."}, {".le.", ".lt."}, {".gt.", ".ge."},
                  {".ge.", ".gt."}, {".lo.", ".ls."}, {".ls.", ".lo."},
                  {".hi.", ".hs."}, {".hs.", ".hi."}};

static size_t edge_of(const struct ptx_insn *i) {
    size_t n = sizeof other_edge / sizeof *other_edge, k = 0;
    while (k < n && !strstr(i->form, other_edge[k].from)) k++;
    return k < n ? k + 1 : 0;
}

static bool fits_compare(const struct ptx_function *f,
                         const struct ptx_insn *i) {
    (void)f;
    return IS_ONE(i->op, PTX_OP_setp, PTX_OP_set) && edge_of(i) > 0 &&
           !constant_of(i);
}

static bool turn_edge(struct ptx_module *m, const struct ptx_function *f,
                      struct ptx_insn *i, const struct vgpu_edit *e) {
    (void)f, (void)e;
    char text[FORM];
    const char *to = other_edge[edge_of(i) - 1].to;
    const char *at = strstr(i->form, other_edge[edge_of(i) - 1].from);
    if (strlen(i->form) >= sizeof text) return true;
    snprintf(text, sizeof text, "%s", i->form);
    memcpy(text + (at - i->form), to, strlen(to));
    return ptx_set_form(m, i, text);
}

/* ---- constants ---- */

static bool is_integer(const struct ptx_insn *i) {
    enum ptx_type t = ptx_type_at(i->typed, 0);
    return ptx_type_bytes(t) >= 4 && ptx_type_bytes(t) <= 8 && t != PTX_F32 &&
           t != PTX_F64;
}

static bool fits_constant(const struct ptx_function *f,
                          const struct ptx_insn *i) {
    (void)f;
    return IS_ONE(i->op, PTX_OP_add, PTX_OP_sub, PTX_OP_setp, PTX_OP_mov,
                  PTX_OP_min, PTX_OP_max) &&
           is_integer(i) && constant_of(i);
}

static bool add_to_constant(struct ptx_module *m, const struct ptx_function *f,
                            struct ptx_insn *i, const struct vgpu_edit *e) {
    (void)m, (void)f;
    struct ptx_operand *o = constant_of(i);
    o->integer = (int64_t)((uint64_t)o->integer + (uint64_t)e->by);
    return true;
}

static bool fits_load(const struct ptx_function *f, const struct ptx_insn *i) {
    (void)f;
    return edit_is_access(i) && i->op == PTX_OP_ld && edit_insn_address_of(i);
}

static bool fits_store(const struct ptx_function *f, const struct ptx_insn *i) {
    (void)f;
    return edit_is_access(i) && i->op == PTX_OP_st && edit_insn_address_of(i);
}

static bool move_address(struct ptx_module *m, const struct ptx_function *f,
                         struct ptx_insn *i, const struct vgpu_edit *e) {
    (void)m, (void)f;
    struct ptx_operand *o = (struct ptx_operand *)edit_insn_address_of(i);
    o->integer += e->by * (int64_t)ptx_type_bytes(ptx_type_at(i->typed, 0));
    return true;
}

/* ---- places of a binary number ---- */

static bool is_power(int64_t value) {
    return value > 0 && (value & (value - 1)) == 0;
}

static bool fits_shift(const struct ptx_function *f, const struct ptx_insn *i) {
    (void)f;
    const struct ptx_operand *c = constant_of(i);
    if (!c || !is_integer(i)) return false;
    return IS_ONE(i->op, PTX_OP_shl, PTX_OP_shr) ||
           (i->op == PTX_OP_mul && is_power(c->integer));
}

static bool shift_more(struct ptx_module *m, const struct ptx_function *f,
                       struct ptx_insn *i, const struct vgpu_edit *e) {
    (void)m, (void)f;
    struct ptx_operand *c = constant_of(i);
    if (i->op != PTX_OP_mul)
        c->integer += e->by;
    else if (e->by > 0)
        c->integer <<= 1;
    else
        c->integer >>= 1;
    return true;
}

/* ---- all kinds ---- */

static const struct {
    bool (*fits)(const struct ptx_function *, const struct ptx_insn *);
    bool (*change)(struct ptx_module *, const struct ptx_function *,
                   struct ptx_insn *, const struct vgpu_edit *);
} kinds[VGPU_N_EDITS] = {
    [VGPU_EDIT_BARRIER_BEFORE] = {fits_any, NULL},
    [VGPU_EDIT_MEET_BEFORE] = {fits_access, NULL},
    [VGPU_EDIT_MEET_AFTER] = {fits_any, NULL},
    [VGPU_EDIT_WARP_BEFORE] = {fits_access, NULL},
    [VGPU_EDIT_FENCE_BEFORE] = {fits_device, NULL},
    [VGPU_EDIT_FENCE_AFTER] = {fits_device, NULL},
    [VGPU_EDIT_STRONG] = {fits_strong, make_strong},
    [VGPU_EDIT_ATOMIC] = {fits_atomic, make_atomic},
    [VGPU_EDIT_COMPARE] = {fits_compare, turn_edge},
    [VGPU_EDIT_CONSTANT] = {fits_constant, add_to_constant},
    [VGPU_EDIT_LOAD_INDEX] = {fits_load, move_address},
    [VGPU_EDIT_STORE_INDEX] = {fits_store, move_address},
    [VGPU_EDIT_SHIFT] = {fits_shift, shift_more},
    [VGPU_EDIT_CHOICE] = {fits_none, NULL}, /* of no instruction's line */
};

bool edit_fits(vgpu_edit_kind kind, const struct ptx_function *f,
               const struct ptx_insn *i) {
    return kinds[kind].fits(f, i);
}

bool edit_change(struct ptx_module *m, const struct ptx_function *f,
                 struct ptx_insn *i, const struct vgpu_edit *e) {
    return !kinds[e->kind].change || kinds[e->kind].change(m, f, i, e);
}

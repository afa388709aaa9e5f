/* SPDX-License-Identifier: MIT
 *
 * stray.c: see stray.h. Going back from the address through the instructions
 * that made it: a parameter of the kernel that points into an array says which
 * array was meant; a load says that the index, too, stood in memory; a product
 * whose factors are still in their registers says whether 32 bits held it.
 */
#include "stray.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 48, NEAR = 1 << 20 };
#define FAR_BYTES (1ll << 30)

struct walk {
    struct context *c;
    const struct ptx_function *f;
    uint32_t lane;
    bool has_values; /* every register still has what was last written to it */
    bool several;    /* pointers to different arrays */
    int32_t registers[MOST_REGISTERS];
    uint32_t n;
    struct stray found;
};

static bool has_register(const struct ptx_operand *o) {
    return (o->kind == PTX_REGISTER || o->kind == PTX_ADDRESS) && o->reg >= 0;
}

static void follow(struct walk *w, const struct ptx_operand *o) {
    if (!has_register(o) || w->n == MOST_REGISTERS) return;
    for (uint32_t k = 0; k < w->n; k++)
        if (w->registers[k] == o->reg) return;
    w->registers[w->n++] = o->reg;
}

/* Of a register or a number. */
static bool stray_operand(const struct walk *w, const struct ptx_operand *o,
                          uint64_t *value) {
    const struct function *f = w->c->group->frame->function;
    if (o->kind == PTX_INTEGER) {
        *value = (uint64_t)o->integer;
        return true;
    }
    if (o->kind != PTX_REGISTER || o->reg < 0) return false;
    unsigned bytes = ptx_type_bytes(w->f->registers[o->reg].type);
    const uint8_t *at = w->c->registers + f->register_at[o->reg];
    uint32_t narrow;
    if (bytes == sizeof narrow) {
        memcpy(&narrow, at + w->lane * sizeof narrow, sizeof narrow);
        *value = narrow;
    } else if (bytes == sizeof *value) {
        memcpy(value, at + w->lane * sizeof *value, sizeof *value);
    }
    return bytes == sizeof narrow || bytes == sizeof *value;
}

/* A pointer to an array, or to right behind it. */
static void take_pointer(struct walk *w, uint64_t value) {
    const struct allocation *a = memory_before(w->c->machine->memory, value);
    if (value < VGPU_ADDRESS_BASE || value >= VGPU_ADDRESS_LIMIT || !a ||
        !a->region.bytes || value - a->region.base > a->size)
        return;
    if (w->found.array && w->found.array != a) w->several = true;
    w->found.array = a;
}

static void take_load(struct walk *w, const struct ptx_insn *i) {
    if (w->found.is_loaded) return;
    w->found.is_loaded = true;
    w->found.loaded = program_source(w->c->machine->program->ptx, i->loc).line;
}

static bool fits(bool is_signed, int64_t wide) {
    return is_signed ? wide >= INT32_MIN && wide <= INT32_MAX
                     : wide >= 0 && wide <= UINT32_MAX;
}

/* Does the register hold what 32 bits keep of a product that has more? */
static void take_product(struct walk *w, const struct ptx_insn *i) {
    uint64_t a, b, made, add = 0;
    enum ptx_type type = ptx_type_at(i->typed, 0);
    bool shift = i->op == PTX_OP_shl, mad = i->op == PTX_OP_mad;
    if (!w->has_values || w->found.product || ptx_type_bytes(type) != 4 ||
        ptx_has(i->typed, PTX_MOD_WIDE) || i->n_operands < 3 ||
        (!shift && !mad && i->op != PTX_OP_mul) ||
        !stray_operand(w, &i->operands[0], &made) ||
        !stray_operand(w, &i->operands[1], &a) ||
        !stray_operand(w, &i->operands[2], &b) ||
        (mad && !stray_operand(w, &i->operands[3], &add)) || (shift && b > 31))
        return;
    bool is_signed = type != PTX_U32;
    int64_t x = is_signed ? (int32_t)a : (int64_t)(uint32_t)a;
    int64_t y = shift       ? 1ll << b
                : is_signed ? (int32_t)b
                            : (int64_t)(uint32_t)b;
    int64_t all;
    if (__builtin_mul_overflow(x, y, &all) || fits(is_signed, all) ||
        (uint32_t)((uint64_t)all + add) != (uint32_t)made)
        return;
    w->found.product = program_source(w->c->machine->program->ptx, i->loc).line;
    w->found.a = x;
    w->found.b = y;
}

static void take_maker(struct walk *w, const struct ptx_insn *i) {
    uint64_t value;
    bool loads = ptx_op_family(i->op) == PTX_FAMILY_MEMORY,
         parameter =
             loads && i->typed->n_spaces && i->typed->spaces[0] == PTX_PARAM;
    bool symbol = i->op == PTX_OP_mov && i->n_operands > 1 &&
                  i->operands[1].kind == PTX_SYMBOL;
    if (parameter || symbol) {
        if (w->has_values && stray_operand(w, &i->operands[0], &value))
            take_pointer(w, value);
    } else if (loads || ptx_op_family(i->op) == PTX_FAMILY_ATOMIC) {
        take_load(w, i);
    } else {
        take_product(w, i);
        for (uint32_t k = 1; k < i->n_operands; k++) follow(w, &i->operands[k]);
    }
}

struct stray stray_look(struct context *c, uint32_t lane, uint64_t address) {
    const struct function *f = c->group->frame->function;
    struct walk w = {.c = c,
                     .f = f->ptx,
                     .lane = lane,
                     .has_values = !c->machine->program->shares_slots};
    if (!c->insn || !c->insn->source || !c->insn->bytes) return w.found;
    const struct ptx_insn *access = c->insn->source;
    for (uint32_t k = 0; k < access->n_operands; k++)
        if (access->operands[k].kind == PTX_ADDRESS)
            follow(&w, &access->operands[k]);
    for (uint32_t k = 0; k < w.n; k++)
        for (const struct ptx_insn *i = f->ptx->insns;
             i < f->ptx->insns + f->ptx->n_insns; i++)
            if (i->n_operands && i->operands[0].kind == PTX_REGISTER &&
                i->operands[0].reg == w.registers[k] && i->typed &&
                program_writes_first(i))
                take_maker(&w, i);
    if (w.several) w.found.array = NULL;
    if (!w.found.array) return w.found;
    const struct allocation *a = w.found.array;
    int64_t width = a->element ? a->element : c->insn->bytes;
    w.found.index = (int64_t)(address - a->region.base - a->first) / width;
    return w.found;
}

/* The thread's number among those of its launch along x. */
static int64_t stray_index(const struct context *c, uint32_t lane) {
    const struct machine *m = c->machine;
    uint32_t t = c->warp->index * WARP_LANES + lane;
    return (int64_t)context_block(c)->index[0] * m->block[0] + t % m->block[0];
}

static uint64_t stray_elements(const struct context *c,
                               const struct allocation *a) {
    uint64_t all = a->size - a->slack,
             width = a->element ? a->element : c->insn->bytes;
    return all > a->first ? (all - a->first) / width : 0;
}

bool stray_say(const struct context *c, uint32_t lane, const struct stray *s,
               vgpu_stray *kind, struct vgpu_message *why) {
    const struct allocation *a = s->array;
    int64_t wraps = 1ll << 32;
    *kind = VGPU_STRAY_UNKNOWN;
    if (!a) return false;
    int64_t width = a->element ? a->element : c->insn->bytes;
    int64_t count = (int64_t)stray_elements(c, a),
            number = stray_index(c, lane);
    bool is_far = llabs(s->index) > FAR_BYTES / width;
    if (s->product && is_far) {
        *kind = VGPU_STRAY_PRODUCT;
        VGPU_SAY(why, WHY_PRODUCT, .line = s->product, .a = (uint64_t)s->a,
                 .b = (uint64_t)s->b);
        return true;
    }
    if (s->index < wraps && s->index >= wraps - NEAR) {
        *kind = VGPU_STRAY_UNSIGNED;
        VGPU_SAY(why, WHY_UNSIGNED, .index = (uint64_t)s->index,
                 .below = (uint64_t)(s->index - wraps));
        return true;
    }
    *kind = is_far         ? VGPU_STRAY_FAR
            : s->index < 0 ? VGPU_STRAY_NEGATIVE
            : s->is_loaded ? VGPU_STRAY_LOADED
            : number < count && s->index >= count && s->index - number <= 2
                ? VGPU_STRAY_BESIDE
                : VGPU_STRAY_UNKNOWN;
    if (*kind == VGPU_STRAY_FAR)
        VGPU_SAY(why, WHY_FAR,
                 .gib = (double)llabs(s->index) * (double)width / FAR_BYTES);
    else if (*kind == VGPU_STRAY_LOADED && s->loaded)
        VGPU_SAY(why, WHY_LOADED, .line = s->loaded);
    else if (*kind == VGPU_STRAY_BESIDE)
        VGPU_SAY(why, WHY_BESIDE, .number = (uint64_t)number);
    else
        return false;
    return true;
}

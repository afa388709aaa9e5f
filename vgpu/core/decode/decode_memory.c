/* SPDX-License-Identifier: MIT
 *
 * decode_memory.c: ld, st, atom and red.
 *
 * Layout of operands.at: load: destination registers of the vector's elements;
 * store: source registers; atomic: destination, operand, compare value. The
 * address is insn.base (NO_REGISTER: none) plus insn.offset. Param space:
 * kernel parameters become loads from a constant address in PARAM_WINDOW,
 * a call's parameters PTX_PARAM with an offset into the frame's call area.
 */
#include <stdlib.h>

#include "decode.h"

static enum memory_order order_of(const struct ptx_insn *i) {
    enum memory_order order = (enum memory_order)i->typed->order;
    return order == ORDER_WEAK && decode_has(i, MMIO) ? ORDER_VOLATILE : order;
}

static bool set_type(struct decoder *d, struct insn *out) {
    const struct ptx_form *f = d->at->typed;
    if (!f->n_words) return decode_fail(d, "no type given");
    out->type = (uint8_t)ptx_type_at(f, 0);
    out->bytes = (uint8_t)ptx_type_bytes(out->type);
    if (!out->bytes) return decode_fail(d, "type not supported here");
    if (f->n_types > 1) return decode_fail(d, "more than one type given");
    out->n_elements = f->vector ? f->vector : 1;
    out->space = f->space;
    out->order = (uint8_t)order_of(d->at);
    out->of_block = (uint8_t)decode_scope(d->at);
    out->of_system = decode_has(d->at, SYS) || out->order == ORDER_VOLATILE;
    return true;
}

static bool set_symbol_base(struct decoder *d, struct insn *out,
                            const struct ptx_operand *o) {
    bool is_kernel;
    const struct parameter *p =
        decode_parameter(d->function, o->symbol, &is_kernel);
    if (p && !is_kernel) {
        out->space = PTX_PARAM;
        out->offset = (int64_t)p->offset + o->integer;
        if (out->offset < 0 ||
            (uint64_t)out->offset + (uint64_t)out->bytes * out->n_elements >
                d->function->call_bytes)
            return decode_fail(d, "outside parameter '%s'", o->symbol);
        return true;
    }
    if (!p && out->space == PTX_PARAM)
        return decode_fail(d, "'%s' is no parameter", o->symbol);
    out->base = decode_symbol(d, o, 'd');
    out->is_base_wide = true;
    if (p) out->space = PTX_GENERIC; /* its address is in PARAM_WINDOW */
    return !d->failed;
}

bool decode_place(struct decoder *d, struct insn *out,
                  const struct ptx_operand *o) {
    if (o->kind == PTX_SYMBOL && o->symbol) return set_symbol_base(d, out, o);
    if (o->kind != PTX_ADDRESS)
        return decode_fail(d, "an address in brackets is expected");
    if (o->symbol) return set_symbol_base(d, out, o);
    out->offset = o->integer;
    if (out->space == PTX_PARAM) out->space = PTX_GENERIC;
    if (o->reg < 0) return true;
    char class = decode_class(d->ptx->registers[o->reg].type);
    if (class == 'p') return decode_fail(d, "a predicate is no address");
    out->base = d->register_at[o->reg];
    out->is_base_wide = class == 'd';
    return true;
}

/* Registers of a scalar or a vector operand, all of one class. */
static bool set_elements(struct decoder *d, struct insn *out,
                         const struct ptx_operand *o, bool destination) {
    const struct ptx_operand *list = o->kind == PTX_VECTOR ? o->items : o;
    uint32_t n = o->kind == PTX_VECTOR ? o->n_items : 1;
    if (n != out->n_elements) return decode_fail(d, "wrong number of elements");
    char class = 0;
    for (uint32_t k = 0; k < n; k++) {
        char c = decode_operand_class(d, &list[k]);
        if (c == 'p') return decode_fail(d, "predicates cannot be in memory");
        if (c && class && c != class)
            return decode_fail(d, "elements of different sizes");
        if (c) class = c;
    }
    if (!class) class = out->bytes >= 8 ? 'd' : 'w';
    if (class == 'w' && out->bytes > 4)
        return decode_fail(d, "register is smaller than the access");
    for (uint32_t k = 0; k < n; k++) {
        if (destination && list[k].kind != PTX_REGISTER &&
            list[k].kind != PTX_SINK)
            return decode_fail(d, "destination must be a register");
        out->operands.at[k] = decode_operand(d, &list[k], class, out->type);
        if (list[k].kind == PTX_REGISTER &&
            ptx_type_bytes(d->ptx->registers[list[k].reg].type) == 2)
            out->mode = 1; /* a load must keep the upper half zero */
    }
    out->register_is_wide = class == 'd';
    return !d->failed;
}

static void split_b128(struct insn *out) {
    /* One 16-byte element is two 8-byte ones in one wide register pair. */
    if (out->bytes != 16) return;
    out->bytes = 8;
    out->n_elements = 2;
    out->operands.at[1] = out->operands.at[0] + 256;
}

static const struct parameter *kernel_parameter(struct decoder *d,
                                                const struct ptx_operand *o) {
    if (!o->symbol || (o->kind != PTX_ADDRESS && o->kind != PTX_SYMBOL))
        return NULL;
    bool is_kernel;
    const struct parameter *p =
        decode_parameter(d->function, o->symbol, &is_kernel);
    return p && is_kernel ? p : NULL;
}

/* ld.param from a known place: the value is the same for the whole launch, so
 * it waits in a register and the load is a move. */
static bool decode_parameter_move(struct decoder *d, struct insn *out,
                                  const struct parameter *p) {
    const struct ptx_operand *o = &d->at->operands[1];
    if (o->integer < 0 || (uint64_t)o->integer + out->bytes > p->bytes)
        return decode_fail(d, "outside parameter '%s'", p->name);
    bool wide = out->register_is_wide;
    uint32_t at =
        decode_fill(d, (struct fill){.value = p->offset + (uint64_t)o->integer,
                                     .class = wide ? 'd' : 'w',
                                     .kind = FILL_PARAM,
                                     .bytes = out->bytes,
                                     .type = out->type,
                                     .narrow = out->mode != 0});
    out->kind = KIND_ALU;
    out->run = alu_find(d->program->alu, wide ? "mov.b64" : "mov.b32")->run;
    out->operands.at[1] = at;
    out->n_sources = 1;
    return !d->failed;
}

bool decode_memory(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool load = i->op != PTX_OP_st;
    if (i->n_operands < 2) return decode_fail(d, "two operands expected");
    if (!set_type(d, out)) return false;
    if (out->n_elements > 4)
        return decode_fail(d, "256-bit accesses need a newer GPU");
    if (out->bytes * out->n_elements > 16)
        return decode_fail(d, "more than 16 bytes per thread");
    out->cached = load && out->order == ORDER_WEAK && !decode_has(i, CG) &&
                  !decode_has(i, CV);
    out->kind = load ? KIND_LOAD : KIND_STORE;
    out->read_only = i->op == PTX_OP_ldu || decode_has(i, NC);
    if (!set_elements(d, out, &i->operands[load ? 0 : 1], load)) return false;
    if (load) out->n_destinations = out->n_elements;
    if (!load) out->n_sources = out->n_elements;
    const struct parameter *p = load && out->n_elements == 1 && out->bytes <= 8
                                    ? kernel_parameter(d, &i->operands[1])
                                    : NULL;
    if (p) return decode_parameter_move(d, out, p);
    split_b128(out);
    if (!decode_place(d, out, &i->operands[load ? 1 : 0])) return false;
    out->plain =
        out->order == ORDER_WEAK && out->n_elements == 1 &&
        out->base != NO_REGISTER &&
        (out->space == PTX_GLOBAL || out->space == PTX_SHARED) &&
        (out->bytes == 8 || (out->bytes == 4 && !out->register_is_wide));
    return true;
}

bool decode_atomic(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool returns = i->op == PTX_OP_atom;
    const struct ptx_form *f = i->typed;
    bool has_op = ptx_given(f, PTX_CLASS_OPERATION) && !decode_has(i, POPC);
    enum atomic_op op = (enum atomic_op)f->operation;
    uint32_t first = returns ? 1 : 0;
    if (!set_type(d, out)) return false;
    bool float16 = out->type == PTX_F16 || out->type == PTX_F16X2 ||
                   out->type == PTX_BF16 || out->type == PTX_BF16X2;
    uint32_t n = out->n_elements;
    if (!has_op || out->bytes < 2 || (float16 && op != ATOMIC_ADD) ||
        (n > 1 && (op != ATOMIC_ADD || n * out->bytes > 16 ||
                   (!float16 && out->type != PTX_F32))))
        return decode_fail(d, "the virtual GPU does not have this atomic");
    uint32_t values = op == ATOMIC_CAS ? 2 : 1;
    uint32_t hints = decode_has(i, L2_CACHE_HINT);
    if (i->n_operands != first + 1 + values + hints)
        return decode_fail(d, "wrong number of operands");
    out->kind = KIND_ATOMIC;
    out->atomic = (uint8_t)op;
    if (!returns) out->mode = ATOMIC_UNUSED; /* decode_copies.c: or of no use */
    out->n_elements = 1;
    if (out->order == ORDER_WEAK) out->order = ORDER_RELAXED;
    out->is_arithmetic = op < ATOMIC_EXCH;
    if (out->bytes == 16) return decode_atomic_wide(d, out, values);
    if (n > 1) return decode_atomic_vector(d, out, first, n);
    char class = out->bytes == 8 ? 'd' : 'w';
    enum ptx_type type = (enum ptx_type)out->type;
    out->register_is_wide = class == 'd';
    out->operands.at[0] = returns
                              ? decode_operand(d, &i->operands[0], class, type)
                              : decode_sink(d, class);
    for (uint32_t k = 0; k < values; k++)
        out->operands.at[1 + k] =
            decode_operand(d, &i->operands[first + 1 + k], class, type);
    out->n_destinations = 1;
    out->n_sources = (uint8_t)values;
    return !d->failed && decode_place(d, out, &i->operands[first]);
}

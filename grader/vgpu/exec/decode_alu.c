/* SPDX-License-Identifier: MIT
 *
 * decode_alu.c: register-to-register instructions, moves and address
 * conversions. The signature of the form's row says which class each operand
 * has (alu.h).
 */
#include <stdio.h>
#include <string.h>

#include "decode.h"

static const char *last_type(const struct ptx_insn *i) {
    for (uint32_t k = i->n_modifiers; k-- > 0;)
        if (decode_type(i->modifiers[k]) != PTX_NONE) return i->modifiers[k];
    return NULL;
}

static bool is_arithmetic(enum ptx_op op) {
    switch (op) {
    case PTX_OP_add:
    case PTX_OP_addc:
    case PTX_OP_sub:
    case PTX_OP_subc:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_lop3: return true;
    default: return false;
    }
}

/* The operands of an instruction in the signature's order: a vector's items and
 * the register behind a bar count as operands of their own. */
struct flat {
    const struct ptx_operand *list[12];
    struct ptx_operand bar;
    unsigned n;
};

static bool flatten(struct decoder *d, struct flat *out) {
    for (uint32_t k = 0; k < d->at->n_operands; k++) {
        const struct ptx_operand *o = &d->at->operands[k];
        if (o->kind == PTX_VECTOR) {
            for (uint32_t j = 0; j < o->n_items; j++) {
                if (out->n == 12) return decode_fail(d, "too many operands");
                out->list[out->n++] = &o->items[j];
            }
            continue;
        }
        if (out->n >= 11) return decode_fail(d, "too many operands");
        out->list[out->n++] = o;
        if (o->second >= 0 && o->kind == PTX_REGISTER) {
            out->bar = *o;
            out->bar.reg = o->second;
            out->bar.second = -1;
            out->list[out->n++] = &out->bar;
        }
    }
    return true;
}

static bool negated_source(struct decoder *d, struct insn *out, unsigned slot) {
    (void)out;
    (void)slot;
    return decode_fail(d, "negated predicate operand is not understood here");
}

/* Fills operands.at by the row's signature. */
static bool bind(struct decoder *d, struct insn *out, const struct alu_row *row,
                 const struct flat *in) {
    const char *type = last_type(d->at);
    unsigned slot = 0, next = 0;
    unsigned n_in_signature = 0;
    for (const char *s = row->signature; *s; s++)
        n_in_signature += *s != '=' && *s != 'c' && *s != 'C';
    bool destination = true;
    bool has_bar = d->at->n_operands && d->at->operands[0].second >= 0;
    for (const char *s = row->signature; *s; s++) {
        if (*s == '=') {
            destination = false;
            out->n_destinations = (uint8_t)slot;
            continue;
        }
        if (slot >= ALU_MAX_OPERANDS)
            return decode_fail(d, "too many operands");
        uint32_t at;
        if (*s == 'c' || *s == 'C') {
            at = decode_carry(d);
        } else if (destination && slot == 1 && *s == 'p' && !has_bar &&
                   row->signature[0] == 'p' && in->n < n_in_signature) {
            at = decode_sink(d, 'p'); /* setp without its second half */
        } else if (next >= in->n) {
            return decode_fail(d, "too few operands");
        } else {
            const struct ptx_operand *o = in->list[next++];
            if (o->negated && !negated_source(d, out, slot)) return false;
            at = decode_operand(d, o, *s, type);
        }
        if (at == NO_REGISTER) return false;
        out->operands.at[slot++] = at;
    }
    out->n_sources = (uint8_t)(slot - out->n_destinations);
    if (next + 1 == in->n && in->list[next]->kind == PTX_INTEGER)
        out->operands.immediate = (uint32_t)in->list[next++]->integer;
    if (next != in->n) return decode_fail(d, "too many operands");
    return true;
}

/* "mov.b64 %rd, {%r1, %r2}" -> pack.b64.b32; the reverse -> unpack.b64.b32 */
static bool vector_form(struct decoder *d, char *form, size_t bytes) {
    const struct ptx_insn *i = d->at;
    for (uint32_t k = 0; k < 2 && k < i->n_operands; k++) {
        const struct ptx_operand *o = &i->operands[k];
        if (o->kind != PTX_VECTOR || !o->n_items) continue;
        unsigned whole = 8 * ptx_type_bytes(decode_type(last_type(i)));
        snprintf(form, bytes, "%s.b%u.b%u", k ? "pack" : "unpack", whole,
                 whole / o->n_items);
        return true;
    }
    return false;
}

static bool is_clock(const struct ptx_insn *i) {
    if (i->op != PTX_OP_mov || i->n_operands != 2) return false;
    const struct ptx_operand *o = &i->operands[1];
    return o->kind == PTX_SPECIAL && (!strncmp(o->symbol, "%clock", 6) ||
                                      !strncmp(o->symbol, "%globaltimer", 12));
}

static bool decode_clock(struct decoder *d, struct insn *out) {
    char class = decode_operand_class(d, &d->at->operands[0]);
    if (class != 'w' && class != 'd')
        return decode_fail(d, "a clock needs a 32- or 64-bit register");
    out->kind = KIND_CLOCK;
    out->register_is_wide = class == 'd';
    out->mode = !strcmp(d->at->operands[1].symbol, "%clock_hi") ||
                !strcmp(d->at->operands[1].symbol, "%globaltimer_hi");
    out->operands.at[0] = decode_operand(d, &d->at->operands[0], class, NULL);
    out->n_destinations = 1;
    return !d->failed;
}

bool decode_alu(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (is_clock(i)) return decode_clock(d, out);
    char made[64];
    const char *form = i->form;
    if (i->op == PTX_OP_mov && vector_form(d, made, sizeof made)) form = made;
    const struct alu_row *row = alu_find(d->program->alu, form);
    if (!row)
        return decode_fail(d, "the virtual GPU does not have this instruction");
    struct flat in = {.n = 0};
    if (!flatten(d, &in) || !bind(d, out, row, &in)) return false;
    out->kind = KIND_ALU;
    out->run = row->run;
    out->is_arithmetic = is_arithmetic(i->op);
    return true;
}

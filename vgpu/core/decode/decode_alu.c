/* SPDX-License-Identifier: MIT
 *
 * decode_alu.c: register-to-register instructions, moves and address
 * conversions. The signature of the form's row says which class each operand
 * has (alu.h).
 *
 * Some operands are not what a row takes: a negated predicate, a register of
 * cvt wider than its type. Then the instruction is *adapted*: the row works on
 * scratch registers, filled before and read after it.
 */
#include <stddef.h>
#include <stdlib.h>

#include "alu_compound.h"
#include "decode.h"

/* The type of a literal in this place is the last one, but what slct selects
 * from has the one before, and what mad.wide adds is wider. */
static enum ptx_type literal_type(const struct ptx_insn *i, unsigned slot) {
    if (i->op == PTX_OP_slct && slot < 3) return ptx_type_at(i->typed, 1);
    if (i->op == PTX_OP_mad && slot == 3 && decode_has(i, WIDE))
        return PTX_NONE;
    return ptx_type_at(i->typed, 0);
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
        if (o->second >= 0) { /* what stands before the bar may be a sink */
            out->bar = *o;
            out->bar.kind = PTX_REGISTER;
            out->bar.reg = o->second;
            out->bar.second = -1;
            out->list[out->n++] = &out->bar;
        }
    }
    return true;
}

/* ---- adapted instructions ---- */

enum change {
    CHANGE_NOT,     /* the predicate's opposite, before */
    CHANGE_LOW,     /* the lower half of a wide register, before */
    CHANGE_EXTEND,  /* a word to a wide register, after */
    CHANGE_SIGN_32, /* what a word register has of a narrow type, after */
    CHANGE_SIGN_64
};

struct adapted { /* insn.extra */
    alu_fn *run; /* NULL: the compound */
    struct alu_compound compound;
    struct alu_operands operands;
    uint32_t bits; /* of a signed destination's type */
    uint32_t n;
    struct {
        enum change change;
        uint32_t slot;
    } list[ALU_MAX_OPERANDS];
};

static void adapt_before(uint8_t *registers, enum change change,
                         const void *from, uint32_t to_at) {
    uint32_t *to = (uint32_t *)(void *)(registers + to_at);
    if (change == CHANGE_NOT) *to = ~*(const uint32_t *)from;
    if (change == CHANGE_LOW)
        for (int l = 0; l < VGPU_LANES; l++)
            to[l] = (uint32_t)((const uint64_t *)from)[l];
}

static void adapt_after(enum change change, uint32_t bits, void *to,
                        const uint32_t *from, uint32_t mask) {
    if (change == CHANGE_NOT || change == CHANGE_LOW) return;
    for (uint32_t m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        int64_t value = (int64_t)((uint64_t)from[l] << (64 - bits));
        uint64_t extended = (uint64_t)(value >> (64 - bits));
        if (change == CHANGE_EXTEND)
            ((uint64_t *)to)[l] = from[l];
        else if (change == CHANGE_SIGN_64)
            ((uint64_t *)to)[l] = extended;
        else
            ((uint32_t *)to)[l] = (uint32_t)extended;
    }
}

static void run_adapted(uint8_t *registers, const struct alu_operands *o,
                        const struct lane_set *on) {
    const struct insn *i =
        (const struct insn *)(const void *)((const char *)o -
                                            offsetof(struct insn, operands));
    const struct adapted *a = i->extra;
    for (uint32_t k = 0; k < a->n; k++)
        adapt_before(registers, a->list[k].change,
                     registers + o->at[a->list[k].slot],
                     a->operands.at[a->list[k].slot]);
    if (a->run)
        a->run(registers, &a->operands, on);
    else
        alu_run_compound(&a->compound, registers, &a->operands, on);
    for (uint32_t k = 0; k < a->n; k++) {
        uint32_t slot = a->list[k].slot;
        adapt_after(
            a->list[k].change, a->bits, registers + o->at[slot],
            (const uint32_t *)(const void *)(registers + a->operands.at[slot]),
            on->mask);
    }
}

/* The instruction's, made when first asked for; NULL: no memory. */
static struct adapted *adapted_of(struct decoder *d, struct insn *out) {
    if (!out->extra) out->extra = calloc(1, sizeof(struct adapted));
    if (!out->extra) decode_no_memory(d);
    return (struct adapted *)out->extra;
}

static bool adapt(struct decoder *d, struct insn *out, unsigned slot,
                  enum change change) {
    struct adapted *a = adapted_of(d, out);
    if (!a) return false;
    a->list[a->n].change = change;
    a->list[a->n++].slot = slot;
    return true;
}

/* All operands are bound: those on the list get scratch registers. */
static bool finish_adapted(struct decoder *d, struct insn *out) {
    struct adapted *a = (struct adapted *)out->extra;
    if (!a) return true;
    a->run = out->run;
    a->operands = out->operands;
    for (uint32_t k = 0; k < a->n; k++) {
        char class = a->list[k].change == CHANGE_NOT ? 'p' : 'w';
        a->operands.at[a->list[k].slot] = decode_scratch(d, class);
    }
    out->run = run_adapted;
    return true;
}

static bool finish_compound(struct decoder *d, struct insn *out,
                            const struct alu_compound *c) {
    struct adapted *a = adapted_of(d, out);
    if (!a) return false;
    a->compound = *c;
    for (int k = 0; c->yes[0] && k < 2; k++)
        out->operands.at[ALU_SET_SCRATCH + k] = decode_scratch(d, 'p');
    return true;
}

static uint32_t signed_bits(enum ptx_type type) {
    return type == PTX_S8 ? 8 : type == PTX_S16 ? 16 : type == PTX_S32 ? 32 : 0;
}

/* A register of cvt may be wider than its type. *class: what it has. */
static bool fit_cvt(struct decoder *d, struct insn *out,
                    const struct ptx_operand *o, unsigned slot, char *class) {
    const struct ptx_insn *i = d->at;
    char have = decode_operand_class(d, o);
    if (i->op != PTX_OP_cvt || *class != 'w' || (have != 'w' && have != 'd') ||
        decode_has(i, PACK))
        return true;
    bool wide = have == 'd';
    if (slot) {
        if (!wide) return true;
        *class = 'd';
        return adapt(d, out, slot, CHANGE_LOW);
    }
    uint32_t bits = signed_bits(ptx_type_at(i->typed, 1));
    uint32_t room = 8 * ptx_type_bytes(d->ptx->registers[o->reg].type);
    *class = have;
    if (!wide && (!bits || bits >= room || room < 32)) return true;
    if (!adapt(d, out, slot,
               !bits  ? CHANGE_EXTEND
               : wide ? CHANGE_SIGN_64
                      : CHANGE_SIGN_32))
        return false;
    ((struct adapted *)out->extra)->bits = bits ? bits : 32;
    return true;
}

/* ---- operands ---- */

/* Fills operands.at by the row's signature. */
static bool bind(struct decoder *d, struct insn *out, const struct alu_row *row,
                 const struct flat *in) {
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
        if (*s == 'i') {
            if (next >= in->n || in->list[next]->kind != PTX_INTEGER)
                return decode_fail(d, "a literal is expected");
            out->operands.immediate = (uint32_t)in->list[next++]->integer;
            continue;
        }
        if (*s == 'c' || *s == 'C') {
            at = decode_carry(d);
        } else if (destination && slot == 1 && *s == 'p' && !has_bar &&
                   row->signature[0] == 'p' && in->n < n_in_signature) {
            at = decode_sink(d, 'p'); /* setp without its second half */
        } else if (next >= in->n) {
            return decode_fail(d, "too few operands");
        } else {
            const struct ptx_operand *o = in->list[next++];
            char class = *s;
            if (o->negated &&
                (class != 'p' || !adapt(d, out, slot, CHANGE_NOT)))
                return decode_fail(d, "only a predicate can be negated");
            if (!fit_cvt(d, out, o, slot, &class)) return false;
            at = decode_operand(d, o, class, literal_type(d->at, slot));
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

static enum ptx_type bits_type(uint32_t bytes) {
    static const uint8_t types[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    return bytes < sizeof types ? (enum ptx_type)types[bytes] : PTX_NONE;
}

/* "mov.b64 %rd, {%r1, %r2}" -> pack.b64.b32; the reverse -> unpack.b64.b32 */
static bool vector_form(const struct ptx_insn *i, struct ptx_form *form) {
    for (uint32_t k = 0; k < 2 && k < i->n_operands; k++) {
        const struct ptx_operand *o = &i->operands[k];
        if (o->kind != PTX_VECTOR || !o->n_items) continue;
        uint32_t whole = ptx_type_bytes(ptx_type_at(i->typed, 0));
        *form = (struct ptx_form){.op = k ? PTX_OP_pack : PTX_OP_unpack,
                                  .n_types = 2};
        form->types[0] = (uint8_t)bits_type(whole);
        form->types[1] = (uint8_t)bits_type(whole / o->n_items);
        return true;
    }
    return false;
}

static bool decode_clock(struct decoder *d, struct insn *out, uint8_t mode) {
    char class = decode_operand_class(d, &d->at->operands[0]);
    if (class != 'w' && class != 'd')
        return decode_fail(d, "a clock needs a 32- or 64-bit register");
    out->kind = KIND_CLOCK;
    out->register_is_wide = class == 'd';
    out->mode = mode;
    out->operands.at[0] =
        decode_operand(d, &d->at->operands[0], class, PTX_NONE);
    out->n_destinations = 1;
    return !d->failed;
}

/* x * 0x10001 is the sum of x's halves, x % 255 that of its bytes. */
static bool adds_parts(enum ptx_op op) {
    switch (op) {
    case PTX_OP_div:
    case PTX_OP_dp2a:
    case PTX_OP_dp4a:
    case PTX_OP_fma:
    case PTX_OP_mad:
    case PTX_OP_mad24:
    case PTX_OP_madc:
    case PTX_OP_mul:
    case PTX_OP_mul24:
    case PTX_OP_popc:
    case PTX_OP_rem: return true;
    default: return false;
    }
}

static uint8_t moved(enum ptx_op op) {
    switch (op) {
    case PTX_OP_bfi:
    case PTX_OP_prmt:
    case PTX_OP_selp:
    case PTX_OP_shf:
    case PTX_OP_slct: return 2;
    default: return 0;
    }
}

static bool is_float(enum ptx_type type) {
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_F32:
    case PTX_F64: return true;
    default: return false;
    }
}

/* Of the sources, the first ones whose bits stay apart: a constant that is
 * combined with them bit by bit does not carry from one to the next. */
static uint8_t kept(const struct ptx_insn *i, uint8_t n_sources) {
    const struct ptx_form *f = i->typed;
    switch (i->op) {
    case PTX_OP_mov:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_not:
    case PTX_OP_lop3: return n_sources;
    case PTX_OP_bfe:
    case PTX_OP_brev:
    case PTX_OP_shl:
    case PTX_OP_shr: return 1;
    case PTX_OP_cvt:
        return !is_float(ptx_type_at(f, 0)) && !is_float(ptx_type_at(f, 1)) &&
               !decode_has(i, SAT);
    default: return moved(i->op);
    }
}

/* Of a bit field a place and a length that are literals have eight bits; ptxas
 * refuses others. (Of a register the lowest eight count.) */
static bool field_is_possible(struct decoder *d) {
    const struct ptx_insn *i = d->at;
    uint32_t first = i->op == PTX_OP_bfe ? 2 : i->op == PTX_OP_bfi ? 3 : 6;
    for (uint32_t k = first; k < first + 2 && k < i->n_operands; k++) {
        const struct ptx_operand *o = &i->operands[k];
        if (o->kind == PTX_INTEGER && (o->integer < 0 || o->integer > 255))
            return decode_fail(d,
                               "%lld is no place or length of a bit field: "
                               "those are 0 to 255",
                               (long long)o->integer);
    }
    return true;
}

bool decode_alu(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool moves = i->op == PTX_OP_mov;
    uint8_t clock;
    if (moves && i->n_operands == 2 && decode_is_clock(&i->operands[1], &clock))
        return decode_clock(d, out, clock);
    if (moves && ptx_type_at(i->typed, 0) == PTX_B128)
        return decode_move_wide(d, out);
    struct ptx_form made;
    const struct ptx_form *form =
        moves && vector_form(i, &made) ? &made : i->typed;
    const struct alu_row *row = alu_find_form(d->program->alu, form);
    struct alu_compound made_of_setp;
    struct alu_row as_row = {.form = form->text};
    bool is_compound =
        !row && alu_find_compound(d->program->alu, form, &made_of_setp);
    if (is_compound) {
        as_row.signature = made_of_setp.signature;
        row = &as_row;
    }
    if (!row)
        return decode_fail(d, "the virtual GPU does not have this instruction");
    struct flat in = {.n = 0};
    if (!field_is_possible(d)) return false;
    if (!flatten(d, &in) || !bind(d, out, row, &in)) return false;
    out->kind = KIND_ALU;
    out->run = row->run;
    out->is_arithmetic = ptx_op_family(i->op) == PTX_FAMILY_ARITHMETIC;
    out->adds_parts = adds_parts(i->op);
    out->n_moved = moves ? out->n_sources : moved(i->op);
    out->n_kept = kept(i, out->n_sources);
    out->joins = i->op != PTX_OP_selp && i->op != PTX_OP_slct;
    return (!is_compound || finish_compound(d, out, &made_of_setp)) &&
           finish_adapted(d, out);
}

/* SPDX-License-Identifier: MIT
 *
 * decode_video.c: the video instructions, PTX ISA 9.0 sections 9.7.16 and on:
 * arithmetic on parts of registers, one part (vadd) or two or four at once
 * (vadd2, vadd4). One function does all of them, since no hardware since Kepler
 * has them either: the compiler makes other instructions of them. Where those
 * do something else than the ISA says, this does what they do; such places say
 * "ISA:" and what it would be (vgpu/docs/semantics.md has the list).
 *
 * How to read this: a part is a number of bits of {b, a}, the two sources as
 * one word of 64 bits; so selectors of all kinds are offsets in it.
 */
#include <stddef.h>

#include "decode.h"

enum { MOST_PARTS = 4 };

enum video_op {
    DO_ADD,
    DO_SUB,
    DO_ABSDIFF,
    DO_MIN,
    DO_MAX,
    DO_AVRG,
    DO_SHL,
    DO_SHR,
    DO_MAD,
    DO_SET
};
enum second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX, SECOND_MERGE };

struct source {
    bool is_signed, negated;
    uint8_t bits, at[MOST_PARTS]; /* of each part, from the lowest */
};

struct video { /* insn.extra */
    enum video_op op;
    enum ptx_compare compare;
    enum second second;
    uint8_t parts, shift; /* shift: of vmad's result */
    bool saturate, wrap, plus_one, c_negated, has_c;
    bool has_mode; /* vset's comparison, a shift's .clamp or .wrap */
    bool d_signed;
    uint8_t d_bits, d_at; /* of one part */
    uint8_t mask;         /* of the parts that are results */
    struct source a, b;
};

/* ---- execution ---- */

static int64_t extend(uint64_t value, unsigned bits, bool is_signed) {
    value <<= 64 - bits;
    return is_signed ? (int64_t)value >> (64 - bits)
                     : (int64_t)(value >> (64 - bits));
}

static int64_t part_of(const struct source *s, unsigned part, uint64_t ba) {
    return extend(ba >> s->at[part], s->bits, s->is_signed);
}

static bool holds(enum ptx_compare compare, int64_t a, int64_t b) {
    switch (compare) {
    case PTX_EQ: return a == b;
    case PTX_NE: return a != b;
    case PTX_LT: return a < b;
    case PTX_LE: return a <= b;
    case PTX_GT: return a > b;
    default: return a >= b;
    }
}

static int64_t combine(const struct video *v, int64_t a, int64_t b) {
    int64_t by = v->wrap ? b & 31 : b > 32 ? 32 : b;
    switch (v->op) {
    case DO_ADD: return a + b;
    case DO_SUB: return a - b;
    case DO_ABSDIFF: return a < b ? b - a : a - b;
    case DO_MIN: return a < b ? a : b;
    case DO_MAX: return a > b ? a : b;
    case DO_AVRG: return (a + b + (a + b >= 0)) >> 1;
    case DO_SHL: return (int64_t)((uint64_t)a << by);
    case DO_SHR: return a >> by;
    default: return holds(v->compare, a, b);
    }
}

static int64_t clamp(int64_t value, unsigned bits, bool is_signed) {
    int64_t high = (1ll << (bits - is_signed)) - 1;
    int64_t low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

/* Whole registers are signed here, whatever their types, and so is c. ISA:
 * unsigned where all of them are. */
static uint32_t multiply(const struct video *v, uint64_t ba, uint32_t c) {
    bool opposite = v->a.negated != v->b.negated;
    bool is_signed =
        v->a.is_signed || v->b.is_signed || opposite || v->c_negated;
    int64_t product = (int64_t)(int32_t)part_of(&v->a, 0, ba) *
                      (int32_t)part_of(&v->b, 0, ba);
    int64_t third = (int32_t)c;
    if (opposite) product = -product;
    /* the ISA's ~c is made before c is extended */
    if (v->c_negated) third = (int64_t)(int32_t)~c + 1;
    int64_t sum = product + third + v->plus_one;
    if (v->shift)
        sum =
            is_signed ? sum >> v->shift : (int64_t)((uint64_t)sum >> v->shift);
    return (uint32_t)(v->saturate ? clamp(sum, 32, is_signed) : sum);
}

static bool is_shift(const struct video *v) {
    return v->op == DO_SHL || v->op == DO_SHR;
}

/* To the destination's part. ISA: clamp(t, d_bits, d_signed) for all. */
static int64_t saturate_one(const struct video *v, int64_t t) {
    /* a shift has 34 bits, and saturates to the whole register's range */
    if (is_shift(v))
        return clamp(extend((uint64_t)t, 34, true), 32, v->d_signed);
    if (v->d_bits == 32)
        return v->d_signed ? clamp(t, 32, true) : t < 0 ? 0 : t;
    /* less than nothing counts as more than all */
    int64_t high = (1ll << (v->d_bits - v->d_signed)) - 1;
    return (uint64_t)t > (uint64_t)high ? high : t;
}

/* Smaller or larger of t and c, compared in 64 bits. ISA: in the bits of d. */
static uint32_t extreme(const struct video *v, int64_t t, uint32_t c) {
    bool in_32 =
        v->op == DO_ADD || v->op == DO_SUB || (is_shift(v) && v->saturate);
    if (in_32) t = (int32_t)t;
    bool less = v->d_signed ? t < (int32_t)c : (uint64_t)t < c;
    return less == (v->second == SECOND_MIN) ? (uint32_t)t : c;
}

static uint32_t one_part(const struct video *v, uint64_t ba, uint32_t c) {
    int64_t t = combine(v, part_of(&v->a, 0, ba), part_of(&v->b, 0, ba));
    if (v->saturate) t = saturate_one(v, t);
    switch (v->second) {
    case SECOND_ADD: return (uint32_t)t + c;
    case SECOND_MIN:
    case SECOND_MAX: return extreme(v, t, c);
    case SECOND_MERGE: {
        uint32_t part = (uint32_t)((1ull << v->d_bits) - 1) << v->d_at;
        /* .h1 takes t's upper half. ISA: its lower half, as .b1 its byte */
        unsigned at = v->d_bits == 16 ? 0 : v->d_at;
        return (c & ~part) | ((uint32_t)t << at & part);
    }
    default: return (uint32_t)t;
    }
}

static uint32_t many_parts(const struct video *v, uint64_t ba, uint32_t c) {
    uint32_t d = c;
    for (unsigned k = 0; k < v->parts; k++) {
        if (!(v->mask >> k & 1)) continue;
        int64_t t = combine(v, part_of(&v->a, k, ba), part_of(&v->b, k, ba));
        if (v->saturate) t = clamp(t, v->d_bits, v->d_signed);
        uint32_t part = ((1u << v->d_bits) - 1) << (k * v->d_bits);
        d = v->second == SECOND_ADD
                ? d + (uint32_t)t
                : (d & ~part) | ((uint32_t)t << (k * v->d_bits) & part);
    }
    return d;
}

static void run_video(uint8_t *registers, const struct alu_operands *o,
                      const struct lane_set *on) {
    const struct insn *i =
        (const struct insn *)(const void *)((const char *)o -
                                            offsetof(struct insn, operands));
    const struct video *v = i->extra;
    const uint32_t *in[3];
    for (unsigned k = 0; k < 3; k++)
        in[k] = (const uint32_t *)(const void *)(registers + o->at[k + 1]);
    uint32_t *d = (uint32_t *)(void *)(registers + o->at[0]);
    for (uint32_t m = on->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t ba = (uint64_t)in[1][l] << 32 | in[0][l];
        uint32_t c = in[2][l];
        d[l] = v->op == DO_MAD ? multiply(v, ba, c)
               : v->parts == 1 ? one_part(v, ba, c)
                               : many_parts(v, ba, c);
    }
}

/* ---- decoding ---- */

static bool find_op(struct video *v, enum ptx_op op) {
    static const struct {
        enum ptx_op op;
        enum video_op does;
        uint8_t parts;
    } ops[] = {
        {PTX_OP_vadd, DO_ADD, 1},          {PTX_OP_vadd2, DO_ADD, 2},
        {PTX_OP_vadd4, DO_ADD, 4},         {PTX_OP_vsub, DO_SUB, 1},
        {PTX_OP_vsub2, DO_SUB, 2},         {PTX_OP_vsub4, DO_SUB, 4},
        {PTX_OP_vabsdiff, DO_ABSDIFF, 1},  {PTX_OP_vabsdiff2, DO_ABSDIFF, 2},
        {PTX_OP_vabsdiff4, DO_ABSDIFF, 4}, {PTX_OP_vmin, DO_MIN, 1},
        {PTX_OP_vmin2, DO_MIN, 2},         {PTX_OP_vmin4, DO_MIN, 4},
        {PTX_OP_vmax, DO_MAX, 1},          {PTX_OP_vmax2, DO_MAX, 2},
        {PTX_OP_vmax4, DO_MAX, 4},         {PTX_OP_vavrg2, DO_AVRG, 2},
        {PTX_OP_vavrg4, DO_AVRG, 4},       {PTX_OP_vset, DO_SET, 1},
        {PTX_OP_vset2, DO_SET, 2},         {PTX_OP_vset4, DO_SET, 4},
        {PTX_OP_vshl, DO_SHL, 1},          {PTX_OP_vshr, DO_SHR, 1},
        {PTX_OP_vmad, DO_MAD, 1}};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        if (ops[k].op != op) continue;
        v->op = ops[k].does;
        v->parts = ops[k].parts;
        return true;
    }
    return false;
}

/* vset has no destination's type: it is a's (ISA: .u32). */
static bool read_types(struct video *v, const struct ptx_form *f) {
    bool *is_signed[] = {&v->d_signed, &v->a.is_signed, &v->b.is_signed};
    unsigned first = v->op == DO_SET;
    if (f->n_types != 3 - first) return false;
    for (unsigned k = first; k < 3; k++) {
        unsigned type = f->types[k - first];
        *is_signed[k] = type == PTX_S32;
        if (type != PTX_S32 && type != PTX_U32) return false;
    }
    if (first) v->d_signed = v->a.is_signed;
    return true;
}

static unsigned decode_video_take(const struct ptx_form *f, enum ptx_modifier m,
                                  bool *to) {
    *to |= ptx_has(f, m);
    return ptx_has(f, m);
}

/* False: one of the modifiers is of another instruction. */
static bool read_modifiers(struct video *v, const struct ptx_form *f) {
    unsigned n = 0;
    if (v->op == DO_SET) {
        n = v->has_mode = ptx_given(f, PTX_CLASS_COMPARE);
        v->compare = (enum ptx_compare)f->compare;
    } else {
        n = decode_video_take(f, PTX_MOD_SAT, &v->saturate);
    }
    if (v->op != DO_MAD && ptx_given(f, PTX_CLASS_OPERATION) &&
        f->operation <= (v->parts == 1 ? ATOMIC_MAX : ATOMIC_ADD)) {
        v->second = (enum second)(SECOND_ADD + f->operation);
        n++;
    }
    if (is_shift(v)) {
        n += decode_video_take(f, PTX_MOD_CLAMP, &v->has_mode);
        n += decode_video_take(f, PTX_MOD_WRAP, &v->wrap);
        v->has_mode |= v->wrap;
    }
    if (v->op == DO_MAD) {
        bool by_7 = false, by_15 = false;
        n += decode_video_take(f, PTX_MOD_PO, &v->plus_one);
        n += decode_video_take(f, PTX_MOD_SHR7, &by_7) +
             decode_video_take(f, PTX_MOD_SHR15, &by_15);
        v->shift = by_7 ? 7 : by_15 ? 15 : 0;
    }
    return n + f->n_types == f->n_words;
}

/* One part of 32 bits, or all of them. */
static bool one_part_named(const struct ptx_parts *p, uint8_t *bits,
                           uint8_t *at) {
    *bits = p->size == 'b' ? 8 : p->size == 'h' ? 16 : 32;
    *at = (uint8_t)(p->at[0] * *bits);
    return p->n <= 1 && *at < 32;
}

/* As many parts of the instruction's size at most; their numbers, the lowest
 * part's first, below `below`. */
static bool parts_named(const struct video *v, const struct ptx_parts *p,
                        unsigned below, uint8_t *list) {
    if (p->size != (v->parts == 2 ? 'h' : 'b') || p->n > v->parts) return false;
    for (unsigned k = 0; k < p->n; k++) {
        if (p->at[k] >= below) return false;
        list[p->n - 1 - k] = p->at[k];
    }
    return true;
}

static bool read_source(const struct video *v, struct source *s,
                        const struct ptx_operand *o, unsigned which) {
    static const struct ptx_parts all = {0};
    const struct ptx_parts *p = o->kind == PTX_REGISTER ? &o->parts : &all;
    s->negated = o->negated;
    if (v->parts == 1) {
        if (!one_part_named(p, &s->bits, &s->at[0])) return false;
        s->at[0] = (uint8_t)(s->at[0] + 32 * which);
        return true;
    }
    for (unsigned k = 0; k < MOST_PARTS; k++)
        s->at[k] = (uint8_t)(which * v->parts + k);
    if (p->size &&
        (p->n != v->parts || !parts_named(v, p, 2u * v->parts, s->at)))
        return false;
    s->bits = (uint8_t)(32 / v->parts);
    for (unsigned k = 0; k < MOST_PARTS; k++)
        s->at[k] = (uint8_t)(s->at[k] * s->bits);
    return true;
}

static bool read_destination(struct video *v, const struct ptx_parts *p) {
    if (v->parts == 1) {
        if (!one_part_named(p, &v->d_bits, &v->d_at)) return false;
        if (!p->size) return true;
        if (v->second || v->op == DO_MAD) return false;
        v->second = SECOND_MERGE;
        return true;
    }
    v->d_bits = (uint8_t)(32 / v->parts);
    v->mask = (uint8_t)((1u << v->parts) - 1);
    if (!p->size) return true;
    uint8_t list[MOST_PARTS];
    if (!parts_named(v, p, v->parts, list)) return false;
    v->mask = 0;
    for (unsigned k = 0; k < p->n; k++) v->mask |= (uint8_t)(1u << list[k]);
    return true;
}

bool decode_video(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    struct video *v = decode_extra(d, out, sizeof *v);
    if (!v) return false;
    if (!find_op(v, i->op) || !read_types(v, i->typed))
        return decode_fail(d, "u32 or s32 expected");
    if (!read_modifiers(v, i->typed))
        return decode_fail(d, "not a modifier of this instruction");
    if (!v->has_mode && (v->op == DO_SET || v->op == DO_SHL || v->op == DO_SHR))
        return decode_fail(d, "a comparison, .clamp or .wrap is expected");
    const struct ptx_operand *o = i->operands;
    if (i->n_operands < 3 || o->kind != PTX_REGISTER ||
        !read_destination(v, &o->parts) || !read_source(v, &v->a, o + 1, 0) ||
        !read_source(v, &v->b, o + 2, 1))
        return decode_fail(d, "not a part of a register");
    v->has_c = v->second || v->op == DO_MAD || v->parts > 1;
    if (i->n_operands != (v->has_c ? 4u : 3u))
        return decode_fail(d, "wrong number of operands");
    v->c_negated = v->has_c && o[3].negated;
    bool negates = v->a.negated || v->b.negated || v->c_negated;
    if (negates && (v->op != DO_MAD || v->plus_one ||
                    (v->c_negated && v->a.negated != v->b.negated)))
        return decode_fail(d, "these operands cannot be negated");
    for (unsigned k = 0; k < i->n_operands; k++)
        out->operands.at[k] = decode_operand(d, &o[k], 'w', PTX_U32);
    if (!v->has_c) out->operands.at[3] = decode_constant(d, 'w', 0);
    out->kind = KIND_ALU;
    out->run = run_video;
    out->n_destinations = 1;
    out->n_sources = 3;
    out->is_arithmetic = out->adds_parts = true;
    return !d->failed;
}

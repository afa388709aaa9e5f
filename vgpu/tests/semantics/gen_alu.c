/* SPDX-License-Identifier: MIT
 *
 * gen_alu.c: statements that compute from registers.
 */
#include <string.h>

#include "gen.h"

/* ---- literals ---- */

static uint64_t literal(struct gen *g, unsigned bits) {
    static const uint64_t liked[] = {
        0,    1,      2,      7,      8,          15,          16,
        31,   32,     33,     63,     64,         0x7f,        0x80,
        0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000u, ~0ull};
    uint64_t v;
    if (gen_one_in(g, 2))
        v = liked[gen_below(g, sizeof liked / sizeof *liked)];
    else {
        v = (uint64_t)gen_below(g, ~0u) << 32;
        v |= gen_below(g, ~0u);
    }
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static void float_literal(struct gen *g, char class, char text[40]) {
    static const uint32_t f[] = {0,           0x80000000u, 0x3f800000u,
                                 0xbf800000u, 0x40490fdbu, 0x00000001u,
                                 0x807fffffu, 0x7f7fffffu, 0x7f800000u,
                                 0xff800000u, 0x33800000u, 0x4b800000u};
    static const uint64_t d[] = {0,
                                 0x8000000000000000u,
                                 0x3ff0000000000000u,
                                 0x0000000000000001u,
                                 0x7fefffffffffffffu,
                                 0x7ff0000000000000u,
                                 0x3ca0000000000000u,
                                 0xc340000000000000u};
    if (class == 'f')
        snprintf(text, 40, "0f%08X", (unsigned)f[gen_below(g, 12)]);
    else
        snprintf(text, 40, "0d%016llX", (unsigned long long)d[gen_below(g, 8)]);
}

/* ---- operands ---- */

char gen_wide_enough(struct gen *g, char letter) {
    switch (letter) {
    case '1':
    case '2': return "hwd"[gen_below(g, 3)];
    case '4': return "wd"[gen_below(g, 2)];
    default: return 'd';
    }
}

struct operands {
    char text[160];
    int temporaries;
    bool literal_seen; /* one at most: ptxas folds what has no register */
};

static void add_text(struct operands *o, const char *text) {
    size_t n = strlen(o->text);
    snprintf(o->text + n, sizeof o->text - n, "%s%s", n ? ", " : "", text);
}

static void add_limited(struct gen *g, struct operands *o, uint32_t limit) {
    char text[40];
    if (gen_one_in(g, 2)) {
        /* ptxas 13.0 folds bfe and bfi of larger literals in another way than
         * its own instructions do */
        snprintf(text, sizeof text, "%u", gen_below(g, 32));
    } else {
        snprintf(text, sizeof text, "%%tw%d", o->temporaries);
        gen_emit(g, " and.b32 %%tw%d, %%w%u, %u;\n", o->temporaries++,
                 gen_pick(g, 'w'), (unsigned)(limit - 1));
    }
    add_text(o, text);
}

static void add_divisor(struct gen *g, struct operands *o, char class) {
    char text[40];
    unsigned bits = class == 'h' ? 16 : class == 'w' ? 32 : 64;
    if (gen_one_in(g, 4)) {
        uint64_t v = literal(g, bits == 16 ? 15 : bits) | 1;
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)v);
    } else {
        int t = o->temporaries++;
        snprintf(text, sizeof text, "%%t%c%d", class, t);
        gen_emit(g, " or.b%u %s, %%%c%u, 1;\n", bits, text, class,
                 gen_pick(g, class));
    }
    add_text(o, text);
}

static void add_canonical(struct gen *g, struct operands *o, char class) {
    char name[16], text[16];
    gen_canonical(g, class, gen_pick(g, class), name);
    snprintf(text, sizeof text, "%%t%c%d", class, o->temporaries++);
    gen_emit(g, " mov.b%u %s, %s;\n", class == 'f' ? 32u : 64u, text, name);
    add_text(o, text);
}

static void add_source(struct gen *g, struct operands *o, char letter) {
    char text[40];
    unsigned p;
    switch (letter) {
    case 'b': add_limited(g, o, 256); return;
    case 'l': add_limited(g, o, 32); return;
    case 'H': add_divisor(g, o, 'h'); return;
    case 'W': add_divisor(g, o, 'w'); return;
    case 'D': add_divisor(g, o, 'd'); return;
    case 'F': add_canonical(g, o, 'f'); return;
    case 'G': add_canonical(g, o, 'g'); return;
    case 'i': snprintf(text, sizeof text, "0x%x", gen_below(g, 256)); break;
    case 'n':
        p = gen_pick(g, 'p');
        snprintf(text, sizeof text, "%s%%p%u", gen_one_in(g, 2) ? "!" : "", p);
        break;
    case '1':
    case '2':
    case '4':
    case '8': {
        char class = gen_wide_enough(g, letter);
        snprintf(text, sizeof text, "%%%c%u", class, gen_pick(g, class));
        break;
    }
    default: {
        bool number =
            strchr("hwdfg", letter) && gen_one_in(g, 7) && !o->literal_seen;
        o->literal_seen |= number;
        if (number && (letter == 'f' || letter == 'g'))
            float_literal(g, letter, text);
        else if (number)
            snprintf(text, sizeof text, "0x%llx",
                     (unsigned long long)literal(g, letter == 'h'   ? 15
                                                    : letter == 'w' ? 32
                                                                    : 64));
        else
            snprintf(text, sizeof text, "%%%c%u", letter, gen_pick(g, letter));
    }
    }
    add_text(o, text);
}

/* ---- one form ---- */

static const struct form *choose(struct gen *g) {
    unsigned n, from, to;
    const struct form *all = forms_all(&n);
    if (gen_one_in(g, 3)) return &all[gen_below(g, n)];
    forms_of_pattern(gen_below(g, forms_patterns()), &from, &to);
    return &all[from + gen_below(g, to - from)];
}

static bool has_rounding(const char *form) {
    const char *dot = strchr(form, '.');
    return dot && dot[1] == 'r';
}

/* The form's text, with .rn where a contraction would be allowed. */
static void form_text(struct gen *g, const struct form *f, char text[64]) {
    bool is_float = strchr("efgx", f->operands[0]) && f->operands[1] == '=';
    bool multiply = !strncmp(f->text, "mul.", 4);
    bool add = !strncmp(f->text, "add.", 4) || !strncmp(f->text, "sub.", 4);
    if (is_float && !has_rounding(f->text) &&
        (g->plain_multiply ? add : multiply))
        snprintf(text, 64, "%.3s.rn%s", f->text, f->text + 3);
    else
        snprintf(text, 64, "%s", f->text);
}

/* ptxas 13.0 makes several instructions of these and does not guard them all:
 * `@%p set.lt.f32.u32` converts the old value where %p is false, `@%p
 * set.lt.u32.s16` extends it, and `@%p testp` writes everywhere. The ISA allows
 * the guards; hardware is no referee of what was not compiled. */
static bool guard_is_lost(const struct form *f) {
    return !strncmp(f->text, "testp.", 6) || !strncmp(f->text, "set.", 4);
}

void gen_alu(struct gen *g) {
    const struct form *f = choose(g);
    bool combines = strstr(f->text, ".and.") || strstr(f->text, ".or.") ||
                    strstr(f->text, ".xor.");
    char class[2] = "", to[48] = "", text[64], guard[16];
    unsigned reg[2] = {0}, n = 0;
    struct operands in = {.text = ""};
    const char *c = f->operands;
    gen_begin(g);
    for (; *c != '='; c++) {
        class[n] = strchr("1248", *c) ? gen_wide_enough(g, *c) : *c;
        do reg[n] = gen_pick(g, class[n]);
        while (n && class[0] == class[1] && reg[0] == reg[1]);
        n++;
    }
    /* setp's second destination may be left out; lop3's first, as a sink */
    if (n == 2 && class[0] == 'p' && gen_one_in(g, 2)) n = 1;
    if (n == 2 && class[0] == 'w' && gen_one_in(g, 4))
        snprintf(to, sizeof to, "_|%%p%u", reg[1]);
    else if (n == 2)
        snprintf(to, sizeof to, "%%%c%u|%%%c%u", class[0], reg[0], class[1],
                 reg[1]);
    else
        snprintf(to, sizeof to, "%%%c%u", class[0], reg[0]);
    for (c++; *c; c++)
        if (*c != '?')
            add_source(g, &in, *c);
        else if (combines)
            add_source(g, &in, 'n');
    form_text(g, f, text);
    gen_guard(g, guard);
    if (guard_is_lost(f)) guard[0] = 0;
    gen_emit(g, " %s%s %s, %s;\n", guard, text, to, in.text);
    for (unsigned k = 0; k < n; k++) gen_trace(g, class[k], reg[k]);
    gen_end(g);
}

/* ---- carry chains, 9.7.2 ---- */

void gen_carry(struct gen *g) {
    static const char *const types[] = {"u32", "s32", "u64", "s64"};
    static const char *const firsts[] = {"add.cc", "mad.lo.cc", "mad.hi.cc"};
    static const char *const middles[] = {"addc.cc", "madc.lo.cc",
                                          "madc.hi.cc"};
    static const char *const lasts[] = {"addc", "madc.lo", "madc.hi"};
    unsigned type = gen_below(g, 4), length = 2 + gen_below(g, 3), reg[5];
    char class = type < 2 ? 'w' : 'd';
    bool subtract = gen_one_in(g, 3);
    gen_begin(g);
    for (unsigned k = 0; k < length; k++) {
        unsigned which = subtract ? 0 : gen_below(g, 3);
        const char *op = k == 0            ? subtract ? "sub.cc" : firsts[which]
                                    : k + 1 == length ? subtract ? "subc" : lasts[which]
                                    : subtract ? "subc.cc"
                                           : middles[which];
        reg[k] = gen_pick(g, class);
        unsigned b = gen_pick(g, class), a = gen_pick(g, class);
        gen_emit(g, " %s.%s %%%c%u, %%%c%u, %%%c%u", op, types[type], class,
                 reg[k], class, a, class, b);
        if (which) gen_emit(g, ", %%%c%u", class, gen_pick(g, class));
        gen_emit(g, ";\n");
    }
    for (unsigned k = 0; k < length; k++) gen_trace(g, class, reg[k]);
    gen_end(g);
}

/* ---- between integers and floats, bit for bit ---- */

void gen_reinterpret(struct gen *g) {
    static const char to_float[] = "exfg", integer[] = "hwwd";
    static const unsigned bits[] = {16, 32, 32, 64};
    unsigned k = gen_below(g, 4), from, to;
    char name[16], guard[16];
    gen_begin(g);
    if (gen_one_in(g, 2)) {
        from = gen_pick(g, integer[k]);
        to = gen_pick(g, to_float[k]);
        gen_emit(g, " %smov.b%u %%%c%u, %%%c%u;\n", gen_guard(g, guard),
                 bits[k], to_float[k], to, integer[k], from);
        gen_trace(g, to_float[k], to);
    } else {
        from = gen_pick(g, to_float[k]);
        to = gen_pick(g, integer[k]);
        gen_canonical(g, to_float[k], from, name);
        gen_emit(g, " %smov.b%u %%%c%u, %s;\n", gen_guard(g, guard), bits[k],
                 integer[k], to, name);
        gen_trace(g, integer[k], to);
    }
    gen_end(g);
}

/* ---- mov with a vector ---- */

unsigned gen_list(struct gen *g, char class, unsigned n, char text[64]) {
    unsigned first = gen_pick(g, class);
    size_t at = 0;
    for (unsigned k = 0; k < n; k++)
        at += (size_t)snprintf(text + at, 64 - at, "%s%%%c%u", k ? ", " : "",
                               class, (first + k) % gen_pool(class));
    return first;
}

void gen_vector_move(struct gen *g) {
    static const struct {
        const char *type;
        char whole, part;
        unsigned n;
    } kinds[] = {{"b64", 'd', 'w', 2},
                 {"b32", 'w', 'h', 2},
                 {"b64", 'd', 'h', 4},
                 {"b32", 'x', 'e', 2}};
    unsigned k = gen_below(g, 4);
    char parts[64], guard[16];
    unsigned whole = gen_pick(g, kinds[k].whole);
    gen_list(g, kinds[k].part, kinds[k].n, parts);
    gen_begin(g);
    if (gen_one_in(g, 2)) {
        gen_emit(g, " %smov.%s %%%c%u, {%s};\n", gen_guard(g, guard),
                 kinds[k].type, kinds[k].whole, whole, parts);
        gen_trace(g, kinds[k].whole, whole);
    } else {
        gen_emit(g, " %smov.%s {%s}, %%%c%u;\n", gen_guard(g, guard),
                 kinds[k].type, parts, kinds[k].whole, whole);
        for (unsigned r = 0; r < gen_pool(kinds[k].part); r++)
            gen_trace(g, kinds[k].part, r);
    }
    gen_end(g);
}

void gen_special(struct gen *g) {
    static const char *const names[] = {"%tid.x",
                                        "%tid.y",
                                        "%tid.z",
                                        "%ntid.x",
                                        "%ntid.y",
                                        "%ntid.z",
                                        "%ctaid.x",
                                        "%ctaid.y",
                                        "%ctaid.z",
                                        "%nctaid.x",
                                        "%nctaid.y",
                                        "%nctaid.z",
                                        "%laneid",
                                        "%lanemask_eq",
                                        "%lanemask_le",
                                        "%lanemask_lt",
                                        "%lanemask_ge",
                                        "%lanemask_gt",
                                        "%dynamic_smem_size"};
    char guard[16];
    unsigned reg = gen_pick(g, 'w');
    gen_begin(g);
    const char *name = names[gen_below(g, sizeof names / sizeof *names)];
    gen_emit(g, " %smov.u32 %%w%u, %s;\n", gen_guard(g, guard), reg, name);
    gen_trace(g, 'w', reg);
    gen_end(g);
}

/* SPDX-License-Identifier: MIT
 *
 * gen_memory.c: loads, stores and atomics. Nothing races: a thread has slots of
 * its own in every space (%rpriv, %shpriv, %locpriv), and what threads share is
 * read only, or changed by operations whose order does not show (gen_shared.c).
 */
#include <string.h>

#include "gen.h"

#define OF(g, list) (list)[gen_below(g, sizeof(list) / sizeof *(list))]

static const struct type {
    const char *name;
    unsigned bytes;
    char letter; /* forms.def; e, x: as bits */
} types[] = {
    {"b8", 1, '1'},  {"u8", 1, '1'},  {"s8", 1, '1'},  {"b16", 2, '2'},
    {"u16", 2, '2'}, {"s16", 2, '2'}, {"b16", 2, 'e'}, {"b32", 4, '4'},
    {"u32", 4, '4'}, {"s32", 4, '4'}, {"b32", 4, 'x'}, {"f32", 4, 'f'},
    {"b64", 8, '8'}, {"u64", 8, '8'}, {"s64", 8, '8'}, {"f64", 8, 'g'}};

/* ---- the thread's own slots ---- */

enum space { GLOBAL, SHARED, LOCAL, GENERIC, N_SPACES };

struct slot {
    const char *space; /* ".shared" */
    enum space is;
    char address[32]; /* "%td0+8" */
};

/* An aligned place in a slot. `to`: number of the register it may use. */
static struct slot pick_slot(struct gen *g, unsigned bytes, bool atomic) {
    static const char *const texts[] = {".global", ".shared", ".local", ""};
    struct slot s = {.is = GENERIC};
    if (!g->in_function)
        s.is = (enum space)gen_below(g, N_SPACES);
    else if (gen_one_in(g, 2))
        s.is = LOCAL;
    if (atomic && s.is == LOCAL) s.is = g->in_function ? GENERIC : GLOBAL;
    s.space = texts[s.is];
    if (s.is == SHARED && gen_one_in(g, 4)) s.space = ".shared::cta";
    bool narrow = s.is == SHARED;
    const char *base = narrow          ? "%shpriv"
                       : s.is == LOCAL ? "%locpriv"
                                       : "%rpriv";
    if (s.is == GENERIC && !g->in_function) {
        switch (gen_below(g, atomic ? 2 : 3)) {
        case 0:
            gen_emit(g, " cvta.global.u64 %%td0, %%rpriv;\n");
            base = "%td0";
            break;
        case 1:
            gen_emit(g, " cvt.u64.u32 %%td0, %%shpriv;\n"
                        " cvta.shared.u64 %%td0, %%td0;\n");
            base = "%td0";
            break;
        default:
            gen_emit(g, " cvta.local.u64 %%td0, %%locpriv;\n");
            base = "%td0";
        }
    }
    if (gen_one_in(g, 3)) { /* an offset that depends on data */
        gen_emit(g, " and.b32 %%tw1, %%w%u, %u;\n", gen_pick(g, 'w'),
                 (unsigned)(PROGRAM_SLOT - bytes) & ~(bytes - 1));
        if (narrow)
            gen_emit(g, " add.u32 %%tw1, %s, %%tw1;\n", base);
        else
            gen_emit(g,
                     " cvt.u64.u32 %%td1, %%tw1;\n"
                     " add.u64 %%td1, %s, %%td1;\n",
                     base);
        snprintf(s.address, sizeof s.address, "%s", narrow ? "%tw1" : "%td1");
    } else {
        snprintf(s.address, sizeof s.address, "%s+%u", base,
                 gen_below(g, PROGRAM_SLOT / bytes) * bytes);
    }
    return s;
}

/* "ld" SEMANTICS SPACE CACHE, in the order of the ISA. */
static void access_text(struct gen *g, const struct slot *s, bool load,
                        char text[64]) {
    static const char *const load_caches[] = {".ca",
                                              ".cg",
                                              ".cs",
                                              ".lu",
                                              ".cv",
                                              ".L1::evict_last",
                                              ".L1::no_allocate",
                                              ".L2::128B"};
    static const char *const store_caches[] = {".wb", ".cg", ".cs", ".wt",
                                               ".L1::evict_first"};
    static const char *const scopes[] = {"cta", "gpu", "sys"};
    const char *op = load ? "ld" : "st";
    switch (s->is == LOCAL ? 6 + gen_below(g, 4) : gen_below(g, 10)) {
    case 0: snprintf(text, 64, "%s.volatile%s", op, s->space); break;
    case 1:
        snprintf(text, 64, "%s.relaxed.%s%s", op, OF(g, scopes), s->space);
        break;
    case 2:
        snprintf(text, 64, "%s.%s.%s%s", op, load ? "acquire" : "release",
                 OF(g, scopes), s->space);
        break;
    case 3: snprintf(text, 64, "%s.weak%s", op, s->space); break;
    case 4:
    case 5:
        snprintf(text, 64, "%s%s%s", op, s->space,
                 s->is != GLOBAL ? ""
                 : load          ? OF(g, load_caches)
                                 : OF(g, store_caches));
        break;
    default: snprintf(text, 64, "%s%s", op, s->space);
    }
}

static unsigned pick_vector(struct gen *g, const struct type *t, char class,
                            unsigned most) {
    unsigned n = gen_one_in(g, 3) ? 4 : gen_one_in(g, 2) ? 2 : 1;
    while (n > 1 && (n * t->bytes > most || n > gen_pool(class))) n /= 2;
    return n;
}

static void load(struct gen *g, const char *op, const struct type *t,
                 const char *address, unsigned n, char class) {
    char regs[64], guard[16];
    unsigned first = gen_list(g, class, n, regs);
    gen_emit(g, n == 1 ? " %s%s%s.%s %s, [%s];\n" : " %s%s%s.%s {%s}, [%s];\n",
             gen_guard(g, guard), op,
             n == 4   ? ".v4"
             : n == 2 ? ".v2"
                      : "",
             t->name, regs, address);
    for (unsigned k = 0; k < n; k++)
        gen_trace(g, class, (first + k) % gen_pool(class));
}

static char class_for(struct gen *g, char letter) {
    return strchr("1248", letter) ? gen_wide_enough(g, letter) : letter;
}

static void store(struct gen *g, const struct type *t, const struct slot *s) {
    char class = class_for(g, t->letter), regs[64], op[64], guard[16], name[16];
    access_text(g, s, false, op);
    if (strchr("efgx", class)) { /* one value, its NaN canonical */
        gen_canonical(g, class, gen_pick(g, class), name);
        if (class == 'f' || class == 'g') {
            gen_emit(g, " mov.b%u %%t%c0, %s;\n", 8 * t->bytes, class, name);
            snprintf(name, sizeof name, "%%t%c0", class);
        }
        gen_emit(g, " %s%s.%s [%s], %s;\n", gen_guard(g, guard), op, t->name,
                 s->address, name);
        return;
    }
    gen_list(g, class, 1, regs);
    gen_emit(g, " %s%s.%s [%s], %s;\n", gen_guard(g, guard), op, t->name,
             s->address, regs);
}

static void store_vector(struct gen *g, const struct type *t,
                         const struct slot *s, unsigned n, char class) {
    char regs[64], op[64], guard[16];
    access_text(g, s, false, op);
    gen_list(g, class, n, regs);
    gen_emit(g, " %s%s.v%u.%s [%s], {%s};\n", gen_guard(g, guard), op, n,
             t->name, s->address, regs);
}

void gen_access(struct gen *g) {
    const struct type *t = &OF(g, types);
    char class = class_for(g, t->letter), op[64];
    unsigned n = pick_vector(g, t, class, 16);
    gen_begin(g);
    struct slot s = pick_slot(g, n * t->bytes, false);
    if (gen_one_in(g, 2)) {
        access_text(g, &s, true, op);
        load(g, op, t, s.address, n, class);
    } else if (n > 1 && !strchr("efgx", class)) {
        store_vector(g, t, &s, n, class);
    } else {
        store(g, t, &s);
    }
    gen_end(g);
}

/* ---- memory nobody writes ---- */

void gen_read_only(struct gen *g) {
    static const char *const nc[] = {
        "ld.global.nc",    "ld.global", "ldu.global",
        "ld.global.ca.nc", "ld",        "ld.global.L1::evict_last.nc"};
    const struct type *t = &OF(g, types);
    char class = class_for(g, t->letter), op[64], address[48];
    unsigned n = pick_vector(g, t, class, 16), bytes = n * t->bytes;
    unsigned which = g->in_function ? 1 + gen_below(g, 2) : gen_below(g, 4);
    static const unsigned limits[] = {PROGRAM_INPUT, 256, 256, 48};
    static const char *const bases[] = {"", "c#", "g#", "k#_blob"};
    static const char *const spaces[] = {"global", "const", "global", "param"};
    unsigned limit = limits[which];
    bool dynamic = gen_one_in(g, 2), generic = gen_one_in(g, 3);
    unsigned mask = limit == 48 ? 0x1f : limit - 1;
    gen_begin(g);
    if (dynamic)
        gen_emit(g, " and.b32 %%tw1, %%w%u, %u;\n cvt.u64.u32 %%td1, %%tw1;\n",
                 gen_pick(g, 'w'), mask & ~(bytes - 1));
    else
        gen_emit(g, " mov.u64 %%td1, %u;\n",
                 gen_below(g, (mask + 1) / bytes) * bytes);
    snprintf(address, sizeof address, "%%td1");
    if (which == 0) {
        snprintf(op, sizeof op, "%s", OF(g, nc));
        gen_emit(g, " add.u64 %%td1, %%rin, %%td1;\n");
    } else if (dynamic || generic || which == 3) {
        snprintf(op, sizeof op, "ld.%s", spaces[which]);
        gen_emit(g, " mov.u64 %%td2, %s;\n", bases[which]);
        if (generic) {
            gen_emit(g, " cvta.%s.u64 %%td2, %%td2;\n", spaces[which]);
            snprintf(op, sizeof op, "ld");
        }
        gen_emit(g, " add.u64 %%td1, %%td2, %%td1;\n");
    } else {
        snprintf(op, sizeof op, "ld.%s", spaces[which]);
        snprintf(address, sizeof address, "%s+%u", bases[which],
                 gen_below(g, limit / bytes) * bytes);
    }
    load(g, op, t, address, n, class);
    gen_end(g);
}

/* ---- atomics on the thread's own slot ---- */

static void semantics(struct gen *g, bool returns, char text[32]) {
    static const char *const atom[] = {".relaxed", ".acquire", ".release",
                                       ".acq_rel"};
    static const char *const red[] = {".relaxed", ".release"};
    static const char *const scopes[] = {".cta", ".gpu", ".sys"};
    const char *scope = gen_one_in(g, 2) ? "" : OF(g, scopes);
    const char *order = !*scope || gen_one_in(g, 2) ? ""
                        : returns                   ? OF(g, atom)
                                                    : OF(g, red);
    snprintf(text, 32, "%s%s", order, scope);
}

static void float_atomic(struct gen *g) {
    static const struct {
        const char *name, *op;
        char class, bits;
        unsigned bytes;
    } kinds[] = {{"b32", "add.f32", 'f', 'w', 4},
                 {"b64", "add.f64", 'g', 'd', 8},
                 {"b16", "add.noftz.f16", 'e', 'h', 2},
                 {"b32", "add.noftz.f16x2", 'x', 'w', 4}};
    unsigned k = gen_below(g, 4);
    char class = kinds[k].class, name[16], order[32];
    unsigned out = gen_pick(g, class), with = gen_pick(g, class);
    bool returns = gen_one_in(g, 2);
    struct slot s = pick_slot(g, kinds[k].bytes, true);
    gen_canonical(g, class, gen_pick(g, class), name);
    gen_emit(g, " st%s.%s [%s], %s;\n", s.space, kinds[k].name, s.address,
             name);
    semantics(g, returns, order);
    if (returns)
        gen_emit(g, " atom%s%s.%s %%t%c9, [%s], %%%c%u;\n", order, s.space,
                 kinds[k].op, class, s.address, class, with);
    else
        gen_emit(g, " red%s%s.%s [%s], %%%c%u;\n", order, s.space, kinds[k].op,
                 s.address, class, with);
    gen_emit(g, " ld%s.%s %%t%c8, [%s];\n mov.b%u %%%c%u, %%t%c8;\n", s.space,
             kinds[k].name, kinds[k].bits, s.address, 8 * kinds[k].bytes, class,
             out, kinds[k].bits);
    /* the sum's NaN must not stay in memory */
    gen_canonical(g, class, out, name);
    gen_emit(g, " st%s.%s [%s], %s;\n", s.space, kinds[k].name, s.address,
             name);
    gen_trace(g, class, out);
}

void gen_private_atomic(struct gen *g) {
    static const struct {
        const char *op;
        char class;
        unsigned bytes;
    } ops[] = {{"add.u32", 'w', 4}, {"add.s32", 'w', 4},  {"add.u64", 'd', 8},
               {"min.u32", 'w', 4}, {"min.s32", 'w', 4},  {"min.u64", 'd', 8},
               {"min.s64", 'd', 8}, {"max.u32", 'w', 4},  {"max.s32", 'w', 4},
               {"max.u64", 'd', 8}, {"max.s64", 'd', 8},  {"inc.u32", 'w', 4},
               {"dec.u32", 'w', 4}, {"and.b32", 'w', 4},  {"or.b32", 'w', 4},
               {"xor.b32", 'w', 4}, {"and.b64", 'd', 8},  {"or.b64", 'd', 8},
               {"xor.b64", 'd', 8}, {"exch.b32", 'w', 4}, {"exch.b64", 'd', 8},
               {"cas.b32", 'w', 4}, {"cas.b64", 'd', 8},  {"cas.b16", 'h', 2}};
    gen_begin(g);
    unsigned k = gen_below(g, sizeof ops / sizeof *ops + 6);
    if (k >= sizeof ops / sizeof *ops) {
        float_atomic(g);
        gen_end(g);
        return;
    }
    char order[32], guard[16], class = ops[k].class;
    unsigned to = gen_pick(g, class);
    bool returns =
        ops[k].op[1] == 'x' || ops[k].op[0] == 'c' || gen_one_in(g, 2);
    struct slot s = pick_slot(g, ops[k].bytes, true);
    semantics(g, returns, order);
    gen_guard(g, guard);
    if (returns)
        gen_emit(g, " %satom%s%s.%s %%%c%u, [%s], %%%c%u", guard, order,
                 s.space, ops[k].op, class, to, s.address, class,
                 gen_pick(g, class));
    else
        gen_emit(g, " %sred%s%s.%s [%s], %%%c%u", guard, order, s.space,
                 ops[k].op, s.address, class, gen_pick(g, class));
    if (ops[k].op[0] == 'c') /* cas */
        gen_emit(g, ", %%%c%u", class, gen_pick(g, class));
    gen_emit(g, ";\n");
    if (returns) gen_trace(g, class, to);
    gen_end(g);
}

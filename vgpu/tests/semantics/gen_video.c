/* SPDX-License-Identifier: MIT
 *
 * gen_video.c: statements of the newer generator (PROGRAM_NEWER): video
 * instructions, registers of 8 bits, isspacep, hints.
 */
#include <string.h>

#include "gen.h"

#define OF(g, list) (list)[gen_below(g, sizeof(list) / sizeof *(list))]

/* ---- video instructions ---- */

static const char *sign(struct gen *g) {
    return gen_one_in(g, 2) ? ".s32" : ".u32";
}

static const char *part(struct gen *g) {
    static const char *const parts[] = {".b0", ".b1", ".b2",
                                        ".b3", ".h0", ".h1"};
    return OF(g, parts);
}

static const char *maybe_part(struct gen *g) {
    return gen_one_in(g, 2) ? "" : part(g);
}

static const char *comparison(struct gen *g) {
    static const char *const all[] = {".eq", ".ne", ".lt", ".le", ".gt", ".ge"};
    return OF(g, all);
}

/* ptxas 13.0 does not guard these, whole registers into a whole one: d changes
 * where the guard is false, too. Older seeds keep their guards. */
static bool guard_is_lost(const struct gen *g, const char *form, const char *to,
                          const char *const from[3]) {
    return g->video &&
           (!strcmp(form, "vadd4.u32.u32.u32.add") ||
            !strcmp(form, "vsub4.u32.u32.u32.add")) &&
           (!*to || !strcmp(to, ".b3210")) && !*from[0] && !*from[1];
}

/* d, a, b and, where it has one, c. */
static void write_video(struct gen *g, const char *form, const char *to,
                        const char *const from[3]) {
    char guard[16];
    unsigned reg = gen_pick(g, 'w');
    gen_guard(g, guard);
    if (guard_is_lost(g, form, to, from)) guard[0] = 0;
    gen_emit(g, " %s%s %%w%u%s", guard, form, reg, to);
    for (unsigned k = 0; k < 3 && from[k]; k++) {
        bool minus = *from[k] == '-';
        gen_emit(g, ", %s%%w%u%s", minus ? "-" : "", gen_pick(g, 'w'),
                 from[k] + minus);
    }
    gen_emit(g, ";\n");
    gen_trace(g, 'w', reg);
}

/* Older seeds have no saturated left shift, and no min or max with the third
 * operand of what may need more than 32 bits. */
static void one_part(struct gen *g) {
    static const char *const ops[] = {"vadd", "vsub", "vabsdiff", "vmin",
                                      "vmax", "vset", "vshl",     "vshr"};
    static const char *const seconds[] = {".add", ".min", ".max"};
    const char *op = OF(g, ops), *to = "", *second = "";
    const char *from[3] = {NULL};
    from[0] = maybe_part(g);
    from[1] = maybe_part(g);
    bool set = !strcmp(op, "vset"), left = !strcmp(op, "vshl");
    bool shift = left || !strcmp(op, "vshr");
    bool saturate = !set && (!left || g->video) && gen_one_in(g, 2);
    char form[64];
    unsigned kind = gen_below(g, 3);
    if (kind == 1) to = part(g);
    if (kind == 2) second = OF(g, seconds);
    if (kind) from[2] = "";
    bool extreme = kind == 2 && strcmp(second, ".add") != 0 && !g->video;
    if (extreme && left)
        second = ".add";
    else if (extreme && !set && (!*from[0] || !*from[1]))
        saturate = true;
    const char *d_sign = set ? "" : sign(g), *a_sign = sign(g);
    const char *b_sign = shift ? ".u32" : sign(g);
    const char *mode = set     ? comparison(g)
                       : shift ? gen_one_in(g, 2) ? ".clamp" : ".wrap"
                               : "";
    snprintf(form, sizeof form, "%s%s%s%s%s%s%s", op, d_sign, a_sign, b_sign,
             saturate ? ".sat" : "", mode, second);
    write_video(g, form, to, from);
}

static void multiply(struct gen *g) {
    static const char *const scales[] = {"", ".shr7", ".shr15"};
    const char *a_sign = sign(g), *b_sign = sign(g), *from[3];
    char text[2][8], form[64];
    unsigned minus = gen_below(g, 4); /* 1: of a, 2: of c */
    bool po = minus == 3 && gen_one_in(g, 2);
    snprintf(text[0], sizeof text[0], "%s%s", minus == 1 ? "-" : "",
             maybe_part(g));
    snprintf(text[1], sizeof text[1], "%s", maybe_part(g));
    from[0] = text[0];
    from[1] = text[1];
    from[2] = minus == 2 ? "-" : "";
    bool is_signed =
        a_sign[1] == 's' || b_sign[1] == 's' || minus == 1 || minus == 2;
    const char *scale = OF(g, scales);
    snprintf(form, sizeof form, "vmad%s%s%s%s%s%s", is_signed ? ".s32" : ".u32",
             a_sign, b_sign, po ? ".po" : "", gen_one_in(g, 2) ? ".sat" : "",
             scale);
    write_video(g, form, "", from);
}

/* ".h31", ".b7520": highest part first. ".b1024" is a type to ptxas. */
static void selector(struct gen *g, unsigned n, char text[8]) {
    text[0] = 0;
    if (gen_one_in(g, 2)) return;
    text[0] = '.';
    text[1] = n == 2 ? 'h' : 'b';
    do
        for (unsigned k = 0; k < n; k++)
            text[2 + k] = (char)('0' + gen_below(g, 2 * n));
    while (g->video && n == 4 && !memcmp(text + 2, "1024", 4));
    text[2 + n] = 0;
}

static void mask(struct gen *g, unsigned n, char text[8]) {
    size_t at = 2;
    text[0] = 0;
    if (gen_one_in(g, 2)) return;
    unsigned bits = 1 + gen_below(g, (1u << n) - 1);
    text[0] = '.';
    text[1] = n == 2 ? 'h' : 'b';
    for (unsigned k = n; k-- > 0;)
        if (bits >> k & 1) text[at++] = (char)('0' + k);
    text[at] = 0;
}

static void many_parts(struct gen *g) {
    static const char *const ops[] = {"vadd", "vsub", "vavrg", "vabsdiff",
                                      "vmin", "vmax", "vset"};
    const char *op = OF(g, ops);
    unsigned n = gen_one_in(g, 2) ? 2 : 4, kind = gen_below(g, 3);
    bool set = !strcmp(op, "vset");
    char text[2][8], to[8], form[64];
    selector(g, n, text[0]);
    selector(g, n, text[1]);
    mask(g, n, to);
    const char *from[3] = {text[0], text[1], ""};
    const char *d_sign = set ? "" : sign(g), *a_sign = sign(g);
    const char *b_sign = sign(g), *mode = set ? comparison(g) : "";
    snprintf(form, sizeof form, "%s%u%s%s%s%s%s", op, n, d_sign, a_sign, b_sign,
             mode,
             kind == 1           ? ".add"
             : kind == 2 && !set ? ".sat"
                                 : "");
    write_video(g, form, to, from);
}

/* ---- registers of 8 bits ---- */

static void bytes(struct gen *g) {
    char guard[16];
    unsigned from = gen_pick(g, 'w'), to = gen_pick(g, 'w');
    unsigned from_half = gen_pick(g, 'h'), to_half = gen_pick(g, 'h');
    unsigned q[6];
    for (unsigned k = 0; k < 6; k++) q[k] = gen_below(g, 6);
    gen_emit(g,
             " {\n .reg .b8 %%q<6>;\n"
             " mov.b32 {%%q0, %%q1, %%q2, %%q3}, %%w%u;\n"
             " mov.b16 {%%q4, %%q5}, %%h%u;\n"
             " mov.b32 %%tw0, {%%q%u, %%q%u, %%q%u, %%q%u};\n"
             " mov.b16 %%th0, {%%q%u, %%q%u};\n }\n",
             from, from_half, q[0], q[1], q[2], q[3], q[4], q[5]);
    gen_guard(g, guard);
    gen_emit(g, " %smov.b32 %%w%u, %%tw0;\n %smov.b16 %%h%u, %%th0;\n", guard,
             to, guard, to_half);
    gen_trace(g, 'w', to);
    gen_trace(g, 'h', to_half);
}

/* ---- generic addresses ---- */

static void space(struct gen *g) {
    static const char *const spaces[] = {"shared", "shared::cta", "local",
                                         "global"};
    char guard[16];
    unsigned reg = gen_pick(g, 'p'), kind = gen_below(g, 3);
    if (kind == 0 && !g->in_function)
        gen_emit(g, " cvt.u64.u32 %%td0, %%shpriv;\n"
                    " cvta.shared.u64 %%td0, %%td0;\n");
    else if (kind == 1)
        gen_emit(g, " cvta.local.u64 %%td0, %%locpriv;\n");
    else
        gen_emit(g, " cvta.global.u64 %%td0, %%rpriv;\n");
    const char *which = OF(g, spaces);
    gen_emit(g, " %sisspacep.%s %%p%u, %%td0;\n", gen_guard(g, guard), which,
             reg);
    gen_trace(g, 'p', reg);
}

/* ---- what leaves no trace ---- */

static void hint(struct gen *g) {
    static const char *const hints[] = {"prefetch.global.L1 [%rpriv]",
                                        "prefetch.global.L2 [%rpriv+16]",
                                        "prefetch.local.L1 [%locpriv]",
                                        "prefetch.L2 [%rpriv]",
                                        "prefetchu.L1 [%rpriv]",
                                        "nanosleep.u32 20",
                                        "pmevent 3",
                                        "pmevent.mask 5"};
    char guard[16];
    const char *what = OF(g, hints);
    if (gen_one_in(g, 6))
        gen_emit(g, " and.b32 %%tw0, %%w%u, 63;\n nanosleep.u32 %%tw0;\n",
                 gen_pick(g, 'w'));
    gen_emit(g, " %s%s;\n", gen_guard(g, guard), what);
}

void gen_newer(struct gen *g) {
    unsigned what = gen_below(g, 10);
    gen_begin(g);
    if (what < 3)
        one_part(g);
    else if (what < 4)
        multiply(g);
    else if (what < 7)
        many_parts(g);
    else if (what < 8)
        bytes(g);
    else if (what < 9)
        space(g);
    else
        hint(g);
    gen_end(g);
}

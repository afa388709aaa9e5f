/* SPDX-License-Identifier: MIT
 *
 * gen_flow.c: branches, loops, switches, calls, and bodies of statements.
 */

#include "gen.h"

#define OF(g, list) (list)[gen_below(g, sizeof(list) / sizeof *(list))]

/* ---- branches ---- */

static void branch(struct gen *g, const struct place *at) {
    struct place then = *at, otherwise = *at;
    unsigned label = g->labels++, p = gen_pick(g, 'p');
    bool uniform = at->uniform && gen_one_in(g, 4);
    gen_begin(g);
    then.nest = otherwise.nest = at->nest + 1;
    then.loop = otherwise.loop = at->mask < 0 ? at->loop : -1;
    if (uniform) {
        gen_emit(g, " setp.lt.u32 %%tp0, %%runiform, %u;\n",
                 gen_below(g, 1000));
    } else {
        gen_emit(g,
                 gen_one_in(g, 2) ? " mov.pred %%tp0, %%p%u;\n"
                                  : " not.pred %%tp0, %%p%u;\n",
                 p);
        then.uniform = otherwise.uniform = false;
        bool named =
            at->mask >= 0 && gen_one_in(g, 2) && g->masks + 2 <= GEN_MASKS;
        then.mask = otherwise.mask = -1;
        if (named) {
            then.mask = (int)g->masks++;
            otherwise.mask = (int)g->masks++;
            gen_emit(g,
                     " vote.sync.ballot.b32 %%m%d, %%tp0, %%m%d;\n"
                     " not.b32 %%tmask, %%m%d;\n"
                     " and.b32 %%m%d, %%m%d, %%tmask;\n",
                     then.mask, at->mask, then.mask, otherwise.mask, at->mask);
        }
    }
    bool both = gen_one_in(g, 2);
    gen_emit(g, " @!%%tp0 bra%s ELSE%u;\n",
             uniform && gen_one_in(g, 2) ? ".uni" : "", label);
    gen_body(g, &then, 1 + (int)gen_below(g, 6));
    gen_children(g);
    gen_emit(g, both ? " bra END%u;\nELSE%u:\n" : "ELSE%u:\n", label, label);
    if (both) gen_body(g, &otherwise, 1 + (int)gen_below(g, 6));
    gen_children(g);
    if (both) gen_emit(g, "END%u:\n", label);
    gen_end(g);
}

static void leave_loop(struct gen *g, const struct place *at) {
    unsigned p = gen_pick(g, 'p');
    gen_begin(g);
    if (at->mask >= 0)
        gen_emit(g, " vote.sync.ballot.b32 %%m%d, !%%p%u, %%m%d;\n", at->mask,
                 p, at->mask);
    gen_emit(g, " @%%p%u bra %s%d;\n", p,
             at->mask < 0 && gen_one_in(g, 2) ? "NEXT" : "OUT", at->loop);
    gen_end(g);
}

static void loop(struct gen *g, const struct place *at) {
    if (g->loops == GEN_LOOPS) return;
    struct place in = *at;
    unsigned label = g->labels++, k = g->loops++;
    bool uniform = at->uniform && gen_one_in(g, 3);
    gen_begin(g);
    in.nest = at->nest + 1;
    in.uniform = uniform;
    in.loop = uniform ? -1 : (int)label;
    if (uniform)
        gen_emit(g, " mov.u32 %%n%u, %u;\n", k, 1 + gen_below(g, 3));
    else
        gen_emit(g, " and.b32 %%n%u, %%w%u, %u;\n", k, gen_pick(g, 'w'),
                 at->nest ? 3u : 7u);
    if (!uniform) {
        bool named = at->mask >= 0 && gen_one_in(g, 2) && g->masks < GEN_MASKS;
        in.mask = named ? (int)g->masks++ : -1;
        if (named) gen_emit(g, " mov.b32 %%m%d, %%m%d;\n", in.mask, at->mask);
    }
    gen_emit(g,
             " mov.u32 %%i%u, 0;\nLOOP%u:\n"
             " setp.lt.u32 %%tp0, %%i%u, %%n%u;\n",
             k, label, k, k);
    if (!uniform && in.mask >= 0)
        gen_emit(g, " vote.sync.ballot.b32 %%m%d, %%tp0, %%m%d;\n", in.mask,
                 in.mask);
    gen_emit(g, " @!%%tp0 bra OUT%u;\n", label);
    gen_body(g, &in, 1 + (int)gen_below(g, 6));
    gen_children(g);
    gen_emit(g, "NEXT%u:\n add.u32 %%i%u, %%i%u, 1;\n bra LOOP%u;\nOUT%u:\n",
             label, k, k, label, label);
    gen_end(g);
}

static void indexed_branch(struct gen *g, const struct place *at) {
    struct place in = *at;
    unsigned label = g->labels++;
    in.uniform = false;
    in.mask = -1;
    in.nest = at->nest + 1;
    in.loop = at->mask < 0 ? at->loop : -1;
    gen_begin(g);
    gen_emit(g,
             " and.b32 %%tw0, %%w%u, 3;\n"
             "TARGETS%u: .branchtargets CASE%u_0, CASE%u_1, CASE%u_2, "
             "CASE%u_3;\n"
             " brx.idx %%tw0, TARGETS%u;\n",
             gen_pick(g, 'w'), label, label, label, label, label, label);
    for (unsigned k = 0; k < 4; k++) {
        gen_emit(g, "CASE%u_%u:\n", label, k);
        gen_body(g, &in, 1 + (int)gen_below(g, 2));
        gen_children(g);
        if (gen_one_in(g, 4)) continue; /* falls into the next */
        gen_emit(g, " bra CASES%u;\n", label);
    }
    gen_emit(g, "CASES%u:\n", label);
    gen_end(g);
}

/* ---- calls ---- */

static const char *parameter_type(char class) {
    switch (class) {
    case 'h':
    case 'e': return "b16";
    case 'd': return "b64";
    case 'f': return "f32";
    case 'g': return "f64";
    default: return "b32";
    }
}

/* .param .b32 NAMEk for argument k; 'B' is a structure of 16 bytes. */
static void declare(struct gen *g, char class, const char *name, unsigned k) {
    if (class == 'B')
        gen_emit(g, ".param .align 8 .b8 %s%u[16]", name, k);
    else
        gen_emit(g, ".param .%s %s%u", parameter_type(class), name, k);
}

/* Passes pool registers, or what `recursive` says, to function f. */
static void call(struct gen *g, unsigned function, bool indirect,
                 const char *depth, const char *guard, bool uniform) {
    unsigned to = gen_pick(g, g->returns), label = g->labels++;
    gen_emit(g, " {\n");
    for (unsigned k = 0; k < g->n_arguments; k++) {
        char class = g->arguments[k];
        gen_emit(g, " ");
        declare(g, class, "a", k);
        if (class == 'B') {
            unsigned d = gen_pick(g, 'd'), y = gen_pick(g, 'w');
            gen_emit(g,
                     ";\n st.param.v2.b32 [a%u], {%%w%u, %%w%u};\n"
                     " st.param.b64 [a%u+8], %%d%u;\n",
                     k, gen_pick(g, 'w'), y, k, d);
        } else
            gen_emit(g, ";\n st.param.%s [a%u], %%%c%u;\n",
                     parameter_type(class), k, class, gen_pick(g, class));
    }
    gen_emit(g,
             " .param .b64 place;\n st.param.b64 [place], %%rpriv;\n"
             " .param .b32 more;\n st.param.b32 [more], %s;\n"
             " .param .%s result;\n",
             depth, parameter_type(g->returns));
    if (indirect) {
        unsigned p = gen_pick(g, 'p');
        gen_emit(g,
                 " mov.u64 %%td0, f#_%u;\n mov.u64 %%td1, f#_%u;\n"
                 " selp.b64 %%td0, %%td0, %%td1, %%p%u;\n"
                 " PROTO%u: .callprototype (.param .%s _) _ (",
                 function, gen_below(g, g->n_functions), p, label,
                 parameter_type(g->returns));
        for (unsigned k = 0; k < g->n_arguments; k++) {
            if (g->arguments[k] == 'B')
                gen_emit(g, ".param .align 8 .b8 _[16], ");
            else
                gen_emit(g, ".param .%s _, ", parameter_type(g->arguments[k]));
        }
        gen_emit(g, ".param .b64 _, .param .b32 _);\n");
    }
    if (indirect && uniform && g->p->build == PROGRAM_CHECKED)
        gen_emit(g, " match.all.sync.b64 %%tw14|%%tp15, %%td0, %%m0;\n"
                    " @!%%tp15 trap;\n");
    gen_emit(g, " %scall%s (result), ", guard, uniform ? ".uni" : "");
    if (indirect)
        gen_emit(g, "%%td0, (");
    else
        gen_emit(g, "f#_%u, (", function);
    for (unsigned k = 0; k < g->n_arguments; k++) gen_emit(g, "a%u, ", k);
    gen_emit(g, "place, more)");
    if (indirect) gen_emit(g, ", PROTO%u", label);
    /* a call that is not made leaves no result, which nobody then reads */
    gen_emit(g,
             ";\n ld.param.%s %%t%c9, [result];\n"
             " %smov.%s %%%c%u, %%t%c9;\n }\n",
             parameter_type(g->returns), g->returns, guard,
             parameter_type(g->returns), g->returns, to, g->returns);
    gen_trace(g, g->returns, to);
}

void gen_call(struct gen *g, const struct place *at) {
    char guard[16], depth[8];
    if (!g->n_functions) return;
    gen_begin(g);
    snprintf(depth, sizeof depth, "%u", gen_below(g, 4));
    gen_guard(g, guard);
    bool uniform = at->uniform && !*guard && gen_one_in(g, 2);
    bool indirect = !*guard && gen_one_in(g, 4);
    unsigned function = gen_below(g, g->n_functions);
    /* lanes choose their pointers: .uni would not be true */
    if (g->newer && indirect) uniform = false;
    call(g, function, indirect, depth, guard, uniform);
    gen_end(g);
}

static void recurse(struct gen *g, unsigned function) {
    unsigned label = g->labels++;
    gen_begin(g);
    gen_emit(g,
             " setp.eq.u32 %%tp0, %%rdepth, 0;\n"
             " @%%tp0 bra DEEP%u;\n sub.u32 %%tw9, %%rdepth, 1;\n",
             label);
    call(g, function, false, "%tw9", "", false);
    gen_emit(g, "DEEP%u:\n", label);
    gen_end(g);
}

/* What a function starts from: all its arguments, mixed into %rmix. */
static void take_arguments(struct gen *g) {
    char name[16];
    gen_emit(g, " ld.param.b64 %%rpriv, [slot];\n"
                " ld.param.b32 %%rdepth, [depth];\n"
                " cvt.u64.u32 %%rmix, %%rdepth;\n");
    for (unsigned k = 0; k < g->n_arguments; k++) {
        char class = g->arguments[k];
        gen_emit(g, " mul.lo.u64 %%rmix, %%rmix, 0x9e3779b97f4a7c15;\n");
        if (class == 'B') {
            gen_emit(g,
                     " ld.param.b64 %%td0, [b%u];\n"
                     " ld.param.v2.u32 {%%tw0, %%tw1}, [b%u+8];\n"
                     " mov.b64 %%td1, {%%tw1, %%tw0};\n"
                     " xor.b64 %%td0, %%td0, %%td1;\n",
                     k, k);
        } else {
            gen_emit(g, " ld.param.%s %%%c0, [b%u];\n", parameter_type(class),
                     class, k);
            gen_canonical(g, class, 0, name);
            if (class == 'd' || class == 'g')
                gen_emit(g, " mov.b64 %%td0, %s;\n", name);
            else
                gen_emit(g, " cvt.u64.u%d %%td0, %s;\n",
                         class == 'h' || class == 'e' ? 16 : 32, name);
        }
        gen_emit(g, " xor.b64 %%rmix, %%rmix, %%td0;\n");
    }
}

static void function(struct gen *g, unsigned f) {
    gen_begin(g);
    gen_emit(g, ".func (.param .%s value) f#_%u(", parameter_type(g->returns),
             f);
    for (unsigned k = 0; k < g->n_arguments; k++) {
        declare(g, g->arguments[k], "b", k);
        gen_emit(g, ", ");
    }
    gen_emit(g, ".param .b64 slot, .param .b32 depth) {\n");
    gen_registers(g);
    gen_emit(g,
             " .reg .b64 %%rpriv, %%rmix, %%locpriv;\n .reg .b32 %%rdepth;\n"
             " .local .align 16 .b8 own[%d];\n mov.u64 %%locpriv, own;\n",
             PROGRAM_SLOT);
    take_arguments(g);
    gen_spread(g, "%rmix");
    for (unsigned k = 0; k < PROGRAM_SLOT; k += 16)
        gen_emit(g, " st.local.v2.b64 [own+%u], {%%d%u, %%d%u};\n", k, k / 16,
                 k / 16 + 1);
    struct place at = {.mask = -1, .loop = -1, .nest = 1};
    g->loops = g->masks = 0;
    int budget = g->budget;
    g->budget = 12;
    gen_body(g, &at, 6);
    g->budget = budget;
    gen_children(g);
    if (gen_one_in(g, 3)) recurse(g, f);
    gen_children(g);
    gen_emit(g, " st.param.%s [value], %%%c%u;\n ret;\n}\n",
             parameter_type(g->returns), g->returns, gen_pick(g, g->returns));
    gen_end(g);
}

void gen_functions(struct gen *g) {
    static const char classes[] = "whdfgeB";
    unsigned n = gen_one_in(g, 2) ? 0 : 1 + gen_below(g, 3);
    g->returns = classes[gen_below(g, 6)];
    g->n_arguments = gen_below(g, 5);
    for (unsigned k = 0; k < g->n_arguments; k++)
        g->arguments[k] = classes[gen_below(g, 7)];
    g->in_function = true;
    for (unsigned f = 0; f < n; f++) {
        function(g, f);
        g->n_functions = f + 1; /* later ones may call it */
    }
    g->in_function = false;
}

/* ---- statements ---- */

static void statement(struct gen *g, const struct place *at) {
    g->budget--;
    if (g->newer && gen_one_in(g, 10)) {
        gen_newer(g);
        return;
    }
    unsigned what = gen_below(g, 100);
    if (what < 4 && at->loop >= 0)
        leave_loop(g, at);
    else if (what < 14 && at->nest < 4)
        branch(g, at);
    else if (what < 20 && at->nest < 3)
        loop(g, at);
    else if (what < 22 && at->nest < 3)
        indexed_branch(g, at);
    else if (what < 25)
        gen_call(g, at);
    else if (what < 33 && at->mask >= 0)
        gen_warp(g, at);
    else if (what < 39 && at->uniform)
        gen_exchange(g, at);
    else if (what < 41)
        gen_barrier(g, at);
    else if (what < 44 && !g->in_function && !g->in_tail)
        gen_shared_atomic(g);
    else if (what < 46 && at->uniform)
        gen_read_atomics(g, at);
    else if (what < 49)
        gen_private_atomic(g);
    else if (what < 57)
        gen_access(g);
    else if (what < 60)
        gen_read_only(g);
    else if (what < 62)
        gen_carry(g);
    else if (what < 65)
        gen_reinterpret(g);
    else if (what < 67)
        gen_vector_move(g);
    else if (what < 68)
        gen_special(g);
    else
        gen_alu(g);
}

void gen_body(struct gen *g, const struct place *at, int statements) {
    for (int k = 0; k < statements && g->budget > 0; k++) statement(g, at);
}

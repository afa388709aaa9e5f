/* SPDX-License-Identifier: MIT
 *
 * gen_kernel.c: a whole program: the shape of its launch, its module, its
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#include "gen.h"

/* ---- shape ---- */

static void choose_shape(struct gen *g) {
    static const uint32_t blocks[][3] = {
        {32, 1, 1},  {64, 1, 1}, {128, 1, 1}, {8, 4, 4},  {16, 8, 1},
        {96, 1, 1},  {33, 1, 1}, {48, 1, 1},  {7, 11, 1}, {4, 4, 8},
        {256, 1, 1}, {2, 32, 1}, {64, 2, 1}};
    static const uint32_t grids[][3] = {
        {1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 2}};
    struct program_shape *s = &g->p->shape;
    memcpy(s->block, blocks[gen_below(g, 13)], sizeof s->block);
    memcpy(s->grid, grids[gen_below(g, 5)], sizeof s->grid);
    uint32_t t = s->block[0] * s->block[1] * s->block[2];
    uint32_t n = s->grid[0] * s->grid[1] * s->grid[2];
    if (t > 128) {
        n = 1;
        s->grid[0] = s->grid[1] = s->grid[2] = 1;
    }
    g->block_threads = t;
    g->whole_warps = t % 32 == 0;
    g->exchange_at = t * PROGRAM_SLOT;
    g->atomics_at = t * (PROGRAM_SLOT + 16);
    if (gen_one_in(g, 3)) s->dynamic_smem = g->atomics_at + PROGRAM_ATOMICS;
    s->threads = t * n;
    s->result = PROGRAM_INPUT;
}

static uint32_t blocks_of(const struct program *p) {
    return p->shape.grid[0] * p->shape.grid[1] * p->shape.grid[2];
}

/* Offsets of the parts behind the input (program.h). */
static uint32_t atomics_offset(const struct program *p) {
    return PROGRAM_INPUT + p->shape.threads * PROGRAM_SLOT;
}

static uint32_t output_offset(const struct program *p) {
    return atomics_offset(p) + (2 * blocks_of(p) + 1) * PROGRAM_ATOMICS;
}

/* ---- the kernel ---- */

static void module_data(struct gen *g) {
    static const char *const declarations[] = {".const .align 16 .b8 c#[256]",
                                               ".global .align 16 .b8 g#[256]"};
    for (unsigned k = 0; k < 2; k++) {
        gen_emit(g, "%s = {", declarations[k]);
        for (unsigned i = 0; i < 256; i++)
            gen_emit(g, "%s%u", i ? "," : "", gen_below(g, 256));
        gen_emit(g, "};\n");
    }
}

static void places(struct gen *g) {
    gen_emit(g,
             " mov.u32 %%tw0, %%tid.z;\n mov.u32 %%tw1, %%ntid.y;\n"
             " mov.u32 %%tw2, %%tid.y;\n"
             " mad.lo.u32 %%tw0, %%tw0, %%tw1, %%tw2;\n"
             " mov.u32 %%tw1, %%ntid.x;\n mov.u32 %%tw2, %%tid.x;\n"
             " mad.lo.u32 %%rtid, %%tw0, %%tw1, %%tw2;\n"
             " mov.u32 %%tw0, %%ctaid.z;\n mov.u32 %%tw1, %%nctaid.y;\n"
             " mov.u32 %%tw2, %%ctaid.y;\n"
             " mad.lo.u32 %%tw0, %%tw0, %%tw1, %%tw2;\n"
             " mov.u32 %%tw1, %%nctaid.x;\n mov.u32 %%tw2, %%ctaid.x;\n"
             " mad.lo.u32 %%tw0, %%tw0, %%tw1, %%tw2;\n"
             " mad.lo.u32 %%rthread, %%tw0, %u, %%rtid;\n",
             (unsigned)g->block_threads);
    gen_emit(g,
             " ld.param.u64 %%rin, [k#_in];\n"
             " ld.param.u64 %%rpriv, [k#_private];\n"
             " mad.wide.u32 %%rpriv, %%rthread, %d, %%rpriv;\n"
             " ld.param.u64 %%ratomics, [k#_atomics];\n"
             " add.u64 %%rgrid, %%ratomics, %u;\n"
             " mad.wide.u32 %%ratomics, %%tw0, %d, %%ratomics;\n"
             " ld.param.u64 %%rout, [k#_out];\n"
             " mad.wide.u32 %%rout, %%rthread, 4, %%rout;\n"
             " ld.param.u32 %%runiform, [k#_uniform];\n",
             PROGRAM_SLOT, (unsigned)(2 * blocks_of(g->p) * PROGRAM_ATOMICS),
             2 * PROGRAM_ATOMICS);
    if (g->p->build == PROGRAM_TRACED)
        gen_emit(g,
                 " ld.param.u64 %%rtrace, [k#_trace];\n"
                 " mad.wide.u32 %%rtrace, %%rthread, %d, %%rtrace;\n"
                 " add.u64 %%rtrace_end, %%rtrace, %d;\n",
                 PROGRAM_TRACE * 16, PROGRAM_TRACE * 16 - 16);
    gen_emit(g,
             " mov.u32 %%rshared, %s;\n"
             " mad.lo.u32 %%shpriv, %%rtid, %d, %%rshared;\n"
             " mad.lo.u32 %%rexchange, %%rtid, 16, %%rshared;\n"
             " add.u32 %%rexchange, %%rexchange, %u;\n"
             " mov.u64 %%locpriv, slots;\n",
             g->p->shape.dynamic_smem ? "s#" : "shared", PROGRAM_SLOT,
             (unsigned)g->exchange_at);
    /* %m0: the warp's threads that exist */
    gen_emit(g,
             " and.b32 %%tw0, %%rtid, -32;\n"
             " sub.u32 %%tw0, %u, %%tw0;\n min.u32 %%tw0, %%tw0, 32;\n"
             " bmsk.clamp.b32 %%m0, 0, %%tw0;\n",
             (unsigned)g->block_threads);
}

/* Every register gets a word of the input; every slot something. */
static void start_values(struct gen *g) {
    static const unsigned bits[] = {0, 16, 32, 64, 16, 32, 32, 64};
    unsigned stride = 8 * (2 * gen_below(g, 500) + 1);
    gen_emit(g,
             " mul.lo.u32 %%tw0, %%rthread, %u;\n and.b32 %%tw0, %%tw0, %d;\n"
             " cvt.u64.u32 %%td0, %%tw0;\n add.u64 %%td0, %%rin, %%td0;\n",
             stride, PROGRAM_INPUT / 2 - 8);
    for (unsigned c = 0; gen_classes[c]; c++)
        for (unsigned r = 0; r < gen_pool(gen_classes[c]); r++) {
            uint32_t at = 8 * gen_below(g, PROGRAM_INPUT / 16);
            if (c)
                gen_emit(g, " ld.global.b%u %%%c%u, [%%td0+%u];\n", bits[c],
                         gen_classes[c], r, at);
            else
                gen_emit(g,
                         " ld.global.s32 %%tw1, [%%td0+%u];\n"
                         " setp.lt.s32 %%p%u, %%tw1, 0;\n",
                         at, r);
        }
    gen_emit(g,
             " ld.param.u16 %%h0, [k#_short];\n ld.param.s8 %%h1, [k#_byte];\n"
             " ld.param.f32 %%f0, [k#_float];\n"
             " ld.param.f64 %%g0, [k#_double];\n"
             " ld.param.s16 %%w0, [k#_short];\n"
             " ld.param.u8 %%d0, [k#_byte];\n");
    for (unsigned k = 0; k < PROGRAM_SLOT; k += 16)
        gen_emit(g,
                 " st.local.v2.b64 [%%locpriv+%u], {%%d%u, %%d2};\n"
                 " st.shared.v2.b64 [%%shpriv+%u], {%%d3, %%d%u};\n",
                 k, k / 16, k, k / 16 + 4);
    gen_emit(g,
             " st.shared.v2.b64 [%%rexchange], {%%d0, %%d1};\n"
             " setp.lt.u32 %%tp0, %%rtid, 32;\n"
             " mad.lo.u32 %%tw1, %%rtid, 8, %%rshared;\n"
             " mul.lo.u32 %%tw2, %%rtid, 0x9e3779b9;\n"
             " sub.u32 %%tw3, %%rtid, 11;\n"
             " setp.lt.u32 %%tp1, %%tw3, 3;\n" /* sums of floats */
             " selp.u32 %%tw2, 0, %%tw2, %%tp1;\n"
             " @%%tp0 st.shared.v2.b32 [%%tw1+%u], {%%tw2, %%tw2};\n"
             " bar.sync 0;\n",
             (unsigned)g->atomics_at);
}

static unsigned store_word(struct gen *g, const char *name, unsigned word) {
    gen_emit(g, " st.global.b32 [%%rout+%u], %s;\n",
             word * 4 * (unsigned)g->p->shape.threads, name);
    return word + 1;
}

static void store_all(struct gen *g) {
    unsigned word = 0;
    char name[16];
    gen_emit(g, " mov.u32 %%tw0, 0;\n");
    for (unsigned r = 0; r < gen_pool('p'); r++)
        gen_emit(g,
                 " selp.u32 %%tw1, %u, 0, %%p%u;\n"
                 " or.b32 %%tw0, %%tw0, %%tw1;\n",
                 1u << r, r);
    word = store_word(g, "%tw0", word);
    for (unsigned c = 1; gen_classes[c]; c++)
        for (unsigned r = 0; r < gen_pool(gen_classes[c]); r++) {
            char class = gen_classes[c];
            gen_canonical(g, class, r, name);
            if (class == 'h' || class == 'e') {
                gen_emit(g, " cvt.u32.u16 %%tw0, %s;\n", name);
                word = store_word(g, "%tw0", word);
            } else if (class == 'd' || class == 'g') {
                gen_emit(g, " mov.b64 {%%tw0, %%tw1}, %s;\n", name);
                word = store_word(g, "%tw0", word);
                word = store_word(g, "%tw1", word);
            } else {
                word = store_word(g, name, word);
            }
        }
    g->p->shape.bytes = output_offset(g->p) + 4 * word * g->p->shape.threads;
}

static void finish(struct gen *g) {
    gen_emit(g,
             " bar.sync 0;\n setp.lt.u32 %%tp0, %%rtid, 32;\n"
             " mad.lo.u32 %%tw1, %%rtid, 8, %%rshared;\n"
             " @%%tp0 ld.shared.b64 %%td0, [%%tw1+%u];\n"
             " mad.wide.u32 %%td1, %%rtid, 8, %%ratomics;\n"
             " @%%tp0 st.global.b64 [%%td1+%d], %%td0;\n",
             (unsigned)g->atomics_at, PROGRAM_ATOMICS);
    store_all(g);
}

/* Some threads leave; the others go on alone. */
static void tail(struct gen *g) {
    struct place at = {.mask = -1, .loop = -1, .nest = 1};
    gen_begin(g);
    const char *leaves = gen_one_in(g, 2) ? "exit" : "ret";
    unsigned p = gen_pick(g, 'p');
    gen_emit(g, " @%s%%p%u %s;\n", gen_one_in(g, 2) ? "!" : "", p, leaves);
    g->budget = 8;
    g->in_tail = true;
    gen_body(g, &at, 6);
    gen_children(g);
    store_all(g);
    gen_end(g);
}

static void kernel(struct gen *g) {
    struct place at = {.uniform = true, .mask = 0, .loop = -1};
    gen_emit(g,
             ".visible .entry k#(.param .u64 k#_in, .param .u64 k#_private,\n"
             " .param .u64 k#_atomics, .param .u64 k#_out,\n"
             " .param .u64 k#_trace, .param .u32 k#_uniform,\n"
             " .param .u16 k#_short, .param .u8 k#_byte,\n"
             " .param .f32 k#_float, .param .f64 k#_double,\n"
             " .param .align 16 .b8 k#_blob[48]) {\n");
    gen_registers(g);
    gen_emit(g,
             " .reg .b64 %%rin, %%rpriv, %%ratomics, %%rgrid, %%rout, "
             "%%rtrace, %%rtrace_end, %%locpriv;\n"
             " .reg .b32 %%rtid, %%rthread, %%runiform, %%rshared, "
             "%%shpriv, %%rexchange;\n"
             " .local .align 16 .b8 slots[%d];\n",
             PROGRAM_SLOT);
    if (!g->p->shape.dynamic_smem)
        gen_emit(g, " .shared .align 16 .b8 shared[%u];\n",
                 (unsigned)(g->atomics_at + PROGRAM_ATOMICS));
    places(g);
    start_values(g);
    g->loops = 0;
    g->masks = 1;
    g->budget = 15 + (int)gen_below(g, 50);
    gen_body(g, &at, 100);
    gen_children(g);
    finish(g);
    if (gen_one_in(g, 4)) tail(g);
    gen_children(g);
    gen_emit(g, " ret;\n}\n");
}

struct program *program_make(uint64_t seed, uint64_t k,
                             enum program_build build) {
    struct gen *g = calloc(1, sizeof *g);
    struct program *p = calloc(1, sizeof *p);
    if (!g || !p) abort();
    g->p = p;
    p->seed = seed;
    p->k = k;
    p->build = build;
    g->newer = seed >= PROGRAM_NEWER;
    g->video = seed >= PROGRAM_VIDEO;
    g->random = seed * 0x9e3779b97f4a7c15u ^ (k + 1) * 0xd1342543de82ef95u;
    p->data = g->random + 0x1234567;
    g->plain_multiply = gen_one_in(g, 2);
    choose_shape(g);
    gen_begin(g);
    module_data(g);
    if (p->shape.dynamic_smem)
        gen_emit(g, ".extern .shared .align 16 .b8 s#[];\n");
    gen_functions(g);
    gen_children(g);
    kernel(g);
    gen_end(g);
    p->shape.trace = (p->shape.bytes + 15) & ~15u;
    free(g);
    return p;
}

void program_get_shape(const struct program *p, struct program_shape *s) {
    *s = p->shape;
}

/* SPDX-License-Identifier: MIT
 *
 * gen.c: see gen.h.
 */
#include "gen.h"

static uint64_t next(struct gen *g) { /* splitmix64 */
    uint64_t z = g->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t gen_below(struct gen *g, uint32_t n) {
    return (uint32_t)((next(g) >> 32) * n >> 32);
}

bool gen_one_in(struct gen *g, uint32_t n) {
    return !gen_below(g, n);
}

struct who gen_thread_of(struct gen *g, uint32_t blocks) {
    static const uint32_t lanes[] = {0, 0, 1, 2, 31};
    /* Compilers draw in different orders within one expression. */
    uint32_t warp = gen_below(g, g->p->n_warps), lane = lanes[gen_below(g, 5)];
    return (struct who){blocks, 1u << warp, 1u << lane};
}

struct who gen_thread(struct gen *g) {
    return gen_thread_of(g, 1u << gen_below(g, g->p->n_blocks));
}

struct op *gen_op(struct gen *g, enum op_kind kind, struct who who) {
    static struct op none;
    if (g->p->n_ops == MOST_OPS) return &none;
    struct op *o = &g->p->ops[g->p->n_ops++];
    *o = (struct op){.kind = (uint8_t)kind,
                     .at.value = -1,
                     .from.value = -1,
                     .to = -1,
                     .condition = -1,
                     .blocks = who.blocks,
                     .warps = who.warps,
                     .lanes = who.lanes};
    return o;
}

struct op *gen_access(struct gen *g, enum op_kind kind, enum sem sem,
                      struct who who, enum space space, uint32_t word) {
    struct op *o = gen_op(g, kind, who);
    o->sem = (uint8_t)sem;
    o->scope = SCOPE_gpu;
    o->space = (uint8_t)space;
    o->bytes = 4;
    o->at.word = word;
    return o;
}

uint32_t gen_words(struct gen *g, enum space space, uint32_t n) {
    uint32_t *at = space == SPACE_shared ? &g->shared : &g->global;
    uint32_t first = *at;
    *at += (n + 3) / 4 * 4;
    return first;
}

int gen_value(struct gen *g) {
    return (int)(g->values++ % VALUES);
}

enum scope gen_scope(struct gen *g, bool one_block) {
    if (one_block) return (enum scope)gen_below(g, N_SCOPES);
    if (gen_one_in(g, 20) && !g->wide)
        return gen_one_in(g, 2) ? SCOPE_cluster : SCOPE_cta;
    return gen_one_in(g, 4) ? SCOPE_sys : SCOPE_gpu;
}

void gen_fence(struct gen *g, struct who who, bool one_block) {
    static const enum sem sems[] = {SEM_weak, SEM_acq_rel, SEM_sc};
    if (gen_one_in(g, 12)) return;
    struct op *o = gen_op(g, OP_fence, who);
    o->sem = (uint8_t)sems[gen_below(g, 3)];
    o->scope = (uint8_t)gen_scope(g, one_block);
}

void gen_barrier(struct gen *g, uint32_t blocks) {
    if (gen_one_in(g, 14)) return;
    gen_op(g, OP_bar, (struct who){blocks, UINT32_MAX, UINT32_MAX});
}

/* ---- a program ---- */

/* Takes the operations of two patterns in turns; each keeps its order. */
static void shuffle(struct gen *g, uint32_t first, uint32_t middle) {
    struct op all[MOST_OPS], *to = g->p->ops + first;
    uint32_t a = first, b = middle, end = g->p->n_ops, n = end - first;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t left = middle - a, right = end - b;
        all[k] =
            gen_below(g, left + right) < left ? g->p->ops[a++] : g->p->ops[b++];
    }
    for (uint32_t k = 0; k < n; k++) to[k] = all[k];
}

static bool may_go(const struct op *o) {
    return o->kind == OP_fence || o->kind == OP_syncwarp ||
           (o->kind == OP_bar && !o->id && !o->count);
}

/* Leaves one thing out, or makes it weaker. */
static void weaken(struct gen *g) {
    struct program *p = g->p;
    if (!p->n_ops) return;
    uint32_t k = gen_below(g, p->n_ops);
    struct op *o = &p->ops[k];
    if (may_go(o)) {
        p->n_ops--;
        for (; k < p->n_ops; k++) p->ops[k] = p->ops[k + 1];
    } else if (o->kind < OP_fence && o->sem > SEM_relaxed) {
        o->sem = SEM_relaxed;
    } else if (o->kind < OP_fence && o->sem == SEM_relaxed) {
        o->scope = g->wide ? SCOPE_sys : SCOPE_cta;
    }
}

void program_random(struct program *p, uint64_t seed, uint64_t k,
                    struct taste taste) {
    struct gen g = {
        .p = p, .wide = taste.wide, .random = seed * 0x2545f4914f6cdd1du + k};
    *p = (struct program){.n_launches = 1};
    next(&g);
    p->n_blocks = 1 + gen_below(&g, MOST_BLOCKS);
    p->n_warps = 1 + gen_below(&g, 5) / 2;
    if (gen_one_in(&g, 6)) p->n_launches = MOST_LAUNCHES;
    uint32_t patterns = 1 + gen_below(&g, 3), middle = 0;
    for (uint32_t n = 0; n < patterns && p->n_ops < MOST_OPS / 2; n++) {
        uint32_t which = gen_below(&g, gen_n_patterns);
        if (!taste.copies && gen_copies(which)) continue;
        uint32_t first = p->n_ops;
        gen_patterns[which](&g);
        if (gen_stands_alone(which))
            middle = p->n_ops;
        else if (first > middle)
            shuffle(&g, middle, first);
    }
    if (gen_one_in(&g, 3)) weaken(&g);
    if (gen_one_in(&g, 6) && p->n_ops < MOST_OPS - 12) gen_leaving(&g);
}

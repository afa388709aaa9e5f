/* SPDX-License-Identifier: MIT
 *
 * barrier_patterns.c: how threads of a block meet (gen.h).
 */
#include "gen.h"

static void each_thread(struct gen *g, struct op *o, uint32_t first,
                        uint32_t shift) {
    o->at.word = first + shift;
    o->at.by_thread = 1;
    o->at.by_block = o->space == SPACE_global ? g->p->n_warps * LANES : 0;
}

/* All threads of some blocks write and read neighbours' words. */
void gen_neighbours(struct gen *g) {
    enum space where = gen_one_in(g, 3) ? SPACE_global : SPACE_shared;
    uint32_t n = MOST_WARPS * LANES;
    uint32_t first = gen_words(
        g, where, where == SPACE_shared ? n + 4 : MOST_BLOCKS * n + 4);
    uint32_t blocks =
        gen_one_in(g, 2) ? UINT32_MAX : 1u << gen_below(g, g->p->n_blocks);
    struct who all = {blocks, UINT32_MAX, gen_one_in(g, 2) ? UINT32_MAX : 7u};
    if (first + MOST_BLOCKS * n + 4 > WORDS) return;
    each_thread(g, gen_touch(g, all, where, 0, true), first, 0);
    gen_barrier(g, blocks);
    uint32_t shift = gen_one_in(g, 6) ? 0 : 1;
    each_thread(g, gen_touch(g, all, where, 0, false), first, shift);
    if (gen_one_in(g, 2)) return;
    gen_barrier(g, blocks);
    each_thread(g, gen_touch(g, all, where, 0, true), first, 0);
}

/* Rounds in shared memory, as a scan has them: read a word some threads away,
 * meet, write one's own, meet. */
void gen_rounds(struct gen *g) {
    uint32_t n = MOST_WARPS * LANES, apart = 1 + gen_below(g, 3);
    uint32_t first = gen_words(g, SPACE_shared, apart * n + 16), d = 1;
    uint32_t blocks = gen_one_in(g, 2) ? UINT32_MAX : 1;
    static const uint32_t sets[] = {UINT32_MAX, UINT32_MAX, 0x55555555, 0xff};
    struct who all = {blocks, UINT32_MAX, sets[gen_below(g, 4)]};
    bool is_volatile = gen_one_in(g, 4);
    if (first + apart * n + 16 > WORDS / 2) return;
    for (uint32_t k = 1 + gen_below(g, 3); k; k--, d *= 2) {
        struct op *o =
            gen_access(g, OP_ld, SEM_weak, all, SPACE_shared, first + d % 16);
        o->at.by_thread = apart;
        if (is_volatile) o->sem = SEM_volatile;
        gen_barrier(g, blocks);
        o = gen_access(g, OP_st, SEM_weak, all, SPACE_shared, first);
        o->at.by_thread = apart;
        if (is_volatile) o->sem = SEM_volatile;
        if (apart == 2 && gen_one_in(g, 2) && !is_volatile) o->bytes = 8;
        gen_barrier(g, blocks);
    }
}

/* Some warps arrive at a barrier with a number, others wait there. */
void gen_named(struct gen *g) {
    if (g->p->n_warps < 2 || g->barriers > 14) {
        gen_neighbours(g);
        return;
    }
    uint32_t block = 1u << gen_below(g, g->p->n_blocks);
    uint32_t n = g->p->n_warps, w = gen_below(g, n), id = ++g->barriers;
    struct who from = {block, 1u << w, UINT32_MAX};
    struct who to = {block, 1u << (w + 1) % n, UINT32_MAX};
    struct who a = from, b = to;
    enum space where = gen_one_in(g, 3) ? SPACE_global : SPACE_shared;
    uint32_t data = gen_words(g, where, 4);
    a.lanes = 1u << gen_below(g, 3);
    b.lanes = 1u << gen_below(g, 3);
    gen_touch(g, a, where, data, true);
    gen_touch(g, b, where, data + 1, true);
    bool arrives = gen_one_in(g, 2);
    if (arrives) {
        struct op *o = gen_op(g, OP_arrive, from);
        o->id = id, o->count = 2 * LANES;
    } else {
        to.warps |= from.warps;
    }
    struct op *o = gen_op(g, OP_bar, to);
    o->id = id, o->count = 2 * LANES;
    gen_touch(g, b, where, data, gen_one_in(g, 2));
    if (gen_one_in(g, 2)) gen_touch(g, a, where, data + 1, false);
    if (n > 2 && gen_one_in(g, 2)) {
        struct who c = {block, 1u << (w + 2) % n, 1};
        gen_touch(g, c, where, data, gen_one_in(g, 2));
    }
}

/* Lanes of a warp. */
void gen_lanes(struct gen *g) {
    struct who t = gen_thread(g);
    static const uint32_t masks[] = {UINT32_MAX, 3, 7, 0x80000001, 0xffff};
    uint32_t set = masks[gen_below(g, 5)];
    struct who all = {t.blocks, t.warps, set};
    struct who a = t, b = t;
    enum space where = gen_one_in(g, 3) ? SPACE_global : SPACE_shared;
    uint32_t data = gen_words(g, where, 2);
    a.lanes = 1, b.lanes = 2;
    if (set == 0x80000001) b.lanes = 0x80000000;
    gen_touch(g, a, where, data, true);
    if (gen_one_in(g, 3)) gen_touch(g, b, where, data + 1, true);
    static const enum op_kind kinds[] = {OP_syncwarp, OP_syncwarp, OP_syncwarp,
                                         OP_shuffle, OP_vote};
    gen_op(g, kinds[gen_below(g, 5)], all);
    gen_touch(g, b, where, data, gen_one_in(g, 2));
    if (gen_one_in(g, 3)) gen_touch(g, a, where, data + 1, false);
}

/* The same at barrier.cluster, with something between arriving and waiting. */
void gen_cluster(struct gen *g) {
    enum space where = gen_one_in(g, 3) ? SPACE_global : SPACE_shared;
    uint32_t n = MOST_WARPS * LANES;
    uint32_t size = where == SPACE_shared ? n + 4 : MOST_BLOCKS * n + 4;
    uint32_t first = gen_words(g, where, size);
    uint32_t blocks = gen_one_in(g, 2) ? UINT32_MAX : 1;
    struct who all = {blocks, UINT32_MAX, UINT32_MAX};
    if (first + size > WORDS) return;
    for (uint32_t k = 1 + gen_below(g, 2); k; k--) {
        bool relaxed = gen_one_in(g, 4);
        each_thread(g, gen_touch(g, all, where, 0, true), first, 0);
        if (relaxed && gen_one_in(g, 2)) gen_fence(g, all, true);
        gen_op(g, relaxed ? OP_clusterrelaxed : OP_clusterarrive, all);
        if (gen_one_in(g, 3)) {
            uint32_t shift = gen_below(g, 2);
            each_thread(g, gen_touch(g, all, where, 0, gen_one_in(g, 2)), first,
                        shift);
        }
        gen_op(g, OP_clusterwait, all);
        uint32_t shift = gen_below(g, 2);
        each_thread(g, gen_touch(g, all, where, 0, false), first, shift);
    }
}

/* Threads of some blocks write, and some of them exit before the others meet
 * and read. */
void gen_leaving(struct gen *g) {
    static const uint32_t sets[] = {UINT32_MAX, 1, 0xffff0000, 0xfffffffe};
    enum space where = gen_one_in(g, 3) ? SPACE_global : SPACE_shared;
    uint32_t n = MOST_WARPS * LANES;
    uint32_t first = gen_words(
        g, where, where == SPACE_shared ? n + 4 : MOST_BLOCKS * n + 4);
    uint32_t blocks = gen_one_in(g, 2) ? UINT32_MAX : 1;
    struct who all = {blocks, UINT32_MAX, UINT32_MAX};
    uint32_t warp = gen_below(g, g->p->n_warps), set = sets[gen_below(g, 4)];
    struct who some = {blocks, 1u << warp, set};
    if (first + (where == SPACE_shared ? 1 : MOST_BLOCKS) * n + 4 > WORDS)
        return;
    each_thread(g, gen_touch(g, all, where, 0, true), first, 0);
    if (gen_one_in(g, 3)) gen_barrier(g, blocks);
    if (gen_one_in(g, 2))
        each_thread(g, gen_touch(g, some, where, 0, gen_one_in(g, 2)), first,
                    1);
    gen_op(g, OP_exit, some);
    gen_barrier(g, blocks);
    uint32_t shift = gen_one_in(g, 6) ? 0 : 1;
    each_thread(g, gen_touch(g, all, where, 0, gen_one_in(g, 3)), first, shift);
    if (gen_one_in(g, 2)) return;
    gen_barrier(g, blocks);
    each_thread(g, gen_touch(g, all, where, 0, true), first, 0);
}

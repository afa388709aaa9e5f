/* SPDX-License-Identifier: MIT
 *
 * async_patterns.c: asynchronous copies (gen.h). A copy that nobody waits for
 * would be reported when its block ends: at its end each pattern waits.
 */
#include "gen.h"

static struct op *touch(struct gen *g, struct who who, enum space space,
                        uint32_t word, bool writes, uint32_t by_thread) {
    struct op *o =
        gen_access(g, writes ? OP_st : OP_ld, SEM_weak, who, space, word);
    o->at.by_thread = by_thread;
    return o;
}

static void copy(struct gen *g, struct who who, uint32_t to, uint32_t from) {
    struct op *o = gen_access(g, OP_copy, SEM_weak, who, SPACE_shared, to);
    o->from.word = from;
    o->at.by_thread = o->from.by_thread = 1;
}

static struct op *mb(struct gen *g, enum op_kind kind, struct who who,
                     uint32_t word) {
    struct op *o = gen_op(g, kind, who);
    o->id = word;
    return o;
}

/* cp.async in two stages; somebody reads what came, somebody writes the source
 * or the same words again. */
void gen_staged(struct gen *g) {
    uint32_t block = 1u << gen_below(g, g->p->n_blocks), n = MOST_WARPS * LANES;
    struct who all = {block, UINT32_MAX, gen_one_in(g, 2) ? 3u : UINT32_MAX};
    uint32_t to = gen_words(g, SPACE_shared, 2 * n + 4);
    uint32_t from = gen_words(g, SPACE_global, 2 * n + 4), open;
    if (to + 2 * n + 4 > WORDS / 2 || from + 2 * n + 4 > WORDS) return;
    if (gen_one_in(g, 4)) touch(g, all, SPACE_global, from, true, 1);
    copy(g, all, to, from);
    if (!gen_one_in(g, 8)) gen_op(g, OP_commit, all);
    if (gen_one_in(g, 2)) {
        copy(g, all, to + (gen_one_in(g, 4) ? 0 : n), from + n);
        gen_op(g, OP_commit, all);
    }
    open = gen_below(g, 2);
    if (!gen_one_in(g, 4)) gen_op(g, OP_wait, all)->count = open;
    if (gen_one_in(g, 3)) touch(g, all, SPACE_global, from, true, 1);
    gen_barrier(g, block);
    bool writes = gen_one_in(g, 4);
    touch(g, all, SPACE_shared, to + gen_below(g, 2), writes, 1);
    if (gen_one_in(g, 3))
        touch(g, all, SPACE_shared, to + n, gen_one_in(g, 3), 1);
    gen_op(g, OP_commit, all);
    gen_op(g, OP_wait, all);
}

/* cp.async that arrives at an mbarrier, or a bulk load, whose bytes it
 * counts. */
void gen_mbarrier(struct gen *g) {
    uint32_t block = 1u << gen_below(g, g->p->n_blocks);
    struct who one = gen_thread_of(g, block), two = gen_thread_of(g, block);
    struct who every = {block, UINT32_MAX, UINT32_MAX};
    uint32_t to = gen_words(g, SPACE_shared, 8);
    uint32_t from = gen_words(g, SPACE_global, 8);
    uint32_t bar = gen_words(g, SPACE_shared, 4);
    bool bulk = gen_one_in(g, 2);
    struct who third = gen_thread_of(g, block);
    one.warps = 1;
    if (to + 8 > WORDS / 2) return;
    mb(g, OP_mbinit, one, bar)->count = 1 + !bulk;
    gen_op(g, OP_bar, every)->count = g->p->n_warps * LANES;
    if (gen_one_in(g, 3)) touch(g, one, SPACE_global, from, true, 0);
    if (gen_one_in(g, 3)) touch(g, one, SPACE_shared, to + 4, true, 0);
    if (bulk) {
        mb(g, OP_mbexpect, one, bar)->bytes = 16;
        struct op *o =
            gen_access(g, OP_bulkload, SEM_weak, one, SPACE_shared, to);
        o->from.word = from, o->bytes = 16, o->id = bar;
    } else {
        copy(g, one, to, from);
        mb(g, OP_mbcopy, one, bar);
        mb(g, OP_mbarrive, one, bar);
    }
    if (gen_one_in(g, 4)) touch(g, two, SPACE_global, from, true, 0);
    if (gen_one_in(g, 4)) touch(g, one, SPACE_shared, to + 4, true, 0);
    if (!gen_one_in(g, 4)) mb(g, OP_mbwait, two, bar);
    bool writes = gen_one_in(g, 4);
    touch(g, two, SPACE_shared, to + 4 * gen_below(g, 2), writes, 0);
    if (gen_one_in(g, 3)) touch(g, two, SPACE_global, from, true, 0);
    if (gen_one_in(g, 2)) touch(g, third, SPACE_shared, to, false, 0);
    if (!bulk) gen_op(g, OP_commit, one);
    if (!bulk) gen_op(g, OP_wait, one);
    mb(g, OP_mbwait, one, bar);
}

/* Threads fill shared memory, and one of them sends it off. */
void gen_bulk_store(struct gen *g) {
    uint32_t block = 1u << gen_below(g, g->p->n_blocks);
    struct who one = gen_thread_of(g, block), two = gen_thread_of(g, block);
    uint32_t from = gen_words(g, SPACE_shared, 8);
    uint32_t to = gen_words(g, SPACE_global, 8);
    uint32_t fences = gen_below(g, 4);
    if (from + 8 > WORDS / 2) return;
    touch(g, two, SPACE_shared, from, true, 0);
    if (gen_one_in(g, 2)) touch(g, one, SPACE_shared, from + 1, true, 0);
    if (fences & 1) gen_op(g, OP_proxy, two);
    gen_barrier(g, block);
    if (fences & 2) gen_op(g, OP_proxy, one);
    struct op *o = gen_access(g, OP_bulkstore, SEM_weak, one, SPACE_global, to);
    o->from.word = from, o->bytes = 16;
    gen_op(g, OP_bulkcommit, one);
    if (!gen_one_in(g, 4))
        gen_op(g, gen_one_in(g, 2) ? OP_bulkread : OP_bulkwait, one);
    if (gen_one_in(g, 2)) gen_barrier(g, block);
    touch(g, gen_one_in(g, 2) ? one : two, SPACE_shared, from + 2, true, 0);
    if (gen_one_in(g, 2)) touch(g, two, SPACE_global, to, false, 0);
    gen_op(g, OP_bulkwait, one);
}

/* SPDX-License-Identifier: MIT
 *
 * patterns.c: how threads hand words to one another (gen.h).
 */
#include "gen.h"

static enum sem store_sem(struct gen *g, bool atomic) {
    static const enum sem sems[] = {SEM_volatile, SEM_relaxed, SEM_release,
                                    SEM_release,  SEM_relaxed, SEM_weak};
    enum sem s = sems[gen_below(g, gen_one_in(g, 4) ? 6 : 5)];
    if (!atomic) return s;
    if (s == SEM_weak || s == SEM_volatile) return SEM_relaxed;
    return s == SEM_release && gen_one_in(g, 2) ? SEM_acq_rel : s;
}

static enum sem load_sem(struct gen *g, bool atomic) {
    static const enum sem sems[] = {SEM_volatile, SEM_relaxed, SEM_acquire};
    enum sem s = sems[gen_below(g, 3)];
    if (atomic && s == SEM_volatile) return SEM_acq_rel;
    return s;
}

/* A store that others wait for. */
static struct op *signal(struct gen *g, struct who who, enum space space,
                         uint32_t word, bool one_block) {
    static const enum op_kind kinds[] = {OP_st, OP_st, OP_exch, OP_add, OP_inc};
    enum op_kind kind = kinds[gen_below(g, 5)];
    struct op *o =
        gen_access(g, kind, store_sem(g, kind != OP_st), who, space, word);
    o->scope = (uint8_t)gen_scope(g, one_block);
    return o;
}

/* Waits for it; or, now and then, only looks. What follows asks value `to`
 * then. */
static struct op *await(struct gen *g, struct who who, enum space space,
                        uint32_t word, bool one_block, int to) {
    bool atomic = gen_one_in(g, 4);
    struct op *o = gen_access(g, atomic ? OP_look : OP_poll,
                              load_sem(g, atomic), who, space, word);
    o->scope = (uint8_t)gen_scope(g, one_block);
    o->to = to;
    if (gen_one_in(g, 3)) o->count = 1 + gen_below(g, 6);
    if (o->count && !atomic && gen_one_in(g, 6)) o->sem = SEM_weak;
    return o;
}

struct op *gen_touch(struct gen *g, struct who who, enum space space,
                     uint32_t word, bool writes) {
    enum op_kind kind = writes ? OP_st : OP_ld;
    enum sem sem = gen_one_in(g, 8) ? SEM_relaxed : SEM_weak;
    if (sem == SEM_weak && gen_one_in(g, 8)) sem = SEM_volatile;
    struct op *o = gen_access(g, kind, sem, who, space, word);
    if (writes && sem == SEM_relaxed && gen_one_in(g, 2)) o->kind = OP_add;
    o->scope = (uint8_t)gen_scope(g, false);
    return o;
}

static struct op *when(struct op *o, int value) {
    o->condition = value;
    return o;
}

/* A weak one of two words, or of a part of one. (Which strong accesses of
 * different sizes race, the model says otherwise than PTX.) */
static void widen(struct gen *g, struct op *o) {
    if (o->sem != SEM_weak) return;
    if (gen_one_in(g, 4)) o->bytes = 8;
    if (!gen_one_in(g, 4)) return;
    o->bytes = 1 + gen_below(g, 2);
    o->byte = (uint8_t)(gen_below(g, 4) & ~(o->bytes - 1));
}

/* ---- flags ---- */

static void message(struct gen *g) {
    struct who a = gen_thread(g), b = gen_thread(g);
    bool one = a.blocks == b.blocks;
    enum space where = one && gen_one_in(g, 2) ? SPACE_shared : SPACE_global;
    enum space flags = one && gen_one_in(g, 2) ? SPACE_shared : SPACE_global;
    uint32_t data = gen_words(g, where, 1), flag = gen_words(g, flags, 1);
    int v = gen_value(g);
    widen(g, gen_touch(g, a, where, data, !gen_one_in(g, 4)));
    gen_fence(g, a, one);
    signal(g, a, flags, flag, one);
    await(g, b, flags, flag, one, v);
    gen_fence(g, b, one);
    widen(g, when(gen_touch(g, b, where, data, gen_one_in(g, 2)), v));
    if (gen_one_in(g, 4)) when(gen_touch(g, b, flags, flag, false), v);
}

/* From thread to thread, each with a flag of its own, or all with one. */
static void relay(struct gen *g) {
    uint32_t n = 3 + gen_below(g, 2), data = gen_words(g, SPACE_global, 1);
    uint32_t flag = gen_words(g, SPACE_global, 4);
    bool shares = gen_one_in(g, 3);
    struct who t = gen_thread(g);
    gen_touch(g, t, SPACE_global, data, true);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = flag + (shares ? 0 : k);
        gen_fence(g, t, false);
        struct op *o = signal(g, t, SPACE_global, at, false);
        if (shares && k && gen_one_in(g, 2)) {
            o->kind = OP_add;
            if (o->sem < SEM_relaxed) o->sem = SEM_relaxed;
        }
        t = gen_thread(g);
        int v = gen_value(g);
        struct op *w = await(g, t, SPACE_global, at, false, v);
        if (w->count) w->count = 0;
        if (w->sem == SEM_weak) w->sem = SEM_relaxed;
        gen_fence(g, t, false);
        if (k + 1 == n || gen_one_in(g, 3))
            gen_touch(g, t, SPACE_global, data, gen_one_in(g, 2));
    }
}

/* Some add to a counter; the last one, or one that waits, reads it all. */
static void counter(struct gen *g) {
    uint32_t n = 2 + gen_below(g, 3), data = gen_words(g, SPACE_global, 4);
    uint32_t count = gen_words(g, SPACE_global, 1);
    bool one = gen_one_in(g, 3);
    uint32_t blocks = 1u << gen_below(g, g->p->n_blocks);
    for (uint32_t k = 0; k < n; k++) {
        struct who t = one ? gen_thread_of(g, blocks) : gen_thread(g);
        int v = gen_value(g);
        gen_touch(g, t, SPACE_global, data + k, true);
        gen_fence(g, t, one);
        struct op *o =
            gen_access(g, OP_inc, store_sem(g, true), t, SPACE_global, count);
        o->scope = (uint8_t)gen_scope(g, one);
        o->to = v;
        if (!gen_one_in(g, 3)) gen_fence(g, t, one);
        for (uint32_t j = 0; j < n; j++) {
            struct op *r =
                when(gen_touch(g, t, SPACE_global, data + j, false), v);
            r->is = n - 1;
        }
    }
}

/* Every block's thread takes a number and waits for the one before. */
static void tickets(struct gen *g) {
    uint32_t data = gen_words(g, SPACE_global, 12), lookback = gen_below(g, 3);
    uint32_t flag = gen_words(g, SPACE_global, 12);
    uint32_t ticket = gen_words(g, SPACE_global, 1);
    struct who t = gen_thread_of(g, UINT32_MAX);
    int v = gen_value(g), f = gen_value(g);
    struct op *o = gen_access(g, OP_inc, SEM_relaxed, t, SPACE_global, ticket);
    o->to = v;
    if (lookback == 1) {
        o = gen_touch(g, t, SPACE_global, data, true);
        o->at.value = v, o->at.by_value = 1;
        gen_fence(g, t, false);
    }
    o = when(await(g, t, SPACE_global, flag, false, f), v);
    o->at.value = v, o->at.by_value = 1;
    gen_fence(g, t, false);
    if (lookback != 1 || gen_one_in(g, 2)) {
        o = when(gen_touch(g, t, SPACE_global, data, false), v);
        o->at.value = v, o->at.by_value = 1;
    }
    o = gen_touch(g, t, SPACE_global, data + 1, true);
    o->at.value = v, o->at.by_value = 1;
    gen_fence(g, t, false);
    o = signal(g, t, SPACE_global, flag + 1, false);
    o->at.value = v, o->at.by_value = 1;
}

/* Atomic operations by comparison with what a plain load has guessed. */
static void guessing(struct gen *g) {
    uint32_t n = 2 + gen_below(g, 3);
    bool one = gen_one_in(g, 3);
    enum space where = one && gen_one_in(g, 2) ? SPACE_shared : SPACE_global;
    uint32_t word = gen_words(g, where, 1);
    uint32_t block = 1u << gen_below(g, g->p->n_blocks);
    for (uint32_t k = 0; k < n; k++) {
        struct who t = one ? gen_thread_of(g, block) : gen_thread(g);
        gen_access(g, OP_guess, SEM_weak, t, where, word);
        struct op *o =
            gen_access(g, OP_swap, store_sem(g, true), t, where, word);
        o->scope = (uint8_t)gen_scope(g, one);
        if (gen_one_in(g, 4)) gen_touch(g, t, where, word, gen_one_in(g, 4));
        if (gen_one_in(g, 3)) gen_barrier(g, t.blocks);
    }
}

/* Some take a lock in turn. */
static void locked(struct gen *g) {
    bool one = gen_one_in(g, 3);
    enum space where = one && gen_one_in(g, 2) ? SPACE_shared : SPACE_global;
    uint32_t data = gen_words(g, where, 1), lock = gen_words(g, where, 1);
    struct who t = one ? gen_thread(g) : gen_thread_of(g, UINT32_MAX);
    if (gen_one_in(g, 2)) t.lanes |= 1;
    if (gen_one_in(g, 2)) t.warps = UINT32_MAX;
    struct op *o = gen_access(g, OP_lock, load_sem(g, true), t, where, lock);
    o->scope = (uint8_t)gen_scope(g, one);
    gen_fence(g, t, one);
    gen_touch(g, t, where, data, false);
    gen_touch(g, t, where, data, true);
    gen_fence(g, t, one);
    static const enum sem sems[] = {SEM_relaxed, SEM_release, SEM_volatile};
    o = gen_access(g, OP_clear, sems[gen_below(g, 3)], t, where, lock);
    o->scope = (uint8_t)gen_scope(g, one);
}

enum mix { MIX_WORDS, MIX_BYTES, MIX_VECTORS };

/* Of the words at a place, all, some or one, or a part of one. */
static void shrink(struct gen *g, struct op *o, enum mix mix) {
    if (mix == MIX_VECTORS && !op_is_atomic(o) && gen_one_in(g, 2)) {
        o->bytes = 16;
        return;
    }
    if (gen_one_in(g, mix == MIX_BYTES ? 4 : 2)) {
        o->bytes = 8;
        if (mix == MIX_VECTORS) o->at.word += 2 * gen_below(g, 2);
        return;
    }
    o->at.word += gen_below(g, mix == MIX_VECTORS ? 4 : 2);
    if (mix != MIX_BYTES || op_is_atomic(o) || gen_one_in(g, 3)) return;
    o->bytes = 1 + gen_below(g, 2);
    o->byte = (uint8_t)(gen_below(g, 4) & ~(o->bytes - 1));
}

/* Strong accesses of two words and of each of them; or of bytes, too, or of
 * four words. */
static void halves(struct gen *g) {
    uint32_t n = 3 + gen_below(g, 6),
             block = 1u << gen_below(g, g->p->n_blocks);
    bool one = gen_one_in(g, 3);
    enum mix mix = (enum mix)gen_below(g, 3);
    enum space where = one && gen_one_in(g, 2) ? SPACE_shared : SPACE_global;
    uint32_t word = gen_words(g, where, 4), data = gen_words(g, where, 1);
    struct who who[3];
    for (uint32_t k = 0; k < 3; k++)
        who[k] = one ? gen_thread_of(g, block) : gen_thread(g);
    for (uint32_t k = 0; k < n; k++) {
        struct who t = who[gen_below(g, 3)];
        uint32_t what = gen_below(g, 6);
        struct op *o;
        if (gen_one_in(g, 4)) gen_touch(g, t, where, data, gen_one_in(g, 2));
        if (gen_one_in(g, 3)) gen_fence(g, t, one);
        if (what < 3)
            o = signal(g, t, where, word, one);
        else
            o = await(g, t, where, word, one, gen_value(g));
        /* No atomic operation that leaves what was there: from a value has to
         * follow who wrote it. */
        if (op_is_atomic(o)) o->kind = gen_one_in(g, 3) ? OP_add : OP_exch;
        o->count = o->kind == OP_poll;
        if (gen_one_in(g, 6) && !op_is_atomic(o)) o->sem = SEM_weak;
        shrink(g, o, mix);
    }
}

/* A block writes; behind a barrier one thread says so; another block's thread
 * waits, and behind a barrier the block reads. */
static void blockwise(struct gen *g) {
    uint32_t a = 1u << gen_below(g, g->p->n_blocks);
    uint32_t b = 1u << gen_below(g, g->p->n_blocks);
    bool one = a == b, early = gen_one_in(g, 4), late = gen_one_in(g, 4);
    uint32_t n = g->p->n_warps * LANES, data = gen_words(g, SPACE_global, n);
    uint32_t flag = gen_words(g, SPACE_global, 1);
    struct who from = {a, UINT32_MAX, gen_one_in(g, 2) ? UINT32_MAX : 5u};
    struct who to = {b, UINT32_MAX, from.lanes};
    struct who s = gen_thread_of(g, a), w = gen_thread_of(g, b);
    if (data + n > WORDS) return;
    struct op *o = gen_touch(g, from, SPACE_global, data, !gen_one_in(g, 4));
    o->at.by_thread = 1;
    if (early) gen_fence(g, from, one);
    gen_barrier(g, a);
    if (!early) gen_fence(g, s, one);
    signal(g, s, SPACE_global, flag, one);
    o = await(g, w, SPACE_global, flag, one, -1);
    o->count = 0;
    if (o->sem == SEM_weak) o->sem = SEM_relaxed;
    if (!late) gen_fence(g, w, one);
    gen_barrier(g, b);
    if (late) gen_fence(g, to, one);
    o = gen_touch(g, to, SPACE_global, data, gen_one_in(g, 2));
    o->at.by_thread = 1;
}

/* ---- anything ---- */

static void noise(struct gen *g) {
    uint32_t n = 3 + gen_below(g, 8), words = 1 + gen_below(g, 2);
    uint32_t global = gen_words(g, SPACE_global, words);
    uint32_t shared = gen_words(g, SPACE_shared, words);
    for (uint32_t k = 0; k < n; k++) {
        struct who t = gen_thread(g);
        enum space where = gen_one_in(g, 3) ? SPACE_shared : SPACE_global;
        uint32_t word =
            (where == SPACE_shared ? shared : global) + gen_below(g, words);
        switch (gen_below(g, 6)) {
        case 0: gen_fence(g, t, false); break;
        case 1: signal(g, t, where, word, false); break;
        case 2: await(g, t, where, word, false, -1)->count = 1; break;
        case 3: gen_touch(g, t, where, word, true); break;
        case 4: gen_touch(g, t, where, word, false); break;
        default: gen_barrier(g, t.blocks);
        }
    }
}

/* First those with copies, last those that stand alone. */
gen_pattern *const gen_patterns[] = {
    gen_staged, gen_mbarrier, gen_bulk_store, message,    message,
    relay,      counter,      gen_neighbours, gen_rounds, gen_named,
    gen_lanes,  blockwise,    blockwise,      noise,      halves,
    guessing,   gen_cluster,  tickets,        locked};
const uint32_t gen_n_patterns = sizeof gen_patterns / sizeof *gen_patterns;

bool gen_copies(uint32_t pattern) {
    return pattern < 3;
}

bool gen_stands_alone(uint32_t pattern) {
    return pattern >= gen_n_patterns - 3;
}

/* SPDX-License-Identifier: MIT
 *
 * race.c: racecheck. See race.h for what is a race here.
 *
 * How to read this: every block has a clock that barriers and warp barriers
 * advance; a shadow word remembers who touched it last and at which stamp.
 * `ordered` is the whole definition of happens-before; the rest is bookkeeping.
 */
#include "race.h"

#include "async.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_VIEWED_BLOCKS = 2048,
    SYNC_BUCKETS = 4096,
    MAX_SHADOW_BYTES = 1 << 24,
    MAX_RACED_BYTES = 1 << 26, /* twelve times as many are kept for them */
    MAX_SYNC_BYTES = 1 << 28,
    MAX_DONE_SYNCS = 16384 /* flags without a fence that are remembered */
};

/* In place of a block: what a copy on its way does, until it is claimed; its
 * name is in place of the stamp. */
#define COPY_BLOCK 0xffffffffull

static uint64_t who(const struct context *c, uint32_t lane) {
    return context_block(c)->linear << 10 |
           (c->warp->index * WARP_LANES + lane);
}

static uint64_t block_of(uint64_t w) {
    return w >> 10;
}
static uint32_t thread_of(uint64_t w) {
    return (uint32_t)w & 1023;
}

/* ---- what blocks know of one another ---- */

static void view_release(struct race_view *v) {
    if (v && --v->references == 0) free(v);
}

static struct race_view *view_writable(struct machine *m,
                                       struct race_view **at) {
    struct race_view *old = *at;
    if (old && old->references == 1) return old;
    size_t bytes = sizeof *old + m->race->n_blocks * sizeof(uint32_t);
    struct race_view *v = calloc(1, bytes);
    if (!v) return NULL;
    if (old) memcpy(v, old, bytes);
    v->references = 1;
    view_release(old);
    return *at = v;
}

static void learn_from(struct machine *m, struct race_view **to,
                       const struct race_view *from, uint64_t block,
                       uint32_t stamp) {
    struct race_view *v = view_writable(m, to);
    if (!v) return;
    for (uint64_t b = 0; from && b < m->race->n_blocks; b++)
        if (from->clock[b] > v->clock[b]) v->clock[b] = from->clock[b];
    if (stamp > v->clock[block]) v->clock[block] = stamp;
}

static void learn(struct machine *m, uint64_t block,
                  const struct race_sync *s) {
    const struct race_state *r = m->race;
    if (s->view_known)
        learn_from(m, &r->known[block], s->view, s->block, s->stamp);
    if (s->done_stamp && s->done_block != block)
        learn_from(m, &r->done[block], s->done, s->done_block, s->done_stamp);
}

static struct race_sync **sync_at(struct machine *m, uint64_t address) {
    struct race_sync **p =
        &m->race->table[(address >> 2) * 0x9e3779b1u % SYNC_BUCKETS];
    while (*p && (*p)->address != address) p = &(*p)->next;
    return p;
}

/* An atomic operation goes on with what was released in the word before. */
static void continue_release(struct machine *m, struct race_sync *s,
                             const struct race_view *more) {
    if (m->race->too_many) return;
    uint64_t n = m->race->n_blocks;
    struct race_view *v = s->view;
    if (!v || v->references > 1) {
        v = calloc(1, sizeof *v + n * sizeof(uint32_t));
        if (!v) return;
        if (s->view) memcpy(v->clock, s->view->clock, n * sizeof(uint32_t));
        v->references = 1;
        view_release(s->view);
        s->view = v;
    }
    for (uint64_t b = 0; more && b < n; b++)
        if (more->clock[b] > v->clock[b]) v->clock[b] = more->clock[b];
    if (s->stamp > v->clock[s->block]) v->clock[s->block] = s->stamp;
}

/* Shared words have names of their own in every block. */
static uint64_t sync_name(const struct context *c, uint64_t address,
                          bool shared) {
    return shared ? ~(context_block(c)->linear << 32 | address) : address;
}

static struct race_sync *sync_make(struct machine *m, uint64_t address) {
    struct race_sync **p = sync_at(m, address);
    if (*p) return *p;
    /* Each may come to hold a view of its own. */
    uint64_t bytes = sizeof **p + m->race->n_blocks * sizeof(uint32_t);
    m->race->full |= m->race->n_syncs >= MAX_SYNC_BYTES / bytes;
    *p = m->race->full ? NULL : calloc(1, sizeof **p);
    if (!*p) return NULL;
    (*p)->address = address;
    m->race->n_syncs++;
    return *p;
}

/* A flag without a fence says nothing about writes. But loads before a barrier
 * have returned, and who saw the flag cannot change what they read. */
static void publish_done(struct context *c, uint64_t address) {
    struct machine *m = c->machine;
    const struct block *b = context_block(c);
    if (!b->race_barrier || c->insn->kind == KIND_ATOMIC ||
        m->race->n_syncs > MAX_DONE_SYNCS)
        return;
    struct race_sync *s = sync_make(m, address);
    if (!s) return;
    struct race_view *v = m->race->done[b->linear];
    if (v) v->references++;
    view_release(s->done);
    s->done = v;
    s->done_block = b->linear;
    s->done_stamp = b->race_barrier;
}

/* A strong write publishes what the block knew at its last fence. */
static void publish(struct context *c, uint64_t address, bool release) {
    struct machine *m = c->machine;
    struct block *b = context_block(c);
    if (m->race->too_many) return;
    if (release) race_fence(c, ORDER_RELEASE);
    if (!b->race_fenced && !b->race_block_fenced) return;
    struct race_sync *s = sync_make(m, address);
    if (!s) return;
    if (c->insn->kind == KIND_ATOMIC && s->view_known) {
        continue_release(m, s, b->race_view);
    } else {
        if (b->race_view) b->race_view->references++;
        view_release(s->view);
        s->view = b->race_view;
    }
    s->view_known = true;
    s->block = b->linear;
    s->stamp = b->race_fenced;
    s->own_stamp = b->race_block_fenced > b->race_fenced ? b->race_block_fenced
                                                         : b->race_fenced;
}

/* The same within a block, where what a lane knows is one stamp. */
static void observe_own(struct context *c, uint32_t lane, uint32_t stamp,
                        bool acquire) {
    uint32_t *to = acquire ? c->warp->race_known : c->warp->race_seen;
    if (stamp > to[lane]) to[lane] = stamp;
}

/* A strong read learns now when it acquires, else at the next fence. */
static void observe(struct context *c, uint32_t lane, uint64_t address,
                    bool acquire) {
    struct machine *m = c->machine;
    struct block *b = context_block(c);
    if (m->race->too_many) return;
    struct race_sync *s = *sync_at(m, address);
    if (!s) return;
    if (s->view_known && s->block == b->linear) {
        observe_own(c, lane, s->own_stamp, acquire);
        return;
    }
    if (acquire) {
        learn(m, b->linear, s);
        return;
    }
    for (uint32_t k = 0; k < b->n_race_seen; k++)
        if (b->race_seen[k] == address) return;
    if (b->n_race_seen < RACE_SEEN) b->race_seen[b->n_race_seen++] = address;
}

static void learn_seen(struct block *b) {
    struct machine *m = b->machine;
    for (uint32_t k = 0; k < b->n_race_seen; k++) {
        struct race_sync *s = *sync_at(m, b->race_seen[k]);
        if (s) learn(m, b->linear, s);
    }
    b->n_race_seen = 0;
}

/* Too many blocks: a fence is taken to order everything in its own. */
static void learn_own(struct context *c, uint32_t at_least) {
    struct warp *w = c->warp;
    for (uint32_t k = c->lanes->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint32_t seen = w->race_seen[l] > at_least ? w->race_seen[l] : at_least;
        if (seen > w->race_known[l]) w->race_known[l] = seen;
    }
    if (at_least) context_block(c)->race_clock++;
}

void race_fence(struct context *c, enum memory_order order) {
    (void)order;
    struct block *b = context_block(c);
    struct machine *m = c->machine;
    if (!m->race) return;
    learn_own(c, m->race->too_many ? b->race_clock : 0);
    if (m->race->too_many) return;
    learn_seen(b);
    struct race_view *v = m->race->known[b->linear];
    if (v) v->references++;
    view_release(b->race_view);
    b->race_view = v;
    b->race_fenced = ++b->race_clock;
}

void race_block_fence(struct context *c) {
    struct block *b = context_block(c);
    if (!c->machine->race) return;
    learn_own(c, c->machine->race->too_many ? b->race_clock : 0);
    b->race_block_fenced = ++b->race_clock;
}

void race_barrier(struct block *b) {
    if (!b->machine->race) return;
    b->race_barrier = ++b->race_clock;
    if (!b->machine->race->too_many) learn_seen(b);
}

void race_warp_sync(struct context *c, uint32_t lanes) {
    struct block *b = context_block(c);
    if (!c->machine->race) return;
    uint32_t now = ++b->race_clock, known = 0;
    for (uint32_t k = lanes; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        if (c->warp->race_known[l] > known) known = c->warp->race_known[l];
    }
    for (; lanes; lanes &= lanes - 1) {
        c->warp->race_sync[__builtin_ctz(lanes)] = now;
        c->warp->race_known[__builtin_ctz(lanes)] = known;
    }
}

/* ---- what a shadow remembers ---- */

/* An access in two words. when: block, stamp. what: era, instruction, thread,
 * bytes of the word, width - 1, strong, volatile in shared memory. Nothing is
 * remembered where the era is not the present one. */
enum {
    WHAT_VOLATILE = 1,
    WHAT_STRONG = 2,
    WIDTH_SHIFT = 2,
    BYTES_SHIFT = 6,
    THREAD_SHIFT = 10,
    INSN_SHIFT = 20,
    ERA_SHIFT = 44,
    INSN_BITS = ERA_SHIFT - INSN_SHIFT,
    ERA_BITS = 64 - ERA_SHIFT
};
#define LAST_ERA    ((1u << ERA_BITS) - 1)
#define THREAD_MASK (1023ull << THREAD_SHIFT)

static bool unpack(const struct race_now *q, uint64_t when, uint64_t what,
                   struct race_by *by) {
    if (what >> ERA_SHIFT != q->era) return false;
    uint64_t thread = what >> THREAD_SHIFT & 1023;
    *by = (struct race_by){.who = when >> 32 << 10 | thread,
                           .stamp = (uint32_t)when,
                           .insn = (uint32_t)(what >> INSN_SHIFT) &
                                   ((1u << INSN_BITS) - 1),
                           .strong = what & WHAT_STRONG,
                           .volatile_shared = what & WHAT_VOLATILE,
                           .bytes = what >> BYTES_SHIFT & 15,
                           .width = (uint8_t)((what >> WIDTH_SHIFT & 15) + 1)};
    return true;
}

/* The access at hand, as lane 0 of its warp would make it to a whole word. */
static struct race_now now_of(const struct context *c, const struct access *x,
                              bool shared) {
    const struct race_state *r = c->machine->race;
    const struct block *b = context_block(c);
    const struct function *f = c->group->frame->function;
    uint64_t insn = r->first_insn[f - c->machine->program->functions] +
                    (uint64_t)(c->insn - f->code);
    bool strong =
        x->atomic || c->insn->order != ORDER_WEAK || c->insn->before_cas;
    bool is_volatile = shared && !x->atomic && c->insn->order == ORDER_VOLATILE;
    uint64_t era = shared ? b->race_era : r->era;
    uint64_t thread = c->warp->index * WARP_LANES;
    return (struct race_now){
        .block = b->linear << 32,
        .barrier = b->race_barrier,
        .era = era,
        .when = b->linear << 32 | b->race_clock,
        .what = era << ERA_SHIFT | insn << INSN_SHIFT | thread << THREAD_SHIFT |
                (uint64_t)(x->bytes - 1) << WIDTH_SHIFT |
                (strong ? WHAT_STRONG : 0) | (is_volatile ? WHAT_VOLATILE : 0)};
}

static const struct insn *insn_of(const struct machine *m, uint32_t number) {
    uint32_t f = m->program->n_functions - 1;
    while (m->race->first_insn[f] > number) f--;
    return &m->program->functions[f].code[number - m->race->first_insn[f]];
}

/* Nothing is remembered; or by the block before its last barrier; or by the
 * thread itself. */
static inline bool harmless(const struct race_now *q, uint64_t when,
                            uint64_t what, uint64_t mine) {
    bool stale = what >> ERA_SHIFT != q->era;
    bool old = when - q->block < q->barrier;
    bool own = !((when ^ q->block) >> 32 | ((what ^ mine) & THREAD_MASK));
    return stale | old | own;
}

/* As harmless, for n words from a lane's on, 1 << shift words to a lane. */
WIDER static bool all_harmless(const struct race_now *q, const uint64_t *when,
                               const uint64_t *what, uint32_t n,
                               uint32_t shift) {
    uint64_t harm = 0;
    for (uint64_t k = 0; k < n; k++)
        harm |= !harmless(q, when[k], what[k],
                          q->what + (k >> shift << THREAD_SHIFT));
    return !harm;
}

/* As read_now below, for n words from a lane's on. True: readers of another
 * block moved on to read2. */
WIDER static bool remember_reads(const struct race_now *q, uint64_t *when,
                                 uint64_t *what, uint64_t *when2,
                                 uint64_t *what2, uint32_t n, uint32_t shift) {
    uint64_t any = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t is_now = what[k] >> ERA_SHIFT == q->era;
        uint64_t other = (when[k] ^ q->block) >> 32 != 0;
        uint64_t moves = 0 - (is_now & other);
        when2[k] = (when[k] & moves) | (when2[k] & ~moves);
        what2[k] = (what[k] & moves) | (what2[k] & ~moves);
        when[k] = q->when;
        what[k] = q->what + (k >> shift << THREAD_SHIFT);
        any |= moves;
    }
    return any;
}

/* No other block is remembered. */
WIDER static bool all_own_block(const struct race_now *q, const uint64_t *when,
                                const uint64_t *what, uint32_t n) {
    uint64_t other = 0;
    for (uint32_t k = 0; k < n; k++)
        other |= (what[k] >> ERA_SHIFT == q->era) &
                 ((when[k] ^ q->block) >> 32 != 0);
    return !other;
}

WIDER static void remember(const struct race_now *q, uint64_t *when,
                           uint64_t *what, uint32_t n, uint32_t shift) {
    for (uint64_t k = 0; k < n; k++) {
        when[k] = q->when;
        what[k] = q->what + (k >> shift << THREAD_SHIFT);
    }
}

/* The access is one run of words and none of it can race: remembered. */
static bool race_quick(const struct race_now *now, const struct access *x,
                       struct race_shadow *s) {
    uint32_t first, lanes;
    if (x->bytes < 4 || !access_is_span(x, &first, &lanes)) return false;
    uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4), n = lanes << shift;
    uint64_t at = (x->address[first] - x->one->base) >> 2;
    struct race_now q = *now;
    q.what += (uint64_t)first << THREAD_SHIFT | 15u << BYTES_SHIFT;
    if (s->write.era == q.era &&
        !all_harmless(&q, s->write.when + at, s->write.what + at, n, shift))
        return false;
    if (!x->write) {
        struct race_plane *p = &s->read, *p2 = &s->read2;
        p->era = q.era;
        if (all_own_block(&q, p->when + at, p->what + at, n))
            remember(&q, p->when + at, p->what + at, n, shift);
        else if (remember_reads(&q, p->when + at, p->what + at, p2->when + at,
                                p2->what + at, n, shift))
            p2->era = q.era;
        return true;
    }
    if (s->read2.era == q.era ||
        (s->read.era == q.era &&
         !all_harmless(&q, s->read.when + at, s->read.what + at, n, shift)))
        return false;
    s->write.era = q.era;
    remember(&q, s->write.when + at, s->write.what + at, n, shift);
    return true;
}

/* The word was read last by this access; a reader of another block before that
 * is remembered as well. */
static inline void read_now(const struct race_now *q, struct race_shadow *s,
                            uint64_t k, uint64_t what) {
    if (s->read.what[k] >> ERA_SHIFT == q->era &&
        (s->read.when[k] ^ q->block) >> 32) {
        s->read2.when[k] = s->read.when[k];
        s->read2.what[k] = s->read.what[k];
        s->read2.era = q->era;
    }
    s->read.era = q->era;
    s->read.when[k] = q->when;
    s->read.what[k] = what;
}

/* A whole word of one lane: as race_quick. */
static inline bool word_quick(const struct race_now *q, struct race_shadow *s,
                              uint64_t k, uint64_t what, bool writes) {
    if (!harmless(q, s->write.when[k], s->write.what[k], what)) return false;
    if (!writes) {
        read_now(q, s, k, what);
        return true;
    }
    if (!harmless(q, s->read.when[k], s->read.what[k], what)) return false;
    s->write.era = q->era;
    s->write.when[k] = q->when;
    s->write.what[k] = what;
    return true;
}

/* The words of lanes next to one another, wherever they are: copied to one
 * place, looked at together, written back. False: one needs a closer look, and
 * nothing is remembered. */
static bool words_at_once(const struct race_now *now, const struct access *x,
                          struct race_shadow *s, uint32_t first, uint32_t n) {
    uint64_t base = x->one->base, when[WARP_LANES], what[WARP_LANES];
    uint64_t read_when[WARP_LANES], read_what[WARP_LANES], differs = 0;
    uint32_t at[WARP_LANES];
    struct race_now q = *now;
    q.what += (uint64_t)first << THREAD_SHIFT | 15u << BYTES_SHIFT;
    for (uint32_t k = 0; k < n; k++) {
        at[k] = (uint32_t)((x->address[first + k] - base) >> 2);
        when[k] = s->write.when[at[k]];
        what[k] = s->write.what[at[k]];
        read_when[k] = s->read.when[at[k]];
        read_what[k] = s->read.what[at[k]];
    }
    if (!all_harmless(&q, when, what, n, 0)) return false;
    if (!x->write) {
        if (!all_own_block(&q, read_when, read_what, n)) return false;
        s->read.era = q.era;
        for (uint64_t k = 0; k < n; k++) {
            s->read.when[at[k]] = q.when;
            s->read.what[at[k]] = q.what + (k << THREAD_SHIFT);
        }
        return true;
    }
    if (!all_harmless(&q, read_when, read_what, n, 0)) return false;
    s->write.era = q.era;
    for (uint64_t k = 0; k < n; k++) {
        s->write.when[at[k]] = q.when;
        s->write.what[at[k]] = q.what + (k << THREAD_SHIFT);
    }
    for (uint64_t k = 0; k < n; k++)
        differs |= s->write.what[at[k]] ^ (q.what + (k << THREAD_SHIFT));
    for (uint32_t k = 0; differs && k < n; k++) { /* two lanes, one word */
        s->write.when[at[k]] = when[k];
        s->write.what[at[k]] = what[k];
    }
    return !differs;
}

/* The lanes, of a weak access to one word each in one region, from the first on
 * that needs a closer look. */
static uint32_t words_quick(const struct race_now *now, const struct access *x,
                            struct race_shadow *s) {
    const struct race_now q = *now;
    uint64_t base = x->one->base;
    if (x->bytes != 4 || (x->write && s->read2.era == q.era)) return x->mask;
    uint32_t first = (uint32_t)__builtin_ctz(x->mask);
    uint32_t run = x->mask >> first;
    if (!(run & (run + 1)) &&
        words_at_once(now, x, s, first, (uint32_t)__builtin_popcount(run)))
        return 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t what =
            q.what + ((uint64_t)l << THREAD_SHIFT | 15u << BYTES_SHIFT);
        if (!word_quick(&q, s, (x->address[l] - base) >> 2, what, x->write))
            return m;
    }
    return 0;
}

/* ---- is one access ordered before another ---- */

static bool ordered(const struct context *c, const struct race_by *before,
                    bool was_read, uint64_t now) {
    if (before->who == now || c->machine->race->full) return true;
    if (block_of(before->who) == COPY_BLOCK) return false;
    const struct block *b = context_block(c);
    if (block_of(before->who) == b->linear) {
        if (before->stamp < b->race_barrier) return true;
        uint32_t t = thread_of(before->who), u = thread_of(now);
        if (before->stamp < c->warp->race_known[u % WARP_LANES]) return true;
        if (t / WARP_LANES == u / WARP_LANES &&
            before->stamp < c->warp->race_sync[t % WARP_LANES] &&
            before->stamp < c->warp->race_sync[u % WARP_LANES])
            return true;
        if (c->machine->race->too_many) return false;
    }
    /* A lock may have gone to another block and come back. */
    const struct race_state *r = c->machine->race;
    if (r->too_many) return true;
    const struct race_view *v = r->known[b->linear];
    if (v && before->stamp < v->clock[block_of(before->who)]) return true;
    bool early = was_read && !c->machine->options->reads_want_release;
    v = early ? r->done[b->linear] : NULL;
    return v && before->stamp < v->clock[block_of(before->who)];
}

static void describe_thread(const struct machine *m, uint64_t w,
                            uint32_t *block, uint32_t *thread) {
    uint64_t b = block_of(w);
    uint32_t t = thread_of(w);
    block[0] = (uint32_t)(b % m->grid[0]);
    block[1] = (uint32_t)(b / m->grid[0] % m->grid[1]);
    block[2] = (uint32_t)(b / m->grid[0] / m->grid[1]);
    thread[0] = t % m->block[0];
    thread[1] = t / m->block[0] % m->block[1];
    thread[2] = t / m->block[0] / m->block[1];
}

/* A word that a copy on its way reads or writes is touched. */
static void report_copy(struct context *c, uint32_t lane, uint64_t address,
                        bool shared, const struct race_by *before, bool wrote,
                        bool writes) {
    struct vgpu_finding f = {.kind = shared ? VGPU_FINDING_SHARED_RACE
                                            : VGPU_FINDING_GLOBAL_RACE,
                             .address = address,
                             .bytes = 4};
    const struct machine *m = c->machine;
    const struct insn *by = insn_of(m, before->insn), *issued;
    char where[256];
    f.has_thread = true;
    describe_thread(m, who(c, lane), f.block, f.thread);
    f.has_other =
        async_issuer(m, before->stamp, &issued, f.other_block, f.other_thread);
    f.where = program_source(m->program->ptx, c->insn->source->loc);
    f.other_where = program_source(m->program->ptx, by->source->loc);
    if (shared)
        snprintf(where, sizeof where, "byte %llu of shared memory",
                 (unsigned long long)address);
    else
        exec_describe_address(c, address, 4, where, sizeof where);
    const struct async_op *op = by->extra;
    const char *mend =
        op->verb == ASYNC_BULK_LOAD
            ? "wait for the phase of its mbarrier (mbarrier.try_wait, in a "
              "loop) first"
        : op->verb == ASYNC_SMALL
            ? "wait for it (cp.async.wait_group, then a barrier when another "
              "thread issued it) first"
        : wrote ? "the thread that issued it has to wait for it "
                  "(cp.async.bulk.wait_group, not .read) and then to publish"
                : "the thread that issued it has to wait until it has been "
                  "read (cp.async.bulk.wait_group.read), and then a barrier "
                  "is due";
    snprintf(f.message, sizeof f.message,
             "race: this thread %s %s, which the asynchronous copy issued at "
             "line %u still %s, or nothing tells that it is done: %s",
             writes ? "writes" : "reads", where, f.other_where.line,
             wrote ? "writes" : "reads", mend);
    c->machine->report(c->machine->user, &f);
}

static void report(struct context *c, uint32_t lane, uint64_t address,
                   bool shared, const struct race_by *before, bool wrote,
                   bool writes) {
    if (block_of(before->who) == COPY_BLOCK) {
        report_copy(c, lane, address, shared, before, wrote, writes);
        return;
    }
    struct vgpu_finding f = {.kind = shared ? VGPU_FINDING_SHARED_RACE
                                            : VGPU_FINDING_GLOBAL_RACE,
                             .address = address,
                             .bytes = 4};
    const struct machine *m = c->machine;
    f.has_thread = f.has_other = true;
    describe_thread(m, who(c, lane), f.block, f.thread);
    describe_thread(m, before->who, f.other_block, f.other_thread);
    f.where = program_source(m->program->ptx, c->insn->source->loc);
    f.other_where =
        program_source(m->program->ptx, insn_of(m, before->insn)->source->loc);
    char where[256];
    if (shared)
        snprintf(where, sizeof where, "byte %llu of shared memory",
                 (unsigned long long)address);
    else
        exec_describe_address(c, address, 4, where, sizeof where);
    bool same = block_of(before->who) == context_block(c)->linear;
    const char *mend =
        same
            ? "put a __syncthreads() (or, within a warp, a __syncwarp()) "
              "between them"
            : "blocks run in any order: use another launch, another buffer, or "
              "a flag with __threadfence() on both sides";
    /* One statement reads and writes what others do as well. */
    if (f.where.line && f.where.line == f.other_where.line && wrote != writes)
        mend =
            "when all threads are to change it, as a counter, use atomicAdd "
            "or another atomic; else let each have a word of its own, or put "
            "a barrier between reading and writing";
    snprintf(
        f.message, sizeof f.message,
        "race: this thread %s %s, which block (%u,%u,%u) thread (%u,%u,%u) "
        "%s at line %u, and nothing orders the two: %s",
        writes ? "writes" : "reads", where, f.other_block[0], f.other_block[1],
        f.other_block[2], f.other_thread[0], f.other_thread[1],
        f.other_thread[2], wrote ? "wrote" : "read", f.other_where.line, mend);
    c->machine->report(c->machine->user, &f);
}

/* Lanes of a warp that hand values on through volatile shared memory, as code
 * of before independent threads did: volatile does not make a warp keep step.
 */
static bool trusts_step(const struct race_by *before,
                        const struct race_by *now) {
    return before->volatile_shared && now->volatile_shared &&
           before->who / WARP_LANES == now->who / WARP_LANES;
}

/* Whether entry k of what is remembered races with the access at hand. */
static bool clash(const struct context *c, const struct race_now *q,
                  const struct race_plane *p, uint64_t k, bool was_read,
                  bool both_write, struct race_by *before) {
    struct race_by now;
    if (harmless(q, p->when[k], p->what[k], q->what)) return false;
    if (!unpack(q, p->when[k], p->what[k], before) ||
        !unpack(q, q->when, q->what, &now))
        return false;
    return before->bytes & now.bytes &&
           (!(before->strong && now.strong) ||
            (!both_write && trusts_step(before, &now))) &&
           !ordered(c, before, was_read, now.who);
}

/* Reports a race with what is remembered of the word. */
static bool touch_check(struct context *c, const struct race_now *q,
                        struct race_shadow *s, uint64_t k, uint32_t lane,
                        uint64_t address, bool shared, bool writes) {
    struct race_by before;
    bool raced = clash(c, q, &s->write, k, false, writes, &before);
    if (raced) report(c, lane, address, shared, &before, true, writes);
    if (writes && (clash(c, q, &s->read, k, true, false, &before) ||
                   (s->read2.era == q->era &&
                    clash(c, q, &s->read2, k, true, false, &before)))) {
        report(c, lane, address, shared, &before, false, true);
        raced = true;
    }
    return raced;
}

static void touch(struct context *c, const struct race_now *q,
                  struct race_shadow *s, uint64_t k, uint32_t lane,
                  uint64_t address, bool shared, bool writes) {
    touch_check(c, q, s, k, lane, address, shared, writes);
    if (!writes) {
        read_now(q, s, k, q->what);
        return;
    }
    s->write.era = q->era;
    s->write.when[k] = q->when;
    s->write.what[k] = q->what;
}

/* A status of two words, written in two halves: n words of one strong read. */
static void check_torn(struct context *c, const struct race_now *q,
                       const struct race_plane *w, uint64_t at, uint32_t n,
                       uint32_t lane, uint64_t address) {
    for (uint64_t k = at; k + 1 < at + n; k++) {
        struct race_by first, second, *a = &first, *b = &second;
        if (!unpack(q, w->when[k], w->what[k], a) ||
            !unpack(q, w->when[k + 1], w->what[k + 1], b) || !a->strong ||
            !b->strong || a->who != b->who || a->stamp != b->stamp ||
            a->insn == b->insn || a->width + b->width > 4 * n ||
            block_of(a->who) == context_block(c)->linear)
            continue;
        struct vgpu_finding f = {.kind = VGPU_FINDING_GLOBAL_RACE,
                                 .address = address,
                                 .bytes = 4 * n};
        const struct ptx_module *ptx = c->machine->program->ptx;
        char where[256];
        f.has_thread = f.has_other = true;
        describe_thread(c->machine, who(c, lane), f.block, f.thread);
        describe_thread(c->machine, b->who, f.other_block, f.other_thread);
        f.where = program_source(ptx, c->insn->source->loc);
        f.other_where =
            program_source(ptx, insn_of(c->machine, b->insn)->source->loc);
        uint32_t line =
            program_source(ptx, insn_of(c->machine, a->insn)->source->loc).line;
        exec_describe_address(c, address, 4 * n, where, sizeof where);
        snprintf(f.message, sizeof f.message,
                 "race: this thread reads %u bytes at once, %s, but block "
                 "(%u,%u,%u) thread (%u,%u,%u) wrote them in two halves, at "
                 "lines %u and %u, with no fence between: the read may see one "
                 "half new and the other old. Write both with one store (a "
                 "packed 64-bit word), or put a __threadfence() between them",
                 4 * n, where, f.other_block[0], f.other_block[1],
                 f.other_block[2], f.other_thread[0], f.other_thread[1],
                 f.other_thread[2], line, f.other_where.line);
        c->machine->report(c->machine->user, &f);
        return;
    }
}

/* ---- an access of a warp ---- */

/* One allocation: free() is enough. NULL: out of memory. */
struct race_shadow *race_new_shadow(uint64_t bytes) {
    size_t n = bytes / 4 + 1;
    struct race_shadow *s = calloc(1, sizeof *s + 6 * n * sizeof(uint64_t));
    if (!s) return NULL;
    struct race_plane *planes[] = {&s->write, &s->read, &s->read2};
    for (int k = 0; k < 3; k++) {
        planes[k]->when = s->words + (size_t)(2 * k) * n;
        planes[k]->what = s->words + (size_t)(2 * k + 1) * n;
    }
    return s;
}

static struct race_shadow *shadow_of(struct context *c, const struct access *x,
                                     uint32_t lane, bool shared) {
    if (shared) return context_block(c)->race_shadow;
    struct allocation *a =
        (struct allocation *)(uintptr_t)((const uint8_t *)access_region(x,
                                                                        lane) -
                                         offsetof(struct allocation, region));
    struct memory *m = c->machine->memory;
    if (!a->race && a->size <= MAX_SHADOW_BYTES &&
        m->raced_bytes + a->size <= MAX_RACED_BYTES) {
        a->race = race_new_shadow(a->size);
        if (a->race) m->raced_bytes += a->size;
    }
    return a->race;
}

/* The words of one lane. */
static void touch_lane(struct context *c, const struct access *x,
                       const struct race_now *now, struct race_shadow *s,
                       uint32_t l, bool shared) {
    uint64_t a = x->address[l], offset = a - access_region(x, l)->base;
    struct race_now q = *now;
    for (uint32_t done = 0; done < x->bytes;) {
        uint32_t in = (uint32_t)(offset + done) & 3;
        uint32_t n = 4 - in < x->bytes - done ? 4 - in : x->bytes - done;
        uint64_t bytes = ((1u << n) - 1) << in;
        q.what =
            now->what + ((uint64_t)l << THREAD_SHIFT | bytes << BYTES_SHIFT);
        touch(c, &q, s, (offset + done) >> 2, l, a + done, shared, x->write);
        done += n;
    }
}

bool race_span(struct context *c, const struct access *x, bool shared) {
    if (!c->machine->race) return true;
    struct race_shadow *s = shadow_of(c, x, 0, shared);
    if (!s) return true;
    struct race_now now = now_of(c, x, shared);
    return race_quick(&now, x, s);
}

void race_access(struct context *c, const struct access *x, bool shared) {
    if (!c->machine->race) return;
    struct race_now now = now_of(c, x, shared);
    enum memory_order o = c->insn->order;
    bool strong = x->atomic || o != ORDER_WEAK;
    uint32_t lanes = x->mask;
    if (!strong && x->one) {
        struct race_shadow *s = shadow_of(c, x, 0, shared);
        if (!s || race_quick(&now, x, s)) return;
        lanes = words_quick(&now, x, s);
    }
    for (uint32_t k = lanes; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = x->address[l], name = sync_name(c, a, shared);
        if (strong && (!x->write || x->atomic))
            observe(c, l, name, o == ORDER_ACQUIRE || o == ORDER_ACQ_REL);
        struct race_shadow *s = shadow_of(c, x, l, shared);
        uint64_t offset = a - access_region(x, l)->base;
        if (s) touch_lane(c, x, &now, s, l, shared);
        if (s && strong && !shared && !x->write && !(offset & 3) &&
            x->bytes >= 8)
            check_torn(c, &now, &s->write, offset >> 2, x->bytes / 4, l, a);
        if (strong && x->write) {
            if (!shared && !c->machine->race->too_many) publish_done(c, name);
            publish(c, name, o == ORDER_RELEASE || o == ORDER_ACQ_REL);
            if (context_block(c)->race_clock != (uint32_t)now.when)
                now = now_of(c, x, shared); /* a release advances the clock */
        }
    }
}

/* ---- copies that arrive later ---- */

/* All the words are one thread's, not a lane's each. */
enum { ONE_THREAD = 31 };

static bool run_harmless(const struct race_now *q, const struct race_plane *p,
                         uint64_t at, uint32_t n) {
    return p->era != q->era ||
           all_harmless(q, p->when + at, p->what + at, n, ONE_THREAD);
}

static struct race_shadow *shadow_of_run(struct context *c,
                                         const struct race_run *r) {
    struct access x = {.one = r->region};
    return shadow_of(c, &x, 0, r->shared);
}

void race_copy_begin(struct context *c, uint32_t lane,
                     const struct race_run *r) {
    struct race_shadow *s =
        c->machine->race && r->bytes ? shadow_of_run(c, r) : NULL;
    if (!s) return;
    struct access x = {.one = r->region, .bytes = 16, .write = r->write};
    struct race_now q = now_of(c, &x, r->shared);
    q.what += (uint64_t)lane << THREAD_SHIFT | 15u << BYTES_SHIFT;
    uint64_t at = r->from >> 2;
    uint32_t n = (uint32_t)(((r->from + r->bytes + 3) >> 2) - at);
    bool quiet = run_harmless(&q, &s->write, at, n) &&
                 (!r->write || (run_harmless(&q, &s->read, at, n) &&
                                run_harmless(&q, &s->read2, at, n)));
    for (uint64_t k = at; !quiet && k < at + n; k++)
        quiet = touch_check(c, &q, s, k, lane, r->region->base + 4 * k,
                            r->shared, r->write);
    if (r->name) q.when = COPY_BLOCK << 32 | r->name;
    for (uint64_t k = at; k < at + n; k++) {
        if (!r->write) {
            read_now(&q, s, k, q.what);
            continue;
        }
        s->write.when[k] = q.when;
        s->write.what[k] = q.what;
    }
    if (r->write) s->write.era = q.era;
}

static void claim_plane(struct race_plane *p, uint64_t at, uint64_t end,
                        uint64_t from, uint64_t to, uint64_t thread) {
    for (uint64_t k = at; k < end; k++) {
        if (p->when[k] != from) continue;
        p->when[k] = to;
        p->what[k] = (p->what[k] & ~THREAD_MASK) | thread << THREAD_SHIFT;
    }
}

void race_copy_claim(struct block *b, uint32_t thread,
                     const struct race_run *r) {
    if (!b->machine->race || !r->name) return;
    struct race_shadow *s = b->race_shadow;
    if (!r->shared)
        s = ((const struct allocation *)(uintptr_t)((const uint8_t *)r->region -
                                                    offsetof(struct allocation,
                                                             region)))
                ->race;
    if (!s) return;
    uint64_t at = r->from >> 2, end = (r->from + r->bytes + 3) >> 2;
    uint64_t from = COPY_BLOCK << 32 | r->name;
    uint64_t to = b->linear << 32 | b->race_clock;
    if (r->write) {
        claim_plane(&s->write, at, end, from, to, thread);
    } else {
        claim_plane(&s->read, at, end, from, to, thread);
        claim_plane(&s->read2, at, end, from, to, thread);
    }
}

uint32_t race_copy_claimed(struct context *c) {
    return c->machine->race ? ++context_block(c)->race_clock : 0;
}

void race_learn_stamp(struct context *c, uint32_t lane, uint32_t stamp) {
    if (c->machine->race) observe_own(c, lane, stamp, true);
}

void race_proxy_fence(struct context *c, uint32_t stamps[WARP_LANES]) {
    if (!c->machine->race) return;
    uint32_t stamp = ++context_block(c)->race_clock;
    for (uint32_t k = c->lanes->mask; k; k &= k - 1)
        stamps[__builtin_ctz(k)] = stamp;
}

void race_proxy_check(struct context *c, uint32_t lane,
                      const struct race_run *r) {
    struct race_shadow *s =
        c->machine->race && r->bytes ? shadow_of_run(c, r) : NULL;
    if (!s) return;
    const struct block *b = context_block(c);
    const struct async_lanes *own = c->warp->async;
    struct race_now q = {.era = b->race_era};
    uint64_t last = ~0ull;
    for (uint64_t k = r->from >> 2; k < (r->from + r->bytes + 3) >> 2; k++) {
        struct race_by by;
        if (s->write.when[k] == last ||
            !unpack(&q, s->write.when[k], s->write.what[k], &by))
            continue;
        if (block_of(by.who) == COPY_BLOCK) continue;
        const struct insn *i = insn_of(c->machine, by.insn);
        const struct async_lanes *its =
            b->warps[thread_of(by.who) / WARP_LANES].async;
        if (i->kind == KIND_ASYNC) continue;
        if (own && own->proxy_fence[lane] > by.stamp) {
            last = s->write.when[k];
            continue;
        }
        if (its && its->proxy_fence[thread_of(by.who) % WARP_LANES] > by.stamp)
            continue;
        struct vgpu_finding f = {.kind = VGPU_FINDING_SHARED_RACE,
                                 .address = 4 * k,
                                 .bytes = 4,
                                 .has_thread = true,
                                 .has_other = true};
        const struct ptx_module *ptx = c->machine->program->ptx;
        describe_thread(c->machine, who(c, lane), f.block, f.thread);
        describe_thread(c->machine, by.who, f.other_block, f.other_thread);
        f.where = program_source(ptx, c->insn->source->loc);
        f.other_where = program_source(ptx, i->source->loc);
        snprintf(f.message, sizeof f.message,
                 "race: this bulk copy reads byte %llu of shared memory, which "
                 "block (%u,%u,%u) thread (%u,%u,%u) wrote at line %u, and no "
                 "fence.proxy.async stands between: the copy goes another way "
                 "to memory and may see what was there before. Let every "
                 "thread that writes execute fence.proxy.async before the "
                 "barrier",
                 (unsigned long long)(4 * k), f.other_block[0],
                 f.other_block[1], f.other_block[2], f.other_thread[0],
                 f.other_thread[1], f.other_thread[2], f.other_where.line);
        c->machine->report(c->machine->user, &f);
        return;
    }
}

/* ---- launches and blocks ---- */

/* Eras are few bits: before they begin anew, all shadows are forgotten. */
static uint32_t next_era(const struct machine *m) {
    uint32_t era = (uint32_t)(m->grid_id % LAST_ERA) + 1;
    for (size_t k = 0; era == 1 && k < m->memory->n_allocations; k++) {
        free(m->memory->allocations[k]->race);
        m->memory->allocations[k]->race = NULL;
    }
    return era;
}

/* Numbers the instructions. False: out of memory, or too many of them. */
static bool number_insns(const struct machine *m, struct race_state *r) {
    const struct program *p = m->program;
    uint64_t n = 0;
    r->first_insn = calloc(p->n_functions, sizeof *r->first_insn);
    if (!r->first_insn) return false;
    for (uint32_t f = 0; f < p->n_functions; f++) {
        r->first_insn[f] = (uint32_t)n;
        n += p->functions[f].n_code;
    }
    return n < 1ull << INSN_BITS;
}

void race_begin(struct machine *m) {
    if (!(m->checks & VGPU_CHECK_RACECHECK)) return;
    struct race_state *r = calloc(1, sizeof *r);
    if (!r) return;
    r->n_blocks = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    r->era = next_era(m);
    r->too_many = r->n_blocks > MAX_VIEWED_BLOCKS;
    r->table = calloc(SYNC_BUCKETS, sizeof *r->table);
    r->known = calloc(r->too_many ? 1 : r->n_blocks, sizeof *r->known);
    r->done = calloc(r->too_many ? 1 : r->n_blocks, sizeof *r->done);
    if (!number_insns(m, r) || !r->table || !r->known || !r->done ||
        r->n_blocks > UINT32_MAX) {
        free(r->first_insn);
        free(r->table);
        free(r->known);
        free(r->done);
        free(r);
        return;
    }
    m->race = r;
}

void race_end(struct machine *m) {
    struct race_state *r = m->race;
    if (!r) return;
    for (uint32_t k = 0; k < SYNC_BUCKETS; k++)
        while (r->table[k]) {
            struct race_sync *next = r->table[k]->next;
            view_release(r->table[k]->view);
            view_release(r->table[k]->done);
            free(r->table[k]);
            r->table[k] = next;
        }
    for (uint64_t b = 0; !r->too_many && b < r->n_blocks; b++) {
        view_release(r->known[b]);
        view_release(r->done[b]);
    }
    free(r->first_insn);
    free(r->table);
    free(r->known);
    free(r->done);
    free(r);
    m->race = NULL;
}

void race_block_started(struct block *b) {
    struct machine *m = b->machine;
    if (!m->race) return;
    if (b->race_era++ == LAST_ERA) {
        free(b->race_shadow);
        b->race_shadow = race_new_shadow(m->shared_bytes);
        b->race_era = 1;
    }
    b->race_clock = 1;
    b->race_barrier = b->race_fenced = b->n_race_seen = 0;
    b->race_block_fenced = 0;
    view_release(b->race_view);
    b->race_view = NULL;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        memset(w->race_sync, 0, sizeof w->race_sync);
        memset(w->race_known, 0, sizeof w->race_known);
        memset(w->race_seen, 0, sizeof w->race_seen);
    }
}

void race_block_freed(struct block *b) {
    view_release(b->race_view);
    free(b->race_shadow);
}

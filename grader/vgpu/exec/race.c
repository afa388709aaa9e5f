/* SPDX-License-Identifier: MIT
 *
 * race.c: racecheck. See race.h for what is a race here, race_inside.h for the
 * files it consists of.
 *
 * How to read this: every block has a clock that barriers and warp barriers
 * advance; a shadow word remembers who touched it last and at which stamp.
 * `ordered` is the whole definition of happens-before; the rest is bookkeeping.
 */
#include "race.h"

#include "race_inside.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SHADOW_BYTES = 1 << 24,
    MAX_RACED_BYTES = 1 << 26 /* twelve times as many are kept for them */
};

/* ---- what a shadow remembers ---- */

/* Short stamps have run out: what was remembered of shared memory is dropped,
 * which makes a race go unseen at worst. */
static void forget_shared(struct block *b) {
    struct race_shadow *s = b->race_shadow;
    b->race_base = 1 - (int64_t)b->race_clock;
    if (!s || s->write.when) return;
    memset(s->write.what, 0, s->n * sizeof *s->write.what);
    memset(s->read.what, 0, s->n * sizeof *s->read.what);
}

/* The access at hand, as lane 0 of its warp would make it to a whole word. */
static struct race_now now_of(const struct context *c, const struct access *x,
                              bool shared) {
    const struct race_state *r = c->machine->race;
    struct block *b = context_block(c);
    const struct function *f = c->group->frame->function;
    uint64_t insn = r->first_insn[f - c->machine->program->functions] +
                    (uint64_t)(c->insn - f->code);
    bool strong =
        x->atomic || c->insn->order != ORDER_WEAK || c->insn->before_cas;
    bool is_volatile = shared && !x->atomic && c->insn->order == ORDER_VOLATILE;
    uint64_t era = shared ? b->race_era : r->era;
    uint64_t thread = c->warp->index * WARP_LANES;
    if (b->race_base + b->race_clock > LAST_SHORT_STAMP) forget_shared(b);
    int64_t barrier = b->race_base + (b->race_barrier ? b->race_barrier : 1);
    return (struct race_now){
        .block = b->linear << 32,
        .barrier = b->race_barrier,
        .era = era,
        .when = b->linear << 32 | b->race_clock,
        .what = era << ERA_SHIFT | insn << INSN_SHIFT | thread << THREAD_SHIFT |
                (uint64_t)(x->bytes - 1) << WIDTH_SHIFT |
                (strong ? WHAT_STRONG : 0) | (is_volatile ? WHAT_VOLATILE : 0),
        .short_stamp = (uint64_t)(b->race_base + b->race_clock) << STAMP_SHIFT,
        .short_barrier = (uint64_t)(barrier > 1 ? barrier : 1) << STAMP_SHIFT};
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

/* ---- short entries ---- */

/* As harmless: nothing, old, or the thread's own. */
static inline bool short_harmless(uint64_t what, uint64_t mine,
                                  uint64_t barrier) {
    bool old = (int64_t)what < (int64_t)barrier;
    return old | !((what ^ mine) & THREAD_MASK);
}

/* n words from a lane's on, 1 << shift words to a lane. */
WIDER static bool short_all_harmless(const uint64_t *what, uint64_t mine,
                                     uint64_t barrier, uint32_t n,
                                     uint32_t shift) {
    uint64_t harm = 0;
    for (uint64_t k = 0; k < n; k++)
        harm |= !short_harmless(what[k], mine + (k >> shift << THREAD_SHIFT),
                                barrier);
    return !harm;
}

WIDER static void short_remember(uint64_t *what, uint64_t mine, uint32_t n,
                                 uint32_t shift) {
    for (uint64_t k = 0; k < n; k++)
        what[k] = mine + (k >> shift << THREAD_SHIFT);
}

/* A run of words, none of which can race: remembered. */
static bool short_run(const struct race_now *q, struct race_shadow *s,
                      uint64_t at, uint64_t mine, uint32_t n, uint32_t shift,
                      bool write) {
    uint64_t *w = s->write.what + at, *r = s->read.what + at;
    if (!short_all_harmless(w, mine, q->short_barrier, n, shift) ||
        (write && !short_all_harmless(r, mine, q->short_barrier, n, shift)))
        return false;
    s->write.era = s->read.era = q->era;
    short_remember(write ? w : r, mine, n, shift);
    return true;
}

/* Words of lanes, wherever they are; all of them unless one can race. */
WIDER static bool short_lanes_harmless(const uint64_t *what, uint64_t mine,
                                       uint64_t barrier) {
    uint64_t harm = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++)
        harm |= !short_harmless(what[l], mine + (l << THREAD_SHIFT), barrier);
    return !harm;
}

/* Atomics do not race with what is strong. */
WIDER static void forgive_strong(uint64_t *what, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        what[k] &= (what[k] & WHAT_STRONG) / WHAT_STRONG - 1;
}

/* Word k of lane l, for the lanes of the mask. */
#define EACH_WORD(...)                                                         \
    if (all)                                                                   \
        for (uint64_t l = 0; l < WARP_LANES; l++) {                            \
            uint64_t k = even ? first + l * step : places[l];                  \
            __VA_ARGS__;                                                       \
        }                                                                      \
    else                                                                       \
        for (uint32_t m = x->mask; m; m &= m - 1) {                            \
            uint64_t l = (uint64_t)__builtin_ctz(m);                           \
            uint64_t k = even ? first + l * step : places[l];                  \
            __VA_ARGS__;                                                       \
        }

static inline __attribute__((always_inline)) bool
short_words(const struct race_now *q, const struct access *x,
            struct race_shadow *s, const bool write, const bool all,
            const bool even) {
    uint64_t mine = short_of(q, q->what | 15u << BYTES_SHIFT);
    uint64_t written[WARP_LANES], read[WARP_LANES], places[WARP_LANES];
    uint64_t *w = s->write.what, *r = s->read.what, differs = 0;
    uint64_t step = (uint64_t)((int64_t)x->stride / 4);
    uint32_t lane = (uint32_t)__builtin_ctz(x->mask);
    uint64_t first = ((x->address[lane] - x->one->base) >> 2) - lane * step;
    for (int l = 0; !even && l < WARP_LANES; l++)
        places[l] = (x->address[l] - x->one->base) >> 2;
    if (!all) memset(written, 0, sizeof written);
    if (!all && write) memset(read, 0, sizeof read);
    EACH_WORD(written[l] = w[k]; if (write) read[l] = r[k])
    if (x->atomic) forgive_strong(written, WARP_LANES);
    if (!short_lanes_harmless(written, mine, q->short_barrier)) return false;
    if (!write) {
        s->read.era = q->era;
        EACH_WORD(r[k] = mine + (l << THREAD_SHIFT))
        return true;
    }
    if (x->atomic) forgive_strong(read, WARP_LANES);
    if (!short_lanes_harmless(read, mine, q->short_barrier)) return false;
    s->write.era = q->era;
    EACH_WORD(w[k] = mine + (l << THREAD_SHIFT))
    if (x->atomic || (even && step)) return true;
    /* Two lanes, one word? */
    EACH_WORD(differs |= w[k] ^ (mine + (l << THREAD_SHIFT)))
    if (!differs) return true;
    EACH_WORD(w[k] = written[l])
    return false;
}
#undef EACH_WORD

typedef bool words_fn(const struct race_now *, const struct access *,
                      struct race_shadow *);
#define SHORT_WORDS(name, write, all, even)                                    \
    static bool name(const struct race_now *q, const struct access *x,         \
                     struct race_shadow *s) {                                  \
        return short_words(q, x, s, write, all, even);                         \
    }
SHORT_WORDS(read_some, false, false, false)
SHORT_WORDS(read_some_even, false, false, true)
SHORT_WORDS(read_all, false, true, false)
SHORT_WORDS(read_all_even, false, true, true)
SHORT_WORDS(write_some, true, false, false)
SHORT_WORDS(write_some_even, true, false, true)
SHORT_WORDS(write_all, true, true, false)
SHORT_WORDS(write_all_even, true, true, true)

/* The lanes' whole words, none of which can race: remembered. False: one needs
 * a closer look, and nothing is remembered. */
static bool short_quick(const struct race_now *q, const struct access *x,
                        struct race_shadow *s) {
    uint32_t first, lanes;
    if (!x->atomic && x->bytes >= 4 && access_is_span(x, &first, &lanes)) {
        uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
        uint64_t what = q->what + ((uint64_t)first << THREAD_SHIFT);
        return short_run(q, s, (x->address[first] - x->one->base) >> 2,
                         short_of(q, what | 15u << BYTES_SHIFT), lanes << shift,
                         shift, x->write);
    }
    static words_fn *const words[2][2][2] = {
        {{read_some, read_some_even}, {read_all, read_all_even}},
        {{write_some, write_some_even}, {write_all, write_all_even}}};
    return x->bytes == 4 &&
           words[x->write][x->mask == FULL_MASK][x->even](q, x, s);
}

/* ---- entries of two words ---- */

/* The access is one run of words and none of it can race: remembered. */
static bool race_quick(const struct race_now *now, const struct access *x,
                       struct race_shadow *s) {
    if (!s->write.when) return short_quick(now, x, s);
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
    if (x->atomic) forgive_strong(what, n);
    if (x->atomic) forgive_strong(read_what, n);
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
    for (uint64_t k = 0; !x->atomic && k < n; k++)
        differs |= s->write.what[at[k]] ^ (q.what + (k << THREAD_SHIFT));
    for (uint32_t k = 0; differs && k < n; k++) { /* two lanes, one word */
        s->write.when[at[k]] = when[k];
        s->write.what[at[k]] = what[k];
    }
    return !differs;
}

/* The lanes, of a weak or calm access to one word each in one region, from the
 * first on that needs a closer look. */
static uint32_t words_quick(const struct race_now *now, const struct access *x,
                            struct race_shadow *s) {
    const struct race_now q = *now;
    uint64_t base = x->one->base;
    if (x->bytes != 4 || !s->write.when || (x->write && s->read2.era == q.era))
        return x->mask;
    uint32_t first = (uint32_t)__builtin_ctz(x->mask);
    uint32_t run = x->mask >> first;
    if (!(run & (run + 1)) &&
        words_at_once(now, x, s, first, (uint32_t)__builtin_popcount(run)))
        return 0;
    if (x->atomic) return x->mask;
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
    struct race_entry e = race_entry(q, p, k);
    if (harmless(q, e.when, e.what, q->what)) return false;
    if (!unpack(q, e, before) ||
        !unpack(q, (struct race_entry){q->when, q->what}, &now))
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
    if (raced) race_report(c, lane, address, shared, &before, true, writes);
    if (writes && (clash(c, q, &s->read, k, true, false, &before) ||
                   (s->read2.era == q->era &&
                    clash(c, q, &s->read2, k, true, false, &before)))) {
        race_report(c, lane, address, shared, &before, false, true);
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
    race_enter(q, &s->write, k, q->what);
}

/* ---- an access of a warp ---- */

/* One allocation: free() is enough. NULL: out of memory. */
struct race_shadow *race_new_shadow(uint64_t bytes, bool is_short) {
    size_t n = bytes / 4 + 1;
    size_t words = is_short ? 2 * n : 6 * n;
    struct race_shadow *s = calloc(1, sizeof *s + words * sizeof(uint64_t));
    if (!s) return NULL;
    struct race_plane *planes[] = {&s->write, &s->read, &s->read2};
    s->n = n;
    for (size_t k = 0; k < (is_short ? 2 : 3); k++) {
        planes[k]->what = s->words + (is_short ? k : 2 * k + 1) * n;
        planes[k]->when = is_short ? NULL : s->words + 2 * k * n;
    }
    return s;
}

struct race_shadow *race_shared_shadow(const struct machine *m) {
    return race_new_shadow(m->shared_bytes, !m->program->copies_later);
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
        a->race = race_new_shadow(a->size, false);
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

bool race_even(struct context *c, const struct access *x, bool shared) {
    struct race_shadow *s = shadow_of(c, x, 0, shared);
    if (!s) return true;
    struct race_now now = now_of(c, x, shared);
    return race_quick(&now, x, s);
}

/* An atomic that tells and learns nothing of others' accesses. */
static bool is_calm(const struct context *c, const struct access *x) {
    enum memory_order o = c->insn->order;
    return x->atomic && x->bytes == 4 && !c->machine->race->n_syncs &&
           !race_publishes(c, o == ORDER_RELEASE || o == ORDER_ACQ_REL);
}

void race_access(struct context *c, const struct access *x, bool shared) {
    if (!c->machine->race) return;
    struct race_now now = now_of(c, x, shared);
    enum memory_order o = c->insn->order;
    bool strong = x->atomic || o != ORDER_WEAK;
    uint32_t lanes = x->mask;
    if (x->one && (!strong || is_calm(c, x))) {
        struct race_shadow *s = shadow_of(c, x, 0, shared);
        if (!s || race_quick(&now, x, s)) return;
        lanes = words_quick(&now, x, s);
    }
    for (uint32_t k = lanes; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = x->address[l], name = race_sync_name(c, a, shared);
        if (strong && (!x->write || x->atomic))
            race_observe(c, l, name, o == ORDER_ACQUIRE || o == ORDER_ACQ_REL);
        struct race_shadow *s = shadow_of(c, x, l, shared);
        uint64_t offset = a - access_region(x, l)->base;
        if (s) touch_lane(c, x, &now, s, l, shared);
        if (s && strong && !shared && !x->write && !(offset & 3) &&
            x->bytes >= 8)
            race_check_torn(c, &now, &s->write, offset >> 2, x->bytes / 4, l,
                            a);
        if (strong && x->write) {
            if (!shared && !c->machine->race->too_many)
                race_publish_done(c, name);
            bool release = o == ORDER_RELEASE || o == ORDER_ACQ_REL;
            if (race_publishes(c, release)) race_publish(c, name, release);
            if (context_block(c)->race_clock != (uint32_t)now.when)
                now = now_of(c, x, shared); /* a release advances the clock */
        }
    }
}

/* ---- for race_copies.c: static above, so that what is hot is inlined ---- */

struct race_now race_now_of(const struct context *c, const struct access *x,
                            bool shared) {
    return now_of(c, x, shared);
}

bool race_check_word(struct context *c, const struct race_now *q,
                     struct race_shadow *s, uint64_t k, uint32_t lane,
                     uint64_t address, bool shared, bool writes) {
    return touch_check(c, q, s, k, lane, address, shared, writes);
}

/* All the words are one thread's, not a lane's each. */
enum { ONE_THREAD = 31 };

bool race_run_harmless(const struct race_now *q, const struct race_plane *p,
                       uint64_t at, uint32_t n) {
    return p->era != q->era ||
           all_harmless(q, p->when + at, p->what + at, n, ONE_THREAD);
}

struct race_shadow *race_shadow_of_run(struct context *c,
                                       const struct race_run *r) {
    struct access x = {.one = r->region};
    return shadow_of(c, &x, 0, r->shared);
}

/* SPDX-License-Identifier: MIT
 *
 * race_quick.c: the fast path of racecheck. Nearly all accesses cannot race;
 * this code finds that out for a whole warp at a time and remembers the access.
 *
 * How to read this: the entries of all words are compared with vector
 * instructions. Only three answers are understood: the entry is empty, or old
 * (from before the block's last barrier), or the thread's own. If one word's
 * entry is anything else, nothing is remembered, and race.c looks at the access
 * again, lane by lane.
 */
#include "race_inside.h"

#include <string.h>

/* ---- entries of two words ---- */

/* `harmless` for n words, 1 << shift words to a lane, beginning with a lane's.
 */
WIDER static bool all_harmless(const struct race_now *q, const uint64_t *when,
                               const uint64_t *what, uint32_t n,
                               uint32_t shift) {
    uint64_t harm = 0;
    for (uint64_t k = 0; k < n; k++)
        harm |= !harmless(q, when[k], what[k],
                          q->what + (k >> shift << THREAD_SHIFT));
    return !harm;
}

/* `read_now` for n words, beginning with a lane's. True: readers of another
 * block moved to read2. */
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

/* No reader of another block is remembered. */
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

/* `harmless`: empty, old, or the thread's own. */
static inline bool short_harmless(uint64_t what, uint64_t mine,
                                  uint64_t barrier) {
    bool old = (int64_t)what < (int64_t)barrier;
    return old | !((what ^ mine) & THREAD_MASK);
}

/* n words, 1 << shift words to a lane, beginning with a lane's. */
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

/* A run of words. True: none of them can race, and they are remembered. */
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

/* The lanes' words, wherever they are: remembers all of them, or none when one
 * can race. */
WIDER static bool short_lanes_harmless(const uint64_t *what, uint64_t mine,
                                       uint64_t barrier) {
    uint64_t harm = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++)
        harm |= !short_harmless(what[l], mine + (l << THREAD_SHIFT), barrier);
    return !harm;
}

/* The entry is empty or old. Only such entries, and strong ones, may be
 * replaced by an atomic's (hides_weak). */
WIDER static bool short_lanes_old(const uint64_t *what, uint64_t barrier) {
    uint64_t harm = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++)
        harm |= (int64_t)what[l] >= (int64_t)barrier;
    return !harm;
}

/* The entries of n words are empty. */
WIDER static bool all_stale(const struct race_now *q, const uint64_t *what,
                            uint32_t n) {
    uint64_t harm = 0;
    for (uint32_t k = 0; k < n; k++) harm |= what[k] >> ERA_SHIFT == q->era;
    return !harm;
}

/* Atomics do not race with strong accesses. */
WIDER static void forgive_strong(uint64_t *what, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        what[k] &= (what[k] & WHAT_STRONG) / WHAT_STRONG - 1;
}

/* Word k of lane l, for the lanes of the mask. */
#define WORD_OF_EACH(...)                                                      \
    if (all) {                                                                 \
        uint64_t at = first;                                                   \
        _Pragma("GCC unroll 8") for (uint64_t l = 0; l < WARP_LANES;           \
                                     l++, at += step) {                        \
            uint64_t k = even ? at : places[l];                                \
            __VA_ARGS__;                                                       \
        }                                                                      \
    } else {                                                                   \
        for (uint32_t m = x->mask; m; m &= m - 1) {                            \
            uint64_t l = (uint64_t)__builtin_ctz(m);                           \
            uint64_t k = even ? first + l * step : places[l];                  \
            __VA_ARGS__;                                                       \
        }                                                                      \
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
    WORD_OF_EACH(written[l] = w[k]; if (write) read[l] = r[k])
    if (x->atomic) forgive_strong(written, WARP_LANES);
    if (x->atomic ? !short_lanes_old(written, q->short_barrier)
                  : !short_lanes_harmless(written, mine, q->short_barrier))
        return false;
    if (!write) {
        s->read.era = q->era;
        WORD_OF_EACH(r[k] = mine + (l << THREAD_SHIFT))
        return true;
    }
    if (x->atomic) forgive_strong(read, WARP_LANES);
    if (!short_lanes_harmless(read, mine, q->short_barrier)) return false;
    s->write.era = q->era;
    WORD_OF_EACH(w[k] = mine + (l << THREAD_SHIFT))
    if (x->atomic || (even && step)) return true;
    /* Do two lanes access one word? */
    WORD_OF_EACH(differs |= w[k] ^ (mine + (l << THREAD_SHIFT)))
    if (!differs) return true;
    WORD_OF_EACH(w[k] = written[l])
    return false;
}
#undef WORD_OF_EACH

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

/* The lanes' whole words. True: none can race, and they are remembered. False:
 * one may race, and nothing is remembered. */
static bool short_quick(const struct race_now *q, const struct access *x,
                        struct race_shadow *s) {
    if (!x->atomic && x->bytes >= 4 && x->shape.run) {
        uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
        uint64_t what = q->what + ((uint64_t)x->shape.first << THREAD_SHIFT);
        return short_run(q, s, access_first(x) >> 2,
                         short_of(q, what | 15u << BYTES_SHIFT),
                         (uint32_t)x->shape.lanes << shift, shift, x->write);
    }
    static words_fn *const words[2][2][2] = {
        {{read_some, read_some_even}, {read_all, read_all_even}},
        {{write_some, write_some_even}, {write_all, write_all_even}}};
    return x->bytes == 4 &&
           words[x->write][x->mask == FULL_MASK][x->shape.even](q, x, s);
}

/* ---- either ---- */

bool race_quick(const struct race_now *now, const struct access *x,
                struct race_shadow *s) {
    if (!s->write.when) return short_quick(now, x, s);
    if (x->bytes < 4 || !x->shape.run) return false;
    uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
    uint32_t n = (uint32_t)x->shape.lanes << shift;
    uint64_t at = access_first(x) >> 2;
    struct race_now q = *now;
    q.what += (uint64_t)x->shape.first << THREAD_SHIFT | 15u << BYTES_SHIFT;
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

/* As race_quick, for a whole word of one lane. */
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

/* A plane's entries for the lanes' words. */
struct remembered {
    uint64_t when[WARP_LANES], what[WARP_LANES];
};

static inline void look_up(const struct race_plane *p, const uint32_t *at,
                           uint32_t n, struct remembered *r) {
    for (uint32_t k = 0; k < n; k++) {
        r->when[k] = p->when[at[k]];
        r->what[k] = p->what[at[k]];
    }
}

static inline void note(const struct race_now *q, struct race_plane *p,
                        const uint32_t *at, uint32_t n) {
    p->era = q->era;
    for (uint64_t k = 0; k < n; k++) {
        p->when[at[k]] = q->when;
        p->what[at[k]] = q->what + (k << THREAD_SHIFT);
    }
}

/* The plane has no entry of this launch, or none that can race. writes: it is
 * the plane of writes. */
static bool look_harmless(const struct race_now *q, const struct access *x,
                          const struct race_plane *p, const uint32_t *at,
                          uint32_t n, bool writes) {
    struct remembered r;
    if (p->era != q->era) return true;
    look_up(p, at, n, &r);
    if (x->atomic) forgive_strong(r.what, n);
    return x->atomic && writes ? all_stale(q, r.what, n)
                               : all_harmless(q, r.when, r.what, n, 0);
}

/* The words of neighbouring lanes, wherever they are. Their entries are copied
 * to one place, compared together, and written back. False: one may race, and
 * nothing is remembered. */
static bool words_at_once(const struct race_now *now, const struct access *x,
                          struct race_shadow *s, uint32_t first, uint32_t n) {
    uint64_t base = x->one->base, differs = 0;
    uint32_t at[WARP_LANES];
    struct race_now q = *now;
    struct remembered r;
    q.what += (uint64_t)first << THREAD_SHIFT | 15u << BYTES_SHIFT;
    for (uint32_t k = 0; k < n; k++)
        at[k] = (uint32_t)((x->address[first + k] - base) >> 2);
    if (!look_harmless(&q, x, &s->write, at, n, true)) return false;
    if (!x->write) {
        if (s->read.era == q.era) {
            look_up(&s->read, at, n, &r);
            if (!all_own_block(&q, r.when, r.what, n)) return false;
        }
        note(&q, &s->read, at, n);
        return true;
    }
    if (!look_harmless(&q, x, &s->read, at, n, false)) return false;
    if (x->atomic || (x->shape.even && x->stride)) {
        note(&q, &s->write, at, n);
        return true;
    }
    look_up(&s->write, at, n, &r);
    note(&q, &s->write, at, n);
    for (uint64_t k = 0; k < n; k++)
        differs |= s->write.what[at[k]] ^ (q.what + (k << THREAD_SHIFT));
    for (uint32_t k = 0; differs && k < n; k++) { /* two lanes access one word
                                                   */
        s->write.when[at[k]] = r.when[k];
        s->write.what[at[k]] = r.what[k];
    }
    return !differs;
}

uint32_t race_words_quick(const struct race_now *now, const struct access *x,
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

/* All the words are accessed by one thread, not by a lane each. */
enum { ONE_THREAD = 31 };

bool race_run_harmless(const struct race_now *q, const struct race_plane *p,
                       uint64_t at, uint32_t n) {
    return p->era != q->era ||
           all_harmless(q, p->when + at, p->what + at, n, ONE_THREAD);
}

/* SPDX-License-Identifier: MIT
 *
 * race_short.c: the fast path for shared memory, whose entries are one word:
 * as race_fast.c. `mine` is a short entry here.
 */
#include "race_inside.h"

#include <string.h>

/* In what entries may differ that are one thread's and hide nobody else. */
#define OWN (THREAD_MASK | WHAT_NEAR | WHAT_FAR)

/* Entries up to this one are empty or from before the last barrier. */
static inline uint64_t last_old(const struct race_now *q) {
    return q->short_barrier - 1;
}

/* The plane has an entry that is not old. */
static inline bool is_fresh(const struct race_now *q,
                            const struct race_plane *p) {
    return p->latest >= q->short_barrier;
}

/* `harmless`, old or the thread's own, for n words, 1 << shift words to a lane,
 * beginning with a lane's. */
static ALWAYS_INLINE bool own_or_old(const uint64_t *what, uint64_t mine,
                                     uint64_t last, uint32_t n,
                                     uint32_t shift) {
    uint64_t harm = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t differs = what[k] ^ (mine + (k >> shift << THREAD_SHIFT));
        harm |= (last - what[k]) & (0 - (uint64_t)((differs & OWN) != 0));
    }
    return !(harm >> 63);
}

static ALWAYS_INLINE bool plane_harmless(const struct race_now *q,
                                         const struct race_plane *p,
                                         uint64_t at, uint64_t mine, uint32_t n,
                                         uint32_t shift) {
    return !is_fresh(q, p) || race_all_until(p->what + at, last_old(q), n) ||
           own_or_old(p->what + at, mine, last_old(q), n, shift);
}

/* The mark of an entry after a lane has read its word, too; as marks_of. */
static ALWAYS_INLINE uint64_t marks_of(const struct race_now *q, uint64_t e,
                                       uint64_t mine, uint64_t *never) {
    uint64_t keep = q->exact ? ~0ull : WHAT_STRONG, differs = e ^ mine;
    uint64_t now = 0 - (uint64_t)((int64_t)e >= (int64_t)q->short_barrier);
    uint64_t other = now & (0 - (uint64_t)((differs & THREAD_MASK) != 0));
    uint64_t near = differs & WARP_MASK ? WHAT_BLOCK : WHAT_WARP;
    *never |= other & ((e & keep) | (differs & ALL_BYTES));
    return (now & e & (WHAT_FAR | WHAT_NEAR)) | (other & near);
}

WIDER static bool short_marks(const struct race_now *q, const uint64_t *what,
                              uint64_t mine, uint64_t *marks, uint32_t n,
                              uint32_t shift) {
    uint64_t never = 0;
    for (uint64_t k = 0; k < n; k++)
        marks[k] =
            marks_of(q, what[k], mine + (k >> shift << THREAD_SHIFT), &never);
    return !never;
}

/* ---- runs of words ---- */

static bool run_marked(const struct race_now *q, struct race_plane *p,
                       uint64_t at, uint64_t mine, uint32_t n, uint32_t shift) {
    uint64_t marks[MARKED], *what = p->what + at;
    if (!short_marks(q, what, mine, marks, n, shift)) return false;
    if (marks[0]) race_forget_reader(q, p, at);
    if (marks[n - 1]) race_forget_reader(q, p, at + n - 1);
    for (uint64_t k = 0; k < n; k++)
        what[k] = (mine + (k >> shift << THREAD_SHIFT)) | marks[k];
    return true;
}

static ALWAYS_INLINE bool short_run(const struct race_now *q,
                                    struct race_shadow *s, uint64_t at,
                                    uint64_t mine, uint32_t n, uint32_t shift,
                                    bool write) {
    struct race_plane *r = &s->read, *p = write ? &s->write : r;
    if (!plane_harmless(q, &s->write, at, mine, n, shift)) return false;
    if (write && !plane_harmless(q, r, at, mine, n, shift)) return false;
    bool alone = write || !is_fresh(q, r) ||
                 race_all_until(r->what + at, last_old(q), n);
    p->latest = q->short_stamp;
    if (!alone) return run_marked(q, r, at, mine, n, shift);
    for (uint64_t k = 0; k < n; k++)
        p->what[at + k] = mine + (k >> shift << THREAD_SHIFT);
    return true;
}

/* A word of each lane of a warp is what most runs are. */
WIDER static bool any_run(const struct race_now *q, struct race_shadow *s,
                          uint64_t at, uint64_t mine, uint32_t n,
                          uint32_t shift, bool write) {
    if (n == WARP_LANES && !shift)
        return short_run(q, s, at, mine, WARP_LANES, 0, write);
    return short_run(q, s, at, mine, n, shift, write);
}

/* ---- one word for all lanes ---- */

/* The last lane is kept. */
static bool read_one(const struct race_now *q, const struct access *x,
                     struct race_shadow *s) {
    uint64_t k = access_first(x) >> 2, first = x->shape.first;
    uint64_t e = s->read.what[k], what = q->what | ALL_BYTES, marks = 0;
    uint64_t mine = short_of(q, what) + (first << THREAD_SHIFT);
    uint64_t apart = (uint64_t)x->shape.lanes - 1;
    uint64_t last = mine + (apart << THREAD_SHIFT);
    if (q->exact || s->write.what[k] >= q->short_barrier) return false;
    if (e >= q->short_barrier) {
        uint64_t never = 0;
        uint64_t to_last = marks_of(q, e, last, &never);
        marks = marks_of(q, e, mine, &never);
        if (never) return false;
        if (marks) race_forget_reader(q, &s->read, k);
        marks |= to_last;
    }
    s->read.latest = q->short_stamp;
    s->read.what[k] = last;
    race_forget_first(q, &s->read, k, what + (first << THREAD_SHIFT));
    s->read.what[k] |= marks | WHAT_WARP;
    return true;
}

/* ---- a word of each lane ---- */

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

struct words {
    uint64_t mine, last, first, step; /* word of lane 0; words between lanes */
    uint32_t lane;
    bool apart; /* no two lanes mean one word */
};

static ALWAYS_INLINE struct words find_words(const struct race_now *q,
                                             const struct access *x,
                                             uint64_t *places, bool even) {
    uint64_t step = (uint64_t)((int64_t)x->stride / 4);
    uint32_t lane = (uint32_t)__builtin_ctz(x->mask);
    for (int l = 0; !even && l < WARP_LANES; l++)
        places[l] = (x->address[l] - x->one->base) >> 2;
    return (struct words){
        .mine = short_of(q, q->what | ALL_BYTES),
        .last = last_old(q),
        .first = ((x->address[lane] - x->one->base) >> 2) - lane * step,
        .step = step,
        .lane = lane,
        .apart = (even && step) || !(x->mask & (x->mask - 1))};
}

/* No last write of the lanes' words can race. */
static ALWAYS_INLINE bool
after_writes(const struct race_now *q, const struct access *x,
             const struct race_plane *p, const struct words *d,
             const uint64_t *places, const bool all, const bool even) {
    const uint64_t *w = p->what, first = d->first, step = d->step;
    uint64_t there[WARP_LANES], later = 0, last = d->last;
    if (!is_fresh(q, p)) return true;
    WORD_OF_EACH(later |= last - w[k])
    if (!(later >> 63)) return true;
    if (!all) memset(there, 0, sizeof there);
    WORD_OF_EACH(there[l] = w[k])
    if (!x->atomic) return own_or_old(there, d->mine, last, WARP_LANES, 0);
    race_skip_strong(there, WARP_LANES, WHAT_FAR);
    return race_all_until(there, last, WARP_LANES);
}

/* No last read of the words can race with a write. An atomic may come after old
 * reads, and strong ones, but for those that have seen what it overwrites. */
static ALWAYS_INLINE bool
after_reads(const struct race_now *q, const struct access *x,
            const struct race_plane *p, const struct words *d,
            const uint64_t *places, const bool all, const bool even) {
    const uint64_t *r = p->what, first = d->first, step = d->step;
    uint64_t there[WARP_LANES];
    if (!is_fresh(q, p)) return true;
    if (!all) memset(there, 0, sizeof there);
    WORD_OF_EACH(there[l] = r[k])
    if (x->atomic) race_skip_strong(there, WARP_LANES, WHAT_FAR);
    return race_all_until(there, d->last, WARP_LANES) ||
           (!x->atomic && own_or_old(there, d->mine, d->last, WARP_LANES, 0));
}

static ALWAYS_INLINE bool read_words(const struct race_now *q,
                                     const struct access *x,
                                     struct race_shadow *s, const bool all,
                                     const bool even) {
    uint64_t there[WARP_LANES], places[WARP_LANES], *r = s->read.what;
    struct words d = find_words(q, x, places, even);
    const uint64_t mine = d.mine, first = d.first, step = d.step;
    bool alone = true;
    if (!after_writes(q, x, &s->write, &d, places, all, even)) return false;
    if (q->exact && !d.apart) return false;
    if (is_fresh(q, &s->read)) {
        if (!all) memset(there, 0, sizeof there);
        WORD_OF_EACH(there[l] = r[k])
        alone = race_all_until(there, d.last, WARP_LANES);
    }
    if (!alone && !short_marks(q, there, mine, there, WARP_LANES, 0))
        return false;
    uint64_t one = even ? first + d.lane * step : places[d.lane];
    s->read.latest = q->short_stamp;
    if (!alone && there[d.lane]) race_forget_reader(q, &s->read, one);
    WORD_OF_EACH(r[k] = mine + (l << THREAD_SHIFT))
    if (!d.apart) {
        race_forget_first(q, &s->read, one,
                          (q->what | ALL_BYTES) +
                              ((uint64_t)d.lane << THREAD_SHIFT));
        WORD_OF_EACH(if ((r[k] ^ (mine + (l << THREAD_SHIFT))) & THREAD_MASK)
                         r[k] |= WHAT_WARP)
    }
    if (!alone) {
        WORD_OF_EACH(r[k] |= there[l])
    }
    return true;
}

static ALWAYS_INLINE bool write_words(const struct race_now *q,
                                      const struct access *x,
                                      struct race_shadow *s, const bool all,
                                      const bool even) {
    uint64_t there[WARP_LANES], places[WARP_LANES], *w = s->write.what;
    struct words d = find_words(q, x, places, even);
    const uint64_t mine = d.mine, first = d.first, step = d.step;
    uint64_t differs = 0;
    if (!after_writes(q, x, &s->write, &d, places, all, even) ||
        !after_reads(q, x, &s->read, &d, places, all, even))
        return false;
    bool apart = d.apart || x->atomic;
    if (!apart) {
        WORD_OF_EACH(there[l] = w[k])
    }
    s->write.latest = q->short_stamp;
    WORD_OF_EACH(w[k] = mine + (l << THREAD_SHIFT))
    if (apart) return true;
    /* Do two lanes access one word? */
    WORD_OF_EACH(differs |= w[k] ^ (mine + (l << THREAD_SHIFT)))
    if (!differs) return true;
    WORD_OF_EACH(w[k] = there[l])
    return false;
}
#undef WORD_OF_EACH

typedef bool words_fn(const struct race_now *, const struct access *,
                      struct race_shadow *);
#define SHORT_WORDS(name, words, all, even)                                    \
    WIDER static bool name(const struct race_now *q, const struct access *x,   \
                           struct race_shadow *s) {                            \
        return words(q, x, s, all, even);                                      \
    }
SHORT_WORDS(read_some, read_words, false, false)
SHORT_WORDS(read_some_even, read_words, false, true)
SHORT_WORDS(read_all, read_words, true, false)
SHORT_WORDS(read_all_even, read_words, true, true)
SHORT_WORDS(write_some, write_words, false, false)
SHORT_WORDS(write_some_even, write_words, false, true)
SHORT_WORDS(write_all, write_words, true, false)
SHORT_WORDS(write_all_even, write_words, true, true)

/* The lanes' whole words. True: none can race, and they are remembered. False:
 * one may race, and nothing is remembered. */
bool race_short_fast(const struct race_now *q, const struct access *x,
                     struct race_shadow *s) {
    if (x->shape.run && !x->atomic && x->bytes >= 4) {
        uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
        uint64_t what = q->what + ((uint64_t)x->shape.first << THREAD_SHIFT);
        return any_run(q, s, access_first(x) >> 2,
                       short_of(q, what | ALL_BYTES),
                       (uint32_t)x->shape.lanes << shift, shift, x->write);
    }
    if (x->bytes != 4) return false;
    if (!x->write && x->shape.even && !x->stride && x->shape.lanes > 1 &&
        x->mask & (x->mask - 1))
        return read_one(q, x, s);
    static words_fn *const words[2][2][2] = {
        {{read_some, read_some_even}, {read_all, read_all_even}},
        {{write_some, write_some_even}, {write_all, write_all_even}}};
    return words[x->write][x->mask == FULL_MASK][x->shape.even](q, x, s);
}

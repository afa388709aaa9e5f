/* SPDX-License-Identifier: MIT
 *
 * race_short.c: the fast path for shared memory, whose entries are one word:
 * as race_quick.c.
 */
#include "race_inside.h"

#include <string.h>

/* `harmless`: empty, old, or the thread's own. */
static inline bool short_harmless(uint64_t what, uint64_t mine,
                                  uint64_t barrier) {
    bool old = (int64_t)what < (int64_t)barrier;
    return old |
           !(((what ^ mine) & THREAD_MASK) | (what & (WHAT_NEAR | WHAT_FAR)));
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

/* The entries are empty or old. */
WIDER static bool short_all_old(const uint64_t *what, uint64_t barrier,
                                uint32_t n) {
    uint64_t harm = 0;
    for (uint64_t k = 0; k < n; k++)
        harm |= (int64_t)what[k] >= (int64_t)barrier;
    return !harm;
}

/* As all_marks. */
WIDER static bool short_marks(const struct race_now *q, const uint64_t *what,
                              uint64_t mine, uint64_t *marks, uint32_t n,
                              uint32_t shift) {
    uint64_t never = 0, keep = q->exact ? ~0ull : WHAT_STRONG;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t e = what[k];
        uint64_t differs = e ^ (mine + (k >> shift << THREAD_SHIFT));
        uint64_t now = 0 - (uint64_t)((int64_t)e >= (int64_t)q->short_barrier);
        uint64_t other = now & (0 - (uint64_t)((differs & THREAD_MASK) != 0));
        uint64_t near = differs & WARP_MASK ? WHAT_BLOCK : WHAT_WARP;
        never |= (now & e & WHAT_SAW) |
                 (other & ((e & keep) | (differs & ALL_BYTES)));
        marks[k] = (now & e & (WHAT_FAR | WHAT_NEAR)) | (other & near);
    }
    return !never;
}

WIDER static void short_remember(uint64_t *what, uint64_t mine, uint32_t n,
                                 uint32_t shift) {
    for (uint64_t k = 0; k < n; k++)
        what[k] = mine + (k >> shift << THREAD_SHIFT);
}

WIDER static bool short_marked(const struct race_now *q, struct race_plane *p,
                               uint64_t at, uint64_t mine, uint32_t n,
                               uint32_t shift) {
    uint64_t marks[MARKED], *what = p->what + at;
    if (!short_marks(q, what, mine, marks, n, shift)) return false;
    if (marks[0]) race_forget_reader(q, p, at);
    if (marks[n - 1]) race_forget_reader(q, p, at + n - 1);
    for (uint64_t k = 0; k < n; k++)
        what[k] = (mine + (k >> shift << THREAD_SHIFT)) | marks[k];
    return true;
}

/* A run of words. True: none of them can race, and they are remembered. */
static bool short_run(const struct race_now *q, struct race_shadow *s,
                      uint64_t at, uint64_t mine, uint32_t n, uint32_t shift,
                      bool write) {
    uint64_t *w = s->write.what + at, *r = s->read.what + at;
    uint64_t since = q->short_barrier;
    if (!short_all_harmless(w, mine, since, n, shift)) return false;
    s->write.era = s->read.era = q->era;
    if (!write && !short_all_old(r, since, n))
        return short_marked(q, &s->read, at, mine, n, shift);
    if (write && !short_all_harmless(r, mine, since, n, shift)) return false;
    short_remember(write ? w : r, mine, n, shift);
    return true;
}

/* An atomic may come after these reads: old ones, and strong ones, but for
 * those that have seen what it overwrites. */
static bool atomic_after(const struct race_now *q, uint64_t *read) {
    race_forgive_strong(read, WARP_LANES, WHAT_SAW | WHAT_FAR);
    return short_all_old(read, q->short_barrier, WARP_LANES);
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
    uint64_t mine = short_of(q, q->what | ALL_BYTES);
    uint64_t written[WARP_LANES], read[WARP_LANES], places[WARP_LANES];
    uint64_t *w = s->write.what, *r = s->read.what, differs = 0;
    uint64_t step = (uint64_t)((int64_t)x->stride / 4);
    uint64_t since = q->short_barrier;
    uint32_t lane = (uint32_t)__builtin_ctz(x->mask);
    uint64_t first = ((x->address[lane] - x->one->base) >> 2) - lane * step;
    for (int l = 0; !even && l < WARP_LANES; l++)
        places[l] = (x->address[l] - x->one->base) >> 2;
    if (!all) memset(written, 0, sizeof written);
    if (!all) memset(read, 0, sizeof read);
    WORD_OF_EACH(written[l] = w[k]; read[l] = r[k])
    if (x->atomic) race_forgive_strong(written, WARP_LANES, WHAT_FAR);
    if (x->atomic ? !short_all_old(written, since, WARP_LANES)
                  : !short_all_harmless(written, mine, since, WARP_LANES, 0))
        return false;
    if (!write) {
        bool apart = (even && step) || !(x->mask & (x->mask - 1));
        bool alone = short_all_old(read, since, WARP_LANES);
        if (q->exact && !apart) return false;
        if (!alone && !short_marks(q, read, mine, written, WARP_LANES, 0))
            return false;
        uint64_t one = even ? first + lane * step : places[lane];
        s->read.era = q->era;
        if (!alone && written[lane]) race_forget_reader(q, &s->read, one);
        WORD_OF_EACH(r[k] = mine + (l << THREAD_SHIFT))
        if (!apart) {
            race_forget_first(q, &s->read, one, lane);
            WORD_OF_EACH(if ((r[k] ^ (mine + (l << THREAD_SHIFT))) &
                             THREAD_MASK) r[k] |= WHAT_WARP)
        }
        if (!alone) {
            WORD_OF_EACH(r[k] |= written[l])
        }
        return true;
    }
    if (x->atomic ? !atomic_after(q, read)
                  : !short_all_harmless(read, mine, since, WARP_LANES, 0))
        return false;
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
bool race_short_quick(const struct race_now *q, const struct access *x,
                      struct race_shadow *s) {
    if (!x->atomic && x->bytes >= 4 && x->shape.run) {
        uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
        uint64_t what = q->what + ((uint64_t)x->shape.first << THREAD_SHIFT);
        return short_run(q, s, access_first(x) >> 2,
                         short_of(q, what | ALL_BYTES),
                         (uint32_t)x->shape.lanes << shift, shift, x->write);
    }
    static words_fn *const words[2][2][2] = {
        {{read_some, read_some_even}, {read_all, read_all_even}},
        {{write_some, write_some_even}, {write_all, write_all_even}}};
    return x->bytes == 4 &&
           words[x->write][x->mask == FULL_MASK][x->shape.even](q, x, s);
}

/* SPDX-License-Identifier: MIT
 *
 * race_fast.c: the fast path of racecheck. Nearly all accesses cannot race;
 * this code finds that out for a whole warp at a time and remembers the access.
 *
 * How to read this: the entries of all words are compared with vector
 * instructions. Only three answers are understood: the entry is empty, or old
 * (from before the block's last barrier), or the thread's own; and for a read,
 * beside other readers: those may be forgotten, with a mark. If one word's
 * entry is anything else, nothing is remembered, and race_word.c looks at the
 * access again, lane by lane. What is asked first is what is cheap and usual:
 * whether all entries are empty, whether one access left all of them. `mine` is
 * what the first lane's access is remembered as.
 */
#include "race_inside.h"

#include <string.h>

/* The lanes' entries, copied to one place. */
struct entries {
    uint64_t when[WARP_LANES], what[WARP_LANES];
};

/* Entries up to this one are of earlier launches, or empty. */
static inline uint64_t last_stale(const struct race_now *q) {
    return (q->era << ERA_SHIFT) - 1;
}

/* `harmless` for n words, 1 << shift words to a lane, beginning with a lane's.
 */
static ALWAYS_INLINE bool all_harmless(const struct race_now *q,
                                       const uint64_t *when,
                                       const uint64_t *what, uint64_t mine,
                                       uint32_t n, uint32_t shift) {
    uint64_t harm = 0;
    for (uint64_t k = 0; k < n; k++)
        harm |=
            !harmless(q, when[k], what[k], mine + (k >> shift << THREAD_SHIFT));
    return !harm;
}

/* No entry of the plane's n words can race. */
static ALWAYS_INLINE bool plane_harmless(const struct race_now *q,
                                         const struct race_plane *p,
                                         uint64_t at, uint64_t mine, uint32_t n,
                                         uint32_t shift) {
    return p->era != q->era || race_all_until(p->what + at, last_stale(q), n) ||
           all_harmless(q, p->when + at, p->what + at, mine, n, shift);
}

/* ---- reads beside other readers ---- */

/* The marks of an entry after a lane has read its word, too; *never: another
 * reader must not be forgotten. */
static ALWAYS_INLINE uint64_t marks_of(const struct race_now *q, uint64_t when,
                                       uint64_t e, uint64_t mine,
                                       uint64_t *never) {
    uint64_t keep = q->exact ? ~0ull : WHAT_STRONG;
    uint64_t differs = e ^ mine;
    uint64_t now = 0 - (uint64_t)(e >> ERA_SHIFT == q->era);
    uint64_t far = 0 - (uint64_t)((when ^ q->block) >> 32 != 0);
    uint64_t new = 0 - (uint64_t)(when - q->block >= q->barrier);
    uint64_t other = (0 - (uint64_t)((differs & THREAD_MASK) != 0)) | far;
    uint64_t near = differs & WARP_MASK ? WHAT_BLOCK : WHAT_WARP;
    uint64_t mark = (far & WHAT_GRID) | (~far & near);
    other &= now & new;
    *never |= other & ((e & keep) | (differs & ALL_BYTES));
    return (now & e & WHAT_FAR) | (now & new &e &WHAT_NEAR) | (other & mark);
}

/* The marks of n words after their lanes have read them, beside who read them
 * before. False: another reader must not be forgotten. */
WIDER static bool all_marks(const struct race_now *q, const uint64_t *when,
                            const uint64_t *what, uint64_t mine,
                            uint64_t *marks, uint32_t n, uint32_t shift) {
    uint64_t never = 0;
    for (uint64_t k = 0; k < n; k++)
        marks[k] = marks_of(q, when[k], what[k],
                            mine + (k >> shift << THREAD_SHIFT), &never);
    return !never;
}

/* The n words were last read by neighbouring lanes of one warp in one access:
 * one mark does for all. */
static ALWAYS_INLINE bool all_alike(const uint64_t *when, const uint64_t *what,
                                    uint32_t n, uint32_t shift) {
    uint64_t differs = 0;
    for (uint64_t k = 0; k < n; k++)
        differs |= (when[k] ^ when[0]) |
                   (what[k] ^ (what[0] + (k >> shift << THREAD_SHIFT)));
    uint32_t lane = (uint32_t)(what[0] >> THREAD_SHIFT) % WARP_LANES;
    return !differs && lane + ((n - 1) >> shift) < WARP_LANES;
}

static ALWAYS_INLINE void race_fast_remember(const struct race_now *q,
                                             const struct race_plane *p,
                                             uint64_t at, uint64_t mine,
                                             uint32_t n, uint32_t shift) {
    uint64_t *when = p->when + at, *what = p->what + at;
    for (uint64_t k = 0; k < n; k++) when[k] = q->when;
    for (uint64_t k = 0; k < n; k++)
        what[k] = mine + (k >> shift << THREAD_SHIFT);
}

/* Beside other readers. */
static ALWAYS_INLINE bool remember_marked(const struct race_now *q,
                                          struct race_plane *p, uint64_t at,
                                          uint64_t mine, uint32_t n,
                                          uint32_t shift) {
    uint64_t marks[MARKED], *when = p->when + at, *what = p->what + at;
    bool alike = all_alike(when, what, n, shift);
    if (alike) {
        uint64_t never = 0;
        marks[0] = marks[n - 1] = marks_of(q, when[0], what[0], mine, &never);
        if (never) return false;
    } else if (!all_marks(q, when, what, mine, marks, n, shift)) {
        return false;
    }
    if (marks[0]) race_forget_reader(q, p, at);
    if (marks[n - 1]) race_forget_reader(q, p, at + n - 1);
    race_fast_remember(q, p, at, mine | (alike ? marks[0] : 0), n, shift);
    for (uint64_t k = 0; !alike && k < n; k++) what[k] |= marks[k];
    return true;
}

/* ---- runs of words ---- */

static ALWAYS_INLINE bool fast_run(const struct race_now *q,
                                   struct race_shadow *s, uint64_t at,
                                   uint64_t mine, uint32_t n, uint32_t shift,
                                   bool write) {
    struct race_plane *w = &s->write, *r = &s->read;
    if (!plane_harmless(q, w, at, mine, n, shift)) return false;
    if (write && !plane_harmless(q, r, at, mine, n, shift)) return false;
    if (!write && r->era == q->era &&
        !race_all_until(r->what + at, last_stale(q), n))
        return remember_marked(q, r, at, mine, n, shift);
    struct race_plane *p = write ? w : r;
    p->era = q->era;
    race_fast_remember(q, p, at, mine, n, shift);
    return true;
}

/* A word of each lane of a warp is what most runs are. */
WIDER static bool any_run(const struct race_now *q, struct race_shadow *s,
                          uint64_t at, uint64_t mine, uint32_t n,
                          uint32_t shift, bool write) {
    if (n == WARP_LANES && !shift)
        return fast_run(q, s, at, mine, WARP_LANES, 0, write);
    return fast_run(q, s, at, mine, n, shift, write);
}

bool race_fast(const struct race_now *q, const struct access *x,
               struct race_shadow *s) {
    if (!s->write.when) return race_short_fast(q, x, s);
    if (x->bytes < 4 || !x->shape.run || x->atomic) return false;
    uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
    uint64_t mine =
        q->what + ((uint64_t)x->shape.first << THREAD_SHIFT | ALL_BYTES);
    return any_run(q, s, access_first(x) >> 2, mine,
                   (uint32_t)x->shape.lanes << shift, shift, x->write);
}

/* ---- words that are no run ---- */

/* The plane has no entry of this launch for these words. */
static inline bool words_stale(const struct race_now *q,
                               const struct race_plane *p, const uint32_t *at,
                               uint32_t n) {
    uint64_t last = last_stale(q), later = 0;
    if (p->era != q->era) return true;
    for (uint32_t k = 0; k < n; k++) later |= last - p->what[at[k]];
    return !(later >> 63);
}

static inline void look_up(const struct race_plane *p, const uint32_t *at,
                           uint32_t n, struct entries *r) {
    for (uint32_t k = 0; k < n; k++) {
        r->when[k] = p->when[at[k]];
        r->what[k] = p->what[at[k]];
    }
}

static inline void note(const struct race_now *q, struct race_plane *p,
                        uint64_t mine, const uint32_t *at, uint32_t n) {
    p->era = q->era;
    for (uint64_t k = 0; k < n; k++) {
        p->when[at[k]] = q->when;
        p->what[at[k]] = mine + (k << THREAD_SHIFT);
    }
}

WIDER static bool entries_harmless(const struct race_now *q,
                                   const struct entries *r, uint64_t mine,
                                   uint32_t n) {
    return all_harmless(q, r->when, r->what, mine, n, 0);
}

/* The plane has no entry of this launch, or none that can race. writes: it is
 * the plane of writes. */
static bool look_harmless(const struct race_now *q, const struct access *x,
                          const struct race_plane *p, uint64_t mine,
                          const uint32_t *at, uint32_t n, bool writes) {
    struct entries r;
    if (words_stale(q, p, at, n)) return true;
    look_up(p, at, n, &r);
    if (x->atomic) race_skip_strong(r.what, n, WHAT_FAR | WHAT_SPECIAL);
    if (x->atomic && writes) return race_all_until(r.what, last_stale(q), n);
    return entries_harmless(q, &r, mine, n);
}

/* The lanes have read their words: remembers it. Where two lanes read one, the
 * last one is kept. */
static bool note_reads(const struct race_now *q, const struct access *x,
                       struct race_plane *p, uint64_t mine, const uint32_t *at,
                       uint32_t n) {
    struct entries r;
    uint64_t marks[WARP_LANES];
    bool apart = n == 1 || (x->shape.even && x->stride);
    bool alone = words_stale(q, p, at, n);
    if (!apart && q->exact) return false;
    if (!alone) {
        look_up(p, at, n, &r);
        if (!all_marks(q, r.when, r.what, mine, marks, n, 0)) return false;
        if (marks[0]) race_forget_reader(q, p, at[0]);
    }
    note(q, p, mine, at, n);
    if (!apart) race_forget_first(q, p, at[0], mine);
    for (uint64_t k = 0; !apart && k < n; k++)
        if ((p->what[at[k]] ^ (mine + (k << THREAD_SHIFT))) & THREAD_MASK)
            p->what[at[k]] |= WHAT_WARP;
    for (uint32_t k = 0; !alone && k < n; k++) p->what[at[k]] |= marks[k];
    return true;
}

/* The lanes write their words: remembers it. False, and nothing is remembered:
 * two lanes write one word. */
static bool note_writes(const struct race_now *q, const struct access *x,
                        struct race_plane *p, uint64_t mine, const uint32_t *at,
                        uint32_t n) {
    struct entries r;
    uint64_t differs = 0;
    bool apart = x->atomic || n == 1 || (x->shape.even && x->stride);
    if (!apart) look_up(p, at, n, &r);
    note(q, p, mine, at, n);
    if (apart) return true;
    for (uint64_t k = 0; k < n; k++)
        differs |= p->what[at[k]] ^ (mine + (k << THREAD_SHIFT));
    for (uint32_t k = 0; differs && k < n; k++) {
        p->when[at[k]] = r.when[k];
        p->what[at[k]] = r.what[k];
    }
    return !differs;
}

/* The words of neighbouring lanes, wherever they are. False: one may race, and
 * nothing is remembered. */
static bool words_at_once(const struct race_now *q, const struct access *x,
                          struct race_shadow *s, uint32_t first, uint32_t n) {
    uint64_t base = x->one->base;
    uint64_t mine = q->what + ((uint64_t)first << THREAD_SHIFT | ALL_BYTES);
    uint32_t at[WARP_LANES];
    for (uint32_t k = 0; k < n; k++)
        at[k] = (uint32_t)((x->address[first + k] - base) >> 2);
    if (!look_harmless(q, x, &s->write, mine, at, n, true)) return false;
    if (!x->write) return note_reads(q, x, &s->read, mine, at, n);
    return look_harmless(q, x, &s->read, mine, at, n, false) &&
           note_writes(q, x, &s->write, mine, at, n);
}

/* As words_at_once, for the run of lanes at a time. */
uint32_t race_words_fast(const struct race_now *now, const struct access *x,
                         struct race_shadow *s) {
    if (x->bytes != 4 || !s->write.when) return x->mask;
    uint32_t first = (uint32_t)__builtin_ctz(x->mask);
    uint32_t run = x->mask >> first;
    if (!(run & (run + 1)) &&
        words_at_once(now, x, s, first, (uint32_t)__builtin_popcount(run)))
        return 0;
    if (x->atomic) return x->mask;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (!words_at_once(now, x, s, l, 1)) return m;
    }
    return 0;
}

/* All the words are accessed by one thread, not by a lane each. */
enum { ONE_THREAD = 31 };

WIDER bool race_run_harmless(const struct race_now *q,
                             const struct race_plane *p, uint64_t at,
                             uint32_t n) {
    return plane_harmless(q, p, at, q->what, n, ONE_THREAD);
}

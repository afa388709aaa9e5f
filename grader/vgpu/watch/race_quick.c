/* SPDX-License-Identifier: MIT
 *
 * race_quick.c: the fast path of racecheck. Nearly all accesses cannot race;
 * this code finds that out for a whole warp at a time and remembers the access.
 *
 * How to read this: the entries of all words are compared with vector
 * instructions. Only three answers are understood: the entry is empty, or old
 * (from before the block's last barrier), or the thread's own; and for a read,
 * beside other readers: those may be forgotten, with a mark. If one word's
 * entry is anything else, nothing is remembered, and race_word.c looks at the
 * access again, lane by lane.
 */
#include "race_inside.h"

#include <string.h>

/* The lanes' entries, copied to one place. */
struct entries {
    uint64_t when[WARP_LANES], what[WARP_LANES];
};

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

/* The entries of n words are empty. */
WIDER static bool all_stale(const struct race_now *q, const uint64_t *what,
                            uint32_t n) {
    uint64_t harm = 0;
    for (uint32_t k = 0; k < n; k++) harm |= what[k] >> ERA_SHIFT == q->era;
    return !harm;
}

/* The marks of n words after their lanes have read them, beside who read them
 * before. False: another reader must not be forgotten. */
WIDER static bool all_marks(const struct race_now *q, const uint64_t *when,
                            const uint64_t *what, uint64_t *marks, uint32_t n,
                            uint32_t shift) {
    uint64_t never = 0, keep = q->exact ? ~0ull : WHAT_STRONG;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t e = what[k];
        uint64_t differs = e ^ (q->what + (k >> shift << THREAD_SHIFT));
        uint64_t now = 0 - (uint64_t)(e >> ERA_SHIFT == q->era);
        uint64_t far = 0 - (uint64_t)((when[k] ^ q->block) >> 32 != 0);
        uint64_t new = 0 - (uint64_t)(when[k] - q->block >= q->barrier);
        uint64_t other = (0 - (uint64_t)((differs & THREAD_MASK) != 0)) | far;
        uint64_t near = differs & WARP_MASK ? WHAT_BLOCK : WHAT_WARP;
        uint64_t mark = (far & WHAT_GRID) | (~far & near);
        other &= now & new;
        never |= (now & e & WHAT_SAW) |
                 (other & ((e & keep) | (differs & ALL_BYTES)));
        marks[k] =
            (now & e & WHAT_FAR) | (now & new &e &WHAT_NEAR) | (other & mark);
    }
    return !never;
}

WIDER static void remember(const struct race_now *q, uint64_t *when,
                           uint64_t *what, uint32_t n, uint32_t shift) {
    for (uint64_t k = 0; k < n; k++) {
        when[k] = q->when;
        what[k] = q->what + (k >> shift << THREAD_SHIFT);
    }
}

/* Beside other readers: with the marks of each of n words, not more than these.
 */
WIDER static bool remember_marked(const struct race_now *q,
                                  struct race_plane *p, uint64_t at, uint32_t n,
                                  uint32_t shift) {
    uint64_t marks[MARKED], *when = p->when + at, *what = p->what + at;
    if (!all_marks(q, when, what, marks, n, shift)) return false;
    if (marks[0]) race_forget_reader(q, p, at);
    if (marks[n - 1]) race_forget_reader(q, p, at + n - 1);
    for (uint64_t k = 0; k < n; k++) {
        when[k] = q->when;
        what[k] = (q->what + (k >> shift << THREAD_SHIFT)) | marks[k];
    }
    return true;
}

bool race_quick(const struct race_now *now, const struct access *x,
                struct race_shadow *s) {
    if (!s->write.when) return race_short_quick(now, x, s);
    if (x->bytes < 4 || !x->shape.run || x->atomic) return false;
    uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
    uint32_t n = (uint32_t)x->shape.lanes << shift;
    uint64_t at = access_first(x) >> 2;
    struct race_plane *w = &s->write, *r = &s->read;
    struct race_now q = *now;
    q.what += (uint64_t)x->shape.first << THREAD_SHIFT | ALL_BYTES;
    if (w->era == q.era &&
        !all_harmless(&q, w->when + at, w->what + at, n, shift))
        return false;
    if (!x->write) {
        if (r->era == q.era && !all_stale(&q, r->what + at, n))
            return remember_marked(&q, r, at, n, shift);
        r->era = q.era;
        remember(&q, r->when + at, r->what + at, n, shift);
        return true;
    }
    if (r->era == q.era &&
        !all_harmless(&q, r->when + at, r->what + at, n, shift))
        return false;
    w->era = q.era;
    remember(&q, w->when + at, w->what + at, n, shift);
    return true;
}

static inline void look_up(const struct race_plane *p, const uint32_t *at,
                           uint32_t n, struct entries *r) {
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
    struct entries r;
    if (p->era != q->era) return true;
    look_up(p, at, n, &r);
    if (x->atomic)
        race_forgive_strong(r.what, n,
                            WHAT_FAR | WHAT_SPECIAL | (writes ? 0 : WHAT_SAW));
    if (x->atomic && writes) return all_stale(q, r.what, n);
    for (uint32_t k = 0; x->atomic && k < n; k++)
        if (r.what[k] >> ERA_SHIFT == q->era && r.what[k] & WHAT_SAW)
            return false;
    return all_harmless(q, r.when, r.what, n, 0);
}

/* The lanes have read their words: remembers it. Where two lanes read one, the
 * last one is kept. */
static bool note_reads(const struct race_now *q, const struct access *x,
                       struct race_plane *p, const uint32_t *at, uint32_t n) {
    struct entries r;
    uint64_t marks[WARP_LANES];
    bool apart = n == 1 || (x->shape.even && x->stride);
    bool alone = p->era != q->era;
    if (!apart && q->exact) return false;
    if (!alone) {
        look_up(p, at, n, &r);
        alone = all_stale(q, r.what, n);
    }
    if (!alone && !all_marks(q, r.when, r.what, marks, n, 0)) return false;
    if (!alone && marks[0]) race_forget_reader(q, p, at[0]);
    note(q, p, at, n);
    if (!apart) race_forget_first(q, p, at[0], 0);
    for (uint64_t k = 0; !apart && k < n; k++)
        if ((p->what[at[k]] ^ (q->what + (k << THREAD_SHIFT))) & THREAD_MASK)
            p->what[at[k]] |= WHAT_WARP;
    for (uint32_t k = 0; !alone && k < n; k++) p->what[at[k]] |= marks[k];
    return true;
}

/* The words of neighbouring lanes, wherever they are. Their entries are copied
 * to one place, compared together, and written back. False: one may race, and
 * nothing is remembered. */
static bool words_at_once(const struct race_now *now, const struct access *x,
                          struct race_shadow *s, uint32_t first, uint32_t n) {
    uint64_t base = x->one->base, differs = 0;
    uint32_t at[WARP_LANES];
    struct race_now q = *now;
    struct entries r;
    q.what += (uint64_t)first << THREAD_SHIFT | ALL_BYTES;
    for (uint32_t k = 0; k < n; k++)
        at[k] = (uint32_t)((x->address[first + k] - base) >> 2);
    if (!look_harmless(&q, x, &s->write, at, n, true)) return false;
    if (!x->write) return note_reads(&q, x, &s->read, at, n);
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

/* As words_at_once, for the run of lanes at a time. */
uint32_t race_words_quick(const struct race_now *now, const struct access *x,
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

bool race_run_harmless(const struct race_now *q, const struct race_plane *p,
                       uint64_t at, uint32_t n) {
    return p->era != q->era ||
           all_harmless(q, p->when + at, p->what + at, n, ONE_THREAD);
}

/* SPDX-License-Identifier: MIT
 *
 * pairs.c: which accesses race (clocks.h; vgpu/docs/race-model.md).
 */
#include <stdlib.h>

#include "clocks.h"

bool referee_same_block(const struct referee *r, uint32_t t, uint32_t u) {
    return block_of(r, t) == block_of(r, u);
}

/* It has executed a fence, a barrier, or a release. */
void referee_pause(struct referee *r, uint32_t thread) {
    r->threads[thread].pauses++;
    r->pauses[block_of(r, thread)]++;
}

static bool mutually_strong(const struct referee *r, const struct access *a,
                            const struct access *b, enum space space) {
    if (!a->strong || !b->strong || a->copies || b->copies) return false;
    if (space == SPACE_shared && a->is_volatile && b->is_volatile &&
        a->thread / LANES == b->thread / LANES)
        return a->writes == b->writes;
    return referee_in_scope(r, a->thread, a->scope, b->thread, b->scope);
}

/* Some read that observed w is before the one whose clock is `before`. */
static bool was_seen_at(const struct write *w, const uint32_t *before) {
    for (const struct seen_by *s = w->seen_by; s; s = s->next)
        if (before[s->thread] >= s->time) return true;
    return false;
}

/* The same, but for a later access's own observation. */
static bool was_seen(const struct write *w, const struct access *later,
                     const uint32_t *before) {
    for (const struct seen_by *s = w->seen_by; s; s = s->next)
        if (before[s->thread] >= s->time &&
            (s->thread != later->place || s->time != later->time))
            return true;
    return false;
}

/* The bytes of a word, one bit each, that start and bytes have. */
static uint32_t bytes_of_word(uint32_t start, uint32_t bytes, uint32_t word) {
    uint32_t set = 0;
    for (uint32_t k = 0; k < 4; k++)
        set |= (uint32_t)(word + k >= start && word + k < start + bytes) << k;
    return set;
}

/* Writes after a, the oldest first, that have overwritten bytes of it with a
 * before them: whoever comes behind one of them does not see these bytes. */
struct hiders {
    const struct write **by;
    uint32_t *bytes, n;
    bool through; /* also through one another */
};
/* Of more writes of a word (threads that poll by atomic operations) only pairs
 * are looked at: each with each would take minutes. */
enum { MOST_THROUGH = 128 };
/* A program of which thousands of polls write asks for each pair of them about
 * each write between. After so many the run is given up, and counted. */
enum { MOST_LOOKS = 100000000 };

/* With one GPU the device is as wide as all; there no pair differs in that. */
static int width(uint32_t scope) {
    return scope == SCOPE_cta ? 0 : scope == SCOPE_gpu ? 1 : 2;
}

/* Those that w has overwritten if they were before it. */
static uint32_t may_hide(const struct write *w, const struct access *a,
                         uint32_t word) {
    bool may = w->strong && width(w->scope) <= width(a->scope);
    return may ? bytes_of_word(w->start, w->bytes, word) &
                     bytes_of_word(a->start, a->bytes, word)
               : 0;
}

static uint32_t overwritten(const struct write *w, const struct access *a,
                            uint32_t word, const struct hiders *h) {
    uint32_t set = may_hide(w, a, word), through = 0;
    if (!set || w->at[a->place] >= a->time) return set;
    if (was_seen_at(a->write, w->at)) return set;
    for (uint32_t k = h->through ? h->n : 0; k-- > 0 && set & ~through;)
        if (h->bytes[k] & set & ~through && was_seen_at(h->by[k], w->at))
            through |= h->bytes[k];
    return set & through;
}

/* All bytes that a and the later access share of the word were overwritten by
 * writes that it stands behind. */
static bool is_hidden(struct referee *r, const struct access *a,
                      const struct access *later, struct bytes_of b,
                      const uint32_t *before) {
    uint32_t n = 0, last = 0, word = b.start & ~3u;
    uint32_t open = bytes_of_word(a->start, a->bytes, word) &
                    bytes_of_word(later->start, later->bytes, word);
    const struct writes *newest = referee_words(r, b)->writes, *at = newest;
    if (!a->strong || r->looks > MOST_LOOKS) return false;
    for (; at && at->write != a->write; at = at->next, n++)
        if (!last && may_hide(at->write, a, word) & open &&
            was_seen(at->write, later, before))
            last = n + 1;
    r->looks += n;
    if (!last) return false; /* it stands behind none of them */
    const struct write **newer = calloc(n, sizeof *newer);
    struct hiders h = {.by = calloc(n, sizeof *h.by),
                       .bytes = calloc(n, sizeof *h.bytes),
                       .through = n <= MOST_THROUGH};
    if (!newer || !h.by || !h.bytes) exit(2);
    at = newest;
    for (uint32_t k = n; k-- > 0; at = at->next) newer[k] = at->write;
    for (uint32_t k = 0; k + last <= n && open; k++) {
        bool seen =
            may_hide(newer[k], a, word) && was_seen(newer[k], later, before);
        if (!seen && !h.through) continue;
        uint32_t bytes = overwritten(newer[k], a, word, &h);
        if (!bytes) continue;
        h.by[h.n] = newer[k];
        h.bytes[h.n++] = bytes;
        if (seen) open &= ~bytes;
    }
    free(newer);
    free(h.by);
    free(h.bytes);
    return !open;
}

/* a is before a later access of the word, whose clock is `before`: by program
 * order, barriers and flags, or because some read that observed it, or writes
 * that hide it, is (and is not that access itself). */
static bool is_before(struct referee *r, const struct access *a,
                      const struct access *later, struct bytes_of word,
                      const uint32_t *before) {
    return before[a->place] >= a->time ||
           (a->write && (was_seen(a->write, later, before) ||
                         is_hidden(r, a, later, word, before)));
}

static void add_race(struct referee *r, const struct access *later,
                     const struct access *a, struct bytes_of b, bool need_not) {
    if (r->n_races == r->races_room) {
        r->races_room = r->races_room ? 2 * r->races_room : 64;
        r->races = realloc(r->races, r->races_room * sizeof *r->races);
        if (!r->races) exit(2);
    }
    r->races[r->n_races++] = (struct race){
        .space = b.space,
        .launch = r->launch,
        .word = b.start / 4 + (b.space == SPACE_shared ? b.block * WORDS : 0),
        .op = later->op,
        .thread = later->thread,
        .other_op = a->op,
        .other_thread = a->thread,
        .order = later->order,
        .need_not = need_not};
}

static bool overlap(const struct access *a, const struct access *b) {
    return a->start < b->start + b->bytes && b->start < a->start + a->bytes;
}

/* The newest access of a thread that differs in nothing but its time: if an
 * older one is not before another access, neither is this one. */
static bool replaces(const struct access *a, const struct access *old) {
    return old->op == a->op && old->place == a->place && !old->writes &&
           !a->writes && old->start == a->start && old->bytes == a->bytes;
}

/* A generic write that the other proxy sees: a fence of some thread stands
 * between. */
static bool is_proxied(struct referee *r, const struct access *old,
                       const struct access *copy, struct bytes_of b,
                       const uint32_t *before) {
    for (uint32_t t = 0; t < r->n_threads; t++)
        for (uint32_t k = 0; k < r->threads[t].n_proxy_fences; k++) {
            const struct proxy_fence *f = &r->threads[t].proxy_fences[k];
            if (before[t] >= f->time && is_before(r, old, copy, b, f->before))
                return true;
        }
    return false;
}

static bool is_ordered(struct referee *r, const struct access *old,
                       const struct access *a, struct bytes_of b,
                       const uint32_t *before) {
    if (old->place == a->place) return true;
    return is_before(r, old, a, b, before) &&
           (!a->bulk_store || old->copies || is_proxied(r, old, a, b, before));
}

/* The read has returned, as vgpu/docs/race-model.md says ("Reads that have
 * returned"). */
static bool has_returned(const struct referee *r, const struct access *old,
                         const struct access *a) {
    return r->rules.reads_return && !old->writes && !old->copies &&
           r->threads[a->thread].knows.done[old->place] >= old->time;
}

/* One word of an access. */
static void look_at_word(struct referee *r, const struct access *a,
                         struct word *w, struct bytes_of b,
                         const uint32_t *before) {
    struct access **at = &w->accesses;
    while (*at) {
        const struct access *old = *at;
        if (overlap(a, old) && (a->writes || old->writes) &&
            !mutually_strong(r, a, old, b.space) &&
            !is_ordered(r, old, a, b, before) && !has_returned(r, old, a))
            add_race(r, a, old, b, false);
        if (replaces(a, old))
            *at = old->next;
        else
            at = &(*at)->next;
    }
    struct access *mine = referee_memory(r, sizeof *mine);
    *mine = *a;
    mine->next = w->accesses;
    w->accesses = mine;
}

/* The word's last write, if it is a strong one by another block's thread. */
static const struct access *
last_write(struct referee *r, const struct access *a, struct bytes_of b) {
    const struct access *w = referee_words(r, b)->accesses;
    while (w && !w->writes) w = w->next;
    return w && w->strong && !referee_same_block(r, w->thread, a->thread)
               ? w
               : NULL;
}

/* A strong read of several words, of which another block's thread wrote this
 * one and the next one by one (vgpu/docs/race-model.md, "Halves"). */
static void look_at_halves(struct referee *r, const struct access *a,
                           struct bytes_of b, const uint32_t *before) {
    struct bytes_of next = b;
    next.start += 4;
    const struct access *first = last_write(r, a, b);
    const struct access *second = last_write(r, a, next);
    if (!first || !second || first->thread != second->thread ||
        first->op == second->op || first->bytes + second->bytes > a->bytes ||
        first->pauses != second->pauses ||
        (is_ordered(r, first, a, b, before) &&
         is_ordered(r, second, a, next, before)))
        return;
    add_race(r, a, second, next, first->block_pauses != second->block_pauses);
}

void referee_raw_access(struct referee *r, struct access a, struct bytes_of b,
                        const uint32_t *before) {
    a.start = b.start;
    a.bytes = b.bytes;
    a.order = ++r->order;
    a.pauses = r->threads[a.thread].pauses;
    a.block_pauses = r->pauses[block_of(r, a.thread)];
    struct bytes_of half = b;
    uint32_t end = b.start + b.bytes;
    bool may = b.space == SPACE_global && a.strong && !a.writes && !a.copies;
    for (; may && half.start + 4 < end; half.start += 4)
        look_at_halves(r, &a, half, before);
    for (; b.start < end; b.start += 4)
        look_at_word(r, &a, referee_words(r, b), b, before);
}

bool referee_gave_up(const struct referee *r) {
    return r->looks > MOST_LOOKS;
}

/* SPDX-License-Identifier: MIT
 *
 * race_copies.c: racecheck of asynchronous copies: what they read and write is
 * accessed by channels (race.h), of which threads know what they have waited
 * for.
 */
#include "race_inside.h"

/* The run's bytes of word k, as in an entry. */
static uint64_t bytes_of_word(const struct race_run *r, uint64_t k) {
    uint64_t end = r->from + r->bytes, first = 4 * k, last = 4 * k + 4;
    if (first < r->from) first = r->from;
    if (last > end) last = end;
    return (((1ull << (last - first)) - 1) << (first & 3)) << BYTES_SHIFT;
}

void race_copy_begin(struct context *c, uint32_t lane,
                     const struct race_run *r) {
    struct race_shadow *s =
        race_of(c->machine) && r->bytes ? race_shadow_of_run(c, r) : NULL;
    if (!s) return;
    struct access x = {.one = r->region, .bytes = 16, .write = r->write};
    struct race_now q = race_now_of(c, &x, r->shared);
    struct race_word w = {.shadow = s, .lane = lane, .writes = r->write};
    q.what += (uint64_t)lane << THREAD_SHIFT | ALL_BYTES;
    uint64_t at = r->from >> 2, end = (r->from + r->bytes + 3) >> 2;
    uint32_t n = (uint32_t)(end - at);
    bool quiet = race_run_harmless(&q, &s->write, at, n) &&
                 race_run_harmless(&q, &s->read, at, n);
    for (uint64_t k = at; k < end; k++) {
        w.k = k;
        w.address = r->region->base + 4 * k;
        q.what = (q.what & ~(uint64_t)ALL_BYTES) | bytes_of_word(r, k);
        if (!quiet) race_check_word(c, &q, &w);
        struct race_now later = q;
        later.when =
            race_channel(context_block(c), r->channel) << 32 | r->stamp;
        if (quiet && (q.what & ALL_BYTES) == ALL_BYTES)
            race_enter(&later, r->write ? &s->write : &s->read, k, q.what);
        else
            race_remember(c, &later, &w);
    }
}

static void move(uint64_t *when, uint64_t what, uint64_t from, uint32_t thread,
                 uint32_t stamp) {
    if (*when == from && (what >> THREAD_SHIFT & 1023) == thread)
        *when = (from & ~(uint64_t)UINT32_MAX) | stamp;
}

/* Where others have followed, it is in the table. */
static void move_more(struct block *b, const struct race_run *r, uint64_t from,
                      uint32_t thread, uint32_t stamp) {
    struct race_mores *t = &race_of(b->machine)->mores;
    struct context c = {.machine = b->machine, .warp = b->warps};
    uint64_t end = (r->from + r->bytes + 3) & ~3ull;
    for (uint64_t at = r->from & ~3ull; t->n && at < end; at += 4) {
        uint64_t name = race_name(&c, r->region->base + at, r->shared);
        for (uint32_t k = race_more_first(t, name); k; k = t->list[k].next)
            if (t->list[k].name == name)
                move(&t->list[k].when, t->list[k].what, from, thread, stamp);
    }
}

void race_copy_moves(struct block *b, uint32_t thread, const struct race_run *r,
                     uint32_t stamp) {
    struct context c = {.machine = b->machine, .warp = b->warps};
    struct race_shadow *s =
        race_of(b->machine) ? race_shadow_of_run(&c, r) : NULL;
    if (!s || !r->bytes) return;
    struct race_plane *p = r->write ? &s->write : &s->read;
    uint64_t from = race_channel(b, r->channel) << 32 | r->stamp;
    for (uint64_t k = r->from >> 2; k < (r->from + r->bytes + 3) >> 2; k++)
        move(&p->when[k], p->what[k], from, thread, stamp);
    move_more(b, r, from, thread, stamp);
}

void race_copy_known(struct context *c, uint32_t lane, uint32_t channel,
                     uint32_t stamp) {
    const struct block *b = context_block(c);
    if (!race_of(c->machine) || !stamp) return;
    uint64_t thread = race_channel(b, channel) << 10 | thread_of(who(c, lane));
    race_learn_of(c, lane, thread, CLOCK_LANE, stamp);
}

uint32_t race_small_stamp(struct context *c, uint32_t group,
                          uint32_t arrivals) {
    if (!race_of(c->machine)) return 0;
    if (arrivals >> SMALL_BITS || group >> (32 - SMALL_BITS))
        race_stop(c->machine,
                  "a thread has more groups of asynchronous copies than it can "
                  "number",
                  "fewer copies to a launch");
    return group << SMALL_BITS | arrivals;
}

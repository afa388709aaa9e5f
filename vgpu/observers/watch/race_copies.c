/* SPDX-License-Identifier: MIT
 *
 * race_copies.c: racecheck of asynchronous copies: what they read and write is
 * accessed by channels (race.h), of which threads know what they have waited
 * for.
 */
#include "copies.h"
#include "race_inside.h"

/* ---- runs of bytes ---- */

/* The run's bytes of word k, as in an entry. */
static uint64_t bytes_of_word(const struct race_run *r, uint64_t k) {
    uint64_t end = r->from + r->bytes, first = 4 * k, last = 4 * k + 4;
    if (first < r->from) first = r->from;
    if (last > end) last = end;
    return (((1ull << (last - first)) - 1) << (first & 3)) << BYTES_SHIFT;
}

static void copy_begin(struct context *c, uint32_t lane,
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

static void copy_moves(struct block *b, uint32_t thread,
                       const struct race_run *r, uint32_t stamp) {
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

static void copy_known(struct context *c, uint32_t lane, uint32_t channel,
                       uint32_t stamp) {
    const struct block *b = context_block(c);
    if (!race_of(c->machine) || !stamp) return;
    uint64_t thread = race_channel(b, channel) << 10 | thread_of(who(c, lane));
    race_learn_of(c, lane, thread, CLOCK_LANE, stamp);
}

static uint32_t small_stamp(struct context *c, uint32_t group,
                            uint32_t arrivals) {
    if (!race_of(c->machine)) return 0;
    if (arrivals >> SMALL_BITS || group >> (32 - SMALL_BITS))
        race_stop(c->machine,
                  "a thread has more groups of asynchronous copies than it can "
                  "number",
                  "fewer copies to a launch");
    return group << SMALL_BITS | arrivals;
}

/* ---- events ---- */

/* One half of a bulk copy. */
void race_copy_half(struct context *c, struct async_copy *k,
                    const struct region *r, bool shared, bool write) {
    uint64_t at = write ? k->to : k->from;
    struct race_run run = {.region = r,
                           .from = at - r->base,
                           .bytes = k->bytes,
                           .shared = shared,
                           .write = write,
                           .channel = write ? RACE_BULK_WRITE : RACE_BULK_READ,
                           .stamp = k->group};
    if (!race_of(c->machine)) return;
    if (k->op->verb != ASYNC_BULK_STORE)
        race_mbarrier_channel(k->block, k->barrier, &run);
    k->stamp = run.stamp;
    if (!write && shared) race_proxy_check(c, k->lane, &run);
    copy_begin(c, k->lane, &run);
}

/* Both halves of a lane's copy. */
void race_small_copy(struct context *c, const struct small *s, uint32_t l) {
    const struct async_op *op = c->insn->extra;
    struct async_lanes *w = c->warp->async;
    struct race_run to = {
        .region = &context_block(c)->shared,
        .from = s->to[l],
        .bytes = op->bytes,
        .shared = true,
        .write = true,
        .channel = RACE_SMALL,
        .stamp = small_stamp(c, w->small_group[l], w->small_arrivals[l])};
    struct race_run from = to;
    struct allocation *a =
        s->bytes[l] ? memory_range(c->machine->memory, s->from[l], s->bytes[l])
                    : NULL;
    if (!race_of(c->machine)) return;
    if (a) {
        from.region = &a->region;
        from.from = s->from[l] - a->region.base;
        from.bytes = s->bytes[l];
        from.shared = from.write = false;
        copy_begin(c, l, &from);
    }
    copy_begin(c, l, &to);
}

void race_arrival_waits(struct context *c, struct async_copy *k,
                        uint32_t lane) {
    const struct async_lanes *w = c->warp->async;
    k->stamp = small_stamp(c, w->small_group[lane], w->small_arrivals[lane]);
}

/* Each lane knows its own copies, but for those of the groups that it leaves.
 */
void race_groups_awaited(struct context *c, const struct async_op *op) {
    const struct async_lanes *w = c->warp->async;
    if (!w) return;
    bool small = op->verb == ASYNC_SMALL_WAIT;
    for (uint32_t on = race_of(c->machine) ? c->lanes->mask : 0; on;
         on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        uint32_t open = small ? w->small_group[l] : w->bulk_group[l];
        uint32_t n = open > op->at_most ? open - op->at_most : 0;
        if (small) {
            copy_known(c, l, RACE_SMALL, small_stamp(c, n, 0));
            continue;
        }
        copy_known(c, l, RACE_BULK_READ, n);
        if (op->verb == ASYNC_BULK_WAIT) copy_known(c, l, RACE_BULK_WRITE, n);
    }
}

/* Both halves of a load that completes in a later phase than it was issued in.
 */
static void postpone(struct async_copy *k) {
    struct block *b = k->block;
    struct allocation *a =
        k->from_shared ? NULL
                       : memory_range(b->machine->memory, k->from, k->bytes);
    struct race_run now = {.bytes = k->bytes}, to, from;
    race_mbarrier_channel(b, k->barrier, &now);
    to = from = now;
    to.stamp = from.stamp = k->stamp;
    to.region = from.region = &b->shared;
    to.from = k->to;
    from.from = k->from;
    to.write = to.shared = from.shared = true;
    if (a) {
        from.region = &a->region;
        from.from = k->from - a->region.base;
        from.shared = false;
    }
    copy_moves(b, k->thread, &to, now.stamp);
    copy_moves(b, k->thread, &from, now.stamp);
    k->stamp = now.stamp;
}

void race_phase_ends(struct block *b, const struct mbarrier *x) {
    if (!race_of(b->machine)) return;
    race_mbarrier_completes(b, x->at);
    for (struct async_copy *k = b->async->first; k; k = k->next)
        if (k->op->verb == ASYNC_BULK_LOAD && k->barrier == x->at &&
            k->done < k->bytes)
            postpone(k);
}

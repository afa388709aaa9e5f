/* SPDX-License-Identifier: MIT
 *
 * race.c: racecheck: looks at each access and remembers it. race.h says what a
 * race is here, race_inside.h which files racecheck consists of.
 *
 * How to read this: every block has a clock that barriers and warp barriers
 * advance. A shadow word remembers who accessed it last, and at which time (the
 * stamp). The function `ordered` is the definition of happens-before; the rest
 * is bookkeeping.
 */
#include "race.h"

#include "race_inside.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SHADOW_BYTES = 1 << 24,
    MAX_RACED_BYTES = 1 << 26 /* their shadows take twelve times as many */
};

/* ---- what a shadow remembers ---- */

/* Short stamps have run out: forgets what was remembered of shared memory. At
 * worst a race is missed. */
static void forget_shared(struct block *b) {
    struct race_shadow *s = b->race_shadow;
    b->race_base = 1 - (int64_t)b->race_clock;
    if (!s || s->write.when) return;
    memset(s->write.what, 0, s->n * sizeof *s->write.what);
    memset(s->read.what, 0, s->n * sizeof *s->read.what);
}

/* The current access, packed as if lane 0 of its warp accessed a whole word. */
static inline __attribute__((always_inline)) struct race_now
now_of(const struct context *c, const struct access *x, bool shared) {
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
    /* A lock may have passed through another block and come back. */
    const struct race_state *r = c->machine->race;
    if (r->too_many) return true;
    const struct race_view *v = r->known[b->linear];
    if (v && before->stamp < v->clock[block_of(before->who)]) return true;
    bool early = was_read && !c->machine->options->reads_want_release;
    v = early ? r->done[b->linear] : NULL;
    return v && before->stamp < v->clock[block_of(before->who)];
}

/* Lanes of a warp that pass values through volatile shared memory without a
 * barrier, as code from before independent thread scheduling did. volatile does
 * not keep the lanes of a warp together, so this is a race. */
static bool trusts_step(const struct race_by *before,
                        const struct race_by *now) {
    return before->volatile_shared && now->volatile_shared &&
           before->who / WARP_LANES == now->who / WARP_LANES;
}

/* Does entry k of the plane race with the current access? */
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

/* Reports a race of the current access with what is remembered of the word. */
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
    if (!writes)
        read_now(q, s, k, q->what);
    else if (!hides_weak(q, race_entry(q, &s->write, k), !s->write.when))
        race_enter(q, &s->write, k, q->what);
}

/* ---- an access of a warp ---- */

/* One block of memory: free() is enough. NULL: out of memory. */
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

/* An atomic that publishes nothing and takes nothing over (acquires). */
static bool orders_nothing(const struct context *c, const struct access *x) {
    enum memory_order o = c->insn->order;
    return x->atomic && x->bytes == 4 && !c->machine->race->n_syncs &&
           !race_publishes(c, o == ORDER_RELEASE || o == ORDER_ACQ_REL);
}

/* A lane's strong write publishes what is ordered before it. */
static void publish(struct context *c, uint64_t name, bool shared) {
    enum memory_order o = c->insn->order;
    bool release = o == ORDER_RELEASE || o == ORDER_ACQ_REL;
    if (!shared && !c->machine->race->too_many) race_publish_done(c, name);
    if (race_publishes(c, release)) race_publish(c, name, release);
}

/* Lane by lane. */
static __attribute__((noinline)) void touch_lanes(struct context *c,
                                                  const struct access *x,
                                                  struct race_now *now,
                                                  uint32_t lanes, bool shared) {
    enum memory_order o = c->insn->order;
    bool strong = x->atomic || o != ORDER_WEAK;
    for (uint32_t k = lanes; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = x->address[l], name = race_sync_name(c, a, shared);
        if (strong && (!x->write || x->atomic))
            race_observe(c, l, name, o == ORDER_ACQUIRE || o == ORDER_ACQ_REL);
        struct race_shadow *s = shadow_of(c, x, l, shared);
        uint64_t offset = a - access_region(x, l)->base;
        if (s) touch_lane(c, x, now, s, l, shared);
        if (s && strong && !shared && !x->write && !(offset & 3) &&
            x->bytes >= 8)
            race_check_torn(c, now, &s->write, offset >> 2, x->bytes / 4, l, a);
        if (!strong || !x->write) continue;
        publish(c, name, shared);
        if (context_block(c)->race_clock != (uint32_t)now->when)
            *now = race_now_of(c, x, shared); /* a release advances the clock */
    }
}

void race_access(struct context *c, struct access *x) {
    bool shared = x->space == PTX_SHARED;
    if (!c->machine->race || (!shared && x->space != PTX_GLOBAL)) return;
    struct race_now now = now_of(c, x, shared);
    bool strong = x->atomic || c->insn->order != ORDER_WEAK;
    uint32_t lanes = x->mask;
    if (x->one && (!strong || orders_nothing(c, x))) {
        struct race_shadow *s = shadow_of(c, x, x->shape.first, shared);
        if (!s || race_quick(&now, x, s)) return;
        access_spread(x);
        lanes = race_words_quick(&now, x, s);
        if (!lanes) return;
    }
    access_spread(x);
    touch_lanes(c, x, &now, lanes, shared);
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

struct race_shadow *race_shadow_of_run(struct context *c,
                                       const struct race_run *r) {
    struct access x = {.one = r->region};
    return shadow_of(c, &x, 0, r->shared);
}

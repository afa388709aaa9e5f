/* SPDX-License-Identifier: MIT
 *
 * race.c: racecheck: looks at each access and remembers it.
 * vgpu/docs/race-model.md says what a race is here, race_inside.h which files
 * racecheck consists of.
 *
 * How to read this: every block has a clock that barriers and fences advance. A
 * shadow word remembers who accessed it last, and at which time (the stamp).
 * race_is_ordered is the definition of happens-before; the rest is bookkeeping.
 */
#include "race.h"

#include "pages.h"
#include "race_inside.h"
#include "translate.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the present time ---- */

static void shift_stamps(uint64_t *what, uint64_t n, uint64_t oldest,
                         uint64_t by) {
    for (uint64_t k = 0; k < n; k++)
        what[k] =
            what[k] >> STAMP_SHIFT < oldest ? 0 : what[k] - (by << STAMP_SHIFT);
}

/* Short stamps have run out: those since the last barrier, which alone count,
 * begin again at 1. */
static void renumber(struct block *b) {
    struct race_shadow *s = race_block_of(b)->shadow;
    int64_t oldest =
        race_block_of(b)->base +
        (race_block_of(b)->barrier ? race_block_of(b)->barrier : 1);
    uint64_t by = oldest > 1 ? (uint64_t)oldest - 1 : 0;
    if (!by) {
        race_stop(b->machine, "a block passed more fences than it can number",
                  "a barrier between them");
        by = (uint64_t)(race_block_of(b)->base + race_block_of(b)->clock) - 1;
        oldest = race_block_of(b)->base + race_block_of(b)->clock;
    }
    race_block_of(b)->base -= (int64_t)by;
    if (!s || s->write.when) return;
    shift_stamps(s->write.what, s->n, (uint64_t)oldest, by);
    shift_stamps(s->read.what, s->n, (uint64_t)oldest, by);
    shift_stamps(&s->write.latest, 1, (uint64_t)oldest, by);
    shift_stamps(&s->read.latest, 1, (uint64_t)oldest, by);
}

/* What the instruction says about its accesses. */
static uint64_t flags_of(const struct machine *m, const struct insn *i,
                         const struct access *x, bool shared) {
    bool strong = x->atomic || i->order != ORDER_WEAK || i->before_cas;
    bool of_block = strong && cluster_of_block(m, i->of_block);
    bool special = shared ? !x->atomic && i->order == ORDER_VOLATILE : of_block;
    bool grouped = strong && cluster_in(m) &&
                   (shared ? of_block : i->of_block == CLUSTER_SCOPE);
    return (strong ? WHAT_STRONG : 0) | (special ? WHAT_SPECIAL : 0) |
           (grouped ? WHAT_DEVICE : 0);
}

/* The current access, packed as if lane 0 of its warp accessed a whole word. */
static inline __attribute__((always_inline)) struct race_now
now_of(const struct context *c, const struct access *x, bool shared) {
    struct race_state *r = race_of(c->machine);
    struct block *b = context_block(c);
    const struct insn *i = c->insn;
    uint64_t era = shared ? race_block_of(b)->era : r->era;
    uint64_t thread = c->warp->index * WARP_LANES;
    uint64_t flags =
        i->plain && !i->before_cas ? 0 : flags_of(c->machine, i, x, shared);
    if (r->has_gpus && flags == WHAT_STRONG && !shared && !i->of_system &&
        !i->before_cas)
        flags |= WHAT_DEVICE;
    if (race_block_of(b)->base + race_block_of(b)->clock > LAST_SHORT_STAMP)
        renumber(b);
    int64_t barrier =
        race_block_of(b)->base +
        (race_block_of(b)->barrier ? race_block_of(b)->barrier : 1);
    return (struct race_now){
        .block = b->linear << 32,
        .barrier = race_block_of(b)->barrier,
        .era = era,
        .when = b->linear << 32 | race_block_of(b)->clock,
        .what = era << ERA_SHIFT | (uint64_t)i->number << INSN_SHIFT |
                thread << THREAD_SHIFT | flags,
        .short_stamp =
            (uint64_t)(race_block_of(b)->base + race_block_of(b)->clock)
            << STAMP_SHIFT,
        .short_barrier = (uint64_t)(barrier > 1 ? barrier : 1) << STAMP_SHIFT,
        .shared = shared,
        .exact = r->exact[shared],
        .forgotten = r->forgotten,
        .state = r};
}

/* ---- an access of a warp ---- */

/* So many bytes of global memory are looked at; their shadows take eight times
 * as many, when all are accessed: a quarter of the machine's memory. */
static uint64_t most_raced(const struct machine *m) {
    enum { LEAST = 1 << 26, PART = 32 };
    if (m->options->race_memory_mib) return m->options->race_memory_mib << 20;
    uint64_t all = pages_of_machine();
    return all / PART > LEAST ? all / PART : LEAST;
}

/* Every access comes to several places of a shadow: with small pages each is a
 * place of the TLB, and a fault at its first use. */
static void ask_for_large_pages(void *shadow, size_t bytes) {
    enum { LEAST = 8 << 20 };
    if (bytes >= LEAST) pages_want_large(shadow, bytes);
}

static struct race_shadow *new_shadow(const struct machine *m, uint64_t bytes,
                                      bool is_short) {
    uint64_t n = bytes / 4 + 1, words = is_short ? 2 * n : 4 * n;
    struct race_shadow *s = charges_zeroed(
        &m->memory->charges, sizeof *s + words * sizeof(uint64_t), NULL);
    if (!s) return NULL;
    ask_for_large_pages(s, sizeof *s + (size_t)words * sizeof(uint64_t));
    s->n = n;
    s->write.what = s->words;
    s->read.what = s->words + n;
    s->write.when = is_short ? NULL : s->words + 2 * n;
    s->read.when = is_short ? NULL : s->words + 3 * n;
    return s;
}

struct race_shadow *race_shared_shadow(const struct machine *m) {
    return new_shadow(m, m->shared_bytes,
                      !m->program->copies_later && !cluster_in(m));
}

static void make_shadow(struct machine *m, struct allocation *a) {
    uint64_t most = most_raced(m),
             held = m->memory->shadowed_bytes[OBSERVER_RACE];
    char what[VGPU_TEXT];
    struct race_shadow *s =
        held + a->size <= most ? new_shadow(m, a->size, false) : NULL;
    if (s) {
        memory_set_shadow(m->memory, a, OBSERVER_RACE, s);
        return;
    }
    snprintf(what, sizeof what,
             _("the kernel accesses allocations of %llu MiB, and on this "
               "machine there is memory to look at %llu MiB"),
             (unsigned long long)((held + a->size + 0xfffff) >> 20),
             (unsigned long long)(most >> 20));
    race_stop(m, what,
              "smaller arrays, a machine with more memory, or vgpu's "
              "--race-memory");
}

/* Of global memory. */
static inline struct allocation *allocation_of(const struct access *x,
                                               uint32_t lane) {
    return (
        struct allocation *)(uintptr_t)((const uint8_t *)access_region(x,
                                                                       lane) -
                                        offsetof(struct allocation, region));
}

static struct race_shadow *shadow_of(struct context *c, const struct access *x,
                                     uint32_t lane, bool shared) {
    if (shared && cluster_in(c->machine))
        return race_block_of(cluster_of_region(access_region(x, lane)))->shadow;
    if (shared) return race_block_of(context_block(c))->shadow;
    struct allocation *a = allocation_of(x, lane);
    if (!race_shadow_at(a) && !race_of(c->machine)->stopped)
        make_shadow(c->machine, a);
    return race_shadow_at(a);
}

/* Its address; of another block's shared memory with what says whose it is. */
static inline uint64_t race_address_of(const struct context *c,
                                       const struct access *x, uint32_t lane,
                                       bool shared) {
    if (!shared || !cluster_in(c->machine)) return x->address[lane];
    const struct block *b = cluster_of_region(access_region(x, lane));
    return b == context_block(c)
               ? x->address[lane]
               : x->address[lane] | (b->rank + 1ull) << CLUSTER_SHIFT;
}

/* The words of one lane. */
static void touch_lane(struct context *c, const struct access *x,
                       const struct race_now *now, struct race_shadow *s,
                       uint32_t l) {
    uint64_t a = x->address[l], offset = a - access_region(x, l)->base;
    uint64_t named = race_address_of(c, x, l, now->shared);
    struct race_now q = *now;
    struct race_word w = {
        .shadow = s, .lane = l, .writes = x->write, .atomic = x->atomic};
    for (uint32_t done = 0; done < x->bytes;) {
        uint32_t in = (uint32_t)(offset + done) & 3;
        uint32_t n = 4 - in < x->bytes - done ? 4 - in : x->bytes - done;
        uint64_t bytes = ((1u << n) - 1) << in;
        q.what =
            now->what + ((uint64_t)l << THREAD_SHIFT | bytes << BYTES_SHIFT);
        w.k = (offset + done) >> 2;
        w.address = named + done;
        race_check_word(c, &q, &w);
        race_remember(c, &q, &w);
        done += n;
    }
}

/* An atomic that releases nothing and acquires nothing. */
static bool orders_nothing(const struct context *c, const struct access *x) {
    const struct race_state *r = race_of(c->machine);
    return x->atomic && x->bytes == 4 && !r->versions &&
           c->insn->order == ORDER_RELAXED && !c->insn->of_block;
}

/* Lane by lane. */
static __attribute__((noinline)) void touch_lanes(struct context *c,
                                                  const struct access *x,
                                                  const struct race_now *now,
                                                  uint32_t lanes, bool shared) {
    for (uint32_t k = lanes; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        struct race_shadow *s = shadow_of(c, x, l, shared);
        if (s) touch_lane(c, x, now, s, l);
    }
}

/* The same for strong accesses, where each write counts (race_version.c). read:
 * NULL, or what each lane reads. */
static void touch_strong(struct context *c, const struct access *x,
                         struct race_now *now, bool shared,
                         const uint32_t *read) {
    bool reads = !x->write || x->atomic;
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        struct race_shadow *s = shadow_of(c, x, l, shared);
        if (!s) continue;
        uint64_t at = (x->address[l] - access_region(x, l)->base) >> 2;
        struct race_strong a = {.address = race_address_of(c, x, l, shared),
                                .bytes = x->bytes,
                                .shared = shared,
                                .entry = {now->when, now->what},
                                .writes = &s->write,
                                .k = at};
        a.name = race_version_name(c, a.address, shared);
        race_of(c->machine)->observed = 0;
        if (reads) race_version_observe(c, l, now, &a, read);
        touch_lane(c, x, now, s, l);
        if (!shared && !x->write && !(a.address & 3) && x->bytes >= 8)
            race_check_torn(c, now, &s->write, at, x->bytes / 4, l, a.address);
        race_version_seen(c, l, (uint32_t)now->when);
        if (!x->write) continue;
        race_version_publish(c, l, &a);
        if (race_block_of(context_block(c))->clock != (uint32_t)now->when)
            *now = now_of(c, x, shared); /* a release advances the clock */
    }
    race_of(c->machine)->observed = 0;
}

void race_weak_access(struct context *c, struct access *x,
                      const uint32_t *read) {
    if (!race_of(c->machine) || !race_of(c->machine)->versions ||
        c->insn->order == ORDER_WEAK)
        return;
    struct race_now now = now_of(c, x, false);
    access_spread(x);
    touch_strong(c, x, &now, false, read);
}

/* Words anywhere lie in as many lines of each plane: those that race_access
 * will look at or write. */
static inline void fetch(const struct race_plane *p, const struct access *x) {
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint64_t at = x->address[__builtin_ctz(m)] - x->one->base;
        __builtin_prefetch(&p->what[at >> 2], 1);
        __builtin_prefetch(&p->when[at >> 2], 1);
    }
}

void race_scattered(struct context *c, struct access *x) {
    if (!race_of(c->machine)) return;
    const struct race_shadow *s = race_shadow_at(allocation_of(x, 0));
    if (!s) return;
    uint64_t era = race_of(c->machine)->era;
    if (x->write || s->write.era == era) fetch(&s->write, x);
    if (!x->write || s->read.era == era) fetch(&s->read, x);
}

void race_access(struct context *c, struct access *x) {
    struct race_state *r = race_of(c->machine);
    bool shared = x->space == PTX_SHARED;
    if (!r || (!shared && x->space != PTX_GLOBAL)) return;
    struct race_now now = now_of(c, x, shared);
    if (shared && cluster_in(c->machine)) race_remotes_note(c, x, &now);
    if (c->insn->read_only && !shared) race_cached_load(c, x, &now);
    bool strong = x->atomic || c->insn->order != ORDER_WEAK;
    uint32_t lanes = x->mask;
    if (x->one && ((!strong && !c->insn->before_cas) || orders_nothing(c, x))) {
        struct race_shadow *s = shadow_of(c, x, x->shape.first, shared);
        if (!s || race_fast(&now, x, s)) return;
        access_spread(x);
        lanes = race_words_fast(&now, x, s);
        if (!lanes) return;
    }
    if (r->versions && strong && c->insn->kind != KIND_MBARRIER) {
        if (!shared && race_versions_weak(r->versions)) return; /* weak.c */
        access_spread(x);
        touch_strong(c, x, &now, shared, NULL);
    } else {
        access_spread(x);
        touch_lanes(c, x, &now, lanes, shared);
    }
    if (r->clocks.lacks)
        race_stop(c->machine,
                  "no memory is left for what threads know of "
                  "each other",
                  "fewer blocks");
}

/* ---- for race_copies.c: static above, so that what is hot is inlined ---- */

struct race_now race_now_of(const struct context *c, const struct access *x,
                            bool shared) {
    return now_of(c, x, shared);
}

struct race_shadow *race_shadow_of_run(struct context *c,
                                       const struct race_run *r) {
    struct access x = {.one = r->region};
    return shadow_of(c, &x, 0, r->shared);
}

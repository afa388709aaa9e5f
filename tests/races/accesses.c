/* SPDX-License-Identifier: MIT
 *
 * accesses.c: accesses to memory: which write a read observes, what a write
 * releases, and which accesses race (clocks.h; docs/race-model.md).
 */
#include <stdlib.h>

#include "clocks.h"

struct bytes_of bytes_at(enum space space, uint32_t block, uint64_t address,
                         uint32_t bytes) {
    return (struct bytes_of){.space = space,
                             .block = block,
                             .start = (uint32_t)address,
                             .bytes = bytes};
}

/* The words of the bytes, from the first on. */
static struct word *referee_words(struct referee *r, struct bytes_of b) {
    struct word *all = b.space == SPACE_shared ? r->shared[b.block] : r->global;
    return &all[b.start / 4 % WORDS];
}

/* ---- races ---- */

static bool same_block(const struct referee *r, uint32_t t, uint32_t u) {
    return block_of(r, t) == block_of(r, u);
}

static bool mutually_strong(const struct referee *r, const struct access *a,
                            const struct access *b, enum space space) {
    if (!a->strong || !b->strong || a->copies || b->copies) return false;
    bool one = same_block(r, a->thread, b->thread);
    if (space == SPACE_shared && a->is_volatile && b->is_volatile &&
        a->thread / LANES == b->thread / LANES)
        return a->writes == b->writes;
    return one || (a->scope != SCOPE_cta && b->scope != SCOPE_cta);
}

static bool was_seen(const struct write *w, const struct access *later,
                     const uint32_t *before) {
    for (const struct seen_by *s = w->seen_by; s; s = s->next)
        if (before[s->thread] >= s->time &&
            (s->thread != later->place || s->time != later->time))
            return true;
    return false;
}

/* Strong write a is before w, which overwrites it: whoever comes behind w does
 * not see a. */
static bool stands_for(const struct write *w, const struct access *a) {
    if (!w->strong || !a->strong || w->start > a->start ||
        w->start + w->bytes < a->start + a->bytes ||
        (a->scope == SCOPE_cta && w->scope != SCOPE_cta))
        return false;
    if (w->at[a->place] >= a->time) return true;
    for (const struct seen_by *s = a->write->seen_by; s; s = s->next)
        if (w->at[s->thread] >= s->time) return true;
    return false;
}

/* a is before a later access whose clock is `before`: by program order,
 * barriers and flags, or because some read that observed it, or a write that
 * stands for it, is (and is not that access itself). */
static bool is_before(const struct access *a, const struct access *later,
                      const uint32_t *before) {
    if (before[a->place] >= a->time) return true;
    if (!a->write) return false;
    if (was_seen(a->write, later, before)) return true;
    for (const struct write *w = *a->all; w && w != a->write; w = w->next)
        if (stands_for(w, a) && was_seen(w, later, before)) return true;
    return false;
}

static void add_race(struct referee *r, const struct access *later,
                     const struct access *a, struct bytes_of b) {
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
        .order = later->order};
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
static bool is_proxied(const struct referee *r, const struct access *old,
                       const struct access *copy, const uint32_t *before) {
    for (uint32_t t = 0; t < r->n_threads; t++)
        for (uint32_t k = 0; k < r->threads[t].n_proxy_fences; k++) {
            const struct proxy_fence *f = &r->threads[t].proxy_fences[k];
            if (before[t] >= f->time && is_before(old, copy, f->before))
                return true;
        }
    return false;
}

static bool is_ordered(const struct referee *r, const struct access *old,
                       const struct access *a, const uint32_t *before) {
    if (old->place == a->place) return true;
    return is_before(old, a, before) &&
           (!a->bulk_store || old->copies || is_proxied(r, old, a, before));
}

/* The read has returned, as docs/race-model.md says ("Reads that have
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
            !is_ordered(r, old, a, before) && !has_returned(r, old, a))
            add_race(r, a, old, b);
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

void referee_raw_access(struct referee *r, struct access a, struct bytes_of b,
                        const uint32_t *before) {
    a.start = b.start;
    a.bytes = b.bytes;
    a.order = ++r->order;
    for (uint32_t end = b.start + b.bytes; b.start < end; b.start += 4)
        look_at_word(r, &a, referee_words(r, b), b, before);
}

/* ---- observing and releasing ---- */

static bool strong_pair(const struct referee *r, const struct write *w,
                        const struct access *a) {
    return w->strong && a->strong &&
           (same_block(r, w->thread, a->thread) ||
            (w->scope != SCOPE_cta && a->scope != SCOPE_cta));
}

/* The newest write of this value to this place. */
static struct write *written(struct referee *r, struct bytes_of b,
                             uint64_t value) {
    struct write *w = referee_words(r, b)->writes;
    while (w &&
           (w->start != b.start || w->bytes != b.bytes || w->value != value))
        w = w->next;
    return w;
}

static struct unacquired *unacquired_of(struct referee *r, struct bytes_of b,
                                        uint32_t thread) {
    struct word *w = referee_words(r, b);
    struct unacquired *u = w->unacquired;
    while (u && u->thread != thread) u = u->next;
    if (u) return u;
    u = referee_memory(r, sizeof *u);
    *u = (struct unacquired){w->unacquired, thread, b.start, clocks_new(r),
                             clocks_new(r)};
    return w->unacquired = u;
}

/* Its thread has made w or observed it before, and then also what w was made
 * of; else it does now. A later read of a thread is before no more than its
 * first. */
static bool has_observed(struct referee *r, const struct access *a,
                         struct write *w) {
    if (w->thread == a->thread) return true;
    for (const struct seen_by *s = w->seen_by; s; s = s->next)
        if (s->thread == a->place) return true;
    struct seen_by *s = referee_memory(r, sizeof *s);
    *s = (struct seen_by){w->seen_by, a->place, a->time};
    w->seen_by = s;
    return false;
}

/* Access a reads what w wrote: notes it, and what that released, in w and in
 * all that w was made of. */
static void observe(struct referee *r, const struct access *a, struct write *w,
                    struct unacquired *of, bool acquires) {
    struct knowledge *k = &r->threads[a->thread].knows;
    for (; w && !has_observed(r, a, w); w = w->from) {
        if (w->done) clocks_join(r, acquires ? k->done : k->seen_done, w->done);
        if (same_block(r, w->thread, a->thread)) {
            clocks_join(r, k->seen, w->block);
            clocks_join(r, of->block, w->block);
        } else {
            clocks_join(r, k->seen_wide, w->device);
            clocks_join(r, of->device, w->device);
        }
    }
}

static bool acquires(const struct op *o) {
    return o->sem == SEM_acquire || o->sem == SEM_acq_rel;
}
static bool releases(const struct op *o) {
    return o->sem == SEM_release || o->sem == SEM_acq_rel;
}

static struct write *read_value(struct referee *r, const struct access *a,
                                const struct op *o, struct bytes_of b,
                                uint64_t value) {
    struct write *w = written(r, b, value);
    struct unacquired *of = unacquired_of(r, b, a->thread);
    struct knowledge *k = &r->threads[a->thread].knows;
    if (w && !strong_pair(r, w, a)) w = NULL;
    bool wide = acquires(o) && o->scope != SCOPE_cta;
    if (o->kind != OP_guess) observe(r, a, w, of, wide);
    if (!acquires(o)) return w;
    clocks_join(r, k->before, of->block);
    if (o->scope != SCOPE_cta) clocks_join(r, k->before, of->device);
    return w;
}

/* Its own earlier releases to the same place. */
static void add_own(struct referee *r, struct write *w, struct bytes_of b) {
    for (struct write *old = referee_words(r, b)->writes; old; old = old->next)
        if (old->thread == w->thread && old->start == w->start &&
            old->bytes == w->bytes) {
            clocks_join(r, w->own_block, old->own_block);
            clocks_join(r, w->own_device, old->own_device);
            return;
        }
}

static struct write *write_value(struct referee *r, const struct access *a,
                                 const struct op *o, struct bytes_of b,
                                 uint64_t value, struct write *from) {
    struct knowledge *k = &r->threads[a->thread].knows;
    struct write *w = referee_memory(r, sizeof *w);
    *w = (struct write){.from = from,
                        .thread = a->thread,
                        .scope = a->scope,
                        .start = b.start,
                        .bytes = b.bytes,
                        .value = value,
                        .strong = a->strong,
                        .own_block = clocks_new(r),
                        .own_device = clocks_new(r),
                        .at = clocks_copy(r, k->before)};
    bool tells = a->strong && !op_is_atomic(o) && b.space == SPACE_global;
    if (tells) w->done = r->done[block_of(r, a->thread)];
    add_own(r, w, b);
    if (releases(o)) clocks_join(r, w->own_block, k->before);
    if (releases(o) && o->scope != SCOPE_cta)
        clocks_join(r, w->own_device, k->before);
    w->block = clocks_copy(r, k->fenced);
    clocks_join(r, w->block, w->own_block);
    w->device = clocks_copy(r, k->fenced_wide);
    clocks_join(r, w->device, w->own_device);
    for (uint32_t n = 0; n < b.bytes; n += 4) {
        struct bytes_of at = bytes_at(b.space, b.block, b.start + n, 4);
        struct write *one = w;
        if (n) one = referee_memory(r, sizeof *one), *one = *w;
        one->next = referee_words(r, at)->writes;
        referee_words(r, at)->writes = one;
    }
    return w;
}

/* ---- an instruction ---- */

static uint64_t stored(const struct referee *r, const struct event *e,
                       uint32_t lane) {
    const struct op *o = &r->program->ops[e->op];
    uint64_t mine = program_value(e->launch, e->op, thread_of(r, e, lane));
    uint64_t old = e->out[lane], mask = o->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    if (o->bytes == 8) mine |= mine << 32;
    switch ((enum op_kind)o->kind) {
    case OP_add: return (old + mine) & mask;
    case OP_inc: return (old + 1) & mask;
    case OP_look: return old & mask;
    case OP_lock:
    case OP_swap:
        return (old & mask) == (e->compare[lane] & mask) ? mine : old & mask;
    case OP_cas: return (old & mask) ? old & mask : mine;
    case OP_clear: return 0;
    default: return mine;
    }
}

static void lane_access(struct referee *r, const struct event *e,
                        uint32_t lane) {
    const struct op *o = &r->program->ops[e->op];
    uint32_t t = thread_of(r, e, lane);
    uint64_t base =
        o->space == SPACE_shared ? r->rules.shared : r->rules.global;
    struct bytes_of b =
        bytes_at(o->space, e->block, e->address[lane] - base, o->bytes);
    clocks before = r->threads[t].knows.before;
    bool atomic = op_is_atomic(o);
    bool stores = o->kind == OP_st || o->kind == OP_clear, reads = !stores;
    struct access a = {.op = e->op,
                       .thread = t,
                       .place = t,
                       .time = before[t],
                       .start = b.start,
                       .bytes = b.bytes,
                       .scope = o->scope,
                       .writes = atomic || stores,
                       .strong = o->sem != SEM_weak ||
                                 (o->kind == OP_guess && r->guesses),
                       .is_volatile = o->sem == SEM_volatile};
    if (a.is_volatile) a.scope = SCOPE_sys;
    if (o->space == SPACE_shared) a.scope = SCOPE_cta; /* who else comes? */
    struct write *from = NULL;
    uint64_t mask = o->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    if (reads) from = read_value(r, &a, o, b, e->out[lane] & mask);
    a.all = &referee_words(r, b)->writes;
    if (a.writes)
        a.write =
            write_value(r, &a, o, b, stored(r, e, lane), atomic ? from : NULL);
    referee_raw_access(r, a, b, before);
}

/* Of lanes that change one word, which comes next? The one that read what
 * stands there. */
static uint32_t next_lane(struct referee *r, const struct event *e,
                          uint32_t left) {
    const struct op *o = &r->program->ops[e->op];
    uint32_t first = (uint32_t)__builtin_ctz(left);
    uint64_t base =
        o->space == SPACE_shared ? r->rules.shared : r->rules.global;
    if (!op_is_atomic(o)) return first;
    for (uint32_t m = left; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct bytes_of b =
            bytes_at(o->space, e->block, e->address[l] - base, o->bytes);
        const struct write *w = referee_words(r, b)->writes;
        uint64_t mask = o->bytes == 8 ? UINT64_MAX : UINT32_MAX;
        if (w && w->value == (e->out[l] & mask)) return l;
    }
    return first;
}

void referee_access(struct referee *r, const struct event *e) {
    for (uint32_t left = e->lanes; left;) {
        uint32_t l = next_lane(r, e, left);
        left &= ~(1u << l);
        lane_access(r, e, l);
    }
}

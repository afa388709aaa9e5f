/* SPDX-License-Identifier: MIT
 *
 * accesses.c: accesses to memory: which write a read observes, and what a write
 * releases (clocks.h; vgpu/docs/race-model.md).
 */
#include "clocks.h"

struct bytes_of bytes_at(enum space space, uint32_t block, uint64_t address,
                         uint32_t bytes) {
    return (struct bytes_of){.space = space,
                             .block = block,
                             .start = (uint32_t)address,
                             .bytes = bytes};
}

/* The words of the bytes, from the first on. */
struct word *referee_words(struct referee *r, struct bytes_of b) {
    struct word *all = b.space == SPACE_shared ? r->shared[b.block] : r->global;
    return &all[b.start / 4 % WORDS];
}

/* ---- observing and releasing ---- */

static bool strong_pair(const struct referee *r, const struct write *w,
                        const struct access *a) {
    return w->strong && a->strong &&
           referee_in_scope(r, w->thread, w->scope, a->thread, a->scope);
}

static uint64_t mask_of(uint32_t bytes) {
    return bytes < 8 ? UINT64_MAX >> (64 - 8 * bytes) : UINT64_MAX;
}

static const struct writes *newest(struct referee *r, struct bytes_of b) {
    return referee_words(r, b)->writes;
}

/* The newest write of this value to this place; where memory is sc, if it is
 * the newest of all its words. */
static struct write *written(struct referee *r, struct bytes_of b,
                             uint64_t value) {
    const struct writes *w = newest(r, b);
    while (w && !r->rules.sc &&
           (w->write->start != b.start || w->write->bytes != b.bytes ||
            w->write->value != value))
        w = w->next;
    bool is = w && w->write->start == b.start && w->write->bytes == b.bytes &&
              w->write->value == value;
    for (uint32_t n = 4; is && r->rules.sc && n < b.bytes; n += 4) {
        const struct writes *other =
            newest(r, bytes_at(b.space, b.block, b.start + n, 4));
        is = other && other->write == w->write;
    }
    return is ? w->write : NULL;
}

static struct unacquired *unacquired_of(struct referee *r, struct bytes_of b,
                                        uint32_t thread) {
    struct word *w = referee_words(r, b);
    struct unacquired *u = w->unacquired;
    while (u &&
           (u->thread != thread || u->start != b.start || u->bytes != b.bytes))
        u = u->next;
    if (u) return u;
    u = referee_memory(r, sizeof *u);
    *u =
        (struct unacquired){w->unacquired, thread,        b.start,      b.bytes,
                            clocks_new(r), clocks_new(r), clocks_new(r)};
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
        if (referee_same_block(r, w->thread, a->thread)) {
            clocks_join(r, k->seen, w->block);
            clocks_join(r, of->block, w->block);
        } else if (referee_same_gpu(r, w->thread, a->thread)) {
            clocks_join(r, k->seen_wide, w->device);
            clocks_join(r, of->device, w->device);
        }
        clocks_join(r, k->seen_system, w->system);
        clocks_join(r, of->system, w->system);
    }
}

static bool acquires(const struct op *o) {
    return o->sem == SEM_acquire || o->sem == SEM_acq_rel;
}
static bool releases(const struct op *o) {
    return o->sem == SEM_release || o->sem == SEM_acq_rel;
}

/* With one GPU the device is all there is. */
static bool of_system(const struct referee *r, const struct op *o) {
    return r->program->n_gpus < 2 || op_is_system(o);
}

static struct write *read_value(struct referee *r, const struct access *a,
                                const struct op *o, struct bytes_of b,
                                uint64_t value) {
    struct write *w = written(r, b, value);
    struct unacquired *of = unacquired_of(r, b, a->thread);
    struct knowledge *k = &r->threads[a->thread].knows;
    if (w && !strong_pair(r, w, a)) w = NULL;
    bool wide = acquires(o) && op_is_wide(o);
    if (o->kind != OP_guess) observe(r, a, w, of, wide);
    if (!acquires(o)) return w;
    clocks_join(r, k->before, of->block);
    if (op_is_wide(o)) clocks_join(r, k->before, of->device);
    if (op_is_wide(o) && of_system(r, o)) clocks_join(r, k->before, of->system);
    return w;
}

/* Its own earlier releases to the same place. */
static void add_own(struct referee *r, struct write *w, struct bytes_of b) {
    for (const struct writes *at = referee_words(r, b)->writes; at;
         at = at->next) {
        const struct write *old = at->write;
        if (old->thread != w->thread || old->start != w->start ||
            old->bytes != w->bytes)
            continue;
        clocks_join(r, w->own_block, old->own_block);
        clocks_join(r, w->own_device, old->own_device);
        clocks_join(r, w->own_system, old->own_system);
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
                        .own_system = clocks_new(r),
                        .at = clocks_copy(r, k->before)};
    bool tells = a->strong && !op_is_atomic(o) && b.space == SPACE_global;
    if (tells) w->done = r->done[block_of(r, a->thread)];
    add_own(r, w, b);
    if (releases(o)) clocks_join(r, w->own_block, k->before);
    if (releases(o) && op_is_wide(o)) clocks_join(r, w->own_device, k->before);
    if (releases(o) && op_is_wide(o) && of_system(r, o))
        clocks_join(r, w->own_system, k->before);
    w->block = clocks_copy(r, k->fenced);
    clocks_join(r, w->block, w->own_block);
    w->device = clocks_copy(r, k->fenced_wide);
    clocks_join(r, w->device, w->own_device);
    w->system = clocks_copy(r, k->fenced_system);
    clocks_join(r, w->system, w->own_system);
    for (uint32_t n = 0; n < b.bytes; n += 4) {
        struct bytes_of at = bytes_at(b.space, b.block, b.start + n, 4);
        struct writes *one = referee_memory(r, sizeof *one);
        *one = (struct writes){referee_words(r, at)->writes, w};
        referee_words(r, at)->writes = one;
    }
    return w;
}

/* ---- an instruction ---- */

static uint64_t stored(const struct referee *r, const struct event *e,
                       uint32_t lane) {
    const struct op *o = &r->program->ops[e->op];
    uint64_t mine = program_value(e->launch, e->op, thread_of(r, e, lane));
    uint64_t old = e->out[lane], mask = mask_of(o->bytes);
    if (o->bytes >= 8) mine |= mine << 32;
    if (o->bytes < 4) mine = program_byte(e->launch, e->op);
    switch ((enum op_kind)o->kind) {
    case OP_add: return (old + mine) & mask;
    case OP_inc: return (old + 1) & mask;
    case OP_look: return old & mask;
    case OP_lock:
    case OP_swap:
        return (old & mask) == (e->compare[lane] & mask) ? mine : old & mask;
    case OP_cas: return (old & mask) ? old & mask : mine;
    case OP_clear: return 0;
    default: return mine & mask;
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
                       .scope = op_is_wide(o) ? o->scope : SCOPE_cta,
                       .writes = atomic || stores,
                       .strong = o->sem != SEM_weak ||
                                 (o->kind == OP_guess && r->guesses),
                       .is_volatile = o->sem == SEM_volatile};
    if (a.is_volatile || o->kind == OP_guess) a.scope = SCOPE_sys;
    if (a.scope == SCOPE_gpu && r->program->n_gpus < 2) a.scope = SCOPE_sys;
    if (o->space == SPACE_shared) a.scope = SCOPE_cta; /* who else comes? */
    struct write *from = NULL;
    uint64_t mask = mask_of(o->bytes);
    bool torn = o->bytes == 16 && e->second[lane] != e->out[lane];
    uint64_t value = torn ? UINT64_MAX : e->out[lane] & mask; /* or nobody's */
    if (reads) from = read_value(r, &a, o, b, value);
    if (a.writes)
        a.write =
            write_value(r, &a, o, b, stored(r, e, lane), atomic ? from : NULL);
    referee_raw_access(r, a, b, before);
    if (a.writes && releases(o)) referee_pause(r, t);
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
        const struct writes *w = referee_words(r, b)->writes;
        uint64_t mask = mask_of(o->bytes);
        if (w && w->write->value == (e->out[l] & mask)) return l;
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

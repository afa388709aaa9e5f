/* SPDX-License-Identifier: MIT
 *
 * weak.c: stores that wait, and what fences do to them. weak.h has the rules.
 *
 * How to read this: a waiting store is one instruction of a whole warp. The
 * access is redirected to x->scratch, 16 bytes per lane: a load finds there
 * what its block may see, and a store leaves there what will be written later.
 */
#include "race.h"
#include "weak_inside.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WAITING = 512, MAX_PER_BLOCK = 32 };

/* what most accesses need to know: another block's, or other bytes */
struct slot {
    uint64_t block, first, end; /* addresses first to end - 1, with gaps */
    struct waiting *store;
};

/* ---- stores that wait ---- */

static void write_through(struct machine *m, uint64_t block,
                          const struct waiting *w) {
    struct weak_state *s = weak_of(m);
    uint64_t before = 0; /* not a line of an allocation */
    struct old_value by = {.release = w->release,
                           .block = block,
                           .made = w->made,
                           .warp = w->warp,
                           .barrier = w->barrier,
                           .sm = w->sm};
    for (uint32_t k = w->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        struct allocation *a = memory_range(m->memory, w->address[l], w->bytes);
        if (!a) continue;
        uint64_t line = line_of(w->address[l]);
        if (line != before) l1_keep_old(m, w->sm, line);
        before = line;
        uint8_t *to = a->region.bytes + (w->address[l] - a->region.base);
        s->old.time++;
        history_write(m, w->address[l], w->bytes, to, by, NULL);
        race_version_lands(m, w->address[l], w->bytes, w->version[l]);
        memcpy(to, w->data[l], w->bytes);
        l1_update(&s->l1[w->sm], w->address[l], w->data[l], w->bytes);
    }
    m->progress++;
}

static void let_go(struct machine *m, uint32_t k) {
    struct weak_state *s = weak_of(m);
    struct waiting *w = s->list[k].store;
    write_through(m, s->list[k].block, w);
    memmove(&s->list[k], &s->list[k + 1], (s->n - k - 1) * sizeof *s->list);
    s->n--;
    free(w);
}

static bool overlap(const struct waiting *w, uint64_t address, uint32_t bytes) {
    for (uint32_t k = w->mask; k; k &= k - 1) {
        uint64_t a = w->address[__builtin_ctz(k)];
        if (a < address + bytes && address < a + w->bytes) return true;
    }
    return false;
}

static bool touches(const struct waiting *w, const struct access *x) {
    for (uint32_t k = x->mask; k; k &= k - 1)
        if (overlap(w, x->address[__builtin_ctz(k)], x->bytes)) return true;
    return false;
}

/* An access's block and extent in bytes. */
static struct slot extent(const struct context *c, const struct access *x) {
    struct slot e = {.block = context_block(c)->linear, .first = UINT64_MAX};
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint64_t a = x->address[__builtin_ctz(k)];
        if (a < e.first) e.first = a;
        if (a + x->bytes > e.end) e.end = a + x->bytes;
    }
    return e;
}

static bool may_touch(const struct slot *store, const struct slot *e) {
    return store->block == e->block && store->first < e->end &&
           e->first < store->end;
}

/* A block's stores to one word reach memory in order. */
static void drain_overlapping(struct context *c, const struct access *x) {
    struct machine *m = c->machine;
    const struct slot e = extent(c, x);
    for (uint32_t k = 0; k < weak_of(m)->n;) {
        const struct slot *store = &weak_of(m)->list[k];
        if (may_touch(store, &e) && touches(store->store, x))
            let_go(m, k);
        else
            k++;
    }
}

/* The warp's block sees the waiting store. */
static bool is_shown(const struct block *b, const struct waiting *w) {
    return w->barrier < b->barriers_passed ||
           w->made <= weak_block_of(b)->warps[w->warp].shown;
}

static bool sees(const struct context *c, const struct waiting *w) {
    return w->warp == c->warp->index || is_shown(context_block(c), w);
}

static void drain_fenced(struct context *c) {
    struct machine *m = c->machine;
    for (uint32_t k = 0; k < weak_of(m)->n;)
        if (weak_of(m)->list[k].block == context_block(c)->linear &&
            sees(c, weak_of(m)->list[k].store))
            let_go(m, k);
        else
            k++;
}

/* Who acquires what the warp writes from now on sees all that it has seen. */
static void weak_release(struct context *c) {
    if (c->insn->of_block) {
        view_meet(c);
        return;
    }
    drain_fenced(c);
    view_of(c)->release = weak_of(c->machine)->old.time;
    view_meet(c);
}

void weak_pass(struct machine *m) {
    struct weak_state *s = weak_of(m);
    if (!s) return;
    for (uint32_t k = 0; k < s->n;)
        if (random_next(&s->random) % 4 == 0)
            let_go(m, k);
        else
            k++;
    history_age(m);
}

bool weak_waits(const struct machine *m) {
    return weak_of(m) && weak_of(m)->n;
}

bool weak_drain(struct machine *m) {
    bool some = weak_waits(m);
    while (weak_of(m) && weak_of(m)->n) let_go(m, 0);
    if (weak_of(m)) weak_of(m)->old.floor = weak_of(m)->old.time;
    return some;
}

/* ---- accesses ---- */

/* Copies what one lane reads from the waiting store. */
static void overlay_lane(const struct waiting *w, uint64_t address,
                         uint32_t bytes, uint8_t *to, uint32_t *version) {
    for (uint32_t k = w->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = w->address[l];
        if (a >= address + bytes || address >= a + w->bytes) continue;
        *version = a == address ? w->version[l] : 0;
        for (uint32_t b = 0; b < bytes; b++)
            if (address + b >= a && address + b < a + w->bytes)
                to[b] = w->data[l][address + b - a];
    }
}

static void overlay(const struct waiting *w, const struct access *x,
                    uint8_t *scratch, uint32_t *versions) {
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        overlay_lane(w, x->address[l], x->bytes, scratch + (size_t)l * 16,
                     &versions[l]);
    }
}

/* A thread that has read a released value sees all writes before the release.
 */
static void acquire(struct context *c) {
    if (c->insn->of_block) {
        view_meet(c);
        return;
    }
    view_acquire(c);
    l1_of(c)->n = 0;
}

void weak_load(struct context *c, struct access *x) {
    struct weak_state *s = weak_of(c->machine);
    const struct slot e = extent(c, x);
    uint32_t versions[WARP_LANES] = {0};
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = x->address[l], line = line_of(a);
        uint8_t *to = s->scratch + (size_t)l * 16;
        const struct line *kept =
            c->insn->cached ? l1_find(l1_of(c), line) : NULL;
        if (kept) {
            memcpy(to, kept->data + (a - line), x->bytes);
            view_read_line(c, kept, a, x->bytes);
            continue;
        }
        if (c->insn->cached)
            l1_fill(c, line);
        else
            l1_forget(l1_of(c), line);
        versions[l] = view_read(c, a, x->bytes, access_bytes(x, l), to);
    }
    for (uint32_t j = 0; j < s->n; j++)
        if (may_touch(&s->list[j], &e) && sees(c, s->list[j].store))
            overlay(s->list[j].store, x, s->scratch, versions);
    x->scratch = s->scratch;
    race_weak_access(c, x, versions);
    if (c->insn->order == ORDER_ACQUIRE) acquire(c);
}

static void keep_waiting(struct context *c, const struct access *x) {
    struct machine *m = c->machine;
    struct weak_state *s = weak_of(m);
    struct slot now = extent(c, x);
    uint32_t mine = 0, oldest = 0;
    for (uint32_t k = s->n; k-- > 0;)
        if (s->list[k].block == now.block) mine++, oldest = k;
    if (mine >= MAX_PER_BLOCK)
        let_go(m, oldest);
    else if (s->n == MAX_WAITING)
        let_go(m, (uint32_t)(random_next(&s->random) % s->n));
    struct waiting *w = malloc(sizeof *w);
    struct waiting spare;
    if (!w) w = &spare;
    w->made = ++s->made;
    w->release = view_of(c)->release;
    w->sm = context_block(c)->sm;
    w->warp = c->warp->index;
    w->barrier = context_block(c)->barriers_passed;
    w->mask = x->mask;
    w->bytes = x->bytes;
    memcpy(w->address, x->address, sizeof w->address);
    memcpy(w->data, s->scratch, sizeof w->data);
    const uint32_t *made = race_versions_made(m);
    memset(w->version, 0, sizeof w->version);
    if (made && c->insn->order != ORDER_WEAK)
        memcpy(w->version, made, sizeof w->version);
    now.store = w;
    if (w == &spare)
        write_through(m, now.block, w);
    else
        s->list[s->n++] = now;
}

static void forget_lines(struct context *c, const struct access *x) {
    for (uint32_t k = x->mask; k; k &= k - 1)
        l1_forget(l1_of(c), line_of(x->address[__builtin_ctz(k)]));
}

void weak_stored(struct context *c, struct access *x) {
    struct weak_state *s = weak_of(c->machine);
    forget_lines(c, x);
    race_weak_access(c, x, NULL);
    if (c->insn->order == ORDER_RELEASE) weak_release(c);
    drain_overlapping(c, x);
    keep_waiting(c, x);
    /* A release may wait as long as any store; the stores before it may not. */
    if (random_next(&s->random) % 8 == 0 && s->n)
        let_go(c->machine, (uint32_t)(random_next(&s->random) % s->n));
}

/* What a lane's atomic operation has read, and perhaps written: what was
 * released through the word before stays so. */
static void changed(struct context *c, uint64_t address, uint32_t bytes,
                    const uint8_t *old, const uint8_t *memory,
                    const uint32_t *found) {
    struct machine *m = c->machine;
    const struct block *b = context_block(c);
    struct view *v = view_of(c);
    struct old_value *e = history_newest(m, address & ~3ull);
    struct old_value by = {.release = v->release,
                           .block = b->linear,
                           .warp = c->warp->index,
                           .barrier = b->barriers_passed,
                           .made = weak_of(m)->made,
                           .sm = b->sm};
    /* If an older write stored the same value, a load of that value counts as a
     * load of the newest write. */
    const uint32_t *was = memcmp(old, memory, bytes) ? found : NULL;
    if (e && e->release > v->pending) v->pending = e->release;
    if (e && e->release > by.release) by.release = e->release;
    if (e && !memcmp(old, memory, bytes))
        e->release = by.release;
    else
        history_write(m, address, bytes, old, by, was);
    e = history_newest(m, address & ~3ull);
    if (e) view_saw(c, address & ~3ull, e->time);
}

void weak_atomic(struct context *c, struct access *x) {
    enum memory_order o = c->insn->order;
    struct weak_state *s = weak_of(c->machine);
    if (o == ORDER_RELEASE || o == ORDER_ACQ_REL) weak_release(c);
    drain_overlapping(c, x);
    forget_lines(c, x);
    s->old.time++;
    s->made++;
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint32_t in = x->address[l] & 3, n = (in + x->bytes + 3) & ~3u;
        if (!memory_range(c->machine->memory, x->address[l] - in, n))
            n = in + x->bytes;
        memcpy(s->scratch + (size_t)l * 16, access_bytes(x, l) - in, n);
        for (uint32_t at = 0; at < in + x->bytes; at += 4) {
            uint32_t id = race_version_at(c->machine, x->address[l] - in + at);
            race_version_keep(c->machine, id);
            s->was[l][at / 4] = id;
        }
    }
    race_weak_access(c, x, NULL);
}

void weak_atomic_done(struct context *c, struct access *x) {
    enum memory_order o = c->insn->order;
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint32_t in = x->address[l] & 3;
        changed(c, x->address[l], x->bytes,
                weak_of(c->machine)->scratch + (size_t)l * 16 + in,
                access_bytes(x, l), weak_of(c->machine)->was[l]);
        for (uint32_t at = 0; at < in + x->bytes; at += 4)
            race_version_drop(c->machine, weak_of(c->machine)->was[l][at / 4]);
    }
    if (o == ORDER_ACQUIRE || o == ORDER_ACQ_REL) acquire(c);
}

void weak_fenced(struct context *c) {
    struct weak_state *s = weak_of(c->machine);
    enum memory_order o =
        c->insn->kind == KIND_FENCE ? c->insn->order : ORDER_SC;
    if (!s) return;
    if (o != ORDER_ACQUIRE) weak_release(c);
    if (o == ORDER_RELEASE) return;
    if (o == ORDER_SC) view_of(c)->pending = s->old.time;
    acquire(c);
}

void weak_block_fenced(struct context *c) {
    if (weak_of(c->machine)) view_meet(c);
}

void weak_before_read(struct context *c) {
    if (weak_of(c->machine)) drain_fenced(c);
}

void weak_before_copy(struct machine *m, uint32_t sm, uint64_t address,
                      uint64_t bytes) {
    if (!weak_of(m)) return;
    race_version_lands(m, address, (uint32_t)bytes, 0);
    for (uint64_t a = line_of(address); a < address + bytes; a += LINE) {
        l1_keep_old(m, sm, a < address ? address & ~31ull : a);
        l1_forget(&weak_of(m)->l1[sm], a);
    }
}

uint8_t *weak_scratch(struct context *c) {
    return weak_of(c->machine)->scratch;
}

/* ---- launches ---- */

void weak_launch_begins(struct machine *m) {
    struct weak_state *s = calloc(1, sizeof *s);
    if (!s) {
        m->status = VGPU_OUT_OF_MEMORY;
        return;
    }
    s->random = m->options->memory_seed * 2 + 1;
    s->list = calloc(MAX_WAITING + 1, sizeof *s->list);
    s->l1 = calloc((size_t)m->profile->sms, sizeof *s->l1);
    m->slots[OBSERVER_WEAK] = s;
    if (s->list && s->l1 && history_begin(&s->old)) return;
    weak_launch_ends(m);
    m->status = VGPU_OUT_OF_MEMORY;
}

void weak_launch_ends(struct machine *m) {
    if (!weak_of(m)) return;
    weak_drain(m);
    history_end(&weak_of(m)->old);
    free(weak_of(m)->list);
    free(weak_of(m)->l1);
    free(weak_of(m));
    m->slots[OBSERVER_WEAK] = NULL;
}

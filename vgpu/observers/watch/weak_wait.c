/* SPDX-License-Identifier: MIT
 *
 * weak_wait.c: stores that are not in memory yet. weak.h has the rules.
 *
 * How to read this: a waiting store is one instruction of a whole warp. It has
 * a number, which is free again once the store is in memory. An access asks
 * about the stores of its own block alone, so the blocks' stores stand in
 * chains; which store of all goes next is drawn from the order of their ages.
 */
#include "race.h"
#include "weak_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- chains ---- */

static uint16_t *chain_of(struct weak_stores *s, uint64_t block) {
    return &s->first[block % CHAINS];
}

static uint16_t append(struct weak_stores *s, uint64_t block) {
    uint16_t id = s->unused, *end = chain_of(s, block);
    s->unused = s->next[id];
    while (*end != NO_STORE) end = &s->next[*end];
    *end = id;
    s->next[id] = NO_STORE;
    s->order[s->n++] = id;
    return id;
}

static void remove_at(struct weak_stores *s, uint32_t place) {
    uint16_t id = s->order[place], *link = chain_of(s, s->store[id].block);
    while (*link != id) link = &s->next[*link];
    *link = s->next[id];
    s->next[id] = s->unused;
    s->unused = id;
    s->n--;
    memmove(&s->order[place], &s->order[place + 1],
            (s->n - place) * sizeof *s->order);
}

bool waiting_begin(struct weak_stores *s) {
    s->store = calloc(MAX_WAITING, sizeof *s->store);
    for (uint32_t k = 0; k < CHAINS; k++) s->first[k] = NO_STORE;
    for (uint32_t k = 0; k < MAX_WAITING; k++) s->next[k] = (uint16_t)(k + 1);
    return s->store;
}

void waiting_end(struct weak_stores *s) {
    free(s->store);
}

/* ---- stores reach memory ---- */

static void write_through(struct machine *m, const struct waiting *w) {
    struct weak_state *s = weak_of(m);
    struct allocation *a = NULL;
    struct line *own = NULL;
    uint64_t before = 0; /* not a line of an allocation */
    const struct old_value by = {.release = w->release,
                                 .block = w->block,
                                 .made = w->made,
                                 .warp = w->warp,
                                 .barrier = w->barrier,
                                 .sm = w->sm,
                                 .gpu = w->gpu};
    for (uint32_t k = w->mask; k; k &= k - 1)
        history_fetch(&s->old, w->address[__builtin_ctz(k)]);
    for (uint32_t k = w->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t address = w->address[l], line = line_of(address);
        if (!a || address < a->region.base ||
            address - a->region.base + w->bytes > a->size)
            a = memory_range(m->memory, address, w->bytes);
        if (!a) continue;
        if (line != before) {
            l1_keep_old(m, w->sm, line);
            own = l1_find(&s->l1[w->sm], line);
        }
        before = line;
        uint8_t *to = a->region.bytes + (address - a->region.base);
        s->old.time++;
        history_write(m, address, w->bytes, to, &by, NULL);
        race_version_lands(m, address, w->bytes, w->version[l]);
        memcpy(to, w->data[l], w->bytes);
        /* The writer's own SM sees its stores at once. */
        if (own) memcpy(own->data + address % LINE, w->data[l], w->bytes);
    }
    m->progress++;
}

static void let_go(struct machine *m, uint32_t place) {
    struct weak_stores *s = &weak_of(m)->waiting;
    write_through(m, &s->store[s->order[place]]);
    remove_at(s, place);
}

static void let_go_store(struct machine *m, uint32_t id) {
    const uint16_t *order = weak_of(m)->waiting.order;
    uint32_t place = 0;
    while (order[place] != id) place++;
    let_go(m, place);
}

void waiting_let_go_blocks(struct machine *m, uint64_t first, uint64_t n) {
    const struct weak_stores *s = &weak_of(m)->waiting;
    for (uint32_t k = 0; k < s->n;)
        if (s->store[s->order[k]].block - first < n)
            let_go(m, k);
        else
            k++;
}

void waiting_let_go_one(struct machine *m) {
    struct weak_state *s = weak_of(m);
    let_go(m, (uint32_t)(random_next(&s->random) % s->waiting.n));
}

void waiting_let_go_newest(struct machine *m) {
    let_go(m, weak_of(m)->waiting.n - 1);
}

/* ---- which stores ---- */

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

/* The access's bytes lie from x->low to x->high + x->bytes - 1. */
static bool may_touch(const struct context *c, const struct waiting *w,
                      const struct access *x) {
    return w->block == context_block(c)->linear &&
           w->first < x->high + x->bytes && x->low < w->end;
}

void waiting_drain_overlapping(struct context *c, const struct access *x) {
    struct weak_stores *s = &weak_of(c->machine)->waiting;
    uint32_t next, id = *chain_of(s, context_block(c)->linear);
    for (; id != NO_STORE; id = next) {
        next = s->next[id];
        if (may_touch(c, &s->store[id], x) && touches(&s->store[id], x))
            let_go_store(c->machine, id);
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

void waiting_drain_fenced(struct context *c) {
    struct weak_stores *s = &weak_of(c->machine)->waiting;
    uint32_t next, id = *chain_of(s, context_block(c)->linear);
    for (; id != NO_STORE; id = next) {
        next = s->next[id];
        if (s->store[id].block == context_block(c)->linear &&
            sees(c, &s->store[id]))
            let_go_store(c->machine, id);
    }
}

void weak_pass(struct machine *m) {
    struct weak_state *s = weak_of(m);
    if (!s) return;
    for (uint32_t k = 0; k < s->waiting.n;)
        if (random_next(&s->random) % 4 == 0)
            let_go(m, k);
        else
            k++;
    history_age(m);
}

bool weak_waits(const struct machine *m) {
    return weak_of(m) && weak_of(m)->waiting.n;
}

bool weak_drain(struct machine *m) {
    bool some = weak_waits(m);
    while (weak_waits(m)) let_go(m, 0);
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

void waiting_overlay(struct context *c, const struct access *x,
                     uint8_t *scratch, uint32_t *versions) {
    const struct weak_stores *s = &weak_of(c->machine)->waiting;
    uint32_t id = s->first[context_block(c)->linear % CHAINS];
    for (; id != NO_STORE; id = s->next[id])
        if (may_touch(c, &s->store[id], x) && sees(c, &s->store[id]))
            overlay(&s->store[id], x, scratch, versions);
}

/* Makes room where the block, or all blocks, have as many as may wait. */
static void waiting_make_room(struct context *c) {
    struct weak_stores *s = &weak_of(c->machine)->waiting;
    uint64_t block = context_block(c)->linear;
    uint32_t mine = 0, oldest = NO_STORE;
    for (uint32_t id = *chain_of(s, block); id != NO_STORE; id = s->next[id])
        if (s->store[id].block == block && mine++ == 0) oldest = id;
    if (mine >= MAX_PER_BLOCK)
        let_go_store(c->machine, oldest);
    else if (s->n == MAX_WAITING)
        waiting_let_go_one(c->machine);
}

void waiting_keep(struct context *c, const struct access *x) {
    struct machine *m = c->machine;
    struct weak_state *s = weak_of(m);
    waiting_make_room(c);
    struct waiting *w =
        &s->waiting.store[append(&s->waiting, context_block(c)->linear)];
    w->block = context_block(c)->linear;
    w->first = x->low;
    w->end = x->high + x->bytes;
    w->made = ++s->made;
    w->release = weak_handed_on(c);
    w->sm = context_block(c)->sm;
    w->gpu = m->gpu;
    w->warp = c->warp->index;
    w->barrier = context_block(c)->barriers_passed;
    w->mask = x->mask;
    w->bytes = x->bytes;
    memcpy(w->address, x->address, sizeof w->address);
    memcpy(w->data, s->scratch, sizeof w->data);
    const uint32_t *made = race_versions_made(m);
    if (made && c->insn->order != ORDER_WEAK)
        memcpy(w->version, made, sizeof w->version);
    else
        memset(w->version, 0, sizeof w->version);
}

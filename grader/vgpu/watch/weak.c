/* SPDX-License-Identifier: MIT
 *
 * weak.c: store buffers and old L1 lines. weak.h has the rules.
 *
 * How to read this: a waiting store is one instruction of a whole warp. The
 * access is redirected to x->scratch, 16 bytes per lane: a load finds there
 * what its block may see, and a store leaves there what will be written later.
 */
#include "weak.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 128,
    MAX_LINES = 64,
    MAX_WAITING = 512,
    MAX_PER_BLOCK = 32,
    EARLY_SMS = 2 /* per line that is written */
};

struct waiting {
    uint32_t sm, warp, barrier; /* barriers the block had passed */
    uint32_t mask, bytes;
    uint64_t address[WARP_LANES];
    uint8_t data[WARP_LANES][16];
};

/* what most accesses need to know: another block's, or other bytes */
struct slot {
    uint64_t block, first, end; /* addresses first to end - 1, with gaps */
    struct waiting *store;
};

struct line {
    uint64_t address;
    uint8_t data[LINE];
};
struct l1 {
    struct line lines[MAX_LINES];
    uint32_t n;
};

struct weak_state {
    uint64_t random;
    struct slot *list; /* oldest first */
    uint32_t n;
    struct l1 *l1; /* one per SM */
    uint8_t scratch[WARP_LANES * 16];
};

/* ---- L1 ---- */

static struct l1 *l1_of(struct context *c) {
    return &c->machine->weak->l1[context_block(c)->sm];
}

static uint64_t line_of(uint64_t address) {
    return address & ~(uint64_t)(LINE - 1);
}

static void forget_line(struct l1 *l1, uint64_t address) {
    for (uint32_t k = 0; k < l1->n; k++)
        if (l1->lines[k].address == address) {
            l1->lines[k] = l1->lines[--l1->n];
            return;
        }
}

static void forget_lines(struct context *c, const struct access *x) {
    for (uint32_t k = x->mask; k; k &= k - 1)
        forget_line(l1_of(c), line_of(x->address[__builtin_ctz(k)]));
}

static struct line *find_line(struct l1 *l1, uint64_t address) {
    for (uint32_t k = 0; k < l1->n; k++)
        if (l1->lines[k].address == address) return &l1->lines[k];
    return NULL;
}

/* Copies a line from memory into the cache; a full cache drops a line at
 * random. */
static void keep_line(struct machine *m, struct l1 *l1, uint64_t address) {
    struct weak_state *s = m->weak;
    struct allocation *a = memory_range(m->memory, address, 1);
    if (!a) return;
    uint32_t k = l1->n < MAX_LINES
                     ? l1->n++
                     : (uint32_t)(random_next(&s->random) % MAX_LINES);
    uint64_t left = a->size - (address - a->region.base);
    l1->lines[k].address = address;
    memcpy(l1->lines[k].data, a->region.bytes + (address - a->region.base),
           left < LINE ? left : LINE);
}

/* Half of the lines that are read stay in the cache. */
static void fill_line(struct context *c, uint64_t address) {
    if (random_next(&c->machine->weak->random) & 1) return;
    keep_line(c->machine, l1_of(c), address);
}

/* A plain load may be executed before another load that precedes it in the
 * program. So a line that another SM's store is about to change may be in the
 * L1 already, until the next fence there. */
static void keep_old_line(struct machine *m, uint32_t writer,
                          uint64_t address) {
    struct weak_state *s = m->weak;
    uint32_t sms = (uint32_t)m->profile->sms;
    for (uint32_t j = 0; j < EARLY_SMS && j < sms - 1; j++) {
        uint32_t sm =
            (uint32_t)((writer + 1 + random_next(&s->random) % (sms - 1)) %
                       sms);
        if (!find_line(&s->l1[sm], address)) keep_line(m, &s->l1[sm], address);
    }
}

/* The writer's own SM sees its stores at once. */
static void update_line(struct l1 *l1, uint64_t address, const uint8_t *data,
                        uint32_t bytes) {
    struct line *kept = find_line(l1, line_of(address));
    if (kept) memcpy(kept->data + (address - kept->address), data, bytes);
}

/* ---- stores that wait ---- */

static void write_through(struct machine *m, const struct waiting *w) {
    uint64_t before = 0; /* not a line of an allocation */
    for (uint32_t k = w->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        struct allocation *a = memory_range(m->memory, w->address[l], w->bytes);
        if (!a) continue;
        uint64_t line = line_of(w->address[l]);
        if (line != before) keep_old_line(m, w->sm, line);
        before = line;
        memcpy(a->region.bytes + (w->address[l] - a->region.base), w->data[l],
               w->bytes);
        update_line(&m->weak->l1[w->sm], w->address[l], w->data[l], w->bytes);
    }
    m->progress++;
}

static void let_go(struct machine *m, uint32_t k) {
    struct weak_state *s = m->weak;
    struct waiting *w = s->list[k].store;
    write_through(m, w);
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
    for (uint32_t k = 0; k < m->weak->n;) {
        const struct slot *store = &m->weak->list[k];
        if (may_touch(store, &e) && touches(store->store, x))
            let_go(m, k);
        else
            k++;
    }
}

static void drain_fenced(struct context *c) {
    struct machine *m = c->machine;
    const struct block *b = context_block(c);
    for (uint32_t k = 0; k < m->weak->n;) {
        const struct waiting *w = m->weak->list[k].store;
        if (m->weak->list[k].block == b->linear &&
            (w->warp == c->warp->index || w->barrier < b->barriers_passed))
            let_go(m, k);
        else
            k++;
    }
}

void weak_pass(struct machine *m) {
    struct weak_state *s = m->weak;
    if (!s) return;
    for (uint32_t k = 0; k < s->n;)
        if (random_next(&s->random) % 4 == 0)
            let_go(m, k);
        else
            k++;
}

bool weak_waits(const struct machine *m) {
    return m->weak && m->weak->n;
}

bool weak_drain(struct machine *m) {
    bool some = weak_waits(m);
    while (m->weak && m->weak->n) let_go(m, 0);
    return some;
}

/* ---- accesses ---- */

/* Copies what one lane reads from the waiting store. */
static void overlay_lane(const struct waiting *w, uint64_t address,
                         uint32_t bytes, uint8_t *to) {
    for (uint32_t k = w->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t a = w->address[l];
        if (a >= address + bytes || address >= a + w->bytes) continue;
        for (uint32_t b = 0; b < bytes; b++)
            if (address + b >= a && address + b < a + w->bytes)
                to[b] = w->data[l][address + b - a];
    }
}

static void overlay(const struct waiting *w, const struct access *x,
                    uint8_t *scratch) {
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        overlay_lane(w, x->address[l], x->bytes, scratch + (size_t)l * 16);
    }
}

void weak_load(struct context *c, struct access *x) {
    struct weak_state *s = c->machine->weak;
    const struct slot e = extent(c, x);
    for (uint32_t k = x->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint64_t line = line_of(x->address[l]);
        uint8_t *to = s->scratch + (size_t)l * 16;
        const struct line *kept = NULL;
        if (c->insn->cached) {
            kept = find_line(l1_of(c), line);
            if (!kept) fill_line(c, line);
        } else {
            forget_line(l1_of(c), line);
        }
        memcpy(to,
               kept ? kept->data + (x->address[l] - line) : access_bytes(x, l),
               x->bytes);
    }
    for (uint32_t j = 0; j < s->n; j++)
        if (may_touch(&s->list[j], &e))
            overlay(s->list[j].store, x, s->scratch);
    x->scratch = s->scratch;
    if (c->insn->order == ORDER_ACQUIRE) l1_of(c)->n = 0;
}

static void keep_waiting(struct context *c, const struct access *x) {
    struct machine *m = c->machine;
    struct weak_state *s = m->weak;
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
    w->sm = context_block(c)->sm;
    w->warp = c->warp->index;
    w->barrier = context_block(c)->barriers_passed;
    w->mask = x->mask;
    w->bytes = x->bytes;
    memcpy(w->address, x->address, sizeof w->address);
    memcpy(w->data, s->scratch, sizeof w->data);
    now.store = w;
    if (w == &spare)
        write_through(m, w);
    else
        s->list[s->n++] = now;
}

void weak_stored(struct context *c, struct access *x) {
    struct weak_state *s = c->machine->weak;
    forget_lines(c, x);
    if (c->insn->order == ORDER_RELEASE) drain_fenced(c);
    drain_overlapping(c, x);
    keep_waiting(c, x);
    /* A release may wait as long as any store; the stores before it may not. */
    if (random_next(&s->random) % 8 == 0 && s->n)
        let_go(c->machine, (uint32_t)(random_next(&s->random) % s->n));
}

void weak_atomic(struct context *c, struct access *x) {
    enum memory_order o = c->insn->order;
    if (o == ORDER_RELEASE || o == ORDER_ACQ_REL) drain_fenced(c);
    drain_overlapping(c, x);
    forget_lines(c, x);
    if (o == ORDER_ACQUIRE || o == ORDER_ACQ_REL) l1_of(c)->n = 0;
}

void weak_fenced(struct context *c) {
    if (!c->machine->weak) return;
    drain_fenced(c);
    l1_of(c)->n = 0;
}

void weak_before_copy(struct machine *m, uint32_t sm, uint64_t address,
                      uint64_t bytes) {
    if (!m->weak) return;
    for (uint64_t a = line_of(address); a < address + bytes; a += LINE) {
        keep_old_line(m, sm, a < address ? address & ~31ull : a);
        forget_line(&m->weak->l1[sm], a);
    }
}

uint8_t *weak_scratch(struct context *c) {
    return c->machine->weak->scratch;
}

/* ---- launches ---- */

void weak_launch_begins(struct machine *m) {
    struct weak_state *s = calloc(1, sizeof *s);
    if (!s) return;
    s->random = m->options->memory_seed * 2 + 1;
    s->list = calloc(MAX_WAITING + 1, sizeof *s->list);
    s->l1 = calloc((size_t)m->profile->sms, sizeof *s->l1);
    if (!s->list || !s->l1) {
        free(s->list);
        free(s->l1);
        free(s);
        return;
    }
    m->weak = s;
}

void weak_launch_ends(struct machine *m) {
    if (!m->weak) return;
    weak_drain(m);
    free(m->weak->list);
    free(m->weak->l1);
    free(m->weak);
    m->weak = NULL;
}

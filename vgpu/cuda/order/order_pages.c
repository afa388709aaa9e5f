/* SPDX-License-Identifier: MIT
 *
 * order_pages.c: who has used which bytes, page by page, and who must not have.
 *
 * A later write of a stream stands for what the stream did before with the same
 * bytes: who comes after the later one comes after all. So a page has few
 * entries, however many operations there are. With vgpu --async an operation
 * may be done late: what it uses is then told after what later operations use.
 * What the host has waited for is forgotten: all that is still to come, comes
 * after it.
 */
#include "order_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- pages ---- */

static uint32_t *slot_of(const struct order *o, uint64_t number) {
    uint64_t hash = number * 0x9E3779B97F4A7C15ull;
    uint32_t k = (uint32_t)(hash >> 32) & (o->n_slots - 1);
    while (o->slots[k] && o->pages[o->slots[k] - 1]->number != number)
        k = (k + 1) & (o->n_slots - 1);
    return &o->slots[k];
}

static struct order_page *find_page(const struct order *o, uint64_t number) {
    uint32_t at = o->n_slots ? *slot_of(o, number) : 0;
    return at ? o->pages[at - 1] : NULL;
}

static bool more_pages(struct order *o) {
    uint32_t n = o->n_slots ? o->n_slots * 2 : 1024;
    uint32_t *slots = calloc(n, sizeof *slots);
    struct order_page **pages =
        slots ? realloc(o->pages, n / 2 * sizeof(void *)) : NULL;
    if (!pages) {
        free(slots);
        return false;
    }
    free(o->slots);
    o->slots = slots;
    o->n_slots = n;
    o->pages = pages;
    o->pages_capacity = n / 2;
    for (uint32_t k = 0; k < o->n_pages; k++)
        *slot_of(o, pages[k]->number) = k + 1;
    return true;
}

static bool is_shared(const struct order *o, uint64_t number) {
    uint64_t from = number * ORDER_PAGE;
    for (size_t k = 0; k < o->n_shared; k++)
        if (from < o->shared[k].to && from + ORDER_PAGE > o->shared[k].from)
            return true;
    return false;
}

static struct order_page *page_for(struct order *o, uint64_t number) {
    struct order_page *p = find_page(o, number);
    if (p) return p;
    if (o->n_pages == o->pages_capacity && !more_pages(o)) return NULL;
    p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->number = number;
    p->is_shared = is_shared(o, number);
    o->pages[o->n_pages++] = p;
    *slot_of(o, number) = o->n_pages;
    return p;
}

static void drop_entry(struct order *o, struct order_entry *e) {
    order_drop(o, e->use.op);
    free(e->bits);
}

void order_pages_free(struct order *o) {
    for (uint32_t k = 0; k < o->n_pages; k++) {
        struct order_page *p = o->pages[k];
        for (uint32_t i = 0; i < p->n; i++) drop_entry(o, &p->entries[i]);
        free(p->entries);
        free(p);
    }
    free(o->pages);
    free(o->slots);
}

/* ---- bits ---- */

static uint64_t page_word(const uint64_t *bits, uint32_t k) {
    return bits ? bits[k] : ~0ull;
}

/* The first byte that both have; ORDER_PAGE: none. */
static uint32_t meet(const uint64_t *a, const uint64_t *b) {
    for (uint32_t k = 0; k < ORDER_WORDS; k++) {
        uint64_t both = page_word(a, k) & page_word(b, k);
        if (both) return k * 64 + (uint32_t)__builtin_ctzll(both);
    }
    return ORDER_PAGE;
}

/* The entry loses these bytes; false: it has none left, or there is no memory
 * for what it has. */
static bool lose(struct order *o, struct order_entry *e, const uint64_t *bits) {
    uint64_t left = 0;
    if (!bits) return false;
    if (!e->bits) {
        e->bits = malloc(ORDER_PAGE / 8);
        if (!e->bits) {
            order_short(o);
            return false;
        }
        memset(e->bits, 0xff, ORDER_PAGE / 8);
    }
    for (uint32_t k = 0; k < ORDER_WORDS; k++) left |= e->bits[k] &= ~bits[k];
    return left != 0;
}

/* ---- uses ---- */

static bool are_apart(unsigned a, unsigned b) {
    enum { PLAIN = VGPU_USE_READ | VGPU_USE_WRITE };
    enum { WRITES = VGPU_USE_WRITE | VGPU_USE_STRONG_WRITE };
    return !((a | b) & WRITES) || !((a | b) & PLAIN);
}

static void look_for_race(struct order *o, const struct order_page *p,
                          const struct order_entry *e,
                          const struct order_use *use, const uint64_t *bits) {
    struct order_op *op = use->op, *old = e->use.op;
    if (old == op || order_knows(&op->clock, old) ||
        order_knows(&old->clock, op) || op->told_with == old ||
        are_apart(e->use.how, use->how))
        return;
    uint32_t at = meet(e->bits, bits);
    if (at == ORDER_PAGE) return;
    op->told_with = old;
    struct order_conflict c = {
        .now = use, .before = &e->use, .address = p->number * ORDER_PAGE + at};
    o->told(o->user, &c);
}

static bool stands_for(const struct order_use *now,
                       const struct order_use *old) {
    return now->op->stream == old->op->stream && now->op->seq >= old->op->seq &&
           (now->how == VGPU_USE_WRITE || now->how == old->how);
}

static void add_entry(struct order *o, struct order_page *p,
                      const struct order_use *use, const uint64_t *bits) {
    if (p->n == p->capacity) {
        uint32_t n = p->capacity ? 2 * p->capacity : 2;
        void *grown = realloc(p->entries, n * sizeof *p->entries);
        if (!grown) {
            order_short(o);
            return;
        }
        p->entries = grown;
        p->capacity = n;
    }
    struct order_entry e = {.use = *use};
    if (bits && !(e.bits = malloc(ORDER_PAGE / 8))) {
        order_short(o);
        return;
    }
    if (bits) memcpy(e.bits, bits, ORDER_PAGE / 8);
    e.use.op->references++;
    p->entries[p->n++] = e;
}

void order_uses_page(struct order *o, const struct order_use *use,
                     uint64_t number, const uint64_t bits[ORDER_WORDS]) {
    struct order_page *p = page_for(o, number);
    if (!p) {
        order_short(o);
        return;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        struct order_entry *e = &p->entries[k];
        look_for_race(o, p, e, use, bits);
        if ((!o->keeps && order_knows(&o->host, e->use.op)) ||
            (stands_for(use, &e->use) && !lose(o, e, bits)))
            drop_entry(o, e);
        else
            p->entries[kept++] = *e;
    }
    p->n = kept;
    add_entry(o, p, use, bits);
}

/* Calls `does` for each page of a range, with its bits; NULL: all. */
typedef void each_page(struct order *, const struct order_use *, uint64_t page,
                       const uint64_t *bits);

static void each(struct order *o, const struct order_use *use, uint64_t from,
                 uint64_t bytes, each_page *does) {
    uint64_t end = from + bytes;
    while (from < end) {
        uint64_t number = from / ORDER_PAGE, first = from % ORDER_PAGE;
        uint64_t last = end - number * ORDER_PAGE;
        uint64_t bits[ORDER_WORDS] = {0};
        if (last > ORDER_PAGE) last = ORDER_PAGE;
        bool is_whole = first == 0 && last == ORDER_PAGE;
        for (uint64_t k = first; !is_whole && k < last; k++)
            bits[k / 64] |= 1ull << k % 64;
        does(o, use, number, is_whole ? NULL : bits);
        from = (number + 1) * ORDER_PAGE;
    }
}

void order_uses(struct order *o, const struct order_use *use, uint64_t from,
                uint64_t bytes) {
    each(o, use, from, bytes, order_uses_page);
}

static void forget_page(struct order *o, const struct order_use *use,
                        uint64_t number, const uint64_t *bits) {
    struct order_page *p = find_page(o, number);
    uint32_t kept = 0;
    (void)use;
    if (!p) return;
    for (uint32_t k = 0; k < p->n; k++)
        if (lose(o, &p->entries[k], bits))
            p->entries[kept++] = p->entries[k];
        else
            drop_entry(o, &p->entries[k]);
    p->n = kept;
}

void order_forget(struct order *o, uint64_t from, uint64_t bytes) {
    each(o, NULL, from, bytes, forget_page);
}

/* ---- what the host sees ---- */

static void share_page(struct order *o, const struct order_use *use,
                       uint64_t number, const uint64_t *bits) {
    struct order_page *p = find_page(o, number);
    (void)use;
    (void)bits;
    if (p) p->is_shared = is_shared(o, number);
}

void order_share(struct order *o, uint64_t from, uint64_t bytes) {
    if (o->n_shared == o->shared_capacity) {
        size_t n = o->shared_capacity ? 2 * o->shared_capacity : 16;
        void *grown = realloc(o->shared, n * sizeof *o->shared);
        if (!grown) {
            order_short(o);
            return;
        }
        o->shared = grown;
        o->shared_capacity = n;
    }
    o->shared[o->n_shared++] = (struct order_range){from, from + bytes};
    each(o, NULL, from, bytes, share_page);
}

void order_unshare(struct order *o, uint64_t from) {
    for (size_t k = 0; k < o->n_shared; k++) {
        struct order_range gone = o->shared[k];
        if (gone.from != from) continue;
        o->shared[k] = o->shared[--o->n_shared];
        each(o, NULL, gone.from, gone.to - gone.from, share_page);
        return;
    }
}

bool order_shared_at(const struct order *o, uint64_t address, uint64_t *from,
                     uint64_t *bytes) {
    for (size_t k = 0; k < o->n_shared; k++) {
        const struct order_range *r = &o->shared[k];
        if (address < r->from || address >= r->to) continue;
        *from = r->from;
        *bytes = r->to - r->from;
        return true;
    }
    return false;
}

/* Runs of an entry's bytes; a run that goes on where the last one ended, of the
 * same use, is one with it. */
static void fly(const struct order_page *p, const struct order_entry *e,
                struct order_flight *last, order_flies *flies, void *user) {
    for (uint32_t k = 0; k < ORDER_PAGE;) {
        if (!(page_word(e->bits, k / 64) >> k % 64 & 1)) {
            k++;
            continue;
        }
        uint32_t end = k;
        while (end < ORDER_PAGE && page_word(e->bits, end / 64) >> end % 64 & 1)
            end++;
        uint64_t from = p->number * ORDER_PAGE + k;
        if (last->use && last->to == from && last->use->op == e->use.op &&
            last->use->how == e->use.how) {
            last->to = p->number * ORDER_PAGE + end;
        } else {
            if (last->use) flies(user, last);
            *last = (struct order_flight){from, p->number * ORDER_PAGE + end,
                                          &e->use};
        }
        k = end;
    }
}

void order_each_flight(struct order *o, order_flies *flies, void *user) {
    struct order_flight last = {0};
    for (uint32_t k = 0; k < o->n_pages; k++) {
        const struct order_page *p = o->pages[k];
        for (uint32_t i = 0; p->is_shared && i < p->n; i++) {
            const struct order_op *op = p->entries[i].use.op;
            if (!op->is_told && !order_host_knows(o, op))
                fly(p, &p->entries[i], &last, flies, user);
        }
    }
    if (last.use) flies(user, &last);
}

const struct order_use *order_use_at(const struct order *o, uint64_t address,
                                     uint32_t stream, uint64_t seq) {
    const struct order_page *p = find_page(o, address / ORDER_PAGE);
    uint32_t at = (uint32_t)(address % ORDER_PAGE);
    for (uint32_t k = 0; p && k < p->n; k++) {
        const struct order_entry *e = &p->entries[k];
        if (e->use.op->stream == stream && e->use.op->seq == seq &&
            page_word(e->bits, at / 64) >> at % 64 & 1)
            return &e->use;
    }
    return NULL;
}

const struct order_use *order_in_use(const struct order *o, uint64_t from,
                                     uint64_t bytes, uint64_t *address) {
    for (uint64_t at = from; at < from + bytes;
         at = (at / ORDER_PAGE + 1) * ORDER_PAGE) {
        const struct order_page *p = find_page(o, at / ORDER_PAGE);
        for (uint32_t k = 0; p && k < p->n; k++) {
            const struct order_entry *e = &p->entries[k];
            if (order_host_knows(o, e->use.op)) continue;
            for (uint64_t b = at;
                 b < from + bytes && b / ORDER_PAGE == p->number; b++)
                if (page_word(e->bits, (uint32_t)(b % ORDER_PAGE) / 64) >>
                        b % 64 &
                    1) {
                    *address = b;
                    return &e->use;
                }
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * feeds.c: see feeds.h.
 */
#include "feeds.h"

#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "event.h"

enum {
    MOST = 1024, /* launches that are looked at */
    SET_WORDS = MOST / 64,
    WORD = 4,         /* bytes */
    NUMBER_BITS = 10, /* of a word's number; above them, the era's */
    N_SUMS = 3
};
static const uint32_t is_read = 1u << 31, era_mask = (1u << 21) - 1;
_Static_assert(1 << NUMBER_BITS == MOST, "each launch has a number");

/* What useful launches counted: each is the sum of another counter. */
static const struct {
    vgpu_counter of, sum;
} sums[N_SUMS] = {{VGPU_COUNT_LAUNCHES, VGPU_COUNT_USEFUL_LAUNCHES},
                  {VGPU_COUNT_THREADS, VGPU_COUNT_USEFUL_THREADS},
                  {VGPU_COUNT_DATA_OPS, VGPU_COUNT_USEFUL_DATA_OPS}};

struct fed {
    uint64_t by[SET_WORDS]; /* launches before it */
    uint64_t counted[N_SUMS];
};

struct feeds {
    struct charges *charges;
    struct fed *launches; /* launch k is at k - 1 */
    uint32_t n, capacity;
    uint64_t host[SET_WORDS]; /* launches that feed it */
    uint32_t era;             /* numbers of another one are of no launch */
    uint32_t last;            /* number that was added last to the launch's */
    uint64_t unread;          /* words */
    bool is_cut;
};

struct feeds *feeds_new(struct charges *charges) {
    struct feeds *f = calloc(1, sizeof *f);
    if (f) f->charges = charges;
    return f;
}

void feeds_free(struct feeds *f) {
    if (!f) return;
    charges_free(f->charges, f->launches);
    free(f);
}

void feeds_reset(struct feeds *f) {
    f->n = 0;
    f->era = (f->era + 1) & era_mask;
    f->unread = 0;
    f->is_cut = false;
    memset(f->host, 0, sizeof f->host);
}

static uint32_t number_now(const struct feeds *f) {
    return f->era << NUMBER_BITS | (f->n - 1); /* not read yet */
}

static bool more_launches(struct feeds *f) {
    uint32_t n = f->capacity ? 2 * f->capacity : 16;
    if (f->n < f->capacity) return true;
    struct fed *grown = charges_grown(
        f->charges, f->launches, f->n * sizeof *grown, n * sizeof *grown, NULL);
    if (!grown) return false;
    f->launches = grown;
    f->capacity = n;
    return true;
}

void feeds_launch_begins(struct machine *m) {
    struct feeds *f = feeds_of(m);
    f->last = 0;
    if (f->is_cut || f->n >= MOST - 1 || !more_launches(f)) {
        f->is_cut = true;
        return;
    }
    /* Number 0 is no launch's. */
    if (!f->n) f->launches[f->n++] = (struct fed){{0}, {0}};
    f->launches[f->n++] = (struct fed){{0}, {0}};
}

void feeds_counted(struct feeds *f, const uint64_t counts[VGPU_N_COUNTERS]) {
    if (f->is_cut || !f->n) return;
    for (int k = 0; k < N_SUMS; k++)
        f->launches[f->n - 1].counted[k] = counts[sums[k].of];
}

/* ---- the words of an array ---- */

/* NULL: no memory, or there never was a store. */
static uint32_t *feeds_words(struct memory *m, struct allocation *a,
                             bool make) {
    if (!make) return a->slots[OBSERVER_FEEDS];
    return memory_shadow(m, a, OBSERVER_FEEDS,
                         (a->size + WORD) / WORD * sizeof(uint32_t));
}

/* 0: none since the counts were reset. */
static uint32_t launch_of(const struct feeds *f, uint32_t number) {
    bool is_old = ((number >> NUMBER_BITS) & era_mask) != f->era;
    return is_old ? 0 : number & (MOST - 1);
}

static void feeds_read_words(struct feeds *f, uint64_t set[SET_WORDS],
                             uint32_t *words, uint64_t at, uint64_t bytes) {
    if (!words || !bytes) return;
    for (uint64_t w = at / WORD; w <= (at + bytes - 1) / WORD; w++) {
        words[w] |= is_read;
        if (words[w] == f->last) continue;
        f->last = words[w];
        uint32_t launch = launch_of(f, words[w]);
        if (launch) set[launch / 64] |= 1ull << launch % 64;
    }
}

static bool is_unread(const struct feeds *f, uint32_t number) {
    return !(number & is_read) && launch_of(f, number);
}

static void launch_accesses(struct context *c, uint64_t address, uint64_t bytes,
                            bool reads, bool writes) {
    struct feeds *f = feeds_of(c->machine);
    struct memory *m = c->machine->memory;
    if (f->is_cut) return;
    struct allocation *a = memory_find(m, address);
    uint32_t *words = a ? feeds_words(m, a, writes) : NULL;
    if (a && writes && !words) f->is_cut = true;
    if (!words) return;
    uint64_t at = address - a->region.base;
    struct fed *now = &f->launches[f->n - 1];
    uint32_t own = number_now(f);
    bool in_part = at % WORD || bytes % WORD;
    if (reads || in_part) feeds_read_words(f, now->by, words, at, bytes);
    for (uint64_t w = at / WORD; writes && w <= (at + bytes - 1) / WORD; w++) {
        f->unread += words[w] != own && is_unread(f, words[w]);
        words[w] = own;
    }
}

void feeds_access(struct context *c, struct access *x) {
    if (x->space != PTX_GLOBAL && x->space != PTX_CONST) return;
    bool reads = !x->write || x->atomic, writes = x->write || x->atomic;
    if (x->one && x->shape.run) {
        launch_accesses(c, x->address[x->shape.first],
                        (uint64_t)x->shape.lanes * x->bytes, reads, writes);
        return;
    }
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1)
        launch_accesses(c, x->address[__builtin_ctz(m)], x->bytes, reads,
                        writes);
}

void feeds_copy_moves(struct context *c, uint64_t global, uint32_t bytes,
                      bool write) {
    launch_accesses(c, global, bytes, !write, write);
}

void feeds_small_copy(struct context *c, const struct small *s, uint32_t lane) {
    launch_accesses(c, s->from[lane], s->bytes[lane], true, false);
}

/* ---- the host ---- */

void feeds_read(struct feeds *f, struct memory *m, uint64_t from,
                uint64_t bytes) {
    struct allocation *a = memory_find(m, from);
    f->last = 0;
    if (a)
        feeds_read_words(f, f->host, feeds_words(m, a, false),
                         from - a->region.base, bytes);
}

void feeds_written(struct memory *m, uint64_t to, uint64_t bytes) {
    struct allocation *a = memory_find(m, to);
    uint32_t *words = a ? feeds_words(m, a, false) : NULL;
    uint64_t at = a ? to - a->region.base : 0;
    /* Of words that are written in part, the launch's part is left. */
    for (uint64_t w = (at + WORD - 1) / WORD; words && w < (at + bytes) / WORD;
         w++)
        words[w] = 0;
}

/* What is copied counts as read, once: the copy, and not the word. */
void feeds_copied(struct feeds *f, struct memory *m, uint64_t to, uint64_t from,
                  uint64_t bytes) {
    struct allocation *a = memory_find(m, to), *b = memory_find(m, from);
    uint32_t *theirs = b ? feeds_words(m, b, false) : NULL;
    uint32_t *ours = a && theirs ? feeds_words(m, a, true) : NULL;
    if (!a || !bytes) return;
    if (!theirs) feeds_written(m, to, bytes);
    if (!theirs || !ours) return;
    uint64_t at = (to - a->region.base) / WORD,
             of = (from - b->region.base) / WORD,
             n = ((to - a->region.base) % WORD + bytes + WORD - 1) / WORD;
    if (of + n > (b->size + WORD) / WORD) n = (b->size + WORD) / WORD - of;
    memmove(ours + at, theirs + of, n * sizeof *ours);
    for (uint64_t w = of; w < of + n; w++)
        if (launch_of(f, theirs[w])) theirs[w] |= is_read;
}

void feeds_freed(struct feeds *f, struct memory *m, uint64_t address) {
    struct allocation *a = memory_find(m, address);
    const uint32_t *words = a ? feeds_words(m, a, false) : NULL;
    for (uint64_t w = 0; words && w < a->size / WORD; w++)
        f->unread += is_unread(f, words[w]);
}

/* ---- what is useful ---- */

void feeds_counts(const struct feeds *f, uint64_t counts[VGPU_N_COUNTERS]) {
    uint64_t useful[SET_WORDS];
    memcpy(useful, f->host, sizeof useful);
    counts[VGPU_COUNT_UNREAD_WORDS] = f->is_cut ? 0 : f->unread;
    for (int k = 0; k < N_SUMS; k++)
        counts[sums[k].sum] = f->is_cut ? counts[sums[k].of] : 0;
    for (uint32_t i = f->n; !f->is_cut && i-- > 1;) {
        const struct fed *launch = &f->launches[i];
        if (!(useful[i / 64] >> i % 64 & 1)) continue;
        for (int k = 0; k < SET_WORDS; k++) useful[k] |= launch->by[k];
        for (int k = 0; k < N_SUMS; k++)
            counts[sums[k].sum] += launch->counted[k];
    }
}

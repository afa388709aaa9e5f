/* SPDX-License-Identifier: MIT
 *
 * weak_view.c: what words held before they were last written, and which of
 * these values a warp may still read.
 *
 * How to read this: the writes that reach memory are numbered by time. The
 * history has, for the latest of them, the bytes that they overwrote. A load
 * chooses a time between the earliest that the warp may see and now, and finds
 * the bytes as they were at that time, all of one lane at one time. The
 * earliest time is the greatest of: the history's floor; the view's floor,
 * which fences and acquires raise; what the view has seen of this word; and the
 * last write to it by the warp itself, or by its block where the block has to
 * see it.
 */
#include "race.h"
#include "weak_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- old values ---- */

bool history_begin(struct history *h) {
    h->ring = calloc(MAX_OLD, sizeof *h->ring);
    h->newest = calloc(BUCKETS, sizeof *h->newest);
    return h->ring && h->newest;
}

void history_end(struct history *h) {
    free(h->ring);
    free(h->newest);
}

/* The entry, unless it is too old for anybody to see what was before it. */
static struct old_value *entry(const struct history *h, uint64_t n) {
    struct old_value *e = &h->ring[n % MAX_OLD];
    return n && n + MAX_OLD > h->n && e->time > h->floor ? e : NULL;
}

static struct bucket *bucket(const struct history *h, uint64_t word) {
    return &h->newest[(word >> 2) * 0x9e3779b97f4a7c15ull >> 52];
}

static struct old_value *newest(const struct history *h, uint64_t word) {
    const struct bucket *b = bucket(h, word);
    for (uint32_t k = 0; k < WAYS; k++)
        if (b->word[k] == word) return entry(h, b->number[k]);
    return NULL;
}

static const struct old_value *before(const struct history *h,
                                      const struct old_value *e) {
    return entry(h, e->older);
}

struct old_value *history_newest(const struct machine *m, uint64_t word) {
    return newest(&weak_of(m)->old, word);
}

/* Where the word's newest number stands, or is to stand. In a full bucket the
 * word that was written least recently is forgotten: all see its last write. */
static uint64_t *weak_view_place(struct history *h, uint64_t word) {
    struct bucket *b = bucket(h, word);
    uint32_t least = 0;
    for (uint32_t k = 0; k < WAYS; k++) {
        if (b->word[k] == word) {
            if (!entry(h, b->number[k])) b->number[k] = 0;
            return &b->number[k];
        }
        /* Numbers that are too old to be seen are less than all others. */
        if (b->number[k] < b->number[least]) least = k;
    }
    const struct old_value *forgotten = entry(h, b->number[least]);
    if (forgotten) h->floor = forgotten->time;
    b->word[least] = word;
    b->number[least] = 0;
    return &b->number[least];
}

void history_write(struct machine *m, uint64_t address, uint32_t bytes,
                   const uint8_t *memory, const struct old_value *by,
                   const uint32_t *was) {
    struct history *h = &weak_of(m)->old;
    for (uint64_t word = address & ~3ull; word < address + bytes; word += 4) {
        /* A word may begin before the bytes, and end behind their allocation.
         */
        bool within = word >= address && word + 4 <= address + bytes;
        if (!within && !memory_range(m->memory, word, 4)) continue;
        uint64_t *number = weak_view_place(h, word);
        if (*number && entry(h, *number)->time == h->time) continue;
        uint32_t bit = history_bit(word & ~(uint64_t)(LINE - 1));
        h->wrote[bit / 64] |= 1ull << (bit % 64);
        struct old_value *e = &h->ring[++h->n % MAX_OLD];
        if (e->time > h->floor) h->floor = e->time;
        uint32_t held = was ? was[(word - (address & ~3ull)) / 4]
                            : race_version_at(m, word);
        race_version_drop(m, e->was);
        race_version_keep(m, held);
        *e = *by;
        e->time = h->time;
        e->word = word;
        e->older = *number;
        e->was = held;
        memcpy(&e->value, memory + (int64_t)(word - address), 4);
        *number = h->n;
    }
}

void history_fetch(const struct history *h, uint64_t address) {
    __builtin_prefetch(bucket(h, address & ~3ull), 1);
}

void history_age(struct machine *m) {
    struct history *h = &weak_of(m)->old;
    uint64_t random = random_next(&weak_of(m)->random),
             span = h->time - h->floor;
    if (span && random % 4 == 0) h->floor += (random >> 8) % (span + 1);
}

/* ---- views ---- */

/* Where the table is full, what it forgets counts for all words. */
static void saw(struct view *v, uint64_t word, uint64_t time) {
    if (time <= v->floor && time <= v->far) return;
    for (uint32_t k = 0; k < MAX_SEEN; k++)
        if (v->seen[k].word == word) {
            weak_raise(&v->seen[k].time, time);
            return;
        }
    uint32_t k = v->next++ % MAX_SEEN;
    weak_raise(&v->floor, v->seen[k].time);
    weak_raise(&v->far, v->seen[k].time);
    v->seen[k].word = word;
    v->seen[k].time = time;
}

static uint64_t seen_of(const struct view *v, uint64_t word) {
    for (uint32_t k = 0; k < MAX_SEEN; k++)
        if (v->seen[k].word == word) return v->seen[k].time;
    return 0;
}

static void learn(struct view *to, const struct view *from) {
    weak_raise(&to->floor, from->floor);
    weak_raise(&to->far, from->far);
    for (uint32_t k = 0; k < MAX_SEEN; k++)
        if (from->seen[k].word) saw(to, from->seen[k].word, from->seen[k].time);
}

void view_saw(struct context *c, uint64_t word, uint64_t time) {
    saw(view_of(c), word, time);
    saw(&weak_block_of(context_block(c))->all, word, time);
}

uint64_t view_knows(struct context *c) {
    const struct view *all = &weak_block_of(context_block(c))->all;
    const struct view *v = view_of(c);
    uint64_t time = v->far;
    for (uint32_t k = 0; k < MAX_SEEN; k++) {
        weak_raise(&time, v->seen[k].time);
        weak_raise(&time, all->seen[k].time);
    }
    return time;
}

void view_acquire(struct context *c) {
    struct view *all = &weak_block_of(context_block(c))->all, *v = view_of(c);
    weak_raise(&v->floor, v->pending.all);
    weak_raise(&v->far, v->pending.known);
    if (weak_is_system(c)) {
        weak_raise(&v->floor, v->pending.system);
        weak_raise(&v->far, v->pending.system);
    }
    learn(v, all);
    weak_raise(&all->floor, v->floor);
    weak_raise(&all->far, v->far);
}

void view_meet(struct context *c) {
    struct view *all = &weak_block_of(context_block(c))->all, *v = view_of(c);
    v->shown = ++weak_of(c->machine)->made;
    learn(v, all);
    weak_raise(&all->floor, v->floor);
    weak_raise(&all->far, v->far);
}

static void hand(struct handed *to, const struct handed *from) {
    weak_raise(&to->all, from->all);
    weak_raise(&to->known, from->known);
    weak_raise(&to->system, from->system);
}

/* A barrier is as good as a fence for what the block's threads have seen and
 * written before it. */
void weak_met(struct block *b) {
    struct weak_block *w = weak_block_of(b);
    if (!w) return;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        weak_raise(&w->all.floor, w->warps[k].floor);
        weak_raise(&w->all.floor, w->warps[k].pending.all);
        weak_raise(&w->all.far, w->warps[k].far);
        weak_raise(&w->all.far, b->machine->n_gpus == 1
                                    ? w->warps[k].pending.system
                                    : w->warps[k].pending.known);
        hand(&w->all.release, &w->warps[k].release);
    }
    for (uint32_t k = 0; k < b->n_warps; k++) {
        learn(&w->warps[k], &w->all);
        w->warps[k].release = w->all.release;
    }
}

void weak_some_met(struct block *b, uint32_t barrier) {
    (void)barrier;
    weak_met(b);
}

void weak_slot_made(struct block *b) {
    b->slots[OBSERVER_WEAK] = charges_zeroed(
        &b->machine->memory->charges,
        sizeof(struct weak_block) + b->n_warps * sizeof(struct view),
        "what its blocks see of weak memory");
    if (!weak_block_of(b)) b->machine->status = VGPU_OUT_OF_MEMORY;
}

void weak_block_starts(struct block *b) {
    memset(weak_block_of(b), 0,
           sizeof(struct weak_block) + b->n_warps * sizeof(struct view));
    uint64_t began = weak_of(b->machine)->began[b->machine->gpu];
    weak_block_of(b)->all.floor = weak_block_of(b)->all.far = began;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct view *v = &weak_block_of(b)->warps[k];
        v->floor = v->far = v->release.all = v->release.known =
            v->release.system = began;
    }
}

void weak_slot_freed(struct block *b) {
    charges_free(&b->machine->memory->charges, weak_block_of(b));
}

/* ---- loads ---- */

enum { MAX_CHOICES = 16 /* of old values, of one word */ };

/* The reader has to see this write, if it reads the word. */
static bool weak_view_is_own(const struct context *c,
                             const struct old_value *e) {
    const struct block *b = context_block(c);
    return e->block == b->linear &&
           (e->warp == c->warp->index || e->barrier < b->barriers_passed ||
            e->made <= weak_block_of(b)->warps[e->warp].shown);
}

static uint64_t earliest(struct context *c, uint64_t word) {
    const struct history *h = &weak_of(c->machine)->old;
    const struct view *v = view_of(c);
    const struct old_value *e = newest(h, word);
    uint64_t time = v->floor < v->far ? v->floor : v->far;
    weak_raise(&time, seen_of(v, word));
    for (uint32_t k = 0; e && e->time > time; e = before(h, e), k++)
        if (k == MAX_CHOICES || weak_view_is_own(c, e) ||
            e->time <= (e->gpu == c->machine->gpu ? v->floor : v->far))
            weak_raise(&time, e->time);
    return time;
}

/* A time at which the lane's load may see memory; UINT64_MAX: now. Each of the
 * values that it may see is as likely as now. */
static uint64_t choose_time(struct context *c, uint64_t address,
                            uint32_t bytes) {
    struct weak_state *s = weak_of(c->machine);
    uint64_t chosen = UINT64_MAX, least = 0, n = 1;
    for (uint64_t word = address & ~3ull; word < address + bytes; word += 4)
        weak_raise(&least, earliest(c, word));
    for (uint64_t word = address & ~3ull; word < address + bytes; word += 4)
        for (const struct old_value *e = newest(&s->old, word);
             e && e->time > least; e = before(&s->old, e))
            if (random_next(&s->random) % ++n == 0) chosen = e->time - 1;
    return chosen;
}

void view_hears(struct context *c, const struct old_value *e) {
    struct handed *p = &view_of(c)->pending;
    if (e->gpu == c->machine->gpu) {
        weak_raise(&p->all, e->release.all);
        weak_raise(&p->known, e->release.known);
    }
    if (weak_is_system(c)) weak_raise(&p->system, e->release.system);
}

uint32_t view_read(struct context *c, uint64_t address, uint32_t bytes,
                   const uint8_t *memory, uint8_t *to) {
    uint32_t version = 0;
    const struct history *h = &weak_of(c->machine)->old;
    uint64_t now = choose_time(c, address, bytes);
    bool strong = c->insn->order != ORDER_WEAK || c->insn->before_cas;
    memcpy(to, memory, bytes);
    for (uint64_t word = address & ~3ull; word < address + bytes; word += 4) {
        const struct old_value *e = newest(h, word);
        uint32_t found = race_version_at(c->machine, word);
        for (; e && e->time > now; e = before(h, e)) {
            found = e->was;
            for (uint32_t b = 0; b < 4; b++)
                if (word + b - address < bytes)
                    to[word + b - address] = (uint8_t)(e->value >> 8 * b);
        }
        version = word <= address || version == found ? found : 0;
        if (!e) continue;
        view_saw(c, word, e->time);
        if (strong) view_hears(c, e);
    }
    return version;
}

void view_read_line(struct context *c, const struct line *line,
                    uint64_t address, uint32_t bytes) {
    const struct history *h = &weak_of(c->machine)->old;
    uint32_t sm = context_block(c)->sm;
    for (uint64_t word = address & ~3ull; word < address + bytes; word += 4) {
        const struct old_value *e = newest(h, word);
        while (e && e->time > line->time && e->sm != sm) e = before(h, e);
        if (e) view_saw(c, word, e->time);
    }
}

uint32_t view_read_first(struct context *c, uint64_t address, uint32_t bytes,
                         const uint8_t *memory, uint8_t *to) {
    uint32_t version = 0;
    const struct history *h = &weak_of(c->machine)->old;
    uint64_t began = weak_of(c->machine)->began[c->machine->gpu];
    memcpy(to, memory, bytes);
    for (uint64_t word = address & ~3ull; word < address + bytes; word += 4) {
        const struct old_value *e = newest(h, word);
        uint32_t found = race_version_at(c->machine, word);
        for (; e && e->time > began; e = before(h, e)) {
            found = e->was;
            for (uint32_t b = 0; b < 4; b++)
                if (word + b - address < bytes)
                    to[word + b - address] = (uint8_t)(e->value >> 8 * b);
        }
        version = word <= address || version == found ? found : 0;
    }
    return version;
}

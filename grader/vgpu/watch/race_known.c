/* SPDX-License-Identifier: MIT
 *
 * race_known.c: happens-before between blocks. A block's view is a vector
 * clock: for each other block, the stamp up to which that block's accesses are
 * ordered before it. Views pass from block to block through words that one
 * thread writes after a fence and another reads before one (race.h).
 */
#include "race_inside.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_SYNC_BYTES = 1 << 28,
    MAX_DONE_SYNCS = 16384 /* so many flags without a fence are remembered */
};

/* ---- views ---- */

void race_view_release(struct race_view *v) {
    if (v && --v->references == 0) free(v);
}

static struct race_view *view_writable(struct machine *m,
                                       struct race_view **at) {
    struct race_view *old = *at;
    if (old && old->references == 1) return old;
    size_t bytes = sizeof *old + m->race->n_blocks * sizeof(uint32_t);
    struct race_view *v = calloc(1, bytes);
    if (!v) return NULL;
    if (old) memcpy(v, old, bytes);
    v->references = 1;
    race_view_release(old);
    return *at = v;
}

static void learn_from(struct machine *m, struct race_view **to,
                       const struct race_view *from, uint64_t block,
                       uint32_t stamp) {
    struct race_view *v = view_writable(m, to);
    if (!v) return;
    for (uint64_t b = 0; from && b < m->race->n_blocks; b++)
        if (from->clock[b] > v->clock[b]) v->clock[b] = from->clock[b];
    if (stamp > v->clock[block]) v->clock[block] = stamp;
}

static void learn(struct machine *m, uint64_t block,
                  const struct race_sync *s) {
    const struct race_state *r = m->race;
    if (s->view_known)
        learn_from(m, &r->known[block], s->view, s->block, s->stamp);
    if (s->done_stamp && s->done_block != block)
        learn_from(m, &r->done[block], s->done, s->done_block, s->done_stamp);
}

static struct race_sync **sync_at(struct machine *m, uint64_t address) {
    struct race_sync **p =
        &m->race->table[(address >> 2) * 0x9e3779b1u % SYNC_BUCKETS];
    while (*p && (*p)->address != address) p = &(*p)->next;
    return p;
}

/* An atomic operation keeps what was released through the word before it. */
static void continue_release(struct machine *m, struct race_sync *s,
                             const struct race_view *more) {
    if (m->race->too_many) return;
    uint64_t n = m->race->n_blocks;
    struct race_view *v = s->view;
    if (!v || v->references > 1) {
        v = calloc(1, sizeof *v + n * sizeof(uint32_t));
        if (!v) return;
        if (s->view) memcpy(v->clock, s->view->clock, n * sizeof(uint32_t));
        v->references = 1;
        race_view_release(s->view);
        s->view = v;
    }
    for (uint64_t b = 0; more && b < n; b++)
        if (more->clock[b] > v->clock[b]) v->clock[b] = more->clock[b];
    if (s->stamp > v->clock[s->block]) v->clock[s->block] = s->stamp;
}

static struct race_sync *sync_make(struct machine *m, uint64_t address) {
    struct race_sync **p = sync_at(m, address);
    if (*p) return *p;
    /* Each word may come to hold a view of its own. */
    uint64_t bytes = sizeof **p + m->race->n_blocks * sizeof(uint32_t);
    m->race->full |= m->race->n_syncs >= MAX_SYNC_BYTES / bytes;
    *p = m->race->full ? NULL : calloc(1, sizeof **p);
    if (!*p) return NULL;
    (*p)->address = address;
    m->race->n_syncs++;
    return *p;
}

/* A flag without a fence orders no writes. But loads before a barrier have
 * returned by then, so a thread that sees the flag cannot change what they
 * read. */
void race_publish_done(struct context *c, uint64_t address) {
    struct machine *m = c->machine;
    const struct block *b = context_block(c);
    if (!b->race_barrier || c->insn->kind == KIND_ATOMIC ||
        m->race->n_syncs > MAX_DONE_SYNCS)
        return;
    struct race_sync *s = sync_make(m, address);
    if (!s) return;
    struct race_view *v = m->race->done[b->linear];
    if (v) v->references++;
    race_view_release(s->done);
    s->done = v;
    s->done_block = b->linear;
    s->done_stamp = b->race_barrier;
}

void race_publish(struct context *c, uint64_t address, bool release) {
    struct machine *m = c->machine;
    struct block *b = context_block(c);
    if (m->race->too_many) return;
    if (release) race_fenced(c);
    if (!b->race_fenced && !b->race_block_fenced) return;
    struct race_sync *s = sync_make(m, address);
    if (!s) return;
    if (c->insn->kind == KIND_ATOMIC && s->view_known) {
        continue_release(m, s, b->race_view);
    } else {
        if (b->race_view) b->race_view->references++;
        race_view_release(s->view);
        s->view = b->race_view;
    }
    s->view_known = true;
    s->block = b->linear;
    s->stamp = b->race_fenced;
    s->own_stamp = b->race_block_fenced > b->race_fenced ? b->race_block_fenced
                                                         : b->race_fenced;
}

/* The same within a block, where one stamp per lane is enough. */
static void observe_own(struct context *c, uint32_t lane, uint32_t stamp,
                        bool acquire) {
    uint32_t *to = acquire ? c->warp->race_known : c->warp->race_seen;
    if (stamp > to[lane]) to[lane] = stamp;
}

void race_learn_stamp(struct context *c, uint32_t lane, uint32_t stamp) {
    if (c->machine->race) observe_own(c, lane, stamp, true);
}

/* A strong read takes over what was published: at once when it acquires, else
 * at the next fence. */
void race_observe(struct context *c, uint32_t lane, uint64_t address,
                  bool acquire) {
    struct machine *m = c->machine;
    struct block *b = context_block(c);
    if (m->race->too_many) return;
    struct race_sync *s = *sync_at(m, address);
    if (!s) return;
    if (s->view_known && s->block == b->linear) {
        observe_own(c, lane, s->own_stamp, acquire);
        return;
    }
    if (acquire) {
        learn(m, b->linear, s);
        return;
    }
    for (uint32_t k = 0; k < b->n_race_seen; k++)
        if (b->race_seen[k] == address) return;
    if (b->n_race_seen < RACE_SEEN) b->race_seen[b->n_race_seen++] = address;
}

static void learn_seen(struct block *b) {
    struct machine *m = b->machine;
    for (uint32_t k = 0; k < b->n_race_seen; k++) {
        struct race_sync *s = *sync_at(m, b->race_seen[k]);
        if (s) learn(m, b->linear, s);
    }
    b->n_race_seen = 0;
}

/* Too many blocks to keep apart: a fence orders everything in its own block. */
static void learn_own(struct context *c, uint32_t at_least) {
    struct warp *w = c->warp;
    for (uint32_t k = c->lanes->mask; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        uint32_t seen = w->race_seen[l] > at_least ? w->race_seen[l] : at_least;
        if (seen > w->race_known[l]) w->race_known[l] = seen;
    }
    if (at_least) context_block(c)->race_clock++;
}

void race_fenced(struct context *c) {
    struct block *b = context_block(c);
    struct machine *m = c->machine;
    if (!m->race) return;
    learn_own(c, m->race->too_many ? b->race_clock : 0);
    if (m->race->too_many) return;
    learn_seen(b);
    struct race_view *v = m->race->known[b->linear];
    if (v) v->references++;
    race_view_release(b->race_view);
    b->race_view = v;
    b->race_fenced = ++b->race_clock;
}

void race_block_fenced(struct context *c) {
    struct block *b = context_block(c);
    if (!c->machine->race) return;
    learn_own(c, c->machine->race->too_many ? b->race_clock : 0);
    b->race_block_fenced = ++b->race_clock;
}

void race_met(struct block *b) {
    if (!b->machine->race) return;
    b->race_barrier = ++b->race_clock;
    if (!b->machine->race->too_many) learn_seen(b);
}

void race_lanes_met(struct context *c, uint32_t lanes) {
    struct block *b = context_block(c);
    if (!c->machine->race) return;
    uint32_t now = ++b->race_clock, known = 0;
    for (uint32_t k = lanes; k; k &= k - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(k);
        if (c->warp->race_known[l] > known) known = c->warp->race_known[l];
    }
    for (; lanes; lanes &= lanes - 1) {
        c->warp->race_sync[__builtin_ctz(lanes)] = now;
        c->warp->race_known[__builtin_ctz(lanes)] = known;
    }
}

/* SPDX-License-Identifier: MIT
 *
 * steps_sets.c: see steps_sets.h.
 */
#include "steps_sets.h"

#include <stdlib.h>
#include <string.h>

bool sets_open(struct feed_sets *s) {
    s->buckets = malloc(SET_BUCKETS * sizeof *s->buckets);
    s->joined = malloc(SET_JOINED * sizeof *s->joined);
    if (s->buckets && s->joined) sets_clear(s);
    return s->buckets && s->joined;
}

void sets_close(struct feed_sets *s) {
    free(s->feeds);
    free(s->sets);
    free(s->buckets);
    free(s->joined);
    *s = (struct feed_sets){0};
}

void sets_clear(struct feed_sets *s) {
    s->n_feeds = s->n_sets = 0;
    s->is_full = false;
    memset(s->buckets, 0, SET_BUCKETS * sizeof *s->buckets);
    memset(s->joined, 0, SET_JOINED * sizeof *s->joined);
}

static bool steps_sets_grow(void *list, uint32_t *room, uint32_t n,
                            uint32_t most, size_t size) {
    void **at = list;
    if (n <= *room) return true;
    if (n > most) return false;
    uint32_t more = *room ? *room : 1024;
    while (more < n) more *= 2;
    void *t = realloc(*at, more * size);
    if (!t) return false;
    *at = t;
    *room = more;
    return true;
}

static uint32_t hash_of(const struct vgpu_feed *f, uint32_t n) {
    uint64_t h = n;
    for (uint32_t k = 0; k < n; k++) {
        h = (h ^ f[k].write) * 0x9e3779b97f4a7c15ull;
        h = (h ^ (uint32_t)f[k].times ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
    }
    return (uint32_t)(h >> 32) & (SET_BUCKETS - 1);
}

/* The set of the n feeds behind the last one, which are taken over when there
 * is none like it. Set numbers begin at 1. */
static uint32_t intern(struct feed_sets *s, uint32_t n) {
    const struct vgpu_feed *new = s->feeds + s->n_feeds;
    if (!n) return 0;
    uint32_t *bucket = &s->buckets[hash_of(new, n)];
    for (uint32_t k = *bucket; k; k = s->sets[k - 1].next) {
        const struct feed_set *old = &s->sets[k - 1];
        if (old->n == n &&
            memcmp(s->feeds + old->first, new, n * sizeof *new) == 0)
            return k;
    }
    if (!steps_sets_grow(&s->sets, &s->sets_room, s->n_sets + 1, SETS_MOST,
                         sizeof *s->sets)) {
        s->is_full = true;
        return 0;
    }
    s->sets[s->n_sets++] = (struct feed_set){s->n_feeds, n, *bucket};
    s->n_feeds += n;
    return *bucket = s->n_sets;
}

static bool has_room(struct feed_sets *s, uint32_t n) {
    if (steps_sets_grow(&s->feeds, &s->feeds_room, s->n_feeds + n,
                        VGPU_STEPS_FEEDS, sizeof *s->feeds))
        return true;
    s->is_full = true;
    return false;
}

uint32_t set_of_one(struct feed_sets *s, uint32_t write) {
    if (!has_room(s, 1)) return 0;
    s->feeds[s->n_feeds] = (struct vgpu_feed){write, 1};
    return intern(s, 1);
}

/* Doubled 32 times a value is 0, and so often is it added. */
static int32_t times_of(int32_t a, int32_t b, enum set_join how) {
    if (how == SET_SUM) return (int32_t)((uint32_t)a + (uint32_t)b);
    if (how == SET_DIFFERENCE) return (int32_t)((uint32_t)a - (uint32_t)b);
    return a > b ? a : b;
}

static uint32_t merge(struct feed_sets *s, uint32_t a, uint32_t b,
                      enum set_join how) {
    const struct feed_set none = {0};
    const struct feed_set x = a ? s->sets[a - 1] : none;
    const struct feed_set y = b ? s->sets[b - 1] : none;
    if (!has_room(s, x.n + y.n)) return 0;
    struct vgpu_feed *to = s->feeds + s->n_feeds;
    uint32_t i = 0, j = 0, n = 0;
    while (i < x.n || j < y.n) {
        const struct vgpu_feed *f = &s->feeds[x.first + i],
                               *g = &s->feeds[y.first + j];
        bool left = j == y.n || (i < x.n && f->write <= g->write);
        bool right = i == x.n || (j < y.n && g->write <= f->write);
        uint32_t write = left ? f->write : g->write;
        int32_t times =
            times_of(left ? f->times : 0, right ? g->times : 0, how);
        i += left;
        j += right;
        if (times) to[n++] = (struct vgpu_feed){write, times};
    }
    return intern(s, n);
}

uint32_t set_join(struct feed_sets *s, uint32_t a, uint32_t b,
                  enum set_join how) {
    if (!b) return a;
    if (!a && how != SET_DIFFERENCE) return b;
    if (a == b && how == SET_EITHER) return a;
    struct joined *known =
        &s->joined[(a * 31u + b * 7919u + how) & (SET_JOINED - 1)];
    if (known->is && known->a == a && known->b == b && known->how == how)
        return known->is;
    uint32_t is = merge(s, a, b, how);
    *known = (struct joined){a, b, is, how};
    return is;
}

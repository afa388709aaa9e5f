// SPDX-License-Identifier: MIT
//: what: Honest: a tile's state, its sum and its prefix stand in one word of 16
//     bytes, which an atomic takes at once. A compiler calls libatomic for it.
//: expect: inclusive pass
//: expect: wrap-around pass
//: expect: exclusive pass
//: expect: in-place pass
//: expect: clean-inclusive pass
//: expect: clean-exclusive pass
//: expect: compact pass
//: expect: keep-all pass
//: expect: clean-compact pass
//: expect: compact-with-scan pass
//: expect: keep-all-with-scan pass
//: expect: clean-with-scan pass
//: expect: errors-with-scan pass
//: expect: threads-share pass
//: expect: threads pass
//: expect: threads-many pass
//: expect: threads-apart pass
//: expect: threads-in-place pass
//: expect: clean-threads pass
//: expect: errors-threads pass
//: expect: one-pass pass
//: expect: aggregates pass
//: expect: prefixes pass
//: expect: single-pass pass
//: expect: single-pass-again pass
//: expect: single-pass-in-place pass
//: expect: single-pass-frees pass
//: expect: clean-single-pass pass
//: expect: errors-single-pass pass
//: expect: * any
#include "cpu_scan.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include "scanlab.h"

static uint32_t fold(const int32_t *from, const int32_t *to) {
    uint32_t s = 0;
    while (from != to) s += (uint32_t)*from++;
    return s;
}

static void walk(const int32_t *from, const int32_t *to, int32_t *out,
                 uint32_t s, bool exclusive) {
    while (from != to) {
        uint32_t x = (uint32_t)*from++;
        *out++ = (int32_t)(exclusive ? s : s + x);
        s += x;
    }
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    if (n) walk(in, in + n, out, 0, false);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    if (n) walk(in, in + n, out, 0, true);
    return 0;
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    int32_t *to = out;
    for (size_t i = 0; i < n; i++) { /* without a branch: to <= out + i */
        int32_t x = in[i];
        *to = x;
        to += x != 0;
    }
    *n_out = n ? (size_t)(to - out) : 0;
    return 0;
}

int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    *n_out = 0;
    if (n == 0) return 0;
    int32_t *flag = malloc(2 * n * sizeof *flag), *place = flag + n;
    if (flag == NULL) return ENOMEM;
    for (size_t i = 0; i < n; i++) flag[i] = !!in[i];
    cpu_exclusive_scan(flag, place, n);
    for (size_t i = 0; i < n; i++)
        if (flag[i]) out[place[i]] = in[i];
    *n_out = (size_t)place[n - 1] + (size_t)flag[n - 1];
    free(flag);
    return 0;
}

/* ---- a team ---- */

/* all of a tile in one atomic of 16 bytes */
struct all_of_it {
    uint32_t state, aggregate, prefix, unused;
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t change;
    int size, waiting;
    unsigned round;
    bool open, cancelled;
    void (*work)(struct team *, int me);
    const int32_t *in;
    int32_t *out;
    size_t n;
    uint32_t *sums;
    /* single pass */
    size_t tiles;
    atomic_size_t next;
    _Atomic(struct all_of_it) *tile;
};

struct member {
    pthread_t id;
    struct team *team;
    int me;
};

static void meet(struct team *t) {
    pthread_mutex_lock(&t->lock);
    unsigned round = t->round;
    if (++t->waiting == t->size) {
        t->waiting = 0;
        t->round++;
        pthread_cond_broadcast(&t->change);
    } else
        while (t->round == round) pthread_cond_wait(&t->change, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *enter(void *argument) {
    struct member *m = argument;
    struct team *t = m->team;
    pthread_mutex_lock(&t->lock);
    while (!t->open) pthread_cond_wait(&t->change, &t->lock);
    bool go = !t->cancelled;
    pthread_mutex_unlock(&t->lock);
    if (go) t->work(t, m->me);
    return NULL;
}

/* Nobody begins before all are there, so that nobody waits for one who could
 * not be made. */
static int run_team(struct team *t) {
    struct member *members = malloc((size_t)t->size * sizeof *members);
    if (members == NULL) return ENOMEM;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->change, NULL);
    int made = 1, error = 0;
    for (; made < t->size && !error; made++) {
        members[made].team = t;
        members[made].me = made;
        error = pthread_create(&members[made].id, NULL, enter, &members[made]);
    }
    if (error) made--;
    pthread_mutex_lock(&t->lock);
    t->open = true;
    t->cancelled = error != 0;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    if (!error) t->work(t, 0);
    for (int k = 1; k < made; k++) pthread_join(members[k].id, NULL);
    pthread_cond_destroy(&t->change);
    pthread_mutex_destroy(&t->lock);
    free(members);
    return error;
}

static void two_passes(struct team *t, int me) {
    size_t a = t->n / (size_t)t->size * (size_t)me;
    size_t b =
        me + 1 == t->size ? t->n : t->n / (size_t)t->size * (size_t)(me + 1);
    t->sums[me] = fold(t->in + a, t->in + b);
    meet(t);
    uint32_t before = 0;
    for (int k = 0; k < me; k++) before += t->sums[k];
    walk(t->in + a, t->in + b, t->out + a, before, false);
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1) return EINVAL;
    if (n == 0) return 0;
    struct team t = {
        .size = threads, .work = two_passes, .in = in, .out = out, .n = n};
    t.sums = malloc((size_t)threads * sizeof *t.sums);
    if (!t.sums) return ENOMEM;
    int error = run_team(&t);
    free(t.sums);
    return error;
}

enum { TILE = 4096, NOTHING = 0, HAS_SUM = 1, HAS_PREFIX = 2 };

static uint32_t before_tile(struct team *t, size_t tile) {
    uint32_t s = 0;
    for (size_t k = tile; k-- > 0;) {
        struct all_of_it a;
        do a = atomic_load(&t->tile[k]);
        while (a.state == NOTHING);
        if (a.state == HAS_PREFIX) return s + a.prefix;
        s += a.aggregate;
    }
    return s;
}

static void one_pass(struct team *t, int me) {
    (void)me;
    size_t tile;
    while ((tile = atomic_fetch_add(&t->next, 1)) < t->tiles) {
        size_t a = tile * TILE, b = t->n - a > TILE ? a + TILE : t->n;
        uint32_t sum = fold(t->in + a, t->in + b);
        atomic_store(&t->tile[tile], ((struct all_of_it){HAS_SUM, sum, 0, 0}));
        uint32_t before = before_tile(t, tile);
        atomic_store(&t->tile[tile],
                     ((struct all_of_it){HAS_PREFIX, sum, before + sum, 0}));
        walk(t->in + a, t->in + b, t->out + a, before, false);
    }
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    if (threads < 1) return EINVAL;
    if (n == 0) return 0;
    struct team t = {
        .size = threads, .work = one_pass, .in = in, .out = out, .n = n};
    t.tiles = (n + TILE - 1) / TILE;
    t.tile = calloc(t.tiles, sizeof *t.tile);
    if (!t.tile) return ENOMEM;
    int error = run_team(&t);
    free((void *)t.tile);
    return error;
}

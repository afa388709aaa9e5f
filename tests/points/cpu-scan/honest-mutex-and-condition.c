// SPDX-License-Identifier: MIT
//: what: POSIX threads without parallel.h: the threads stay between the
//     passes and wait for a counter; the single pass has a mutex and a
//     condition variable for its tiles
//: kind: honest
//: group: seen
#include "cpu_scan.h"
#include "scanlab.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum = scan_add(sum, in[i]);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t item = in[i];
        out[i] = sum;
        sum = scan_add(sum, item);
    }
    return 0;
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    *n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i]) out[(*n_out)++] = in[i];
    return 0;
}

/* One array: the inclusive scan of the flags; who differs from his left
 * neighbour is kept. */
int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    *n_out = 0;
    if (n == 0) return 0;
    int32_t *place = malloc(n * sizeof *place);
    if (!place) return ENOMEM;
    for (size_t i = 0; i < n; i++) place[i] = in[i] != 0;
    cpu_inclusive_scan(place, place, n);
    for (size_t i = 0; i < n; i++)
        if (place[i] != (i ? place[i - 1] : 0)) out[place[i] - 1] = in[i];
    *n_out = (size_t)place[n - 1];
    free(place);
    return 0;
}

enum { TILE = 4096 };

struct team {
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads, next_number, waiting;
    int32_t *sums;     /* two passes: of the chunks */
    size_t taken;      /* one pass: tiles handed out */
    int32_t *tile_sum; /* its own sum, then its prefix */
    char *state;       /* 0 nothing, 1 its own sum, 2 prefix */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void *two_passes(void *context) {
    struct team *team = context;
    pthread_mutex_lock(&team->lock);
    size_t me = (size_t)team->next_number++, all = (size_t)team->threads;
    pthread_mutex_unlock(&team->lock);
    size_t begin = team->n / all * me, end = team->n / all * (me + 1);
    if (me + 1 == all) end = team->n;

    int32_t sum = 0;
    for (size_t i = begin; i < end; i++) sum = scan_add(sum, team->in[i]);
    pthread_mutex_lock(&team->lock);
    team->sums[me] = sum;
    team->waiting--;
    pthread_cond_broadcast(&team->changed);
    while (team->waiting > 0) pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);

    sum = 0;
    for (size_t t = 0; t < me; t++) sum = scan_add(sum, team->sums[t]);
    for (size_t i = begin; i < end; i++)
        team->out[i] = sum = scan_add(sum, team->in[i]);
    return NULL;
}

/* Holds the lock. The sum of all before the tile. */
static int32_t before_tile(struct team *team, size_t tile) {
    int32_t before = 0;
    while (tile > 0) {
        while (team->state[tile - 1] == 0)
            pthread_cond_wait(&team->changed, &team->lock);
        before = scan_add(before, team->tile_sum[tile - 1]);
        if (team->state[tile - 1] == 2) break;
        tile--;
    }
    return before;
}

static void *one_pass(void *context) {
    struct team *team = context;
    size_t tiles = (team->n + TILE - 1) / TILE;
    for (;;) {
        pthread_mutex_lock(&team->lock);
        size_t tile = team->taken++;
        pthread_mutex_unlock(&team->lock);
        if (tile >= tiles) return NULL;
        size_t begin = tile * TILE, end = begin + TILE;
        if (end > team->n) end = team->n;

        int32_t sum = 0;
        for (size_t i = begin; i < end; i++) sum = scan_add(sum, team->in[i]);
        pthread_mutex_lock(&team->lock);
        team->tile_sum[tile] = sum;
        team->state[tile] = 1;
        pthread_cond_broadcast(&team->changed);
        int32_t before = before_tile(team, tile);
        team->tile_sum[tile] = scan_add(before, sum);
        team->state[tile] = 2;
        pthread_cond_broadcast(&team->changed);
        pthread_mutex_unlock(&team->lock);
        for (size_t i = begin; i < end; i++)
            team->out[i] = before = scan_add(before, team->in[i]);
    }
}

static int run(struct team *team, void *(*work)(void *)) {
    pthread_t *handles = malloc((size_t)team->threads * sizeof *handles);
    if (!handles) return ENOMEM;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
    int made = 0, error = 0;
    for (; made < team->threads && !error; made += !error)
        error = pthread_create(&handles[made], NULL, work, team);
    if (error && work == two_passes) { /* nobody waits for who never comes */
        pthread_mutex_lock(&team->lock);
        team->waiting -= team->threads - made;
        pthread_cond_broadcast(&team->changed);
        pthread_mutex_unlock(&team->lock);
    }
    for (int t = 0; t < made; t++) pthread_join(handles[t], NULL);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free(handles);
    return error;
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1) return EINVAL;
    struct team team = {
        .in = in, .out = out, .n = n, .threads = threads, .waiting = threads};
    team.sums = calloc((size_t)threads, sizeof *team.sums);
    if (!team.sums) return ENOMEM;
    int error = run(&team, two_passes);
    free(team.sums);
    return error;
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    if (threads < 1) return EINVAL;
    if (n == 0) return 0;
    struct team team = {.in = in, .out = out, .n = n, .threads = threads};
    team.tile_sum = calloc(n / TILE + 1, sizeof *team.tile_sum);
    team.state = calloc(n / TILE + 1, 1);
    int error = team.tile_sum && team.state ? run(&team, one_pass) : ENOMEM;
    free(team.tile_sum);
    free(team.state);
    return error;
}

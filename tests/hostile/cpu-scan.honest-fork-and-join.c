// SPDX-License-Identifier: MIT
//: what: The honest one: threads that make threads and join them, each with its
//     data on a stack that others had before: no race, and the work is shared.
//: expect: * pass
/* Fork and join: a thread splits its range, gives the right half to a new
 * thread, and goes on with the left half. Who cannot get a thread does the
 * half itself. The single pass: tiles from a counter under a lock. */
#include "cpu_scan.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include "scanlab.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    if (n == 0) return 0;
    out[0] = in[0];
    for (size_t i = 1; i < n; i++) out[i] = scan_add(out[i - 1], in[i]);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t next = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t sum = next;
        next = scan_add(next, in[i]);
        out[i] = sum;
    }
    return 0;
}

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
        if (!in[i]) continue;
        out[kept] = in[i];
        kept++;
    }
    *n_out = kept;
    return 0;
}

int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    *n_out = 0;
    if (n == 0) return 0;
    /* index[i + 1]: kept up to and with i; index[0] = 0. The flags are its
     * differences, so that one array of n + 1 is enough. */
    int32_t *index = malloc((n + 1) * sizeof *index);
    if (!index) return ENOMEM;
    index[0] = 0;
    for (size_t i = 0; i < n; i++) index[i + 1] = in[i] != 0;
    cpu_inclusive_scan(index, index, n + 1);
    for (size_t i = 0; i < n; i++)
        if (index[i] != index[i + 1]) out[index[i]] = in[i];
    *n_out = (size_t)index[n];
    free(index);
    return 0;
}

/* ---- fork and join ---- */

struct range {
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads; /* at work on it */
    int32_t *sums, before;
    int32_t sum;
};

static void *reduce_range(void *p);
static void *scan_range(void *p);

/* Both halves of r by `work`, the right one in a new thread if there is one. */
static void both(struct range half[2], void *(*work)(void *)) {
    pthread_t right;
    int error = pthread_create(&right, NULL, work, &half[1]);
    work(&half[0]);
    if (error)
        work(&half[1]);
    else
        pthread_join(right, NULL);
}

static void split(const struct range *r, struct range half[2]) {
    int left = r->threads / 2;
    size_t cut = r->n / (size_t)r->threads * (size_t)left;
    half[0] = half[1] = *r;
    half[0].n = cut;
    half[0].threads = left;
    half[1].in = r->in + cut;
    half[1].out = r->out + cut;
    half[1].n = r->n - cut;
    half[1].threads = r->threads - left;
    half[1].sums = r->sums + left;
}

/* sums[0] of a range in one thread: its sum; else sums[left - 1 of the tree]:
 * only leaves are kept. */
static void *reduce_range(void *p) {
    struct range *r = p;
    if (r->threads == 1) {
        int32_t s = 0;
        for (size_t i = 0; i < r->n; i++) s = scan_add(s, r->in[i]);
        r->sums[0] = r->sum = s;
        return NULL;
    }
    struct range half[2];
    split(r, half);
    both(half, reduce_range);
    r->sum = scan_add(half[0].sum, half[1].sum);
    return NULL;
}

static void *scan_range(void *p) {
    struct range *r = p;
    if (r->threads == 1) {
        int32_t s = r->before;
        for (size_t i = 0; i < r->n; i++) r->out[i] = s = scan_add(s, r->in[i]);
        return NULL;
    }
    struct range half[2];
    split(r, half);
    for (int k = 0; k < half[0].threads; k++)
        half[1].before = scan_add(half[1].before, half[0].sums[k]);
    both(half, scan_range);
    return NULL;
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1) return EINVAL;
    if (n == 0) return 0;
    int32_t *sums = malloc((size_t)threads * sizeof *sums);
    if (!sums) return ENOMEM;
    struct range all = {in, out, n, threads, sums, 0, 0};
    reduce_range(&all);
    all.before = 0;
    scan_range(&all);
    free(sums);
    return 0;
}

/* ---- one pass ---- */

enum { TILE = 6000 };

struct pass {
    pthread_mutex_t lock;
    pthread_cond_t news;
    const int32_t *in;
    int32_t *out;
    size_t n, tiles, next;
    struct info {
        char known;
        int32_t value;
    } * info; /* 1: sum, 2: prefix */
};

static void *passes(void *argument) {
    struct pass *p = argument;
    pthread_mutex_lock(&p->lock);
    while (p->next < p->tiles) {
        size_t tile = p->next++;
        pthread_mutex_unlock(&p->lock);
        size_t first = tile * TILE, end = first + TILE;
        if (end > p->n) end = p->n;
        int32_t sum = 0, before = 0;
        for (size_t i = first; i < end; i++) sum = scan_add(sum, p->in[i]);

        pthread_mutex_lock(&p->lock);
        p->info[tile] = (struct info){1, sum};
        pthread_cond_broadcast(&p->news);
        for (size_t k = tile; k > 0; k--) {
            while (!p->info[k - 1].known) pthread_cond_wait(&p->news, &p->lock);
            before = scan_add(before, p->info[k - 1].value);
            if (p->info[k - 1].known == 2) break;
        }
        p->info[tile] = (struct info){2, scan_add(before, sum)};
        pthread_mutex_unlock(&p->lock);
        for (size_t i = first; i < end; i++)
            p->out[i] = before = scan_add(before, p->in[i]);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    if (threads < 1) return EINVAL;
    if (n == 0) return 0;
    size_t tiles = (n + TILE - 1) / TILE;
    struct pass p = {.in = in, .out = out, .n = n, .tiles = tiles};
    p.info = calloc(tiles, sizeof *p.info);
    pthread_t *others = malloc((size_t)threads * sizeof *others);
    if (!p.info || !others) {
        free(p.info);
        free(others);
        return ENOMEM;
    }
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.news, NULL);
    int made = 0;
    while (made < threads - 1 &&
           pthread_create(&others[made], NULL, passes, &p) == 0)
        made++; /* with fewer it goes as well, only slower */
    passes(&p);
    while (made > 0) pthread_join(others[--made], NULL);
    pthread_cond_destroy(&p.news);
    pthread_mutex_destroy(&p.lock);
    free(others);
    free(p.info);
    return 0;
}

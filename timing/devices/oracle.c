/* SPDX-License-Identifier: MIT
 *
 * oracle.c: see oracle.h. Each thread sums steps of its own share; then one
 * adds them up.
 */
#include "oracle.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_THREADS = 128 };

struct share {
    int type;
    size_t from, end; /* steps */
    uint64_t *before; /* [k + 1] becomes the sum of step k */
};

static void *sum_share(void *arg) {
    const struct share *s = arg;
    for (size_t k = s->from; k < s->end; k++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < ORACLE_STEP; i++)
            sum += oracle_item(s->type, k * ORACLE_STEP + i);
        s->before[k + 1] = sum;
    }
    return NULL;
}

uint64_t oracle_sums(int type, size_t n, uint64_t *before, int threads) {
    size_t steps = n / ORACLE_STEP;
    pthread_t thread[MOST_THREADS];
    struct share share[MOST_THREADS];
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    size_t count = (size_t)threads, started = 0;
    for (size_t t = 0; t < count; t++) {
        share[t] = (struct share){type, steps * t / count,
                                  steps * (t + 1) / count, before};
        if (started == t &&
            pthread_create(&thread[t], NULL, sum_share, &share[t]) == 0)
            started++;
        else
            sum_share(&share[t]);
    }
    for (size_t t = 0; t < started; t++) pthread_join(thread[t], NULL);
    uint64_t largest = 0;
    before[0] = 0;
    for (size_t k = 1; k <= steps; k++) {
        before[k] += before[k - 1];
        uint64_t is = before[k];
        if ((int64_t)is < 0) is = 0 - is;
        if (is > largest) largest = is;
    }
    return largest;
}

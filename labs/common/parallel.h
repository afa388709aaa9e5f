/* SPDX-License-Identifier: MIT
 *
 * parallel.h: run one function on several threads, wait for all of them. A
 * thin layer over POSIX threads, so that a lab can be about its algorithm.
 *
 *     struct job { const int32_t *in; size_t n; int32_t *sums; };
 *     static void work(void *context, int thread)
 *     {
 *         struct job *j = context;
 *         ...
 *     }
 *     ...
 *     int error = parallel_run(threads, work, &job);
 *
 * Memory: what the caller wrote before parallel_run is seen by every thread,
 * and what the threads wrote is seen by the caller afterwards. Two
 * calls in a row are therefore two phases with a barrier between them.
 */
#ifndef SCANLAB_PARALLEL_H
#define SCANLAB_PARALLEL_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef void parallel_work(void *context, int thread);

struct parallel_thread {
    pthread_t handle;
    parallel_work *work;
    void *context;
    int number;
};

static inline void *parallel_entry(void *argument) {
    struct parallel_thread *self = (struct parallel_thread *)argument;
    self->work(self->context, self->number);
    return NULL;
}

/* Calls work(context, 0) ... work(context, threads - 1) at the same time, the
 * first on the calling thread; returns when all have returned. threads >= 1.
 * Returns 0, or an errno value when a thread could not be made: then some of
 * the calls did not happen. */
static inline int parallel_run(int threads, parallel_work *work,
                               void *context) {
    if (threads < 1) return EINVAL;
    struct parallel_thread *team =
        (struct parallel_thread *)calloc((size_t)threads, sizeof *team);
    if (!team) return ENOMEM;
    int error = 0, started = 1;
    for (; started < threads; started++) {
        team[started].work = work;
        team[started].context = context;
        team[started].number = started;
        error = pthread_create(&team[started].handle, NULL, parallel_entry,
                               &team[started]);
        if (error) break;
    }
    work(context, 0);
    for (int t = 1; t < started; t++) pthread_join(team[t].handle, NULL);
    free(team);
    return error;
}

#endif

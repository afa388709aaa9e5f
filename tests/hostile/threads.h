/* SPDX-License-Identifier: MIT
 *
 * threads.h: so many threads that do nothing, started while a kernel runs. They
 * have ended when it returns.
 */
#pragma once

#include <pthread.h>
#include <unistd.h>

enum { MOST_IDLE = 400 };

struct crowd {
    pthread_mutex_t open;
    unsigned n, started;
};

static void *idle(void *crowd) {
    struct crowd *c = (struct crowd *)crowd;
    pthread_mutex_lock(&c->open);
    pthread_mutex_unlock(&c->open);
    return NULL;
}

/* A while after the kernel has begun. */
static void *gather(void *crowd) {
    struct crowd *c = (struct crowd *)crowd;
    pthread_t made[MOST_IDLE];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 32768);
    usleep(10000);
    pthread_mutex_lock(&c->open);
    while (c->started < c->n &&
           !pthread_create(&made[c->started], &small, idle, c))
        c->started++;
    usleep(50000);
    pthread_mutex_unlock(&c->open);
    for (unsigned i = 0; i < c->started; i++) pthread_join(made[i], NULL);
    return NULL;
}

static __global__ void busy(int *sum, int rounds) {
    int x = 1;
    for (int i = 0; i < rounds; i++) x = x * 5 + i;
    if (threadIdx.x == 0) *sum = x;
}

/* false: not all could be started. */
static bool threads_while_a_kernel_runs(unsigned n) {
    struct crowd crowd = {.open = PTHREAD_MUTEX_INITIALIZER, .n = n};
    pthread_t one;
    int *sum = NULL;
    if (cudaMalloc(&sum, sizeof *sum) != cudaSuccess) return false;
    if (pthread_create(&one, NULL, gather, &crowd) != 0) return false;
    busy<<<1, 32>>>(sum, 3 << 20);
    bool ran = cudaDeviceSynchronize() == cudaSuccess;
    pthread_join(one, NULL);
    return cudaFree(sum) == cudaSuccess && ran && crowd.started == n;
}

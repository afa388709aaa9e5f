/* SPDX-License-Identifier: MIT
 *
 * most_threads.c: see most_threads.h. Asking is the only way to know: threads
 * are counted by user, by cgroup and by kernel, and others have some of them.
 */
#include "most_threads.h"

#include <pthread.h>
#include <stdlib.h>

enum { LEFT_FOR_OTHERS = 8, STACK = 1 << 16 };

static void *wait_for_end(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int most_threads(int wanted, int at_a_time) {
    int all = wanted * at_a_time + LEFT_FOR_OTHERS, made = 0;
    pthread_t *threads = calloc((size_t)all, sizeof *threads);
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t small;
    if (!threads) return wanted;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    pthread_mutex_lock(&gate);
    while (made < all &&
           pthread_create(&threads[made], &small, wait_for_end, &gate) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);
    free(threads);
    if (made == all) return wanted;
    int each = (made - LEFT_FOR_OTHERS) / at_a_time;
    return each < 2 ? 2 : each < wanted ? each : wanted;
}

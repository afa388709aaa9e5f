/* SPDX-License-Identifier: MIT
 *
 * surplus.c: see surplus.h. The judge itself, what its parsed images take while
 * no case has them, two shares and one limit are together below 1 GiB, for a
 * large GPU below 2 GiB. What was freed and malloc keeps for later would come
 * on top, so it is given back when the surplus changes hands.
 */
#include "surplus.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "time_limit.h"
#include "vgpu.h"

enum {
    SHARE_MIB = 192,
    LIMIT_MIB = 656,
    LARGE_LIMIT_MIB = 1536,
    LARGE_SMS = 64
};

struct surplus {
    pthread_mutex_t lock;
};

uint64_t surplus_limit(const char *profile) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    uint64_t mib = LIMIT_MIB;
    for (size_t k = 0; profile && k < n; k++)
        if (strcmp(list[k].name, profile) == 0 && list[k].sms >= LARGE_SMS)
            mib = LARGE_LIMIT_MIB;
    return mib << 20;
}

uint64_t surplus_share(void) {
    return (uint64_t)SHARE_MIB << 20;
}

struct surplus *surplus_new(void) {
    struct surplus *s = calloc(1, sizeof *s);
    pthread_mutexattr_t kind;
    if (!s || pthread_mutexattr_init(&kind) != 0) {
        free(s);
        return NULL;
    }
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    return s;
}

void surplus_free(struct surplus *s) {
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

long long surplus_take(struct surplus *s) {
    long long start = clock_ms();
    pthread_mutex_lock(&s->lock);
    malloc_trim(0);
    return clock_ms() - start;
}

void surplus_give(struct surplus *s) {
    malloc_trim(0);
    pthread_mutex_unlock(&s->lock);
}

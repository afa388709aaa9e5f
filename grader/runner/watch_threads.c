/* SPDX-License-Identifier: MIT
 *
 * watch_threads.c: threads that a watched library makes, and what they wait for
 * each other with. Each function that makes threads wait hands over what was
 * done before: more of them than need be, so that nothing is called a race that
 * is none.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

#include "watch.h"

#define HOOK __attribute__((visibility("default"), used))

_Thread_local struct watch_thread *watch_self;

enum { FREE, RUNS, IS_JOINED };

static struct {
    int state[WATCH_SLOTS];
    pthread_t handles[WATCH_SLOTS];
    uint64_t turns[WATCH_SLOTS], turn; /* in which they were made */
} made;

void watch_threads_begin(void) {
    for (int i = 0; i < WATCH_SLOTS; i++) made.state[i] = FREE;
    made.state[0] = RUNS;
    watch.used = 1;
    watch_self = &watch.slots[0];
    watch_self->now.at[0] = 1;
}

/* A thread that came another way may know anything. */
struct watch_thread *watch_thread_self(void) {
    if (!watch_self && watch.on) watch.lost = true;
    return watch_self;
}

/* ---- their begin and end ---- */

struct start {
    struct watch_thread *thread;
    void *(*work)(void *);
    int (*work_c11)(void *);
    void *argument;
};

/* NULL: too many. */
static struct watch_thread *new_thread(void) {
    struct watch_thread *t = NULL;
    watch_lock();
    for (unsigned i = 1; i < WATCH_SLOTS && !t; i++)
        if (made.state[i] == FREE) t = &watch.slots[i], t->slot = i;
    if (t && watch_self) {
        made.state[t->slot] = RUNS;
        if (watch.used <= t->slot) watch.used = t->slot + 1;
        watch_race_join(&t->now, &watch_self->now);
        t->now.at[t->slot]++;
        watch_self->now.at[watch_self->slot]++;
        t->last = 0;
    } else {
        watch.lost = true;
        t = NULL;
    }
    watch_unlock();
    return t;
}

static struct start enter(void *argument) {
    struct start s = *(struct start *)argument;
    free(argument);
    watch_self = s.thread;
    return s;
}

/* A stack may be that of a thread that has ended: what others did there is
 * over. Forgotten is the part where a thread's first functions have their
 * variables.
 */
static void on_stack(struct watch_thread *t, uintptr_t top) {
    enum { PART = 64 << 10 };
    if (!t) return;
    t->stack_top = top;
    if (!watch.on || !watch_has(WIRE_WATCH_THREAD)) return;
    watch_lock();
    if (!watch.lost) watch_race_forget(top - PART, PART);
    watch_unlock();
}

static void *run(void *argument) {
    struct start s = enter(argument);
    on_stack(s.thread, (uintptr_t)__builtin_frame_address(0));
    return s.work(s.argument);
}

static int run_c11(void *argument) {
    struct start s = enter(argument);
    on_stack(s.thread, (uintptr_t)__builtin_frame_address(0));
    return s.work_c11(s.argument);
}

static struct start *start_of(struct start s) {
    struct start *own = malloc(sizeof *own);
    if (own) *own = s;
    return own;
}

static void is_made(struct watch_thread *t, pthread_t handle, bool worked) {
    if (!t) return;
    watch_lock();
    made.handles[t->slot] = handle;
    made.turns[t->slot] = ++made.turn;
    if (!worked) made.state[t->slot] = FREE;
    watch_unlock();
}

HOOK int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *how,
                               void *(*work)(void *), void *argument);
HOOK int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *how,
                               void *(*work)(void *), void *argument) {
    struct watch_thread *t = new_thread();
    struct start *s = start_of((struct start){t, work, NULL, argument});
    int error = s ? pthread_create(handle, how, run, s) : EAGAIN;
    if (error) free(s);
    is_made(t, error ? 0 : *handle, !error);
    return error;
}

HOOK int __wrap_thrd_create(thrd_t *handle, thrd_start_t work, void *argument);
HOOK int __wrap_thrd_create(thrd_t *handle, thrd_start_t work, void *argument) {
    struct watch_thread *t = new_thread();
    struct start *s = start_of((struct start){t, NULL, work, argument});
    int error = s ? thrd_create(handle, run_c11, s) : thrd_nomem;
    if (error != thrd_success) free(s);
    is_made(t, error != thrd_success ? 0 : *handle, error == thrd_success);
    return error;
}

/* Before the join: behind it another thread may have the same handle. Of those
 * that have it the last one is meant, since others were detached and have
 * ended. 0: none. */
static unsigned slot_to_join(pthread_t handle) {
    unsigned slot = 0;
    watch_lock();
    for (unsigned i = 1; i < WATCH_SLOTS; i++)
        if (made.state[i] == RUNS && made.handles[i] == handle &&
            (!slot || made.turns[i] > made.turns[slot]))
            slot = i;
    if (slot) made.state[slot] = IS_JOINED;
    watch_unlock();
    return slot;
}

static void joined(unsigned slot, bool worked) {
    if (!slot) return;
    watch_lock();
    made.state[slot] = worked ? FREE : RUNS;
    if (worked && watch_self) {
        watch_race_join(&watch_self->now, &watch.slots[slot].now);
        watch_self->now.at[watch_self->slot]++;
    }
    watch_unlock();
}

HOOK int __wrap_pthread_join(pthread_t handle, void **result);
HOOK int __wrap_pthread_join(pthread_t handle, void **result) {
    unsigned slot = slot_to_join(handle);
    int error = pthread_join(handle, result);
    joined(slot, !error);
    return error;
}

HOOK int __wrap_thrd_join(thrd_t handle, int *result);
HOOK int __wrap_thrd_join(thrd_t handle, int *result) {
    unsigned slot = slot_to_join(handle);
    int error = thrd_join(handle, result);
    joined(slot, error == thrd_success);
    return error;
}

/* ---- what they wait for ---- */

static void hand_over(const volatile void *at) {
    if (!watch.on || !watch_self || !watch_has(WIRE_WATCH_THREAD)) return;
    watch_lock();
    if (!watch.lost) watch_race_change((uintptr_t)at, WATCH_BOTH);
    watch_unlock();
}

#define WAITS(name, type)                                                      \
    HOOK int __wrap_##name(type *at);                                          \
    HOOK int __wrap_##name(type *at) {                                         \
        hand_over(at);                                                         \
        int result = name(at);                                                 \
        hand_over(at);                                                         \
        return result;                                                         \
    }
WAITS(pthread_mutex_lock, pthread_mutex_t)
WAITS(pthread_mutex_trylock, pthread_mutex_t)
WAITS(pthread_mutex_unlock, pthread_mutex_t)
WAITS(pthread_spin_lock, pthread_spinlock_t)
WAITS(pthread_spin_trylock, pthread_spinlock_t)
WAITS(pthread_spin_unlock, pthread_spinlock_t)
WAITS(pthread_rwlock_rdlock, pthread_rwlock_t)
WAITS(pthread_rwlock_wrlock, pthread_rwlock_t)
WAITS(pthread_rwlock_unlock, pthread_rwlock_t)
WAITS(pthread_cond_signal, pthread_cond_t)
WAITS(pthread_cond_broadcast, pthread_cond_t)
WAITS(pthread_barrier_wait, pthread_barrier_t)
WAITS(sem_wait, sem_t)
WAITS(sem_trywait, sem_t)
WAITS(sem_post, sem_t)
WAITS(mtx_lock, mtx_t)
WAITS(mtx_trylock, mtx_t)
WAITS(mtx_unlock, mtx_t)
WAITS(cnd_signal, cnd_t)
WAITS(cnd_broadcast, cnd_t)

HOOK int __wrap_pthread_cond_wait(pthread_cond_t *at, pthread_mutex_t *lock);
HOOK int __wrap_pthread_cond_wait(pthread_cond_t *at, pthread_mutex_t *lock) {
    hand_over(lock);
    int result = pthread_cond_wait(at, lock);
    hand_over(at);
    hand_over(lock);
    return result;
}

HOOK int __wrap_cnd_wait(cnd_t *at, mtx_t *lock);
HOOK int __wrap_cnd_wait(cnd_t *at, mtx_t *lock) {
    hand_over(lock);
    int result = cnd_wait(at, lock);
    hand_over(at);
    hand_over(lock);
    return result;
}

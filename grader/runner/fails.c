/* SPDX-License-Identifier: MIT
 *
 * fails.c: calls of the student's code that fail because the judge wants them
 * to: malloc and its like (heap.c), mmap, and pthread_create. Those that libc
 * makes for itself do not count: how many they are is libc's business.
 *
 * Calls that fail because the system has no memory or no thread are told to the
 * judge, once in a call of the function: what comes of them may be the
 * machine's trouble. A thread is asked for again for a moment, since others may
 * end meanwhile.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

#include "runner.h"

enum { TRIES = 8, FIRST_PAUSE_NS = 1000000 };

static struct {
    atomic_uint number, made, waits;
    atomic_bool failed, tells;
} fails;

void fails_begin(unsigned number) {
    fails.made = 0;
    fails.failed = false;
    fails.number = number;
    fails.tells = true;
}

void fails_short(int error) {
    if (atomic_exchange(&fails.tells, false)) runner_short(error);
}

bool fails_end(void) {
    fails.number = 0;
    return fails.failed;
}

bool fails_now(uintptr_t caller) {
    if (!fails.number || !signals_is_students(caller)) return false;
    if (atomic_fetch_add(&fails.made, 1) + 1 != fails.number) return false;
    fails.failed = true;
    errno = ENOMEM;
    return true;
}

/* true: the system may have a thread now. So many waits in all: where it has
 * none, a case is not to take long for that. */
static bool waits(void) {
    unsigned tries = atomic_fetch_add(&fails.waits, 1);
    struct timespec pause = {.tv_nsec = (long)FIRST_PAUSE_NS << tries % TRIES};
    if (tries >= TRIES) return false;
    nanosleep(&pause, NULL);
    return true;
}

int pthread_create(pthread_t *restrict thread,
                   const pthread_attr_t *restrict how, void *(*work)(void *),
                   void *restrict argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                       void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (fails_now((uintptr_t)__builtin_return_address(0))) return EAGAIN;
    int error;
    do error = real(thread, how, work, argument);
    while (error == EAGAIN && waits());
    if (error == EAGAIN || error == ENOMEM) fails_short(error);
    return error;
}

/* libc's own does not come through the function above. */
int thrd_create(thrd_t *thread, thrd_start_t work, void *argument) {
    static int (*real)(thrd_t *, thrd_start_t, void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "thrd_create");
    int error;
    do error = real(thread, work, argument);
    while ((error == thrd_error || error == thrd_nomem) && waits());
    if (error != thrd_success) fails_short(EAGAIN);
    return error;
}

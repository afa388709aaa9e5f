/* SPDX-License-Identifier: MIT
 *
 * fails.c: calls of the student's code that fail because the judge wants them
 * to: malloc and its like (heap.c), mmap, and pthread_create. Those that libc
 * makes for itself do not count: how many they are is libc's business.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "runner.h"

static struct {
    atomic_uint number, made;
    atomic_bool failed;
} fails;

void fails_begin(unsigned number) {
    fails.made = 0;
    fails.failed = false;
    fails.number = number;
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

int pthread_create(pthread_t *restrict thread,
                   const pthread_attr_t *restrict how, void *(*work)(void *),
                   void *restrict argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                       void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (fails_now((uintptr_t)__builtin_return_address(0))) return EAGAIN;
    return real(thread, how, work, argument);
}

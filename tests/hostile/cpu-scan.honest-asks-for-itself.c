// SPDX-License-Identifier: MIT
//: what: The honest twin: what a program asks of its own process works: cores,
//     threads that are pinned, clocks, the status of a descriptor.
//: expect: inclusive pass
//: expect: * any
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cpu_scan.h"

static void *pinned(void *ok) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    *(int *)ok =
        pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0 &&
        pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 &&
        CPU_COUNT(&set) == 1 && sched_setaffinity(0, sizeof set, &set) == 0;
    return NULL;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    struct stat s;
    struct timespec now;
    struct rlimit limit;
    pthread_t thread;
    int ok = 0;
    if (pthread_create(&thread, NULL, pinned, &ok) != 0) return 1;
    pthread_join(thread, NULL);
    if (!ok) return printf("a thread cannot be pinned\n"), 1;
    if (fstat(1, &s) != 0 || !S_ISFIFO(s.st_mode)) return printf("fstat\n"), 1;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 1 ||
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0 ||
        getrlimit(RLIMIT_STACK, &limit) != 0)
        return printf("of itself it is not told\n"), 1;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

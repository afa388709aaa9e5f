// SPDX-License-Identifier: MIT
//: what: The honest twin: what a program asks of its own process works: cores,
//     threads that are pinned, clocks, the status of a descriptor, how much
//     memory there is, which libc's sort asks, too.
//: expect: inclusive pass
//: expect: * any
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
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

static int by_size(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    struct stat s;
    struct utsname name;
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
    int words[] = {3, 1, 2};
    qsort(words, 3, sizeof *words, by_size);
    if (words[0] != 1 || words[2] != 3 || sysconf(_SC_PHYS_PAGES) < 1 ||
        uname(&name) != 0 || strcmp(name.sysname, "Linux") != 0)
        return printf("what libraries ask is not answered\n"), 1;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

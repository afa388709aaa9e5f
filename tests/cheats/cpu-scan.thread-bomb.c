// SPDX-License-Identifier: MIT
//: what: Starts threads without end, with stacks as small as they get.
//: twin: hostile.cpu-scan.honest-works-hard
//: expect: inclusive fail "more than 256 threads"
//: expect: * fail
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include "cpu_scan.h"

static void *sleeps(void *argument) {
    for (;;) pause();
    return argument;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    pthread_attr_t small;
    pthread_t thread;
    (void)in, (void)out, (void)n;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (pthread_create(&thread, &small, sleeps, NULL) == 0) {}
    for (;;) pause();
}

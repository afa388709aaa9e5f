// SPDX-License-Identifier: MIT
//: what: Returns while a thread is still writing the output.
//: twin: mutant.cpu-scan.honest-scan-then-propagate
//: expect: inclusive fail "returned while 1 of its threads still ran"
//: expect: * fail
#include <pthread.h>
#include <unistd.h>

#include "cpu_scan.h"

static struct job {
    const int32_t *in;
    int32_t *out;
    size_t n;
} job;

static void *later(void *argument) {
    (void)argument;
    usleep(200000);
    uint32_t sum = 0;
    for (size_t i = 0; i < job.n; i++)
        job.out[i] = (int32_t)(sum += (uint32_t)job.in[i]);
    return NULL;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    pthread_t thread;
    job = (struct job){in, out, n};
    return pthread_create(&thread, NULL, later, NULL);
}

// SPDX-License-Identifier: MIT
//: what: The honest twin: 64 MiB of memory, a deep stack, sixteen threads, a
//     signal to itself that is caught and jumped out of, some sleep, output.
//: expect: inclusive pass
//: expect: * any
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu_scan.h"

static sigjmp_buf back;

static void caught(int sent) {
    siglongjmp(back, sent);
}

static void *work(void *argument) {
    struct timespec little = {.tv_nsec = 1000000};
    nanosleep(&little, NULL);
    return argument;
}

static int deep(int levels) {
    volatile char here[1024];
    memset((char *)here, levels, sizeof here);
    return levels ? deep(levels - 1) + here[levels % 1024] * 0 : 0;
}

static int prepare(void) {
    enum { BYTES = 64 << 20, TEAM = 16 };
    pthread_t team[TEAM];
    char *much = malloc(BYTES);
    if (!much || deep(2000) != 0) return 1;
    memset(much, 1, BYTES);
    printf("%d\n", much[BYTES / 2]);
    free(much);
    for (int i = 0; i < TEAM; i++)
        if (pthread_create(&team[i], NULL, work, NULL) != 0) return 1;
    for (int i = 0; i < TEAM; i++) pthread_join(team[i], NULL);
    signal(SIGUSR1, caught);
    if (sigsetjmp(back, 1) == 0) return raise(SIGUSR1) + 1;
    return 0;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    int error = prepare();
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return error;
}

/* SPDX-License-Identifier: MIT
 *
 * worker.h: one measuring process (grader/judge/gpu/worker.cu) as seen from
 * scanlab: asked over a socket, waited for, killed when it does not answer, and
 * started again with the same libraries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "bench_wire.h"

enum { WORKER_LIBRARIES = 64 };

struct worker {
    const char *program, *toolkit; /* path; folder of libcudart */
    char *libraries[WORKER_LIBRARIES];
    size_t n_libraries;
    pid_t pid; /* 0: none */
    int fd;
    struct bench_hello hello;
};

/* Starts it and says hello. false: why says what went wrong. */
bool worker_start(struct worker *, char why[BENCH_TEXT]);
void worker_stop(struct worker *);
void worker_free(struct worker *); /* its list of libraries as well */

/* Loads one more; its number, or -1 and why. */
int worker_load(struct worker *, const char *library, char why[BENCH_TEXT]);

enum worker_result {
    WORKER_ANSWERED,
    WORKER_LATE, /* no answer in limit_ms: killed */
    WORKER_ENDED /* it died */
};
/* After LATE or ENDED it must be started again. */
enum worker_result worker_ask(struct worker *, const struct bench_ask *,
                              struct bench_answer *, int limit_ms);
/* Starts it again with what it had loaded; false: why. */
bool worker_again(struct worker *, char why[BENCH_TEXT]);

/* SPDX-License-Identifier: MIT
 *
 * crowd.h: all on one processor, with so many others that never rest. Linux
 * shares a processor first between sessions, and what the judge starts has one
 * of its own: so has each of the others.
 */
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CROWD_MOST = 16 };
struct crowd {
    cpu_set_t before;
    pid_t others[CROWD_MOST];
    int n;
};

static inline struct crowd crowd_begin(int n) {
    struct crowd c = {.n = n};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_getaffinity(0, sizeof c.before, &c.before) != 0 ||
        sched_setaffinity(0, sizeof one, &one) != 0)
        _exit(2);
    for (int i = 0; i < n; i++)
        if ((c.others[i] = fork()) == 0) {
            setsid();
            for (volatile unsigned spins = 0;; spins++) {
            }
        }
    return c;
}

static inline void crowd_end(const struct crowd *c) {
    for (int i = 0; i < c->n; i++) {
        kill(c->others[i], SIGKILL);
        waitpid(c->others[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof c->before, &c->before);
}

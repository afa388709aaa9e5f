/* SPDX-License-Identifier: MIT
 *
 * ending.c: see ending.h.
 */
#include "ending.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ending *newest;

void ending_lock(void) {
    pthread_mutex_lock(&lock);
}

void ending_unlock(void) {
    pthread_mutex_unlock(&lock);
}

void ending_note(struct ending *e, void (*put_away)(void *), void *what) {
    *e = (struct ending){put_away, what, newest, NULL};
    if (newest) newest->after = e;
    newest = e;
}

void ending_forget(struct ending *e) {
    if (!e->put_away) return;
    if (e->after)
        e->after->before = e->before;
    else
        newest = e->before;
    if (e->before) e->before->after = e->after;
    *e = (struct ending){0};
}

/* ---- the thread that waits ---- */

/* Nobody makes anything from here on: the lock is kept. */
static void end(int number) {
    sigset_t one;
    ending_lock();
    for (struct ending *e = newest; e; e = e->before) e->put_away(e->what);
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + number);
}

struct waiting {
    int signals, with; /* descriptors; with -1: for nobody */
};

static void *wait_for_end(void *user) {
    const struct waiting w = *(struct waiting *)user;
    struct pollfd at[2] = {{.fd = w.signals, .events = POLLIN},
                           {.fd = w.with, .events = POLLIN}};
    struct signalfd_siginfo got;
    free(user);
    for (;;) {
        if (poll(at, 2, -1) < 0 && errno != EINTR) return NULL;
        if (at[0].revents && read(w.signals, &got, sizeof got) == sizeof got)
            end((int)got.ssi_signo);
        if (at[1].revents) end(SIGTERM);
    }
}

/* -1: nobody, or a kernel (before 5.3) that cannot wait for others. */
static int process_named(const char *number) {
    char *rest;
    long pid = number ? strtol(number, &rest, 10) : 0;
    if (pid <= 0 || *rest || pid > INT32_MAX) return -1;
    int fd = (int)syscall(SYS_pidfd_open, (int)pid, 0);
    if (fd < 0 && errno == ESRCH) end(SIGTERM); /* it was faster */
    return fd;
}

void ending_watch(void) {
    sigset_t signals;
    pthread_t thread;
    struct waiting *w = malloc(sizeof *w);
    if (!w) return;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    *w = (struct waiting){signalfd(-1, &signals, SFD_CLOEXEC),
                          process_named(getenv("SCANLAB_WITH"))};
    if (w->signals >= 0 && pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0) {
        if (pthread_create(&thread, NULL, wait_for_end, w) == 0) {
            pthread_detach(thread);
            return;
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
    if (w->signals >= 0) close(w->signals);
    if (w->with >= 0) close(w->with);
    free(w);
}

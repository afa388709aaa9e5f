/* SPDX-License-Identifier: MIT
 *
 * copies.c: what scanlab-runner does until it is a runner: it waits for the
 * judge (judge/forkserver.c) to ask for copies of itself and for what became of
 * them. Nothing of a student is ever loaded here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner.h"

enum {
    HIGH_FD = 16, /* above all that a runner begins with */
    TRIES = 3
};

pid_t __fork(void); /* libc's: fork is starts.c's */

static bool receive(struct wire_fork *q, int fds[WIRE_FORK_FDS], size_t *n) {
    struct iovec part = {q, sizeof *q};
    union {
        char bytes[CMSG_SPACE(WIRE_FORK_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof control.bytes;
    *n = 0;
    ssize_t got;
    do got = recvmsg(WIRE_CONTROL_FD, &header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != sizeof *q || q->magic != WIRE_MAGIC) return false;
    struct cmsghdr *c = CMSG_FIRSTHDR(&header);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        *n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(fds, CMSG_DATA(c), *n * sizeof(int));
    }
    return true;
}

/* What cannot be said ends it, and the judge begins another. */
static void copies_answer(pid_t pid, int error, int status) {
    struct wire_forked a = {
        .magic = WIRE_MAGIC, .pid = pid, .error = error, .status = status};
    for (int tries = 0; send(WIRE_CONTROL_FD, &a, sizeof a, MSG_NOSIGNAL) < 0;)
        if (errno != EINTR && ++tries == TRIES) _exit(2);
}

/* In the copy: descriptors as wire.h says, and nobody else's. */
static bool settle(const int *fds, size_t n, pid_t server) {
    static const int places[WIRE_FORK_FDS] = {1, 2, WIRE_CONTROL_FD,
                                              WIRE_DEVICE_FD};
    int lifted[WIRE_FORK_FDS];
    /* The server may have died before this was asked for. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != server ||
        setsid() < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((lifted[i] = fcntl(fds[i], F_DUPFD, HIGH_FD)) < 0) return false;
    for (size_t i = 0; i < n; i++)
        if (dup2(lifted[i], places[i]) < 0) return false;
    closefrom(places[n - 1] + 1);
    /* The server's would hand flags from one copy to the next. */
    close(0);
    if (open("/dev/null", O_RDONLY) != 0) return false;
    return n < WIRE_FORK_FDS || (setenv("VGPU_CHANNEL_FD", "4", 1) == 0 &&
                                 setenv("VGPU_SHARED_FD", "never", 1) == 0);
}

static void on_wait(const struct wire_fork *q) {
    int status = 0;
    pid_t got;
    do got = waitpid(q->pid, &status, q->options);
    while (got < 0 && errno == EINTR);
    copies_answer(got, got < 0 ? errno : 0, status);
}

/* Memory or descriptors may have been short for a moment, and no copy could
 * make up for it. */
static void load(const char *name) {
    for (int i = 0; i < TRIES && !dlopen(name, RTLD_NOW); i++) {
    }
}

/* What nvcc links everything to, and the virtual GPU's runtimes: loaded once
 * for all copies. Nothing is lost where one is not there. */
static void load_usual(void) {
    static const char *const usual[] = {"libstdc++.so.6", "libm.so.6",
                                        "libgcc_s.so.1"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) load(usual[i]);
}

static void load_runtimes(void) {
    static const char *const runtimes[] = {"libcudart.so.13",
                                           "libcudart.so.12"};
    const char *folder = getenv("LD_LIBRARY_PATH");
    char path[WIRE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "", runtimes[i]);
        load(path);
    }
}

void copies_serve(struct lockdown_filter *filter) {
    struct wire_fork q;
    int fds[WIRE_FORK_FDS];
    size_t n;
    pid_t self = getpid();
    bool has_runtimes = false;
    load_usual();
    for (int i = 0; i < TRIES && !filter->n; i++) filters_make(filter, false);
    while (receive(&q, fds, &n)) {
        if (q.kind == WIRE_FORK_WAIT) {
            on_wait(&q);
            continue;
        }
        /* A GPU's runtime is the toolkit's, which nobody copies. */
        if (n == WIRE_FORK_FDS && !has_runtimes) load_runtimes();
        has_runtimes = has_runtimes || n == WIRE_FORK_FDS;
        pid_t child = n < 3 ? (errno = EINVAL, -1) : __fork();
        if (child == 0) {
            if (settle(fds, n, self)) return;
            _exit(2);
        }
        for (size_t i = 0; i < n; i++) close(fds[i]);
        copies_answer(child, child < 0 ? errno : 0, 0);
    }
    _exit(0);
}

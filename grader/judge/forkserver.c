/* SPDX-License-Identifier: MIT
 *
 * forkserver.c: see forkserver.h. How to read this: `servers` is a list of all
 * that were ever started; `lock` is held for a whole question and its answer,
 * which the server gives at once.
 */
#include "forkserver.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "pids.h"
#include "process.h"
#include "text.h"
#include "wire.h"

/* Of all runners: two at a time, which the judge ends at PROCESS_MOST_THREADS,
 * and what ends while the next begins. */
enum { MOST_PROCESSES = 3 * PROCESS_MOST_THREADS };

struct forkserver {
    char *runner, *client;
    pid_t pid;
    int fd; /* -1: it has died */
    struct pids pids;
    struct forkserver *next;
};

static struct forkserver *servers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- its beginning and end ---- */

static void bury(struct forkserver *s) {
    if (s->fd < 0) return;
    close(s->fd);
    s->fd = -1;
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    pids_remove(&s->pids);
}

/* A clean environment, no descriptors but its own, a session of its own. */
static int forkserver_spawn(struct forkserver *s, int theirs) {
    char *path = text_format("LD_LIBRARY_PATH=%s", s->client);
    char *const environment[] = {path, "LC_ALL=C", "HOME=/",
                                 "CUDA_CACHE_DISABLE=1", NULL};
    char *const arguments[] = {s->runner, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawn_file_actions_adddup2(&files, theirs, WIRE_CONTROL_FD);
    posix_spawn_file_actions_addclosefrom_np(&files, WIRE_CONTROL_FD + 1);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    int error = path ? posix_spawn(&s->pid, s->runner, &files, &how, arguments,
                                   environment)
                     : ENOMEM;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    free(path);
    return error;
}

static int begin(struct forkserver *s) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    /* dup2 onto itself would leave it closed on execution. */
    int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, WIRE_CONTROL_FD + 1);
    int error = theirs < 0 ? errno : forkserver_spawn(s, theirs);
    close(ends[1]);
    if (theirs >= 0) close(theirs);
    if (error)
        close(ends[0]);
    else
        s->fd = ends[0];
    if (!error) pids_make(&s->pids, s->pid, MOST_PROCESSES);
    return error;
}

/* The one for this runner and client; NULL: out of memory. */
static struct forkserver *forkserver_find(const char *runner,
                                          const char *client) {
    struct forkserver *s;
    for (s = servers; s; s = s->next)
        if (strcmp(s->runner, runner) == 0 && strcmp(s->client, client) == 0)
            return s;
    s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (struct forkserver){.runner = strdup(runner),
                             .client = strdup(client),
                             .fd = -1,
                             .next = servers};
    if (s->runner && s->client) return servers = s;
    free(s->runner);
    free(s->client);
    free(s);
    return NULL;
}

/* ---- questions ---- */

static bool send_question(int fd, const struct wire_fork *q, const int *fds,
                          size_t n) {
    struct iovec part = {(void *)q, sizeof *q};
    union {
        char bytes[CMSG_SPACE(WIRE_FORK_FDS * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (n) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(fd, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof *q;
}

/* false: the server is dead. */
static bool ask(struct forkserver *s, const struct wire_fork *q, const int *fds,
                size_t n, struct wire_forked *answer) {
    ssize_t got = -1;
    if (s->fd >= 0 && send_question(s->fd, q, fds, n)) do
            got = recv(s->fd, answer, sizeof *answer, 0);
        while (got < 0 && errno == EINTR);
    if (got == sizeof *answer && answer->magic == WIRE_MAGIC) return true;
    bury(s);
    return false;
}

static int start_once(const struct runner_start *start,
                      struct forkserver **server, pid_t *pid) {
    struct wire_fork q = {.magic = WIRE_MAGIC, .kind = WIRE_FORK_START};
    struct wire_forked answer = {0};
    *pid = 0;
    pthread_mutex_lock(&lock);
    struct forkserver *s =
        forkserver_find(start->runner, start->client ? start->client : "");
    int error = s ? ECHILD : ENOMEM;
    /* One that has died since it was asked last is replaced, once. */
    for (int tries = 0; error == ECHILD && tries < 2; tries++) {
        int began = s->fd < 0 ? begin(s) : 0;
        if (began)
            error = began;
        else if (ask(s, &q, start->fds, start->n_fds, &answer))
            error = answer.error;
    }
    pthread_mutex_unlock(&lock);
    if (error) return error;
    *server = s;
    *pid = answer.pid;
    return 0;
}

int forkserver_start(const struct runner_start *start,
                     struct forkserver **server, pid_t *pid) {
    unsigned tries = 0;
    int error;
    do error = start_once(start, server, pid);
    while (error && patience(error, &tries));
    return error;
}

pid_t forkserver_wait(struct forkserver *s, pid_t pid, int *status,
                      int options) {
    struct wire_fork q = {.magic = WIRE_MAGIC,
                          .kind = WIRE_FORK_WAIT,
                          .pid = pid,
                          .options = options};
    struct wire_forked answer;
    pthread_mutex_lock(&lock);
    bool answered = ask(s, &q, NULL, 0, &answer);
    pthread_mutex_unlock(&lock);
    if (!answered || answer.error) {
        errno = ECHILD;
        return -1;
    }
    *status = answer.status;
    return answer.pid;
}

void forkserver_close_all(void) {
    pthread_mutex_lock(&lock);
    while (servers) {
        struct forkserver *s = servers;
        servers = s->next;
        bury(s);
        free(s->runner);
        free(s->client);
        free(s);
    }
    pthread_mutex_unlock(&lock);
}

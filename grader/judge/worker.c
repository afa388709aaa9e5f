/* SPDX-License-Identifier: MIT
 *
 * worker.c: see worker.h.
 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text.h"
#include "time_limit.h"

enum { HELLO_LIMIT_MS = 120000, FIRST_FREE_FD = 10 };

extern char **environ;

/* As ours, with the CUDA runtime's folder in front. To be freed, the first
 * entry as well. */
static char **environment_with(const char *toolkit) {
    static const char name[] = "LD_LIBRARY_PATH=";
    const char *old = getenv("LD_LIBRARY_PATH");
    size_t n = 0, out = 1;
    while (environ[n]) n++;
    char **list = calloc(n + 2, sizeof *list);
    if (!list) return NULL;
    list[0] = text_format("%s%s%s%s", name, toolkit, old && *old ? ":" : "",
                          old ? old : "");
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], name, sizeof name - 1) != 0)
            list[out++] = environ[i];
    return list;
}

/* Standard output is ours alone: what submissions print goes nowhere. */
static int worker_spawn(struct worker *w, int theirs) {
    char **environment = environment_with(w->toolkit);
    char *const arguments[] = {(char *)w->program, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, theirs, BENCH_FD);
    posix_spawn_file_actions_addclosefrom_np(&files, BENCH_FD + 1);
    int error = environment ? posix_spawn(&w->pid, w->program, &files, NULL,
                                          arguments, environment)
                            : ENOMEM;
    if (error) w->pid = 0;
    posix_spawn_file_actions_destroy(&files);
    if (environment) free(environment[0]);
    free(environment);
    return error;
}

static int open_process(struct worker *w) {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        return errno;
    /* Out of the way of the descriptors it is given. */
    int theirs = fcntl(fds[1], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    w->fd = fcntl(fds[0], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    int error = theirs < 0 || w->fd < 0 ? errno : worker_spawn(w, theirs);
    close(fds[0]);
    close(fds[1]);
    if (theirs >= 0) close(theirs);
    return error;
}

bool worker_start(struct worker *w, char why[BENCH_TEXT]) {
    struct bench_ask ask = {.kind = BENCH_HELLO};
    struct bench_answer answer;
    w->fd = -1;
    int error = open_process(w);
    if (error) {
        snprintf(why, BENCH_TEXT, "cannot start %s: %s", w->program,
                 strerror(error));
        worker_stop(w);
        return false;
    }
    if (worker_ask(w, &ask, &answer, HELLO_LIMIT_MS) != WORKER_ANSWERED) {
        snprintf(why, BENCH_TEXT, "the measuring process %s did not start",
                 w->program);
        return false;
    }
    w->hello = answer.u.hello;
    if (answer.status == BENCH_OK) return true;
    snprintf(why, BENCH_TEXT, "%s", answer.text);
    worker_stop(w);
    return false;
}

void worker_stop(struct worker *w) {
    if (w->pid) {
        kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (w->fd >= 0) close(w->fd);
    w->pid = 0;
    w->fd = -1;
}

void worker_free(struct worker *w) {
    if (w->program) worker_stop(w);
    for (size_t i = 0; i < w->n_libraries; i++) free(w->libraries[i]);
    *w = (struct worker){.fd = -1};
}

enum worker_result worker_ask(struct worker *w, const struct bench_ask *ask,
                              struct bench_answer *answer, int limit_ms) {
    struct pollfd ready = {.fd = w->fd, .events = POLLIN};
    long long until = clock_ms() + limit_ms;
    int n = -1;
    ssize_t got = -1;
    if (w->pid && send(w->fd, ask, sizeof *ask, MSG_NOSIGNAL) > 0) {
        do {
            long long left = until - clock_ms();
            n = poll(&ready, 1, left > 0 ? (int)left : 0);
        } while (n < 0 && errno == EINTR);
        if (n > 0) got = recv(w->fd, answer, sizeof *answer, 0);
    }
    if (got == (ssize_t)sizeof *answer && answer->kind == ask->kind) {
        answer->text[BENCH_TEXT - 1] = '\0';
        return WORKER_ANSWERED;
    }
    worker_stop(w);
    return n == 0 ? WORKER_LATE : WORKER_ENDED;
}

static bool load(struct worker *w, const char *library, uint64_t *number,
                 char why[BENCH_TEXT]) {
    struct bench_ask ask = {.kind = BENCH_LOAD};
    struct bench_answer answer;
    snprintf(ask.text, sizeof ask.text, "%s", library);
    if (worker_ask(w, &ask, &answer, HELLO_LIMIT_MS) != WORKER_ANSWERED) {
        snprintf(why, BENCH_TEXT, "the process ended while loading %s",
                 library);
        return false;
    }
    snprintf(why, BENCH_TEXT, "%s", answer.text);
    *number = answer.value;
    return answer.status == BENCH_OK;
}

int worker_load(struct worker *w, const char *library, char why[BENCH_TEXT]) {
    uint64_t number;
    if (w->n_libraries == WORKER_LIBRARIES) {
        snprintf(why, BENCH_TEXT, "more than %d libraries", WORKER_LIBRARIES);
        return -1;
    }
    if (!load(w, library, &number, why)) return -1;
    char *copy = text_format("%s", library);
    if (!copy) return -1;
    w->libraries[w->n_libraries++] = copy;
    return (int)number;
}

bool worker_again(struct worker *w, char why[BENCH_TEXT]) {
    uint64_t number;
    worker_stop(w);
    if (!worker_start(w, why)) return false;
    for (size_t i = 0; i < w->n_libraries; i++)
        if (!load(w, w->libraries[i], &number, why)) return false;
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * run.c: the program as a child, the device in this process, a socket between
 * them. Signals arrive through a descriptor, so that everything happens in one
 * loop; while a kernel runs, tool_should_stop looks at them instead. The
 * program's stdin, stdout and stderr are its own.
 */
#define _GNU_SOURCE /* asprintf, memfd_create */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Passed on to the program; it decides what they mean. */
static const int forwarded[] = {SIGINT,  SIGTERM, SIGHUP,
                                SIGQUIT, SIGUSR1, SIGUSR2};
enum { N_FORWARDED = sizeof forwarded / sizeof *forwarded };

static void watched_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (int i = 0; i < N_FORWARDED; i++) sigaddset(set, forwarded[i]);
}

static void on_signal(struct tool_watch *watch,
                      const struct signalfd_siginfo *info) {
    if (info->ssi_signo == SIGCHLD) {
        if (waitpid(watch->child, &watch->status, WNOHANG) == watch->child)
            watch->has_ended = true;
        return;
    }
    /* The terminal sends its signals to the program as well. */
    if (info->ssi_code != SI_KERNEL && !watch->has_ended)
        kill(watch->child, (int)info->ssi_signo);
    watch->was_stopped = true;
}

static void read_signals(struct tool_watch *watch) {
    struct signalfd_siginfo info;
    while (read(watch->signals, &info, sizeof info) == sizeof info)
        on_signal(watch, &info);
}

bool tool_should_stop(void *user) {
    struct tool_watch *watch = user;
    if (watch->signals < 0) return false;
    read_signals(watch);
    return watch->has_ended;
}

/* The file for memory that program and device both see: sparse, and of fixed
 * length, so that the program cannot take it away from under us. -1: such
 * memory cannot be had here (a limit on file sizes, say), and is refused. */
static int shared_file(void) {
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur != RLIM_INFINITY)
        return -1;
    int fd = memfd_create("vgpu-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)VGPU_SHARED_BYTES) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Leaves the descriptor open over exec and its number in the environment. */
static bool hand_over(const char *variable, int fd) {
    char number[16];
    snprintf(number, sizeof number, "%d", fd);
    return fcntl(fd, F_SETFD, 0) == 0 && setenv(variable, number, 1) == 0;
}

/* A library that knows the sizes of the program's buffers, before all others:
 * for ordercheck. */
static bool put_before(const char *folder) {
    const char *old = getenv("LD_PRELOAD");
    bool has_old = old && *old;
    char *library, *libraries;
    if (asprintf(&library, "%s/libvgpu-sizes.so", folder) < 0) return false;
    if (access(library, R_OK) != 0) return true; /* installed without it */
    return asprintf(&libraries, "%s%s%s", library, has_old ? ":" : "",
                    has_old ? old : "") >= 0 &&
           setenv("LD_PRELOAD", libraries, 1) == 0;
}

/* The loader is to tell which libraries the program opens. Not where somebody
 * listens to it already. */
static bool listen_to_loader(const struct tool_watch *watch,
                             const char *folder) {
    const char *old = getenv("LD_AUDIT");
    char *library, words[64];
    struct stat s;
    int to = watch->opened[1];
    unsetenv("VGPU_OPENED_FD");
    if (to < 0 || (old && *old)) return true;
    if (asprintf(&library, "%s/libvgpu-opened.so", folder) < 0) return false;
    if (access(library, R_OK) != 0) return true; /* installed without it */
    if (fstat(to, &s) != 0 || fcntl(to, F_SETFD, 0) != 0) return false;
    snprintf(words, sizeof words, "%d:%llu", to, (unsigned long long)s.st_ino);
    return setenv("VGPU_OPENED_FD", words, 1) == 0 &&
           setenv("LD_AUDIT", library, 1) == 0;
}

/* What it has told, when the program has ended. */
static char *read_opened(struct tool_watch *watch) {
    enum { MOST = 1 << 16 }; /* a pipe's room */
    char *told = watch->opened[0] < 0 ? NULL : malloc(MOST + 1);
    size_t n = 0;
    for (ssize_t more; told && n < MOST; n += (size_t)more) {
        more = read(watch->opened[0], told + n, MOST - n);
        if (more <= 0) break;
    }
    for (int k = 0; k < 2; k++)
        if (watch->opened[k] >= 0) close(watch->opened[k]);
    if (told) told[n] = 0;
    return told;
}

/* Between fork and exec. Never returns. */
static void become(const struct tool_watch *watch, const char *path,
                   const char *folder, char **argv, int fd, int shared,
                   int failure, const sigset_t *mask) {
    const char *old = getenv("LD_LIBRARY_PATH");
    char *libraries;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no program without its device */
    unsetenv("VGPU_SHARED_FD");
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* The driver lies in a folder of its own: not for a judge's programs. */
    if (asprintf(&libraries, "%s:%s/driver%s%s", folder, folder,
                 old && *old ? ":" : "", old && *old ? old : "") >= 0 &&
        setenv("LD_LIBRARY_PATH", libraries, 1) == 0 &&
        (!watch->wants_sizes || put_before(folder)) &&
        listen_to_loader(watch, folder) && hand_over("VGPU_CHANNEL_FD", fd) &&
        (shared < 0 || hand_over("VGPU_SHARED_FD", shared)))
        execv(path, argv);
    int error = errno;
    (void)!write(failure, &error, sizeof error);
    _exit(127);
}

/* Starts the child; its end of the channel stays open over exec. 0, or the
 * error of exec or of setting up. */
static int run_start(struct tool_watch *watch, const char *path,
                     const char *folder, char **argv, int channel, int shared,
                     const sigset_t *mask) {
    int failure[2], error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) return errno;
    watch->child = fork();
    if (watch->child == 0)
        become(watch, path, folder, argv, channel, shared, failure[1], mask);
    if (watch->child < 0) error = errno;
    close(failure[1]);
    if (watch->child > 0 && read(failure[0], &error, sizeof error) > 0)
        waitpid(watch->child, NULL, 0);
    close(failure[0]);
    return error;
}

/* One turn; false: the channel is over. */
static bool step(vgpu_session *session, int fd, bool *used_cuda) {
    char byte;
    if (!*used_cuda)
        *used_cuda = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
    return vgpu_session_step(session) > 0;
}

static bool is_readable(int fd) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, 0) > 0;
}

static void serve(vgpu_device *device, struct tool_watch *watch, int *fd,
                  struct tool_result *result) {
    vgpu_session *session = vgpu_session_new(device, *fd);
    bool is_open = session != NULL;
    if (session) vgpu_session_serves_several(session);
    while (!watch->has_ended) {
        struct pollfd waits[] = {{.fd = watch->signals, .events = POLLIN},
                                 {.fd = *fd, .events = POLLIN}};
        if (poll(waits, is_open ? 2 : 1, -1) < 0 && errno != EINTR) break;
        if (is_open && waits[1].revents) {
            is_open = step(session, *fd, &result->used_cuda);
            if (!is_open) { /* a program that still waits must not wait on */
                close(*fd);
                *fd = -1;
            }
        }
        if (waits[0].revents) read_signals(watch);
    }
    /* What it sent before it died: a host fault, a last misuse. */
    while (is_open && is_readable(*fd))
        is_open = step(session, *fd, &result->used_cuda);
    vgpu_check_leaks(device);
    vgpu_session_free(session);
}

bool tool_run(vgpu_device *device, struct tool_watch *watch, const char *path,
              const char *client_folder, char **argv,
              struct tool_result *result) {
    sigset_t set, old;
    int ends[2] = {-1, -1}, error = 0;
    watched_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &old);
    watch->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (watch->signals < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        error = errno;
    else
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if (watch->wants_opened &&
        pipe2(watch->opened, O_CLOEXEC | O_NONBLOCK) != 0)
        watch->opened[0] = watch->opened[1] = -1; /* does without */
    int shared = shared_file();
    if (shared >= 0) vgpu_share(device, shared);
    if (!error)
        error =
            run_start(watch, path, client_folder, argv, ends[0], shared, &old);
    if (ends[0] >= 0) close(ends[0]);
    if (error)
        tool_say("cannot start %s: %s", path, strerror(error));
    else
        serve(device, watch, &ends[1], result);
    result->status = watch->status;
    result->was_stopped = watch->was_stopped;
    result->opened = read_opened(watch);
    if (ends[1] >= 0) close(ends[1]);
    if (watch->signals >= 0) close(watch->signals);
    watch->signals = -1;
    return error == 0;
}

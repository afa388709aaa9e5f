/* SPDX-License-Identifier: MIT
 *
 * command.c: see command.h.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "time_limit.h"
#include "tree.h"

extern char **environ;

enum { TROUBLE_FD = 3, TROUBLE_BYTES = 500, DISK_MS = 20 };

/* [0] to read from, [1] to write to; above the descriptors that a command
 * begins with. What it says goes through a socket: a pipe can be opened again
 * by the name /proc/self/fd/2, behind Landlock, too, and a compiler that is to
 * include what it has said would wait for that until its time is over. */
static bool ends_above(int ends[2], bool is_socket) {
    int fds[2];
    if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0
                  : pipe2(fds, O_CLOEXEC) != 0)
        return false;
    if (is_socket) shutdown(fds[0], SHUT_WR); /* who reads it hears its end */
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, TROUBLE_FD + 1);
        close(fds[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return false;
}

static int command_spawn(const struct command *c, int *pid, int output,
                         int trouble) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, 1);
    posix_spawn_file_actions_adddup2(&files, output, 2);
    posix_spawn_file_actions_adddup2(&files, trouble, TROUBLE_FD);
    posix_spawn_file_actions_addclosefrom_np(&files, TROUBLE_FD + 1);
    int error =
        c->folder ? posix_spawn_file_actions_addchdir_np(&files, c->folder) : 0;
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    if (!error)
        error = posix_spawnp(
            pid, c->arguments[0], &files, &how, (char *const *)c->arguments,
            c->environment ? (char *const *)c->environment : environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return error;
}

/* All of it, and nobody is left who could still write. What lost its parent has
 * become our child, where ending_watch was called. */
static void stop(pid_t group, int *status, struct rusage *used) {
    *used = (struct rusage){0};
    kill(-group, SIGKILL);
    while (wait4(group, status, 0, used) < 0 && errno == EINTR) {
    }
    pid_t next;
    do next = waitpid(-group, NULL, 0);
    while (next > 0 || (next < 0 && errno == EINTR));
}

static void command_put_away(void *run) {
    int status;
    struct rusage used;
    stop(((struct command_run *)run)->pid, &status, &used);
}

static int start_once(struct command *c, struct command_run *run) {
    int output[2], trouble[2];
    c->output = c->trouble = (struct text){0};
    c->stopped = COMMAND_ENDED;
    if (!ends_above(output, true)) return errno;
    int error = ends_above(trouble, false) ? 0 : errno;
    if (!error) {
        ending_lock();
        error = command_spawn(c, &run->pid, output[1], trouble[1]);
        if (!error) ending_note(&run->ending, command_put_away, run);
        ending_unlock();
        close(trouble[1]);
        if (error) close(trouble[0]);
    }
    close(output[1]);
    if (error) {
        close(output[0]);
        return error;
    }
    run->fd = output[0];
    run->trouble = trouble[0];
    run->ended = false;
    group_limit_start(&run->limit, c->limit_ms, clock_ms());
    return 0;
}

int command_start(struct command *c, struct command_run *run) {
    unsigned tries = 0;
    int error;
    do error = start_once(c, run);
    while (error && patience(error, &tries));
    return error;
}

/* Has its first process ended? It stays to be waited for, so that its number,
 * which is that of the group, is nobody else's yet. */
static bool has_ended(struct command_run *run) {
    siginfo_t info = {0};
    int failed =
        waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    run->ended = run->ended || failed || info.si_pid != 0;
    return run->ended;
}

/* true: it is to be stopped. What fills a disk is faster than what fills the
 * rest, and quicker looked at. */
static bool watch_disk(struct command *c) {
    if (c->folders && !tree_within(c->folders, c->most_files, c->most_disk_mib))
        c->stopped = COMMAND_DISK;
    return c->stopped != COMMAND_ENDED;
}

static bool watch(struct command *c, struct command_run *run) {
    long long now = clock_ms();
    struct group_state seen = group_look(run->pid);
    if ((c->most_processes && seen.processes > c->most_processes) ||
        (c->most_mib && seen.mib > c->most_mib))
        c->stopped = COMMAND_CROWD;
    if (group_limit_reached(&run->limit, &seen, now) ||
        (c->until && now >= c->until))
        c->stopped = COMMAND_LATE;
    return c->stopped != COMMAND_ENDED;
}

/* Stops the other one, too, if it is to be; whoever waits for it hears why. */
static bool watch_both(struct command *c, struct command_run *run) {
    struct command *other = c->beside;
    if (other && !other->stopped && !has_ended(c->beside_run) &&
        (watch_disk(other) || watch(other, c->beside_run)))
        kill(-c->beside_run->pid, SIGKILL);
    return watch(c, run);
}

/* true: it is to be stopped. */
static bool command_keep(struct command *c, const char *part, size_t size) {
    bool whole = text_append(&c->output, part, size, c->output_limit);
    if (!whole && c->ends_when_full) c->stopped = COMMAND_TALK;
    return c->stopped != COMMAND_ENDED;
}

/* What it says, until it has ended and nobody holds its end, or is to stop. */
static void hear(struct command *c, struct command_run *run) {
    char part[4096];
    struct pollfd at = {.fd = run->fd, .events = POLLIN};
    int most = c->folders ? DISK_MS : GROUP_LOOK_MS;
    int pause = group_limit_pause(&run->limit);
    long long next = clock_ms() + pause, disk = 0;
    while (c->stopped == COMMAND_ENDED) {
        long long left = next - clock_ms();
        int wait = left < 0 ? 0 : left < most ? (int)left : most;
        int ready = poll(&at, 1, at.fd < 0 && wait > 1 ? 1 : wait);
        if (ready > 0) {
            ssize_t got = read(run->fd, part, sizeof part);
            if (got <= 0)
                at.fd = -1;
            else if (command_keep(c, part, (size_t)got))
                return;
        }
        if ((at.fd < 0 || ready == 0) && has_ended(run)) return;
        if (clock_ms() >= disk) {
            if (watch_disk(c)) return;
            disk = clock_ms() + DISK_MS;
        }
        if (clock_ms() < next) continue;
        if (watch_both(c, run)) return;
        next = clock_ms() + pause;
    }
}

static unsigned ms_of(const struct timeval *t) {
    return (unsigned)t->tv_sec * 1000 + (unsigned)t->tv_usec / 1000;
}

void command_finish(struct command *c, struct command_run *run) {
    char part[TROUBLE_BYTES];
    struct rusage used;
    hear(c, run);
    ending_lock(); /* its number is another's once it has been waited for */
    ending_forget(&run->ending);
    stop(run->pid, &c->status, &used);
    ending_unlock();
    c->computed_ms = ms_of(&used.ru_utime) + ms_of(&used.ru_stime);
    fcntl(run->trouble, F_SETFL, O_NONBLOCK);
    ssize_t got = read(run->trouble, part, sizeof part);
    if (got > 0) text_append(&c->trouble, part, (size_t)got, sizeof part);
    close(run->trouble);
    close(run->fd);
}

bool command_worked(const struct command *c) {
    return c->stopped == COMMAND_ENDED && !c->trouble.size &&
           WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
}

bool command_run(struct command *c) {
    struct command_run run;
    if (command_start(c, &run) != 0) return false;
    command_finish(c, &run);
    bool worked = command_worked(c);
    text_free(&c->trouble);
    return worked;
}

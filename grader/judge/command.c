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
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int command_start(struct command *c, struct command_run *run) {
    int fds[2];
    c->output = (struct text){0};
    c->timed_out = false;
    if (pipe2(fds, O_CLOEXEC) != 0) return errno;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fds[1], 1);
    posix_spawn_file_actions_adddup2(&files, fds[1], 2);
    if (c->folder) posix_spawn_file_actions_addchdir_np(&files, c->folder);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    int error = posix_spawnp(&run->pid, c->arguments[0], &files, &how,
                             (char *const *)c->arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    close(fds[1]);
    if (error) {
        close(fds[0]);
        return error;
    }
    run->fd = fds[0];
    time_limit_start(&run->limit, c->limit_ms, (struct effort){0});
    return 0;
}

void command_finish(struct command *c, struct command_run *run) {
    char part[4096];
    for (;;) {
        long long left = run->limit.next - clock_ms();
        struct pollfd at = {.fd = run->fd, .events = POLLIN};
        int ready = left > 0 ? poll(&at, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            c->timed_out =
                time_limit_reached(&run->limit, effort_of_group(run->pid));
            if (c->timed_out) break;
            continue;
        }
        ssize_t got = read(run->fd, part, sizeof part);
        if (got <= 0) break;
        text_append(&c->output, part, (size_t)got, c->output_limit);
    }
    if (c->timed_out) kill(-run->pid, SIGKILL);
    while (waitpid(run->pid, &c->status, 0) < 0 && errno == EINTR) {
    }
    close(run->fd);
}

bool command_run(struct command *c) {
    struct command_run run;
    if (command_start(c, &run) != 0) return false;
    command_finish(c, &run);
    return !c->timed_out && WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
}

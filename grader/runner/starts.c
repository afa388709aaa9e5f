/* SPDX-License-Identifier: MIT
 *
 * starts.c: libc's functions that start a process, refused before they begin.
 * The filter refuses their system calls, too; but libc blocks all signals
 * around these (in posix_spawn, and from 2.41 on in fork). The filter's signal
 * would then end the process without a report of the call. copies.c may fork:
 * it uses __fork, which is not replaced here.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include "runner.h"

static int refuse(int row) {
    signals_refused(row);
    errno = EPERM;
    return -1;
}

pid_t fork(void) {
    return refuse(WIRE_REFUSED_fork);
}

pid_t _Fork(void) {
    return refuse(WIRE_REFUSED_fork);
}

pid_t vfork(void) {
    return refuse(WIRE_REFUSED_vfork);
}

int daemon(int stays, int keeps) {
    (void)stays, (void)keeps;
    return refuse(WIRE_REFUSED_fork);
}

int system(const char *command) {
    return command ? refuse(WIRE_REFUSED_execve) : 0;
}

FILE *popen(const char *command, const char *type) {
    (void)command, (void)type;
    return refuse(WIRE_REFUSED_execve), NULL;
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
                const posix_spawn_file_actions_t *restrict files,
                const posix_spawnattr_t *restrict how,
                char *const arguments[restrict],
                char *const environment[restrict]) {
    (void)pid, (void)path, (void)files, (void)how;
    (void)arguments, (void)environment;
    return refuse(WIRE_REFUSED_execve), EPERM;
}

int posix_spawnp(pid_t *restrict pid, const char *restrict name,
                 const posix_spawn_file_actions_t *restrict files,
                 const posix_spawnattr_t *restrict how,
                 char *const arguments[restrict],
                 char *const environment[restrict]) {
    return posix_spawn(pid, name, files, how, arguments, environment);
}

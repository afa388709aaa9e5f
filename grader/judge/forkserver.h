/* SPDX-License-Identifier: MIT
 *
 * forkserver.h: how runners begin. A grade needs one for each of its hundreds
 * of cases, and most of what a new process costs is loading libraries that are
 * the same for all. So one scanlab-runner per client folder is executed, which
 * loads those and waits (runner/copies.c); each case's runner is a copy of
 * it, made on request, locked in afterwards by itself as any other.
 *
 * May be called from several threads: the servers are the process's children,
 * one list of them for all. A server that has died takes its runners with it
 * and is replaced by the next start.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct forkserver; /* lives until forkserver_close_all */

struct runner_start {
    const char *runner; /* path of scanlab-runner */
    const char *client; /* folder of libcudart.so.13; NULL: none */
    const int *fds;     /* stdout, stderr, control, device */
    size_t n_fds;       /* 3: no device */
};

/* A runner in a session of its own, with these descriptors where wire.h says;
 * the caller keeps its copies. 0, or errno. */
int forkserver_start(const struct runner_start *, struct forkserver **,
                     pid_t *);
/* As waitpid for a runner that this server started. -1: it is not known what
 * became of the runner, but it is gone. */
pid_t forkserver_wait(struct forkserver *, pid_t, int *status, int options);

/* All servers, and runners that are left, end. No runner may be in use. */
void forkserver_close_all(void);

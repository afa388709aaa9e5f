/* SPDX-License-Identifier: MIT
 *
 * pids.h: a control group of the kernel's that holds the runners of one judge,
 * and lets them have so many processes and threads together and no more: the
 * judge's own look at them (process.c) comes a moment later, in which others of
 * this user would be short of them. Where the user may make no such group, the
 * look is what there is.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct pids {
    char *folder; /* NULL: there is none */
};

/* A group with this process in it, and all that it starts from now on. false:
 * there is none, and nothing is left. */
bool pids_make(struct pids *, pid_t first, unsigned most);
/* All of it must have ended. */
void pids_remove(struct pids *);

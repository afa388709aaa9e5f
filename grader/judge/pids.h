/* SPDX-License-Identifier: MIT
 *
 * pids.h: a control group of the kernel that holds the runners of one judge and
 * limits how many processes and threads they have together. The judge itself
 * counts them, too (process.c), but only every 20 ms, and in between a bomb
 * could take them from other programs of this user. Where the user may not make
 * such a group, only the judge's count holds.
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

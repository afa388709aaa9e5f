/* SPDX-License-Identifier: MIT
 *
 * temporary.h: folders in the cache's folder that live for a while: a place to
 * compile in, an entry that is being made. Who uses one holds a shared lock on
 * it, so that what a killed grader left behind can be told from what is in use.
 */
#pragma once

#include <stdbool.h>

#include "ending.h"

struct temporary {
    char *path; /* NULL: none */
    int held;   /* its lock */
    struct ending ending;
};

/* "in/name.XXXXXX", of mode 700. It must not move in memory until it is removed
 * or kept. false: errno; nothing is left. */
bool temporary_make(struct temporary *, const char *in, const char *name);
/* With all that is in it. Safe to call twice. */
void temporary_remove(struct temporary *);
/* Moved to another place in the same folder, where it stays; false: errno, and
 * it is still there. *held is the lock, to be closed. */
bool temporary_keep(struct temporary *, const char *as, int *held);
/* Removes those that nobody uses any more. */
void temporary_sweep(const char *in);

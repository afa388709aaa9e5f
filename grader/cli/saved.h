/* SPDX-License-Identifier: MIT
 *
 * saved.h: which files of a folder were saved, as the kernel tells (inotify).
 */
#pragma once

#include <stdbool.h>

struct saved {
    int fd; /* -1: none */
};

/* false, with a message printed: the folder cannot be watched. */
bool saved_open(struct saved *, const char *folder);
void saved_close(struct saved *);
/* Waits until something is saved and nothing has been for a moment, since an
 * editor writes a file in several steps. Tells each name, some of them twice,
 * and NULL when there were too many to be told. false, with a message printed:
 * the folder is gone. */
bool saved_wait(struct saved *, void (*tell)(void *user, const char *name),
                void *user);

/* SPDX-License-Identifier: MIT
 * saved.h: reports which files of a folder were saved (inotify).
 */
#pragma once

#include <stdbool.h>

struct saved {
    int fd; /* -1: none */
};

/* false, with a message printed: the folder cannot be watched. */
bool saved_open(struct saved *, const char *folder);
void saved_close(struct saved *);
/* Waits until a file is saved, and then until nothing has been saved for a
 * moment, since an editor writes a file in several steps. Calls `tell` with
 * each name, with some of them twice, and with NULL if the kernel could not
 * report all names. Returns, too, when `beside` (a descriptor; -1: none) can be
 * read. false, with a message printed: the folder is gone. */
bool saved_wait(struct saved *, int beside,
                void (*tell)(void *user, const char *name), void *user);

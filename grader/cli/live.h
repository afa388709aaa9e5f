/* SPDX-License-Identifier: MIT
 *
 * live.h: scanlab watch --serve: the HTML report of the last grade, at an
 * address of this machine. The program scanlab-serve (serve/main.c) serves it,
 * and ends when scanlab watch does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ending.h"
#include "grade.h"
#include "versus.h"

struct live {
    int to; /* -1: nothing is shown */
    pid_t pid;
    uint64_t version;
    struct ending ending;
};

/* Starts it, at this port or, for 0, any that is free, and prints the address;
 * browse: and opens it in a browser, where there is one. false: a message has
 * been printed. live_close in any case. */
bool live_open(struct live *, const char *build_folder, unsigned port,
               bool browse);
/* Opens the address in a browser, or says that it could not (live_browse.c). */
void live_browse(const char *build_folder, const char *address);
/* A file was saved and is being graded: "naive ppF...": a letter for each check
 * of the lab, a dot for what has not been reached. The page fills its bar. */
void live_grading(struct live *, const char *state);
/* Shows these grades, of a lab each, as one, and what is new in each lab that
 * is watched. */
void live_show(struct live *, const struct grade *const *, size_t n,
               const struct since *const *, size_t n_since);
void live_close(struct live *);

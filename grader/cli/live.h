/* SPDX-License-Identifier: MIT
 *
 * live.h: scanlab watch --serve: the HTML report of the last grade, at an
 * address of this machine. The program scanlab-serve (serve/main.c) serves it,
 * and ends when scanlab watch does.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "ending.h"
#include "grade.h"

struct live {
    int to; /* -1: nothing is shown */
    pid_t pid;
    uint64_t version;
    struct ending ending;
};

/* Starts it, at this port or, for 0, any that is free, and prints the address.
 * false: a message has been printed. live_close in any case. */
bool live_open(struct live *, const char *build_folder, unsigned port);
/* A file was saved: the page says that it is being graded. */
void live_grading(struct live *);
/* Shows these grades, of a lab each, as one. */
void live_show(struct live *, const struct grade *const *, size_t n);
void live_close(struct live *);

/* SPDX-License-Identifier: MIT
 *
 * compile_settings.h: what is to be compiled and how, and what came of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"
#include "lab_state.h"
#include "sources.h"
#include "walled.h"

struct compile_settings {
    const char *root, *submission, *build_folder;
    const struct walled *walled; /* NULL: opened for this */
    const char *cache;  /* the cache's folder; NULL: the usual one (cache.h) */
    unsigned cache_mib; /* how large it may become; 0: as usual */
    bool is_reference;  /* a copy of reference/: the solutions behind #ifdef */
    bool is_timed;      /* C: optimised all the way */
    bool wants_watched; /* C: a watched build, too, where a check has one */
    int arch;           /* of the PTX, one of COMPILE_ARCHES; 0: 75 */
    int capability;     /* 90 for 9.0; 0: no real GPU */
    unsigned limit_ms;  /* of one source; 0: COMPILE_LIMIT_MS */
    double slowness;    /* for that: speed.h; 0: not measured */
    long long until;    /* clock_ms; the whole grade's end. 0: none */
    /* Told before a lab's source is compiled; may be NULL. */
    void (*progress)(void *user, const struct lab *, const char *text);
    void *user;
    struct sources *read; /* gets the submission's files, to be freed; NULL:
                             nobody wants them */
};

struct compiled {
    char *library;  /* path; NULL: it did not build */
    char *warnings; /* of one that built; NULL: none */
    char *watched;  /* C labs whose checks want it: the library's watched build
                       (runner/watch.h); NULL: the compiler makes none */
    int watched_held;
    enum lab_state state; /* whether, and why not */
    char *error; /* why: the compiler's message, shortened; NULL: it did */
    int held;    /* keeps the library in the cache; 0: nothing is kept */
};

enum {
    COMPILE_ERROR_BYTES = 1024,
    /* A source's processor time (group.h). Thrust's sort and CUB's scan and
     * sort take 17 s on a slow machine. */
    COMPILE_LIMIT_MS = 60000
};

/* Compute capabilities that a submission can be compiled for. */
#define COMPILE_ARCHES "75, 80, 86, 89, 90, 100, 120"
bool compile_arch_by_name(const char *, int *arch);

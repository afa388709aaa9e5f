/* SPDX-License-Identifier: MIT
 *
 * compile_job.h: one lab's source on its way to a library. prepare looks into
 * the cache; if that has none, it makes a place with copies of what the
 * compiler is to see and starts it there, inside walls; finish waits, and takes
 * the message or keeps the library.
 */
#pragma once

#include "build_place.h"
#include "cache.h"
#include "compile_settings.h"
#include "compile_words.h"
#include "key.h"
#include "sources.h"
#include "walled.h"

/* Of all jobs of a grade. */
struct compile_shared {
    const struct compile_settings *settings;
    struct walled own_walled;
    const struct walled *walled;
    struct cache cache;
    struct sources own, common;
    char *too_many; /* why none of its files are read; NULL: they are */
    bool is_reference, kept;
};

/* All but shared, lab and out begins as zeros. */
struct compile_job {
    struct compile_shared *shared;
    const struct lab *lab;
    bool watched; /* the library's watched build */
    struct compiled *out;
    const char *source; /* its text */
    struct sources headers;
    char *toolkit; /* to be read with the compiler; NULL: none */
    struct compile_words words;
    char keys[2][KEY_TEXT]; /* without and with sources of other labs */
    bool all_units;
    struct build_place place;
    struct walled_words command_words;
    struct command command;
    struct command_run run;
    struct compile_job *beside; /* started, and not waited for yet; or NULL */
    unsigned computed_ms;       /* by compilers that have ended */
    unsigned long long kills;   /* machine_kills() before */
    bool started;
};

/* false: set-up error, in error. If `started` is set afterwards, call
 * compile_job_finish; a job that needs no compiler is done already. */
bool compile_job_prepare(struct compile_job *, char error[COMPILE_ERROR_BYTES]);
bool compile_job_finish(struct compile_job *, char error[COMPILE_ERROR_BYTES]);
/* Frees the job, whatever state it is in. */
void compile_job_free(struct compile_job *);

/* Reads headers of ours that the compiler has to see. false: set-up error, in
 * error. */
bool compile_read_headers(struct sources *, const char *folder,
                          char error[COMPILE_ERROR_BYTES]);

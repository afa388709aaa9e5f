/* SPDX-License-Identifier: MIT
 *
 * walled.h: runs commands inside walls (grader/walls), and finds out which
 * walls stand on this machine. A tool inside walls can read the system, its own
 * toolkit and `reads`, and write only into `writes`.
 */
#pragma once

#include "command.h"
#include "standing.h"

enum { WALLED_ERROR_BYTES = 512, WALLED_PATHS = 8 };

struct walled {
    char *helper, *place; /* scanlab-walls; a folder to put a root on */
    struct standing stands;
};

struct walled_tool {
    const char *const *arguments; /* [0] is a path; NULL at the end */
    const char *folder;           /* to run in */
    /* What the tool belongs to, and more that it may read; may write. NULL: no
     * more of them. */
    const char *reads[WALLED_PATHS], *writes[WALLED_PATHS];
    const char *temporary; /* for files of its own; NULL: none */
    unsigned limit_ms;
    long long until;     /* as command.h has it */
    size_t output_limit; /* it is stopped when it says more */
};

/* false: set-up error, in error. */
bool walled_open(struct walled *, const char *build_folder,
                 char error[WALLED_ERROR_BYTES]);
void walled_free(struct walled *);

/* Which stand around a runner; gpu: it may use a real one. */
void walled_of_run(const struct walled *, bool gpu, struct standing *run);

/* As command_start; the command is filled in. Its words are needed until it is
 * finished: walled_words_free. */
struct walled_words {
    const char *at[160];
    char *owned[8];
    const char *environment[8];
    const char *writes[WALLED_PATHS + 1];
};
int walled_start(const struct walled *, const struct walled_tool *,
                 struct walled_words *, struct command *, struct command_run *);
void walled_words_free(struct walled_words *);

/* The folder that a program needs to be read with it: that of its toolkit
 * (".../cuda-13.0" of ".../cuda-13.0/bin/nvcc"), else the one that it lies in.
 * NULL: the system's, which every tool may read. To be freed. */
char *walled_toolkit(const char *program);

/* SPDX-License-Identifier: MIT
 *
 * host.h: what this machine has to grade with: the runner, the virtual GPU's
 * runtime, a real GPU and its runtime.
 */
#pragma once

#include <stdbool.h>

#include "case.h"
#include "walled.h"

struct host {
    struct case_environment environment;
    struct walled walled;            /* what environment points to, too */
    char *root, *build_folder;       /* whole paths */
    char *runner, *client, *toolkit; /* what environment points to */
    char *gpu;                       /* "NVIDIA H200"; NULL: none */
    int capability;                  /* 90; 0: no GPU */
};

enum { HOST_ERROR_BYTES = 1024 };
/* false: something ScanLab itself needs is missing; error says what. A GPU is
 * looked for only when look_for_gpu. host_free in any case. */
bool host_open(struct host *, const char *root, const char *build_folder,
               bool look_for_gpu, char error[HOST_ERROR_BYTES]);
/* The program scanlab as the user would type it here: $SCANLAB_PROGRAM, else
 * its path; to be freed. */
char *host_program(const struct host *);
void host_free(struct host *);

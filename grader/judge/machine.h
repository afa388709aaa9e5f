/* SPDX-License-Identifier: MIT
 *
 * machine.h: what this machine has to grade with: the runner, the virtual GPU's
 * runtime, a real GPU and its runtime.
 */
#ifndef SCANLAB_MACHINE_H
#define SCANLAB_MACHINE_H

#include <stdbool.h>

#include "case.h"

struct machine {
    struct case_world world;
    char *root, *build_folder;       /* whole paths */
    char *runner, *client, *toolkit; /* what world points to */
    char *gpu;                       /* "NVIDIA H200"; NULL: none */
    int capability;                  /* 90; 0: no GPU */
};

enum { MACHINE_ERROR_BYTES = 1024 };
/* false: something ScanLab itself needs is missing; error says what. A GPU is
 * looked for only when look_for_gpu. machine_free in any case. */
bool machine_open(struct machine *, const char *root, const char *build_folder,
                  bool look_for_gpu, char error[MACHINE_ERROR_BYTES]);
void machine_free(struct machine *);

#endif

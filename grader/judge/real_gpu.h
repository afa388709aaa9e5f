/* SPDX-License-Identifier: MIT
 *
 * real_gpu.h: whose work may run on a real GPU here. Its driver wants devices
 * open in the process that uses it, so that the walls around it are lower than
 * around the virtual GPU (SECURITY.md).
 */
#pragma once

#include <stdbool.h>

#include "judge_options.h"
#include "walled.h"

enum { REAL_GPU_BYTES = 400 };

/* false: why says so. As root only root's own work, since code on a GPU runs as
 * who grades; and, unless weaker walls are asked for, only where Landlock or a
 * mount namespace keeps it from files. */
bool real_gpu_may(const struct judge_options *, const struct walled *,
                  char why[REAL_GPU_BYTES]);

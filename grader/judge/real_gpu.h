/* SPDX-License-Identifier: MIT
 *
 * real_gpu.h: whose submission may run on a real GPU here. The driver needs
 * devices open in the process that uses it, so the walls around that process
 * are lower than with the virtual GPU (SECURITY.md).
 */
#pragma once

#include <stdbool.h>

#include "judge_options.h"
#include "walled.h"

enum { REAL_GPU_BYTES = 400 };

/* false: `why` has the reason. A judge that is root allows only submissions of
 * root, since the code then runs as root; and, unless weaker walls are asked
 * for, Landlock or a mount namespace must keep the process from files. */
bool real_gpu_may(const struct judge_options *, const struct walled *,
                  char why[REAL_GPU_BYTES]);

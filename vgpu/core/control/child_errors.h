/* SPDX-License-Identifier: MIT
 *
 * child_errors.h: the last error of each thread that called the device's
 * runtime, and launches that were refused.
 */
#pragma once

#include "children.h"

/* The lane's call has failed: of a launch, `why` says what a finding will say
 * unless the thread asks for the error; else NULL. */
void child_failed(struct context *, uint32_t lane, unsigned error,
                  const struct vgpu_message *why);
/* The lane's last error; with `take` it has none from now on. */
unsigned child_last_error(struct context *, uint32_t lane, bool take);
/* The block has ended, its slot is freed: of its threads nobody will ask. */
void child_block_ended(struct block *);
void child_block_freed(struct block *);

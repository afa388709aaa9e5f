/* SPDX-License-Identifier: MIT
 *
 * barrier.h: barriers of a block. False: the group waits, or the launch must
 * stop.
 */
#pragma once

#include "machine.h"

bool exec_barrier(struct context *);
bool exec_cluster_barrier(struct context *);
/* Called when threads wait at a meeting (block.meets): opens it if no other
 * thread of the block can go on. */
void block_meet(struct block *);
/* Called when the last threads of a warp have exited; when some threads have.
 */
void block_warp_exited(struct block *, struct warp *);
void barrier_threads_exited(struct warp *);

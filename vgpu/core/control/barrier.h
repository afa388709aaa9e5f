/* SPDX-License-Identifier: MIT
 *
 * barrier.h: barriers of a block. False: the group waits, or the launch must
 * stop.
 */
#pragma once

#include "machine.h"

bool exec_barrier(struct context *);
bool exec_cluster_barrier(struct context *);
/* Some wait at a meeting (block.meets): it opens if nobody else can go on. */
void block_meet(struct block *);
/* Threads have exited: the last ones of their warp; some. */
void block_warp_exited(struct block *, struct warp *);
void barrier_threads_exited(struct warp *);

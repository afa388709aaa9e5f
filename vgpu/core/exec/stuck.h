/* SPDX-License-Identifier: MIT
 *
 * stuck.h: findings about a grid that does not end. Each ends the launch.
 */
#pragma once

#include "machine.h"

/* No thread can go on. slots: the n slots of resident blocks. */
void report_deadlock(struct machine *, struct block *slots, uint32_t n,
                     uint64_t not_started);
/* How far a grid has come. */
struct grid_progress {
    uint64_t executed;       /* warp instructions */
    uint64_t since;          /* the last block was done */
    uint64_t n_blocks, done; /* blocks */
};
/* The launch has executed its budget, or was stopped: names the hottest line.
 */
void report_budget(struct machine *, struct block *slots, uint32_t n,
                   struct grid_progress);

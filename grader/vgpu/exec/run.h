/* SPDX-License-Identifier: MIT
 *
 * run.h: running a grid: its blocks, their warps, their instructions.
 */
#pragma once

#include "machine.h"

enum run_result {
    RUN_TURN_OVER,
    RUN_WAITING,
    RUN_SPINNING,
    RUN_DONE,
    RUN_STOPPED
};
/* Runs a warp for at most `turn` instructions. */
enum run_result warp_run(struct machine *, struct warp *, uint32_t turn);
/* A slot holds one resident block after another. False: out of memory. */
bool block_prepare(struct machine *, struct block *);
void block_start(struct machine *, struct block *, uint64_t linear);
void block_free(struct machine *, struct block *);
/* Runs all blocks of the launch; m->status says how it ended. */
void grid_run(struct machine *);

/* ---- warp operations (warp_ops.c; warp_meet.c: who takes part) ---- */
void warp_op_perform(struct context *, uint32_t lanes);
/* Lanes that name each other meet; they may be several parts of the warp. */
void warp_lanes_meet(struct context *, uint32_t lanes);
bool exec_warp_op(struct context *); /* false: the group waits */
/* Nobody waits for lanes that have exited. True: some go on, because those that
 * they waited for have. */
bool exec_warp_op_resumed(struct context *);
/* Some of the lanes it names cannot come: reports that and goes on without. */
bool exec_warp_op_forced(struct context *, struct group *);

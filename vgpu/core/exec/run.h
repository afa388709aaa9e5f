/* SPDX-License-Identifier: MIT
 *
 * run.h: running a grid: its blocks, their warps, their instructions.
 */
#pragma once

#include "machine.h"

enum run_result {
    RUN_TURN_OVER,
    RUN_PAUSES, /* likewise, and so is its block's (machine.pauses) */
    RUN_WAITING,
    RUN_SPINNING,
    RUN_DONE,
    RUN_STOPPED,
    RUN_STALLED /* the clock: another warp is earlier */
};
/* Runs a warp for at most `turn` instructions. */
enum run_result warp_run(struct machine *, struct warp *, uint32_t turn);
/* Runs all blocks of the launch; m->status says how it ended. */
void grid_run(struct machine *);

/* ---- shared by the two schedules: grid.c, timed.c ---- */
struct grid {
    struct block *slots;
    uint32_t n_slots, n_prepared;
    uint64_t n_blocks, next;
    bool ended; /* it has no block that runs or is to start */
};

/* ---- launches of several GPUs that run at the same time ---- */

/* One of them: between flight_begin and flight_end it can be run in parts. Its
 * machine must not move meanwhile. */
struct schedule;
struct flight {
    struct machine *machine;
    struct grid grid;
    struct context context;
    struct schedule *timed; /* NULL: without a clock */
};
void flight_begin(struct flight *, struct machine *);
void flight_end(struct flight *);
/* True: it has ended, as machine.status says. */
bool flight_is_over(const struct flight *);
/* Runs them, each in turns, until one is over (true), or nobody can go on. */
bool flights_run(struct flight *const *, uint32_t n);
/* The same with a clock, in the order of model time (timed_flights.c); and what
 * a launch has for that. timed_new: NULL: it has to end at once. */
bool timed_flights_run(struct flight *const *, uint32_t n);
struct schedule *timed_new(struct machine *, struct grid *);
void timed_free(struct schedule *);
/* Nobody can go on: says why, for one of them, and ends it. */
void flights_are_stuck(struct flight *const *, uint32_t n);
/* Memory of resident blocks (resident.c). resident_begin, resident_end: of the
 * grid. block_prepare: of one slot; false: no memory. block_start: the block
 * with this number begins in its slot. */
void resident_begin(struct machine *, const struct grid *);
void resident_end(struct machine *, struct grid *);
bool block_prepare(struct machine *, struct block *, uint32_t slot);
void block_start(struct machine *, struct block *, uint64_t linear);
enum {
    /* in each, a group that waits polls all words of its loop once */
    QUIET_PASSES = 2 * POLL_SLOTS + 8,
    LAST_PASSES = 2 /* after that, before a deadlock is reported */
};
/* Observers, slots, what resident blocks share. False: the launch has to end at
 * once, as machine.status says. grid_end: all is given back. */
bool grid_begin(struct machine *, struct grid *, struct context *);
void grid_end(struct machine *, struct grid *);
/* Starts blocks and gives all a turn. False: there are none any more. */
bool grid_round(struct machine *, struct grid *);
/* Every group that could run has polled and seen nothing new. */
bool grid_all_wait(const struct grid *);
/* After so many passes without change, what can still set something free; was
 * there such a thing? */
uint32_t grid_enough_passes(const struct machine *);
bool grid_set_free(struct machine *, struct grid *);
/* Starts the next block in this slot, whose number is s. False: no memory. */
bool grid_start(struct machine *, struct grid *, uint32_t s);
/* All its threads have ended. */
void grid_block_ends(struct machine *, struct block *);
/* Ends the launch, by machine.status, if it has to end. */
void grid_check(struct machine *, struct grid *);
/* Breaks a join of a warp that can then go on. False: there is none. */
bool grid_break_join(struct machine *, struct grid *);
/* Time is skipped for a wait with a time limit. False: there is none. */
bool grid_skip_time(struct machine *);
/* Everybody waits, but perhaps for the host. */
bool grid_host_may_move(struct machine *, const struct grid *);
/* Runs all blocks as the clock says (timed.c). */
void timed_run(struct machine *, struct grid *);

/* ---- warp operations (warp_ops.c; warp_meet.c: who takes part) ---- */
void warp_op_perform(struct context *, uint32_t lanes);
/* Called when lanes that name each other in a mask have met; they may be of
 * several groups. */
void warp_lanes_meet(struct context *, uint32_t lanes);
bool exec_warp_op(struct context *); /* false: the group waits */
/* The same of a matrix instruction; false: or the launch has to stop. */
bool exec_matrix_op(struct context *);
/* Lanes that have exited are not waited for. True: some groups go on, because
 * the lanes for which they waited have exited. */
bool exec_warp_op_resumed(struct context *);
/* Some of the lanes that its mask names cannot come: reports that, and goes on
 * without them. */
bool exec_warp_op_forced(struct context *, struct group *);

/* SPDX-License-Identifier: MIT
 *
 * links.h: the clocks of several GPUs of one host, for the files of this
 * room. Each GPU has a clock; what they share is the host's time, the words by
 * which blocks tell each other something, and the links between them.
 *
 * Calls and commands part: a call takes the host's time when it is made
 * (clock_asks), its command is done when what comes before it is done, in the
 * order of the simulation, and begins no earlier than both (clock_may_begin).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock;
struct clock_totals;
struct context;
struct access;

/* This clock goes; the last one frees what they shared. */
void links_leave(struct clock *);
/* A call begins: the clock learns the host's time; it ends: all do. */
void links_enter(struct clock *);
void links_leave_host(struct clock *);
/* When a command may begin whose call takes so long. */
uint64_t links_command(struct clock *, uint64_t call);
/* A small allocation, or its end. */
void links_small(struct clock *, bool frees);
/* What the host waits for. */
uint64_t links_awaited(struct clock *);
/* True: no other launch is under way. */
bool links_launch_begins(struct clock *);
void links_launch_ends(struct clock *);
/* Of all GPUs: the longest chains, the end of the last one. */
void links_totals(const struct clock *, struct clock_totals *);
/* All begin anew at this time. */
uint64_t links_reset(struct clock *);
/* True: the access is to the memory of another GPU, and its time is spent. */
bool links_access(struct context *, struct access *);

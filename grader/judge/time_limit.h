/* SPDX-License-Identifier: MIT
 *
 * time_limit.h: a limit for a program's time (for many programs, one after the
 * other: group.h) that other programs on the same
 * machine cannot use up. It is reached when so much time has gone by and
 *   the program has computed for as long,
 *   or has computed, or stood in the queue for a processor, for less than a
 *   quarter of the time of late, and stands in none now (it waits for
 *   something, or is stopped),
 *   or ten times as much has gone by, without what it stood in a queue.
 * All times are milliseconds; clocks only go forward.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* What a program has had of the machine. queued: of one thread of each process;
 * 0 where the kernel does not tell. wants: one of its threads computes, or
 * waits for a processor or a disk. */
struct effort {
    long long computed, queued;
    bool wants;
};

struct time_limit {
    long long start, limit; /* by the clock */
    long long next;         /* when to look (again) */
    long long seen;         /* when it was looked at last */
    struct effort at_start, at_seen;
    bool over;
};

long long clock_ms(void);

void time_limit_start(struct time_limit *, unsigned limit, struct effort);
/* The program did not have these milliseconds: the limit is so much later. */
void time_limit_forgive(struct time_limit *, long long ms);
/* Is it time to look? Cheap. */
bool time_limit_due(const struct time_limit *);
/* Call it when time_limit_due. True once the limit was reached, and at every
 * later call. */
bool time_limit_reached(struct time_limit *, struct effort);

/* This thread; a process and all of its threads. Nothing if it is gone. */
struct effort effort_of_thread(void);
struct effort effort_of_process(pid_t);
struct effort effort_of_both(struct effort, struct effort);

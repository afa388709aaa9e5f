/* SPDX-License-Identifier: MIT
 *
 * group.h: what a group of processes takes, and when it is late. A compiler is
 * many short processes, one after the other; how long those that have ended
 * stood in a queue for a processor nobody knows. So a group is looked at often,
 * and late when
 *   it has computed for as long as its limit,
 *   or has been asleep for as long, of late and more often than not: none of it
 *   computed, or stood in a queue for a processor or a disk, or was stopped.
 * What other programs take from it is thus never held against it, however much
 * that is. All times are milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* All of them together; those that nobody awaited count until then, those that
 * were awaited for who did. */
struct group_state {
    unsigned processes, mib;
    long long computed;
    bool is_awake;
};
/* 0 where that is unknown. */
struct group_state group_look(pid_t group);

/* Is one of a process's threads in one of these states, letters of /proc? That
 * of the process is its first thread's. */
bool group_thread_is(const char *pid, const char *states);

enum { GROUP_LOOK_MS = 200 }; /* between two looks, at most */

struct group_limit {
    long long limit, seen, computed, asleep;
    bool over;
};
void group_limit_start(struct group_limit *, unsigned limit, long long now);
/* How long to wait until the next look. */
int group_limit_pause(const struct group_limit *);
/* True once the limit was reached, and at every later call. */
bool group_limit_reached(struct group_limit *, const struct group_state *,
                         long long now);

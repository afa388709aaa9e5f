/* SPDX-License-Identifier: MIT
 *
 * group.h: how much time and memory a group of processes takes, and when it is
 * late. A compiler is many short processes, one after the other, and the kernel
 * does not say how long those that have ended waited for a processor. So the
 * judge looks at a group often. A group is late when
 *   it has computed for as long as its limit,
 *   or has been asleep for as long, and in most of the last looks: asleep means
 *   that no process of it computes, waits for a processor or a disk, or is
 *   stopped.
 * So a busy machine never makes it late. All times are milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Sums over the group's processes. The time of a process that has ended counts
 * for itself until its parent waits for it, then for the parent. */
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

/* SPDX-License-Identifier: MIT
 *
 * time_limit.c: see time_limit.h.
 */
#include "time_limit.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "group.h"

enum {
    MOST_TIMES = 10, /* the limit, by the clock, out of queues */
    LOOKS = 4,       /* in a limit's time, once it is over */
    BUSY = 4 /* 1 / BUSY of a time is busy; queues are known in part only */
};

static long long clock_of(clockid_t id) {
    struct timespec now;
    if (clock_gettime(id, &now) != 0) return 0;
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

long long clock_ms(void) {
    return clock_of(CLOCK_MONOTONIC);
}

void time_limit_start(struct time_limit *t, unsigned limit, struct effort e) {
    long long now = clock_ms();
    *t = (struct time_limit){.start = now,
                             .limit = limit,
                             .next = now + limit,
                             .seen = now,
                             .at_start = e,
                             .at_seen = e};
}

void time_limit_forgive(struct time_limit *t, long long ms) {
    t->start += ms;
    t->next += ms;
    t->seen += ms;
}

bool time_limit_due(const struct time_limit *t) {
    return clock_ms() >= t->next;
}

bool time_limit_reached(struct time_limit *t, struct effort e) {
    long long now = clock_ms();
    long long left = t->limit - (e.computed - t->at_start.computed);
    long long gone = now - t->start - (e.queued - t->at_start.queued);
    long long busy =
        e.computed - t->at_seen.computed + e.queued - t->at_seen.queued;
    t->over = t->over || left <= 0 || gone >= MOST_TIMES * t->limit ||
              (!e.wants && BUSY * busy < now - t->seen);
    t->seen = now;
    t->at_seen = e;
    t->next = now + (left < t->limit / LOOKS ? left : t->limit / LOOKS);
    if (t->over) t->next = now;
    return t->over;
}

/* ---- efforts ---- */

/* The second field of /proc/PID/schedstat, in nanoseconds. */
static long long queued_ms(const char *who) {
    char path[300];
    long long queued = 0;
    snprintf(path, sizeof path, "/proc/%s/schedstat", who);
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    if (fscanf(f, "%*d %lld", &queued) != 1) queued = 0;
    fclose(f);
    return queued / 1000000;
}

struct effort effort_of_thread(void) {
    return (struct effort){.computed = clock_of(CLOCK_THREAD_CPUTIME_ID),
                           .queued = queued_ms("thread-self")};
}

struct effort effort_of_process(pid_t pid) {
    clockid_t id;
    char who[24];
    if (pid <= 0 || clock_getcpuclockid(pid, &id) != 0)
        return (struct effort){0};
    snprintf(who, sizeof who, "%d", (int)pid);
    return (struct effort){clock_of(id), queued_ms(who),
                           group_thread_is(who, "RD")};
}

struct effort effort_of_both(struct effort a, struct effort b) {
    return (struct effort){a.computed + b.computed, a.queued + b.queued,
                           a.wants || b.wants};
}

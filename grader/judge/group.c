/* SPDX-License-Identifier: MIT
 *
 * group.c: see group.h.
 */
#include "group.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOKS = 4 /* in a limit's time, where that is short */ };

/* ---- looking ---- */

/* What /proc/PID/stat says of one. */
struct share {
    char state;
    int group;
    long long ticks;
    unsigned threads;
    unsigned long long pages; /* resident */
};

/* Field 3 is the state, 5 the group; 14 to 17 are its ticks and those of its
 * awaited children, 20 its threads, 24 its memory. The command, field 2, may
 * hold anything. */
static bool read_share(const char *path, struct share *share) {
    char line[1024];
    long long ticks[4];
    FILE *f = fopen(path, "re");
    if (!f) return false;
    size_t size = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[size] = '\0';
    const char *at = strrchr(line, ')');
    if (!at ||
        sscanf(at + 1,
               " %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld "
               "%lld %lld %*d %*d %u %*d %*u %*u %llu",
               &share->state, &share->group, &ticks[0], &ticks[1], &ticks[2],
               &ticks[3], &share->threads, &share->pages) != 8)
        return false;
    share->ticks = ticks[0] + ticks[1] + ticks[2] + ticks[3];
    return true;
}

/* Computes or wants to; waits for a disk; was stopped, which no tool can do to
 * itself inside walls. */
static const char awake[] = "RDTt";

bool group_thread_is(const char *pid, const char *states) {
    char path[600];
    struct share share;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%s/task", pid);
    DIR *threads = opendir(path);
    for (struct dirent *d; threads && !found && (d = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%s/task/%s/stat", pid, d->d_name);
        found = isdigit((unsigned char)*d->d_name) &&
                read_share(path, &share) && strchr(states, share.state);
    }
    if (threads) closedir(threads);
    return found;
}

struct group_state group_look(pid_t group) {
    struct group_state seen = {0};
    struct share share;
    char path[300];
    long long ticks = 0;
    unsigned long long pages = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *d; processes && (d = readdir(processes));) {
        snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
        if (!isdigit((unsigned char)*d->d_name) || !read_share(path, &share) ||
            share.group != group)
            continue;
        seen.processes++;
        ticks += share.ticks;
        pages += share.pages;
        seen.is_awake =
            seen.is_awake || strchr(awake, share.state) ||
            (share.threads > 1 && group_thread_is(d->d_name, awake));
    }
    if (processes) closedir(processes);
    seen.computed = ticks * 1000 / sysconf(_SC_CLK_TCK);
    seen.mib =
        (unsigned)(pages * (unsigned long long)sysconf(_SC_PAGESIZE) >> 20);
    return seen;
}

/* ---- the limit ---- */

void group_limit_start(struct group_limit *l, unsigned limit, long long now) {
    *l = (struct group_limit){.limit = limit, .seen = now};
}

int group_limit_pause(const struct group_limit *l) {
    return l->limit / LOOKS < GROUP_LOOK_MS ? (int)(l->limit / LOOKS)
                                            : GROUP_LOOK_MS;
}

/* Computed for too long: at two looks, for a process that ends between two
 * reads of one look can count twice in it. Asleep: time in which nobody looked,
 * because we did not get a processor either or the machine stood still, is
 * nobody's; to have been asleep at one look of ten while others computed does
 * not add up. */
bool group_limit_reached(struct group_limit *l, const struct group_state *g,
                         long long now) {
    long long passed = now - l->seen, computed = g->computed - l->computed;
    if (passed > 2 * GROUP_LOOK_MS) passed = 2 * GROUP_LOOK_MS;
    if (g->is_awake || computed >= passed)
        l->asleep -= passed;
    else
        l->asleep += computed > 0 ? passed - computed : passed;
    if (l->asleep < 0) l->asleep = 0;
    l->over = l->over || l->asleep >= l->limit ||
              (g->computed >= l->limit && l->computed >= l->limit);
    l->seen = now;
    l->computed = g->computed;
    return l->over;
}

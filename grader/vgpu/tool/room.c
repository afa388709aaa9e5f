/* SPDX-License-Identifier: MIT
 *
 * room.c: how much memory a device may have on this machine. Device memory is
 * reserved, and touched when the program does; a program that touches all of it
 * must still leave room for the checks' bits and for itself.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in a file; UINT64_MAX: no such file, or "max". */
static uint64_t number_in(const char *folder, const char *name) {
    char path[4096];
    unsigned long long n;
    snprintf(path, sizeof path, "%s%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return UINT64_MAX;
    bool is_number = fscanf(file, "%llu", &n) == 1;
    fclose(file);
    return is_number ? n : UINT64_MAX;
}

/* The least that our control group (version 2) and those around it allow. */
static uint64_t group_limit(void) {
    char line[2048], folder[4096];
    uint64_t least = number_in("/sys/fs/cgroup/memory", /* version 1 */
                               "/memory.limit_in_bytes");
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::", 3) != 0) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", line + 3);
        for (char *end = folder + strlen(folder); end; *end = 0) {
            uint64_t here = number_in(folder, "/memory.max");
            if (here < least) least = here;
            end = strrchr(folder, '/');
            if (end <= folder + strlen("/sys/fs")) break;
        }
    }
    if (file) fclose(file);
    return least;
}

uint64_t tool_machine_memory(void) {
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
    uint64_t all = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group = group_limit();
    return (group < all ? group : all) / 4 * 3;
}

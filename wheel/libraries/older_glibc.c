/* SPDX-License-Identifier: MIT
 *
 * older_glibc.c: functions that glibc has since 2.29 to 2.34, for programs that
 * run with 2.28, too. Where the glibc that is there has one, it is called; the
 * rest of each function is for one that has not.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef posix_spawn_file_actions_t actions;

/* ISO C has no way from an object's address to a function. */
#define REAL(type, name)                                                       \
    union {                                                                    \
        void *address;                                                         \
        type;                                                                  \
    } real = {dlsym(RTLD_NEXT, name)}

/* Calls `what` for each descriptor that is open, from this one on. Without
 * /proc, for each that there may be. 0, or the error of `what`. */
static int each_open(int from, int (*what)(actions *, int), actions *of) {
    DIR *all = opendir("/proc/self/fd");
    int error = 0;
    for (struct dirent *e; all && !error && (e = readdir(all));) {
        int fd = atoi(e->d_name);
        if (*e->d_name != '.' && fd >= from && fd != dirfd(all))
            error = what(of, fd);
    }
    if (all) closedir(all);
    struct rlimit most = {.rlim_cur = 1024};
    if (!all) getrlimit(RLIMIT_NOFILE, &most);
    for (int fd = from; !all && !error && (rlim_t)fd < most.rlim_cur; fd++)
        error = what(of, fd);
    return error;
}

static int close_it(actions *none, int fd) {
    (void)none;
    close(fd);
    return 0;
}

void closefrom(int from) {
    REAL(void (*call)(int), "closefrom");
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
    if (real.address)
        real.call(from);
    else if (syscall(SYS_close_range, (unsigned)from, ~0U, 0) != 0)
        each_open(from, close_it, NULL);
}

/* Adds a close for each descriptor from `from` on that is open now. The new
 * process does not get a descriptor that another thread opens after this call
 * either: ScanLab opens every file with O_CLOEXEC. */
int posix_spawn_file_actions_addclosefrom_np(actions *a, int from) {
    REAL(int (*call)(actions *, int),
         "posix_spawn_file_actions_addclosefrom_np");
    if (real.address) return real.call(a, from);
    return each_open(from, posix_spawn_file_actions_addclose, a);
}

/* glibc has it since 2.29. ENOSYS: nothing of ours stands for it. */
int posix_spawn_file_actions_addchdir_np(actions *a, const char *path) {
    REAL(int (*call)(actions *, const char *),
         "posix_spawn_file_actions_addchdir_np");
    return real.address ? real.call(a, path) : ENOSYS;
}

const char *sigdescr_np(int signal) {
    REAL(const char *(*call)(int), "sigdescr_np");
    return real.address ? real.call(signal) : strsignal(signal);
}

const char *strerrordesc_np(int error) {
    REAL(const char *(*call)(int), "strerrordesc_np");
    return real.address ? real.call(error) : strerror(error);
}

/* SPDX-License-Identifier: MIT
 *
 * root.c: see walls.h. A mount namespace in which only a few paths are left:
 * what is not there cannot even be asked about. Root makes one at once; others
 * need a user namespace, which some systems and most containers refuse.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walls.h"

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t size = (ssize_t)strlen(text);
    bool ok = write(fd, text, (size_t)size) == size;
    return close(fd) == 0 && ok;
}

/* Who we are outside, we are inside, and nobody else is there. */
static bool own_namespace(void) {
    char uids[64], gids[64];
    snprintf(uids, sizeof uids, "%u %u 1", geteuid(), geteuid());
    snprintf(gids, sizeof gids, "%u %u 1", getegid(), getegid());
    if (unshare(CLONE_NEWNS) == 0) return true;
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/uid_map", uids) &&
           write_file("/proc/self/gid_map", gids);
}

/* The folders above the last name. */
static bool make_parents(char *path, size_t from) {
    for (char *at = path + from + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    }
    return true;
}

/* Flags that a namespace of a user may not take away. */
static unsigned long locked_flags(const char *path) {
    static const struct {
        unsigned long seen, flag;
    } flags[] = {{ST_NOSUID, MS_NOSUID},     {ST_NODEV, MS_NODEV},
                 {ST_NOEXEC, MS_NOEXEC},     {ST_NOATIME, MS_NOATIME},
                 {ST_RELATIME, MS_RELATIME}, {ST_NODIRATIME, MS_NODIRATIME}};
    struct statvfs file;
    unsigned long locked = 0;
    if (statvfs(path, &file) != 0) return 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (file.f_flag & flags[i].seen) locked |= flags[i].flag;
    return locked;
}

/* below: with all that is mounted there, where the kernel (5.12) can. */
static bool read_only(const char *path, bool below) {
#ifdef SYS_mount_setattr
    struct {
        uint64_t set, clear, propagation, namespace;
    } attributes = {.set = 1}; /* MOUNT_ATTR_RDONLY */
    enum { RECURSIVE = 0x8000 };
    if (below && syscall(SYS_mount_setattr, -1, path, RECURSIVE, &attributes,
                         sizeof attributes) == 0)
        return true;
#endif
    return mount(NULL, path, NULL,
                 MS_REMOUNT | MS_BIND | MS_RDONLY | locked_flags(path),
                 NULL) == 0;
}

static bool bind_path(const struct walls_path *p, const char *place) {
    char to[PATH_MAX], link[PATH_MAX];
    struct stat file, made;
    int size = snprintf(to, sizeof to, "%s%s", place, p->path);
    if (size < 0 || (size_t)size >= sizeof to) return false;
    if (lstat(p->path, &file) != 0) return true;
    /* Inside a folder that is there already. */
    if (lstat(to, &made) == 0 && p->access != WALLS_FILL) return true;
    if (!make_parents(to, strlen(place))) return false;
    if (S_ISLNK(file.st_mode)) { /* and what it leads to */
        ssize_t n = readlink(p->path, link, sizeof link - 1);
        if (n < 0) return false;
        link[n] = '\0';
        if (symlink(link, to) != 0) return false;
        if (!realpath(p->path, link)) return true;
        return bind_path(&(struct walls_path){link, p->access}, place);
    }
    if (S_ISDIR(file.st_mode)) {
        if (mkdir(to, 0755) != 0 && errno != EEXIST) return false;
    } else {
        int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd < 0) return false;
        close(fd);
    }
    return mount(p->path, to, NULL, MS_BIND | MS_REC, NULL) == 0 &&
           (p->access != WALLS_READ || read_only(to, true));
}

/* The old root is mounted over the new one, and taken away. */
static bool enter(const char *place) {
    return read_only(place, false) && chdir(place) == 0 &&
           syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

bool walls_root(const struct walls_path *paths, size_t n, const char *place) {
    bool ok = own_namespace() &&
              mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
              mount("none", place, "tmpfs", MS_NOSUID | MS_NODEV,
                    "mode=755,size=1m") == 0;
    for (size_t i = 0; ok && i < n; i++) ok = bind_path(&paths[i], place);
    return ok && enter(place);
}

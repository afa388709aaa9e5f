/* SPDX-License-Identifier: MIT
 *
 * temporary.c: see temporary.h. Between making a folder and locking it there is
 * a moment in which it looks left behind. So who makes one holds a lock on the
 * folder around it meanwhile, and who looks for left ones waits for that lock.
 */
#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "text.h"
#include "tree.h"

static const char *const names[] = {"fresh.", "new."};

/* Above the descriptors that a command begins with; -1: errno. */
static int locked(int at, const char *path, int how) {
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd >= 0) close(fd);
    if (high < 0 || flock(high, how) == 0) return high;
    int error = errno;
    close(high);
    errno = error;
    return -1;
}

static void temporary_put_away(void *path) {
    tree_remove(path);
}

static bool make(struct temporary *t) {
    if (!t->path || !mkdtemp(t->path)) return false;
    t->held = locked(AT_FDCWD, t->path, LOCK_SH);
    if (t->held >= 0) return true;
    int error = errno;
    rmdir(t->path);
    errno = error;
    return false;
}

bool temporary_make(struct temporary *t, const char *in, const char *name) {
    *t = (struct temporary){.path = text_format("%s/%s.XXXXXX", in, name)};
    int around = locked(AT_FDCWD, in, LOCK_SH);
    ending_lock();
    bool ok = around >= 0 && make(t);
    if (ok) ending_note(&t->ending, temporary_put_away, t->path);
    ending_unlock();
    int error = errno;
    if (around >= 0) close(around);
    if (!ok) {
        free(t->path);
        *t = (struct temporary){0};
    }
    errno = error;
    return ok;
}

void temporary_remove(struct temporary *t) {
    if (!t->path) return;
    tree_remove(t->path);
    ending_lock();
    ending_forget(&t->ending);
    ending_unlock();
    close(t->held);
    free(t->path);
    *t = (struct temporary){0};
}

bool temporary_keep(struct temporary *t, const char *as, int *held) {
    ending_lock();
    bool ok = rename(t->path, as) == 0;
    if (ok) ending_forget(&t->ending);
    ending_unlock();
    if (!ok) return false;
    *held = t->held;
    free(t->path);
    *t = (struct temporary){0};
    return true;
}

/* ---- what others left ---- */

enum { AT_ONCE = 32 };
struct left {
    char *path;
    int held;
};

static bool is_ours(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Takes them while nobody makes one. */
static size_t take_left(const char *in, struct left list[AT_ONCE]) {
    int around = locked(AT_FDCWD, in, LOCK_EX | LOCK_NB);
    DIR *open = around >= 0 ? opendir(in) : NULL;
    size_t n = 0;
    for (struct dirent *e; open && n < AT_ONCE && (e = readdir(open));) {
        if (!is_ours(e->d_name)) continue;
        struct left *l = &list[n];
        l->held = locked(dirfd(open), e->d_name, LOCK_EX | LOCK_NB);
        if (l->held < 0) continue;
        l->path = text_format("%s/%s", in, e->d_name);
        n++;
    }
    if (open) closedir(open);
    if (around >= 0) close(around);
    return n;
}

void temporary_sweep(const char *in) {
    struct left list[AT_ONCE];
    size_t n = take_left(in, list);
    for (size_t i = 0; i < n; i++) {
        if (list[i].path) tree_remove(list[i].path);
        free(list[i].path);
        close(list[i].held);
    }
}

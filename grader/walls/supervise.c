/* SPDX-License-Identifier: MIT
 *
 * supervise.c: see walls.h. Where the kernel has no Landlock and lets us make
 * no root folder, a process outside the walls opens, makes and removes files in
 * the tool's place (seccomp_unotify(2), Linux 5.9).
 *
 * What is checked is what is used: the path is copied once, what it leads to is
 * held by a descriptor, the kernel says where that lies, and that very file is
 * opened. So it is no use to change a path in the meantime. Only execve the
 * tool does itself after the check; a thread that changes the path then could
 * start another program of those that the user may execute, but read nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walls.h"

enum { MOST_PLACES = 64, LOOK_MS = 100, PROC_BYTES = 64 };
enum { MAY_READ = 1, MAY_EXECUTE = 2, MAY_WRITE = 4, MAY_MAKE = 8 };
static const unsigned rights[] = {
    [WALLS_READ] = MAY_READ | MAY_EXECUTE,
    [WALLS_OVERWRITE] = MAY_READ | MAY_EXECUTE | MAY_WRITE,
    [WALLS_FILL] = MAY_READ | MAY_WRITE | MAY_MAKE};

enum what { OPEN, CREATE, EXECUTE, MAKE, REMOVE, REMOVE_FOLDER, MOVE };
struct form {
    int call;
    enum what what;
    int folder, path, rest; /* numbers of arguments; -1: none */
};
static const struct form forms[] = {
#define X(name)
#define FILE(name, what, folder, path, rest)                                   \
    {SCMP_SYS(name), what, folder, path, rest},
#include "tools.def"
#undef X
#undef FILE
};

struct places {
    struct {
        char *path;
        unsigned rights;
    } at[MOST_PLACES];
    size_t n;
};

/* A call that waits. */
struct question {
    const struct places *places;
    const struct form *form;
    pid_t pid;
    uint64_t id, arguments[6];
    int listener;
    char path[PATH_MAX];
};

/* ---- paths; each function: a descriptor or 0, or -errno ---- */

static int or_error(int result) {
    return result < 0 ? -errno : result;
}

/* Copies it from the tool's memory, which is the caller's as long as its call
 * is valid. */
static int read_path(struct question *q, int argument) {
    char name[PROC_BYTES];
    snprintf(name, sizeof name, "/proc/%d/mem", q->pid);
    int memory = open(name, O_RDONLY | O_CLOEXEC);
    if (memory < 0) return -errno;
    ssize_t size =
        pread(memory, q->path, sizeof q->path, (off_t)q->arguments[argument]);
    close(memory);
    if (size <= 0) return -EFAULT;
    if (!memchr(q->path, '\0', (size_t)size)) return -ENAMETOOLONG;
    return or_error(ioctl(q->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &q->id));
}

/* What a path leads to; a relative one begins where the tool says. */
static int hold(const struct question *q, int folder, const char *path,
                int flags) {
    char name[PROC_BYTES];
    int from = folder < 0 ? AT_FDCWD : (int)q->arguments[folder];
    int at = AT_FDCWD;
    if (*path != '/') {
        snprintf(name, sizeof name, "/proc/%d/cwd", q->pid);
        if (from != AT_FDCWD)
            snprintf(name, sizeof name, "/proc/%d/fd/%d", q->pid, from);
        at = open(name, O_PATH | O_CLOEXEC);
        if (at < 0) return -errno;
    }
    int held = or_error(openat(at, path, O_PATH | O_CLOEXEC | flags));
    if (at >= 0) close(at);
    return held;
}

static unsigned rights_of(const struct places *places, int held) {
    char name[PROC_BYTES], path[PATH_MAX];
    unsigned found = 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", held);
    ssize_t size = readlink(name, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    for (size_t i = 0; i < places->n; i++) {
        size_t prefix = strlen(places->at[i].path);
        if (strncmp(path, places->at[i].path, prefix) == 0 &&
            (path[prefix] == '/' || !path[prefix]))
            found |= places->at[i].rights;
    }
    return found;
}

/* held, if all of that is allowed; else it is closed. */
static int if_allowed(const struct question *q, int held, unsigned wanted) {
    struct stat file;
    if (held < 0) return held;
    bool plain = fstat(held, &file) == 0 &&
                 (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) ||
                  S_ISCHR(file.st_mode));
    if (plain && (rights_of(q->places, held) & wanted) == wanted) return held;
    close(held);
    return -EACCES;
}

/* The folder of q->path in which a name may be made or removed; the name. */
static int hold_above(struct question *q, int folder, const char **name) {
    size_t size = strlen(q->path);
    while (size > 1 && q->path[size - 1] == '/') q->path[--size] = '\0';
    char *slash = strrchr(q->path, '/');
    *name = slash ? slash + 1 : q->path;
    if (slash) *slash = '\0';
    const char *above = !slash ? "." : slash == q->path ? "/" : q->path;
    return if_allowed(q, hold(q, folder, above, O_DIRECTORY), MAY_MAKE);
}

/* ---- what the tool asks for ---- */

static int make_file(struct question *q, int flags, mode_t mode) {
    const char *name;
    int above = hold_above(q, q->form->folder, &name);
    if (above < 0) return above;
    int made =
        or_error(openat(above, name, flags | O_NOFOLLOW | O_CLOEXEC, mode));
    close(above);
    return made;
}

static int open_file(struct question *q, int flags, mode_t mode) {
    char name[PROC_BYTES];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC;
    unsigned wanted = (flags & O_ACCMODE) == O_WRONLY ? 0 : MAY_READ;
    if ((flags & O_TMPFILE) == O_TMPFILE) return -EOPNOTSUPP;
    int held = hold(q, q->form->folder, q->path, flags & O_NOFOLLOW);
    if (held == -ENOENT && flags & O_CREAT) return make_file(q, flags, mode);
    held = if_allowed(q, held, wanted | (writes ? MAY_WRITE : 0));
    if (held < 0) return held;
    snprintf(name, sizeof name, "/proc/self/fd/%d", held);
    int again = (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC;
    bool exists = flags & O_CREAT && flags & O_EXCL;
    int file = exists ? -EEXIST : or_error(open(name, again));
    close(held);
    return file;
}

/* Gives it to the tool; the number that it has there. */
static int hand_on(const struct question *q, int file, int flags) {
    struct seccomp_notif_addfd added = {.id = q->id, .srcfd = (uint32_t)file};
    added.newfd_flags = (uint32_t)(flags & O_CLOEXEC);
    if (file < 0) return file;
    int number =
        or_error(ioctl(q->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &added));
    close(file);
    return number;
}

static int move(struct question *q) {
    const struct form *f = q->form;
    unsigned how =
        f->call == SCMP_SYS(renameat2) ? (unsigned)q->arguments[4] : 0;
    char old[NAME_MAX + 1];
    const char *name;
    int from = hold_above(q, f->folder, &name), to, error;
    if (from < 0) return from;
    error = snprintf(old, sizeof old, "%s", name) < (int)sizeof old
                ? read_path(q, f->rest)
                : -ENAMETOOLONG;
    to = error ? error : hold_above(q, f->folder < 0 ? -1 : f->rest - 1, &name);
    if (to >= 0) {
        error = or_error(renameat2(from, old, to, name, how));
        close(to);
    }
    close(from);
    return to < 0 ? to : error;
}

static int change_folder(struct question *q) {
    const struct form *f = q->form;
    unsigned rest = f->rest < 0 ? 0 : (unsigned)q->arguments[f->rest];
    const char *name;
    int above = hold_above(q, f->folder, &name), error;
    if (above < 0) return above;
    if (f->what == REMOVE_FOLDER) rest = AT_REMOVEDIR;
    if (f->what == MAKE)
        error = or_error(mkdirat(above, name, rest));
    else
        error = or_error(unlinkat(above, name, (int)rest));
    close(above);
    return error;
}

/* *goes_on: the tool's own call is to be done. */
static int supervise_answer(struct question *q, bool *goes_on) {
    enum { NEW = O_CREAT | O_WRONLY | O_TRUNC };
    int error = read_path(q, q->form->path);
    const uint64_t *rest =
        q->arguments + (q->form->rest < 0 ? 0 : q->form->rest);
    if (error) return error;
    switch (q->form->what) {
    case OPEN:
        error = open_file(q, (int)rest[0], (mode_t)rest[1]);
        return hand_on(q, error, (int)rest[0]);
    case CREATE: return hand_on(q, open_file(q, NEW, (mode_t)rest[0]), 0);
    case EXECUTE:
        error = if_allowed(q, hold(q, -1, q->path, 0), MAY_EXECUTE);
        *goes_on = error >= 0;
        return *goes_on ? close(error) : error;
    case MOVE: return move(q);
    default: return change_folder(q);
    }
}

static void answer_one(const struct places *places, int listener) {
    union { /* a newer kernel's may be longer */
        char room[1024];
        struct seccomp_notif call;
    } asked = {{0}};
    union {
        char room[1024];
        struct seccomp_notif_resp reply;
    } said = {{0}};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;
    struct question q = {.places = places,
                         .pid = (pid_t)asked.call.pid,
                         .id = asked.call.id,
                         .listener = listener};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].call == asked.call.data.nr) q.form = &forms[i];
    for (size_t i = 0; i < 6; i++) q.arguments[i] = asked.call.data.args[i];
    bool goes_on = false;
    int result = q.form ? supervise_answer(&q, &goes_on) : -ENOSYS;
    said.reply.id = q.id;
    if (goes_on)
        said.reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (result < 0)
        said.reply.error = result;
    else
        said.reply.val = result;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said);
}

/* ---- the process that makes the calls ---- */

pid_t walls_fork_sharing(void) {
    return (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
}

static bool has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) !=
               0 ||
           info.si_pid == child;
}

/* There is something to read; false: there will be nothing. */
static bool wait_for(int fd, pid_t child) {
    struct pollfd waiting = {fd, POLLIN, 0};
    for (;;) {
        int n = poll(&waiting, 1, LOOK_MS);
        if (n > 0) return waiting.revents & POLLIN;
        if (has_ended(child)) return false;
    }
}

static void add_place(struct places *p, const struct walls_path *path) {
    char *real = realpath(path->path, NULL);
    if (!real || p->n == MOST_PLACES) {
        free(real);
        return;
    }
    p->at[p->n].path = real;
    p->at[p->n++].rights = rights[path->access];
}

void walls_supervise(const struct walls_path *paths, size_t n, pid_t child,
                     int told) {
    struct places places = {0};
    int listener;
    for (size_t i = 0; i < n; i++) add_place(&places, &paths[i]);
    /* No file that the tool itself could not open. */
    if (walls_drop_capabilities() && wait_for(told, child) &&
        read(told, &listener, sizeof listener) == sizeof listener) {
        while (wait_for(listener, child)) answer_one(&places, listener);
        close(listener);
    }
    for (size_t i = 0; i < places.n; i++) free(places.at[i].path);
}

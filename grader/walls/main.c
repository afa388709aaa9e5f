/* SPDX-License-Identifier: MIT
 *
 * scanlab-walls: runs a tool that reads a submission inside walls. Started by
 * the judge; by hand it shows what a compiler may do:
 *
 *   scanlab-walls [OPTION VALUE]... -- COMMAND WORD...
 *     -r PATH   may be read and executed      -w PATH   may be written
 *     -o PATH   may be overwritten            -n PATH   a root of its own there
 *     -C PATH   to run in                     -l 1      Landlock
 *     -s 1      a supervisor for its files
 *     -m MIB -f MIB -t SECONDS   memory, size of a file, processor time
 *     -P PID    ends with this process, which has started it
 *   scanlab-walls [-r PATH]... -n PATH -p 1   prints which walls stand here
 *
 * A wall that was asked for and cannot be built is a message on descriptor 3,
 * or on standard error, and exit status 126; the command does not run then.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walls.h"

enum { STATUS_FD = 3, CANNOT = 126, MOST_PATHS = 64, MOST_FILES = 256 };

struct request {
    struct walls_path paths[MOST_PATHS];
    size_t n_paths;
    const char *root, *folder;
    bool landlock, supervised, probe;
    uint64_t memory_mib, file_mib, seconds;
    pid_t parent; /* 0: whoever it is */
    char **command;
    int status; /* the descriptor to tell what cannot be done */
};

static int cannot(const struct request *r, const char *what) {
    dprintf(r->status, "cannot %s: %s\n", what, strerror(errno));
    return CANNOT;
}

/* ---- its words ---- */

static bool add_path(struct request *r, const char *path,
                     enum walls_access access) {
    if (r->n_paths == MOST_PATHS) return false;
    r->paths[r->n_paths++] = (struct walls_path){path, access};
    return true;
}

static bool option(struct request *r, char letter, const char *value) {
    switch (letter) {
    case 'r': return add_path(r, value, WALLS_READ);
    case 'w': return add_path(r, value, WALLS_FILL);
    case 'o': return add_path(r, value, WALLS_OVERWRITE);
    case 'n': r->root = value; return true;
    case 'C': r->folder = value; return true;
    case 'l': r->landlock = strcmp(value, "1") == 0; return true;
    case 's': r->supervised = strcmp(value, "1") == 0; return true;
    case 'p': r->probe = strcmp(value, "1") == 0; return true;
    case 'm': r->memory_mib = strtoull(value, NULL, 10); return true;
    case 'f': r->file_mib = strtoull(value, NULL, 10); return true;
    case 't': r->seconds = strtoull(value, NULL, 10); return true;
    case 'P': r->parent = (pid_t)strtoll(value, NULL, 10); return true;
    default: return false;
    }
}

static bool read_words(struct request *r, char **word) {
    for (; *word && strcmp(*word, "--") != 0; word += 2)
        if (**word != '-' || !(*word)[1] || (*word)[2] || !word[1] ||
            !option(r, (*word)[1], word[1]))
            return false;
    r->command = *word ? word + 1 : word;
    return r->probe || *r->command;
}

/* ---- the walls ---- */

static bool limits(const struct request *r) {
    return walls_limit(RLIMIT_CORE, 0) &&
           walls_limit(RLIMIT_NOFILE, MOST_FILES) &&
           walls_limit(RLIMIT_MEMLOCK, 0) && walls_limit(RLIMIT_MSGQUEUE, 0) &&
           (!r->seconds || walls_limit(RLIMIT_CPU, r->seconds)) &&
           (!r->file_mib || walls_limit(RLIMIT_FSIZE, r->file_mib << 20)) &&
           (!r->memory_mib || walls_limit(RLIMIT_AS, r->memory_mib << 20));
}

/* The last wall. told: who waits to be asked about files; -1: nobody. */
static bool filter_calls(int told) {
    int supervisor = -1;
    return walls_tool_calls(told < 0 ? NULL : &supervisor) &&
           (told < 0 ||
            write(told, &supervisor, sizeof supervisor) == sizeof supervisor);
}

static int build_and_run(const struct request *r, int told) {
    /* Gone with who started it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return cannot(r, "follow");
    if (!limits(r)) return cannot(r, "limit resources");
    if (r->root && !walls_root(r->paths, r->n_paths, r->root))
        return cannot(r, "hide other files");
    if (!walls_no_new_rights() || !walls_drop_capabilities())
        return cannot(r, "give up rights");
    if (r->landlock && !walls_landlock(r->paths, r->n_paths, false))
        return cannot(r, "use Landlock");
    if (r->folder && chdir(r->folder) != 0)
        return cannot(r, "enter the folder");
    if (r->status == STATUS_FD) fcntl(STATUS_FD, F_SETFD, FD_CLOEXEC);
    if (!filter_calls(told)) return cannot(r, "filter system calls");
    execv(r->command[0], r->command);
    return cannot(r, "execute the command");
}

/* ---- who stays outside ---- */

static void end_group(int signal) {
    (void)signal;
    kill(0, SIGKILL);
}

/* A signal on the judge's death reaches this process, but not what a compiler
 * starts. So it waits outside the walls, and takes the whole group along, which
 * is its own when the judge has started it. */
static int guard(const struct request *r) {
    const struct sigaction action = {.sa_handler = end_group};
    bool own_group = getpgrp() == getpid(); /* not so by hand */
    /* The judge says who it is: it may have died before this line. */
    pid_t judge = r->parent ? r->parent : getppid();
    int told[2] = {-1, -1};
    if (!own_group && !r->supervised) return build_and_run(r, -1);
    if ((own_group && sigaction(SIGTERM, &action, NULL) != 0) ||
        prctl(PR_SET_PDEATHSIG, own_group ? SIGTERM : SIGKILL) != 0)
        return cannot(r, "follow");
    if (getppid() != judge) return raise(own_group ? SIGTERM : SIGKILL);
    if (r->supervised && pipe2(told, O_CLOEXEC) != 0)
        return cannot(r, "make a pipe");
    pid_t child = r->supervised ? walls_fork_sharing() : fork();
    if (child == 0) return build_and_run(r, told[1]);
    if (child < 0) return cannot(r, "start a process");
    if (r->supervised) walls_supervise(r->paths, r->n_paths, child, told[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    /* As it died, but without a file of its memory. */
    signal(WTERMSIG(status), SIG_DFL);
    walls_limit(RLIMIT_CORE, 0);
    return raise(WTERMSIG(status));
}

/* ---- which stand here ---- */

/* Tried in a process of its own: it works, or not. */
static bool works(const struct request *r,
                  bool (*wall)(const struct request *)) {
    pid_t child = fork();
    int status = 1;
    if (child == 0) _exit(wall(r) ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool try_rights(const struct request *r) {
    (void)r;
    return walls_no_new_rights() && walls_drop_capabilities();
}

static bool try_calls(const struct request *r) {
    (void)r;
    return walls_no_new_rights() && walls_tool_calls(NULL);
}

static bool try_root(const struct request *r) {
    return r->root && walls_root(r->paths, r->n_paths, r->root);
}

static bool try_landlock(const struct request *r) {
    return walls_no_new_rights() && walls_landlock(r->paths, r->n_paths, false);
}

/* Does it open what it may, and nothing else? */
static bool supervised_works(const struct request *r) {
    int told[2], status = 1;
    if (pipe2(told, O_CLOEXEC) != 0) return false;
    pid_t child = walls_fork_sharing();
    if (child == 0)
        _exit(!(r->n_paths && walls_no_new_rights() &&
                walls_drop_capabilities() && filter_calls(told[1]) &&
                open(r->paths[0].path, O_RDONLY) >= 0 &&
                open("/", O_RDONLY) < 0 && errno == EACCES));
    if (child > 0) {
        walls_supervise(r->paths, r->n_paths, child, told[0]);
        waitpid(child, &status, 0);
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A line each: the wall, and by what it stands. */
static int probe(const struct request *r) {
    bool root = works(r, try_root);
    if (works(r, limits)) puts("limits setrlimit");
    if (works(r, try_rights)) puts("rights no_new_privs");
    if (works(r, try_calls)) puts("calls seccomp");
    if (works(r, try_landlock))
        printf("files Landlock %d\n", walls_landlock_version());
    else if (root)
        puts("files mount namespace");
    else if (works(r, supervised_works))
        puts("files seccomp supervisor");
    if (root) puts("unseen mount namespace");
    return fflush(stdout) == 0 ? 0 : CANNOT;
}

int main(int argc, char **argv) {
    struct request r = {0};
    r.status = fcntl(STATUS_FD, F_GETFD) >= 0 ? STATUS_FD : 2;
    if (argc < 2 || !read_words(&r, argv + 1)) {
        fputs("scanlab-walls is a part of scanlab; see docs/robustness.md\n",
              stderr);
        return CANNOT;
    }
    return r.probe ? probe(&r) : guard(&r);
}

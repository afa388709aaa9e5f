/* SPDX-License-Identifier: MIT
 *
 * fuzz_supervise.c: what a hostile compiler asks of the supervisor. A process
 * inside the real filter of calls makes the calls that the input lists, in
 * three threads at a time: paths, flags and pointers of any kind, bytes that
 * change or vanish meanwhile, descriptors closed and exchanged, folders left,
 * calls that a signal or their process's end takes back. Whatever it asks: what
 * it is handed lies where it may look, with no more rights; outside nothing
 * changes; every call is answered, once, and the supervisor keeps no
 * descriptor.
 *
 * Input: calls; read_ask says what each byte is.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

static int checked_ioctl(int, unsigned long, void *);
#define ioctl checked_ioctl
#include "supervise.c"
#undef ioctl

#include "fuzz.h"

#define N(array) (sizeof(array) / sizeof *(array))
enum {
    LANES = 3,
    MOST_ASKS = 48,
    MOST_FORKS = 2,
    ROOM = 2 * PATH_MAX, /* a path's; a page that is not there follows */
    GUARD = PATH_MAX,
    OURS_FROM = 240, /* descriptors that no call may name */
    THEIRS_TO = 31,
    ANSWER_MS = 60000
};

static struct places places;
static char base[] = "/tmp/scanlab-supervise.XXXXXX",
            own[sizeof base + sizeof "/own"];
static int in_base, listener, done, go[LANES];
static pid_t tool;

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "FAILED: %s (%s)\n", what, strerror(errno));
    abort();
}

#include "supervised_asks.h"
#include "supervised_tool.h"

/* ---- what the supervisor does ---- */

/* Of this name, seen from base: what may be done with it? Said apart from
 * supervise.c's own table. */
static bool may_have(int file) {
    char name[PROC_BYTES], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t size = readlink(name, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    bool reads = (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY;
    size_t prefix = strlen(base);
    if (strncmp(path, base, prefix) != 0) return false;
    const char *rest = path + prefix;
    return strcmp(rest, "/own") == 0 || strncmp(rest, "/own/", 5) == 0 ||
           strcmp(rest, "/over") == 0 ||
           (reads &&
            (strcmp(rest, "/tools") == 0 || strncmp(rest, "/tools/", 7) == 0));
}

static int checked_ioctl(int fd, unsigned long request, void *argument) {
    static int call, answers;
    if (request == SECCOMP_IOCTL_NOTIF_ADDFD) {
        const struct seccomp_notif_addfd *added = argument;
        must(may_have((int)added->srcfd), "what it is given it may have");
    } else if (request == SECCOMP_IOCTL_NOTIF_SEND) {
        const struct seccomp_notif_resp *said = argument;
        bool goes_on = said->flags & SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        must(!goes_on || call == SCMP_SYS(execve), "it does not go on");
        must(said->error <= 0 && said->error > -4096, "an error");
        must(said->val >= 0 && answers++ == 0, "one answer");
    }
    int result = ioctl(fd, request, argument);
    if (request == SECCOMP_IOCTL_NOTIF_RECV && result == 0) {
        call = ((const struct seccomp_notif *)argument)->data.nr;
        answers = 0;
    }
    return result;
}

/* ---- outside ---- */

static int make_pipe(int number, bool theirs_reads) {
    int ends[2];
    must(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
    must(dup2(ends[!theirs_reads], number) == number, "a descriptor");
    close(ends[!theirs_reads]);
    return ends[theirs_reads];
}

static long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* All that it asks is answered until all threads are done; false: it is gone */
static bool answer_all(void) {
    struct pollfd at[] = {{listener, POLLIN, 0}, {done, POLLIN, 0}};
    long long until = now_ms() + ANSWER_MS;
    char byte;
    for (;;) {
        must(now_ms() < until, "every call is answered");
        if (poll(at, N(at), LOOK_MS) <= 0) continue;
        if (at[0].revents & POLLIN)
            answer_one(&places, listener);
        else if (at[1].revents)
            return read(done, &byte, 1) == 1;
    }
}

static void stop_tool(void) {
    kill(tool, SIGKILL);
    waitpid(tool, NULL, 0);
    for (size_t i = 0; i < LANES; i++) close(go[i]);
    close(done);
    close(listener);
}

static bool start_tool(void) {
    int told[2];
    must(pipe2(told, O_CLOEXEC) == 0, "a pipe");
    for (int i = 0; i < LANES; i++) go[i] = make_pipe(OURS_FROM + i, true);
    done = make_pipe(OURS_FROM + LANES, false);
    tool = walls_fork_sharing();
    if (tool == 0) be_a_tool(told[1]);
    bool stands = tool > 0 && wait_for(told[0], tool) &&
                  read(told[0], &listener, sizeof listener) > 0 &&
                  write(go[0], "", 1) == 1 && answer_all();
    for (int i = 0; i <= LANES; i++) close(OURS_FROM + i);
    close(told[0]);
    close(told[1]);
    return stands;
}

static struct stat seen(const char *name) {
    struct stat now;
    must(fstatat(in_base, name, &now, AT_SYMLINK_NOFOLLOW) == 0, name);
    return now;
}

static const char *const outside[] = {".",         "owner", "owner/secret",
                                      "owner/run", "tools", "tools/run"};
static struct stat before[N(outside)];

static bool same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static void check_outside(void) {
    for (size_t i = 0; i < N(outside); i++) {
        struct stat now = seen(outside[i]);
        must(now.st_ino == before[i].st_ino &&
                 now.st_size == before[i].st_size &&
                 now.st_nlink == before[i].st_nlink &&
                 same_time(now.st_mtim, before[i].st_mtim) &&
                 same_time(now.st_ctim, before[i].st_ctim),
             "outside nothing changes");
    }
}

/* text: NULL for a folder. */
static void put(const char *name, const char *text) {
    if (!text) {
        must(mkdirat(in_base, name, 0700) == 0, name);
        return;
    }
    int file = openat(in_base, name, O_WRONLY | O_CREAT | O_EXCL, 0700);
    must(file >= 0 && write(file, text, strlen(text)) >= 0, name);
    close(file);
}

static void clear(const char *folder) {
    char path[PATH_MAX];
    chmod(folder, 0700);
    DIR *entries = opendir(folder);
    must(entries != NULL, folder);
    for (struct dirent *e; (e = readdir(entries));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        must(snprintf(path, sizeof path, "%s/%s", folder, e->d_name) <
                 (int)sizeof path,
             "short paths");
        if (unlink(path) == 0) continue;
        clear(path);
        must(rmdir(path) == 0, path);
    }
    closedir(entries);
}

/* The same for each input: a file, a folder with a file, ways out. */
static void fill_own(void) {
    static struct stat first, deeper;
    if (first.st_ino && same_time(seen("own").st_mtim, first.st_mtim) &&
        same_time(seen("own/d").st_ctim, deeper.st_ctim))
        return;
    clear(own);
    put("own/a", "a");
    put("own/d", NULL);
    put("own/d/b", "b");
    must(symlinkat("../owner/secret", in_base, "own/out") == 0 &&
             symlinkat("../owner/new", in_base, "own/none") == 0 &&
             mkfifoat(in_base, "own/fifo", 0600) == 0,
         "links, a FIFO");
    first = seen("own");
    deeper = seen("own/d");
}

static void end(void) {
    stop_tool();
    clear(base);
    close(in_base);
    rmdir(base);
}

static void add(const char *name, enum walls_access access) {
    char path[sizeof base + 20];
    snprintf(path, sizeof path, "%s/%s", base, name);
    add_place(&places, &(struct walls_path){path, access});
}

static void begin(void) {
    must(mkdtemp(base) && (in_base = open(base, O_PATH | O_CLOEXEC)) >= 0,
         base);
    snprintf(own, sizeof own, "%s/own", base);
    put("own", NULL);
    put("over", "over");
    put("tools", NULL);
    put("tools/run", "no program");
    put("owner", NULL); /* begins as own does */
    put("owner/secret", "a secret");
    put("owner/run", "#!/bin/true\n"); /* the tool would be gone */
    add("own", WALLS_FILL);
    add("over", WALLS_OVERWRITE);
    add("tools", WALLS_READ);
    for (size_t i = 0; i < N(outside); i++) before[i] = seen(outside[i]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED && walls_drop_capabilities(), "memory, rights");
    for (size_t i = 0; i < N(shared->paths); i++)
        mprotect(shared->paths[i] + ROOM, GUARD, PROT_NONE);
    if (!start_tool()) {
        puts("SKIP: this kernel lets nobody answer for another's calls");
        exit(77);
    }
    atexit(end);
}

static int descriptors(void) {
    int n = 0;
    for (int fd = 0; fd < 64; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input in = {data, data + size};
    unsigned forks = 0;
    if (!shared) begin();
    for (size_t i = 0; i < N(shared->texts); i++)
        read_text(&in, shared->texts[i], 256);
    memcpy(shared->changing, shared->texts[0], 256);
    executes = races = false;
    for (shared->n = 0; in.at < in.end && shared->n < MOST_ASKS;) {
        struct ask *ask = &shared->asks[shared->n];
        read_ask(&in, ask, &shared->paths[2 * shared->n]);
        bool forked = ask->form == (int)N(forms) + FORK;
        shared->n += !forked || forks++ < MOST_FORKS;
    }
    fill_own();
    int held = descriptors();
    shared->busy = LANES;
    for (size_t i = 0; i < LANES; i++)
        must(write(go[i], "", 1) == 1, "the tool is there");
    if (!answer_all()) {
        must(executes && races, "it executes nothing of others");
        stop_tool();
        must(start_tool(), "another one");
    }
    check_outside();
    must(descriptors() == held, "no descriptor is kept");
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * supervised_tool.h: fuzz_supervise.c's process inside the walls: each of its
 * threads makes its share of the calls.
 */
#pragma once

static void no_handler(int signal) {
    (void)signal;
}

/* Pointers come from the input; those of extras are ours. */
static void make_call(const struct ask *ask);

static void make_extra(int extra, const uint64_t *a);

/* dies: in the middle of it, perhaps. */
static void fork_and(const struct ask *ask, const uint64_t *dies) {
    if (ask < shared->asks || ask >= shared->asks + shared->n) return;
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) != 0) return;
    if (dies) make_extra(TIMER, dies), signal(SIGALRM, SIG_DFL);
    if (ask->form != (int)N(forms) + FORK) make_call(ask);
    _exit(0);
}

static void make_extra(int extra, const uint64_t *a) {
    struct itimerval soon = {.it_value = {0, 1 + (suseconds_t)a[0] % 300}};
    unsigned fd = (unsigned)a[0] % (THEIRS_TO + 1);
    if (fd < 3) fd = 3;
    switch (extra) {
    case CLOSE: close((int)fd); break;
    case DUP: dup2((int)fd, 3 + (int)a[1] % (THEIRS_TO - 2)); break;
    case CHDIR: syscall(SYS_chdir, a[2]); break;
    case FCHDIR: syscall(SYS_fchdir, fd); break;
    case UMASK: umask((mode_t)a[1]); break;
    case WRITE: syscall(SYS_write, fd, base, 16); break;
    case TRUNCATE: syscall(SYS_ftruncate, fd, a[1] % 5000); break;
    case CHANGE:
        for (uint64_t i = 0; i < a[1] % 4096; i++)
            memcpy(shared->changing, shared->texts[i % 2], 256);
        break;
    case HIDE:
        for (uint64_t i = 0; i < a[1] % 64; i++) {
            char *room = shared->paths[a[0] % N(shared->paths)];
            mprotect(room, ROOM, PROT_NONE);
            mprotect(room, ROOM, PROT_READ | PROT_WRITE);
        }
        break;
    case TIMER: setitimer(ITIMER_REAL, &soon, NULL); break;
    case FORK:
        fork_and(&shared->asks[a[0] % MOST_ASKS], a[1] % 2 ? a : NULL);
        break;
    }
}

static void make_call(const struct ask *ask) {
    const uint64_t *a = ask->arguments;
    if (ask->form >= (int)N(forms))
        make_extra(ask->form - (int)N(forms), a);
    else
        syscall(forms[ask->form].call, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void *lane(void *number) {
    unsigned me = (unsigned)(uintptr_t)number;
    char byte;
    ssize_t got;
    while ((got = read(OURS_FROM + (int)me, &byte, 1)) != 0) {
        if (got < 0) continue; /* a signal */
        for (size_t i = 0; i < shared->n; i++)
            if (shared->asks[i].lane == me) make_call(&shared->asks[i]);
        shared->busy--;
        if (me) continue;
        while (shared->busy > 0) sched_yield();
        struct itimerval never = {0};
        setitimer(ITIMER_REAL, &never, NULL);
        while (wait4(-1, NULL, 0, NULL) > 0 || errno == EINTR) {
        }
        umask(022);
        close_range(3, OURS_FROM - 1, 0);
        if (chdir(own) != 0) _exit(2);
        while (write(OURS_FROM + LANES, &byte, 1) < 0 && errno == EINTR) {
        }
    }
    _exit(3);
}

static void be_a_tool(int told) {
    const struct sigaction action = {.sa_handler = no_handler};
    pthread_t thread;
    int supervisor;
    bool stands =
        prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && walls_no_new_rights() &&
        walls_drop_capabilities() && sigaction(SIGALRM, &action, NULL) == 0 &&
        chdir(own) == 0 && walls_tool_calls(&supervisor) &&
        write(told, &supervisor, sizeof supervisor) == sizeof supervisor;
    /* From here on the descriptors are its own. */
    if (!stands || read(OURS_FROM, &supervisor, 1) != 1 ||
        close_range(OURS_FROM + LANES + 1, ~0U, CLOSE_RANGE_UNSHARE) != 0 ||
        close_range(3, OURS_FROM - 1, 0) != 0 ||
        write(OURS_FROM + LANES, "", 1) != 1)
        _exit(1);
    for (uintptr_t i = 1; i < LANES; i++)
        if (pthread_create(&thread, NULL, lane, (void *)i) != 0) _exit(1);
    lane(NULL);
}

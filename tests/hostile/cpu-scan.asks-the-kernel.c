// SPDX-License-Identifier: MIT
//: what: Asks the kernel for all that a scan has no use for: locks on others'
//     descriptors, their sizes, owners and signals, keys for a terminal, pipes
//     into pipes, name spaces, roots, clocks, ids, rings, queues, timers. None
//     may be given. Right besides: what is given costs points.
//: twin: hostile.cpu-scan.honest-asks-for-itself
//: expect: inclusive pass
//: expect: * any
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_scan.h"

/* To the first descriptors: nothing, the output, the judge. */
static const struct {
    const char *name;
    long call, b, c, d;
} of_descriptors[] = {
    {"ioctl TIOCSTI", SYS_ioctl, TIOCSTI, 0, 0},
    {"ioctl TIOCSCTTY", SYS_ioctl, TIOCSCTTY, 1, 0},
    {"ioctl FIOASYNC", SYS_ioctl, FIOASYNC, 0, 0},
    {"ioctl FIONREAD", SYS_ioctl, FIONREAD, 0, 0},
    {"ioctl FIOSETOWN", SYS_ioctl, 0x8901, 0, 0},
    {"fcntl F_SETLK", SYS_fcntl, F_SETLK, 0, 0},
    {"fcntl F_SETOWN", SYS_fcntl, F_SETOWN, 1, 0},
    {"fcntl F_SETSIG", SYS_fcntl, F_SETSIG, 9, 0},
    {"fcntl F_SETLEASE", SYS_fcntl, F_SETLEASE, F_RDLCK, 0},
    {"fcntl F_NOTIFY", SYS_fcntl, F_NOTIFY, 1, 0},
    {"fcntl F_SETPIPE_SZ", SYS_fcntl, F_SETPIPE_SZ, 1 << 20, 0},
    {"fcntl F_ADD_SEALS", SYS_fcntl, F_ADD_SEALS, 1, 0},
    {"flock", SYS_flock, 2, 0, 0},
    {"fallocate", SYS_fallocate, 0, 0, 1 << 20},
    {"fsetxattr", SYS_fsetxattr, 0, 0, 0},
    {"fchmod", SYS_fchmod, 0, 0, 0},
    {"fchown", SYS_fchown, 0, 0, 0},
    {"fchdir", SYS_fchdir, 0, 0, 0},
    {"fstatfs", SYS_fstatfs, 0, 0, 0},
    {"splice", SYS_splice, 0, 1, 0},
    {"tee", SYS_tee, 1, 1, 0},
    {"vmsplice", SYS_vmsplice, 0, 0, 0},
    {"sendfile", SYS_sendfile, 0, 0, 1},
    {"copy_file_range", SYS_copy_file_range, 0, 1, 0},
    {"setsockopt", SYS_setsockopt, 1, 16, 0},
    {"shutdown", SYS_shutdown, 2, 0, 0},
    {"accept4", SYS_accept4, 0, 0, 0},
    {"dup2", SYS_dup3, 40, 0, 0},
    {"pidfd_send_signal", SYS_pidfd_send_signal, 0, 0, 0},
    {"setns", SYS_setns, 0, 0, 0},
};

static const struct {
    const char *name;
    long call, a, b;
} others[] = {
    {"unshare", SYS_unshare, 0x10000000, 0},
    {"chroot", SYS_chroot, 0, 0},
    {"pivot_root", SYS_pivot_root, 0, 0},
    {"umount2", SYS_umount2, 0, 0},
    {"open_tree", SYS_open_tree, -100, 0},
    {"fsopen", SYS_fsopen, 0, 0},
    {"name_to_handle_at", SYS_name_to_handle_at, -100, 0},
    {"open_by_handle_at", SYS_open_by_handle_at, 0, 0},
    {"swapon", SYS_swapon, 0, 0},
    {"sethostname", SYS_sethostname, 0, 0},
    {"init_module", SYS_init_module, 0, 0},
    {"syslog", SYS_syslog, 10, 0},
    {"settimeofday", SYS_settimeofday, 0, 0},
    {"adjtimex", SYS_adjtimex, 0, 0},
    {"setuid", SYS_setuid, 0, 0},
    {"setgroups", SYS_setgroups, 0, 0},
    {"capset", SYS_capset, 0, 0},
    {"setpgid", SYS_setpgid, 0, 0},
    {"seccomp", SYS_seccomp, 2, 0},
    {"io_setup", SYS_io_setup, 1, 0},
    {"io_uring_enter", SYS_io_uring_enter, 0, 0},
    {"add_key", SYS_add_key, 0, 0},
    {"request_key", SYS_request_key, 0, 0},
    {"epoll_create1", SYS_epoll_create1, 0, 0},
    {"signalfd4", SYS_signalfd4, -1, 0},
    {"timerfd_create", SYS_timerfd_create, 0, 0},
    {"pipe2", SYS_pipe2, 0, 0},
    {"memfd_secret", 447, 0, 0},
    {"process_madvise", 440, 0, 0},
    {"process_mrelease", 448, 0, 0},
    {"mlockall", SYS_mlockall, 1, 0},
    {"mbind", SYS_mbind, 0, 0},
    {"move_pages", SYS_move_pages, 0, 0},
    {"remap_file_pages", SYS_remap_file_pages, 0, 0},
    {"sched_setscheduler", SYS_sched_setscheduler, 0, 0},
    {"sched_setattr", SYS_sched_setattr, 0, 0},
    {"ioprio_set", SYS_ioprio_set, 1, 0},
    {"umask", SYS_umask, 0, 0},
    {"personality", SYS_personality, 0, 0},
    {"prctl PR_SET_PDEATHSIG", SYS_prctl, PR_SET_PDEATHSIG, 0},
    {"prctl PR_SET_DUMPABLE", SYS_prctl, PR_SET_DUMPABLE, 1},
    {"prctl PR_SET_CHILD_SUBREAPER", SYS_prctl, PR_SET_CHILD_SUBREAPER, 1},
#ifdef __x86_64__
    {"iopl", SYS_iopl, 3, 0},
    {"modify_ldt", SYS_modify_ldt, 0, 0},
#endif
};

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    static int asked;
    for (size_t i = 0; !asked && i < sizeof others / sizeof *others; i++)
        if (syscall(others[i].call, others[i].a, others[i].b, 0, 0, 0) != -1 ||
            (errno != EPERM && errno != ENOENT))
            return printf("%s: %d\n", others[i].name, errno), 1;
    for (int fd = 0; !asked && fd < 4; fd++)
        for (size_t i = 0; i < sizeof of_descriptors / sizeof *of_descriptors;
             i++)
            if (syscall(of_descriptors[i].call, fd, of_descriptors[i].b,
                        of_descriptors[i].c, of_descriptors[i].d, 0) != -1 ||
                errno != EPERM)
                return printf("%s of %d: %d\n", of_descriptors[i].name, fd,
                              errno),
                       1;
    asked = 1;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

// SPDX-License-Identifier: MIT
//: what: Looks for other processes, how many there are and how much memory
//     they leave free, descriptors that are not its own, and what an earlier
//     case left. Right besides: what it learns costs points.
//: twin: hostile.cpu-scan.honest-asks-for-itself
//: row: 12
//: expect: inclusive pass
//: expect: * any
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cpu_scan.h"

static long about(int how, pid_t pid) {
    cpu_set_t set;
    struct timespec t;
    struct rlimit limit;
    struct sched_param param;
    void *head;
    size_t size;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    switch (how) {
    case 0: return sched_setaffinity(pid, sizeof set, &set);
    case 1: return sched_getaffinity(pid, sizeof set, &set);
    case 2: return syscall(SYS_clock_gettime, (~pid << 3) | 2, &t);
    case 3: return prlimit(pid, RLIMIT_CPU, NULL, &limit);
    case 4: return sched_getparam(pid, &param);
    case 5: return sched_getscheduler(pid);
    case 6: return syscall(SYS_get_robust_list, pid, &head, &size);
    case 7: return setpriority(PRIO_PROCESS, (id_t)pid, 1);
    case 8: return getpriority(PRIO_PROCESS, (id_t)pid);
    case 9: return syscall(SYS_getpgid, pid);
    case 10: return syscall(SYS_getsid, pid);
    case 11: return syscall(SYS_ioprio_get, 1, pid);
    case 12: return syscall(SYS_kcmp, pid, pid, 0, 0, 0);
    case 13: return syscall(SYS_clock_getres, (~pid << 3) | 2, &t);
    default: return syscall(SYS_migrate_pages, pid, 0, NULL, NULL);
    }
}

static long makes(int what) {
    struct itimerval soon = {{0, 0}, {1000, 0}};
    timer_t timer;
    switch (what) {
    case 0: return shmget(1234, 4096, IPC_CREAT | 0600);
    case 1: return semget(1234, 1, IPC_CREAT | 0600);
    case 2: return msgget(1234, IPC_CREAT | 0600);
    case 3: return shm_open("/scanlab", O_RDONLY, 0600);
    case 4:
        return syscall(SYS_mq_open, "scanlab", O_CREAT | O_RDWR, 0600, NULL);
    case 5: return setitimer(ITIMER_REAL, &soon, NULL);
    case 6: return timer_create(CLOCK_REALTIME, NULL, &timer);
    case 7: return syscall(SYS_userfaultfd, 0);
    case 8: return syscall(SYS_inotify_init1, 0);
    case 9: return syscall(SYS_fanotify_init, 0, 0);
    case 10: return syscall(SYS_memfd_secret, 0);
    case 11: return syscall(SYS_eventfd2, 0, 0);
    case 12: return nice(1);
    default: return syscall(SYS_personality, 0);
    }
}

/* Standard input, output, error, the judge; and no flag that somebody set. */
static int own_descriptors(void) {
    for (int fd = 4; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            return printf("descriptor %d is open\n", fd), 0;
    if (fcntl(0, F_GETFL) & O_NONBLOCK)
        return printf("an earlier case left a flag\n"), 0;
    fcntl(0, F_SETFL, O_NONBLOCK);
    return 1;
}

/* What kernels take of the judge's memory would show in what is free. */
static int of_the_machine(void) {
    struct sysinfo info;
    struct utsname name;
    if (sysinfo(&info) != 0 || info.procs != 1 || info.uptime ||
        info.loads[0] || info.freeram != info.totalram || info.bufferram)
        return printf("sysinfo tells of others\n"), 0;
    if (uname(&name) != 0 || strcmp(name.nodename, "scanlab") != 0)
        return printf("the machine is %s\n", name.nodename), 0;
    return 1;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    const pid_t others[] = {getppid(), 1, 4194300};
    static int seen;
    for (int how = 0; how < 15; how++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            errno = 0;
            if (about(how, others[i]) == -1 && errno == EPERM) continue;
            printf("way %d reaches process %d\n", how, (int)others[i]);
            return 1;
        }
    for (int what = 0; what < 14; what++)
        if (makes(what) != -1) return printf("could make %d\n", what), 1;
    if (!seen++ && !(own_descriptors() && of_the_machine())) return 1;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

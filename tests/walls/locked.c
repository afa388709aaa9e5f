/* SPDX-License-Identifier: MIT
 *
 * locked RUNG WHAT...: the walls around a process that uses a real GPU, without
 * one: the runner's own (lockdown.c, filters.c) are built around a process that
 * then really tries. WHAT: files (what can be opened once a driver may begin),
 * attacks (all that must fail when a submission runs), honest (its twin),
 * refuses (no wall around files, so no run), weaker (the same, asked for).
 * RUNG: a folder to be filled. As root each is tried as another user, too.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runner.h"

enum { NOBODY = 65534, FCHMODAT2 = 452 };
static const uint64_t UPPER = UINT64_C(1) << 32;

static struct {
    char secret[256], plain[256], socket[256];
    pid_t other; /* of the same user */
} rung;

/* ---- the walls ---- */

static void refuse(int signal, siginfo_t *info, void *context) {
    ucontext_t *c = context;
    (void)signal, (void)info;
#if defined __x86_64__
    c->uc_mcontext.gregs[REG_RAX] = -EPERM;
#else
    c->uc_mcontext.regs[0] = (unsigned long)-EPERM;
#endif
}

static bool build(bool weaker, bool calls) {
    struct wire_configure c = {
        .device = WIRE_GPU, .cpu_seconds = 60, .weaker_walls = weaker};
    struct sigaction action = {.sa_sigaction = refuse};
    struct lockdown_filter filter;
    char why[WIRE_TEXT_BYTES] = "";
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    filters_make(&filter, true);
    bool ok = sigaction(SIGSYS, &action, NULL) == 0 &&
              lockdown_rights(&c, "", why) &&
              (!calls || lockdown_calls(&filter, why));
    if (!ok) printf("%s\n", why);
    return ok;
}

/* ---- attacks: true when something was gained ---- */

static bool unix_by_path(void) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%.100s", rung.socket);
    return fd >= 0 && connect(fd, (void *)&to, sizeof to) == 0;
}
static bool inet(void) {
    return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}
static bool inet_by_upper_half(void) {
    return syscall(SYS_socket, UPPER | AF_INET, SOCK_DGRAM, 0) >= 0;
}
static bool a_pair(void) {
    int fds[2];
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0;
}
static bool set_uid(void) {
    return chmod(rung.plain, 04755) == 0 ||
           syscall(SYS_fchmodat, AT_FDCWD, rung.plain, 04755) == 0 ||
           syscall(FCHMODAT2, AT_FDCWD, rung.plain, 04755, 0) == 0;
}
static bool sysv_memory(void) {
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    return id >= 0 && shmat(id, NULL, 0) != (void *)-1;
}
static bool posix_memory(void) {
    return shm_open("/scanlab-locked", O_CREAT | O_RDWR, 0600) >= 0;
}
static bool anonymous_file(void) {
    return memfd_create("locked", 0) >= 0;
}
static bool limits_of_others(void) {
    struct rlimit limit = {1, 1};
    return prlimit(rung.other, RLIMIT_NOFILE, &limit, NULL) == 0 ||
           prlimit(rung.other, RLIMIT_NOFILE, NULL, &limit) == 0;
}
static bool priority_of_others(void) {
    return setpriority(PRIO_PROCESS, (id_t)rung.other, 19) == 0;
}
static bool signals_others(void) {
    siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
    return kill(rung.other, SIGTERM) == 0 ||
           syscall(SYS_kill, UPPER | (unsigned)rung.other, SIGTERM) == 0 ||
           kill(0, SIGTERM) == 0 || kill(-1, SIGCONT) == 0 ||
           syscall(SYS_tkill, rung.other, SIGTERM) == 0 ||
           syscall(SYS_tgkill, rung.other, rung.other, SIGTERM) == 0 ||
           syscall(SYS_rt_sigqueueinfo, rung.other, SIGTERM, &info) == 0 ||
           syscall(SYS_rt_tgsigqueueinfo, rung.other, rung.other, SIGTERM,
                   &info) == 0 ||
           syscall(SYS_pidfd_open, rung.other, 0) >= 0;
}
static bool own_by_upper_half(void) {
    return syscall(SYS_prctl, UPPER | PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 &&
           syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}
static bool core_pattern(void) {
    return open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0 ||
           open("/proc/sys/kernel/core_pattern", O_RDONLY) >= 0;
}
static bool own_memory_file(void) {
    return open("/proc/self/mem", O_RDWR) >= 0;
}
static bool reads_files(void) {
    return open(rung.secret, O_RDONLY) >= 0 ||
           open("/etc/passwd", O_RDONLY) >= 0;
}
static bool writes_files(void) {
    return open(rung.plain, O_WRONLY) >= 0 || unlink(rung.plain) == 0 ||
           rename(rung.plain, rung.secret) == 0 ||
           mkdir("/tmp/locked", 0700) == 0;
}
static bool asks_for_files(void) {
    struct stat file;
    return access(rung.plain, F_OK) == 0 || stat(rung.plain, &file) == 0 ||
           chdir("/") == 0;
}
static bool looks_into_others(void) {
    char byte;
    struct iovec to = {&byte, 1}, from = {&rung, 1};
    return ptrace(PTRACE_ATTACH, rung.other, NULL, NULL) == 0 ||
           syscall(SYS_process_vm_readv, rung.other, &to, 1, &from, 1, 0) >= 0;
}
static bool types_for_others(void) {
    char key = 'x';
    return ioctl(0, TIOCSTI, &key) == 0 || errno != EPERM ||
           syscall(SYS_ioctl, 0, UPPER | TIOCSTI, &key) == 0 || errno != EPERM;
}
static bool owns_signals(void) {
    return fcntl(1, F_SETOWN, rung.other) == 0 ||
           fcntl(1, F_SETSIG, SIGKILL) == 0;
}
static bool starts_others(void) {
    char *const words[] = {"true", NULL};
    return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0 ||
           syscall(SYS_clone, UPPER | CLONE_VFORK, 0, 0, 0, 0) >= 0 ||
           execve("/bin/true", words, words) == 0;
}
static bool new_spaces(void) {
    return unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_FILES) == 0;
}
static bool more_rights(void) {
    struct rlimit limit = {1 << 20, 1 << 20};
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 || setuid(0) == 0;
}

static const struct {
    const char *name;
    bool (*gains)(void);
} attacks[] = {{"a Unix socket by path", unix_by_path},
               {"a socket of the network", inet},
               {"the same by an upper half", inet_by_upper_half},
               {"a pair of sockets", a_pair},
               {"a set-uid bit", set_uid},
               {"SysV shared memory", sysv_memory},
               {"POSIX shared memory", posix_memory},
               {"an anonymous file", anonymous_file},
               {"limits of others", limits_of_others},
               {"priorities of others", priority_of_others},
               {"signals to others", signals_others},
               {"attributes by an upper half", own_by_upper_half},
               {"core_pattern", core_pattern},
               {"its memory as a file", own_memory_file},
               {"reading files", reads_files},
               {"writing files", writes_files},
               {"asking for files", asks_for_files},
               {"looking into others", looks_into_others},
               {"typing for others", types_for_others},
               {"who gets signals", owns_signals},
               {"starting others", starts_others},
               {"name spaces", new_spaces},
               {"more rights", more_rights}};
enum { N_ATTACKS = sizeof attacks / sizeof *attacks };

static int try_all(const char *who) {
    int gained = 0;
    for (size_t i = 0; i < N_ATTACKS; i++)
        if (attacks[i].gains()) {
            printf("%s gained: %s\n", who, attacks[i].name);
            gained++;
        }
    return gained;
}

/* As a driver's, begun before the last wall. */
static pthread_barrier_t walled;
static void *early_thread(void *gained) {
    pthread_barrier_wait(&walled);
    *(int *)gained = try_all("a thread that was there before");
    return NULL;
}

static int attack(void) {
    pthread_t thread;
    int early = 0;
    struct lockdown_filter filter;
    char why[WIRE_TEXT_BYTES];
    filters_make(&filter, true);
    pthread_barrier_init(&walled, NULL, 2);
    if (!build(false, false) ||
        pthread_create(&thread, NULL, early_thread, &early) != 0 ||
        !lockdown_calls(&filter, why))
        return 1;
    int gained = try_all("a submission");
    pthread_barrier_wait(&walled);
    pthread_join(thread, NULL);
    return gained + early != 0;
}

/* ---- what honest work does ---- */

static void *adds(void *sum) {
    for (int i = 0; i < 1000; i++)
        __atomic_fetch_add((int *)sum, 1, __ATOMIC_RELAXED);
    return NULL;
}
static volatile sig_atomic_t came;
static void on_own(int signal) {
    came = signal;
}

static int honest(void) {
    struct timespec nap = {.tv_nsec = 1000}, now;
    enum { MANY = 8, BYTES = 64 << 20 };
    pthread_t threads[MANY];
    int sum = 0, spare;
    if (!build(false, true)) return 1;
    char *bytes = malloc(BYTES);
    bool ok = bytes && ((char *)memset(bytes, 1, BYTES))[BYTES - 1] == 1;
    for (int i = 0; i < MANY; i++)
        ok = pthread_create(&threads[i], NULL, adds, &sum) == 0 && ok;
    for (int i = 0; i < MANY; i++)
        ok = pthread_join(threads[i], NULL) == 0 && ok;
    ok = ok && sum == 1000 * MANY;
    ok =
        ok && signal(SIGUSR2, on_own) != SIG_ERR && raise(SIGUSR2) == 0 && came;
    ok = ok && nanosleep(&nap, NULL) == 0 &&
         clock_gettime(CLOCK_MONOTONIC, &now) == 0 && sched_yield() == 0;
    ok = ok && prctl(PR_SET_NAME, "honest", 0, 0, 0) == 0;
    ok = ok && (spare = dup(1)) >= 0 &&
         fcntl(spare, F_SETFD, FD_CLOEXEC) == 0 && close(spare) == 0;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ok = ok && page != MAP_FAILED && mprotect(page, 4096, PROT_READ) == 0 &&
         munmap(page, 4096) == 0;
    free(bytes);
    printf("honest work: %s\n", ok ? "done" : "not possible");
    return !ok;
}

/* ---- before a driver begins ---- */

static int opens_few(void) {
    static const char *const needed[] = {"/proc/self/maps", "/proc/cpuinfo",
                                         "/sys/devices/system/cpu/online"};
    int wrong = 0;
    if (!build(false, false)) return 1;
    const char *const others[] = {rung.secret, rung.plain, "/etc/passwd",
                                  "/usr/bin/env", "/proc/1/status"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (open(needed[i], O_RDONLY) < 0)
            wrong = printf("cannot open %s: %s\n", needed[i], strerror(errno));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (open(others[i], O_RDONLY) >= 0)
            wrong = printf("opened %s\n", others[i]);
    if (open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0 ||
        open("/proc/1/comm", O_WRONLY) >= 0)
        wrong = printf("opened /proc to write\n");
    return wrong != 0;
}

static int refuses(void) {
    bool built = build(false, false);
    if (built) printf("ran without a wall around files\n");
    return built;
}

static int weaker(void) {
    return !build(true, true) || try_all("behind weaker walls") != 0;
}

/* ---- set-up ---- */

static bool write_file(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool ok = fd >= 0 && write(fd, "canary\n", 7) == 7;
    return close(fd) == 0 && ok;
}

static bool fill(const char *folder) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    mkdir(folder, 0755);
    snprintf(rung.secret, sizeof rung.secret, "%s/secret", folder);
    snprintf(rung.plain, sizeof rung.plain, "%s/plain", folder);
    snprintf(rung.socket, sizeof rung.socket, "/tmp/locked-%d", (int)getpid());
    snprintf(at.sun_path, sizeof at.sun_path, "%.100s", rung.socket);
    return fd >= 0 && write_file(rung.secret) && write_file(rung.plain) &&
           bind(fd, (void *)&at, sizeof at) == 0 && listen(fd, 5) == 0 &&
           chmod(rung.socket, 0777) == 0;
}

static bool become(uid_t user) {
    /* Whoever changes his user may not write his own /proc any more. */
    return !user || (setgid(user) == 0 && setuid(user) == 0 &&
                     prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}

/* 0: as it should be. The other process is outside, so that it ends whatever
 * becomes of this one. */
static int run_as(uid_t user, int (*what)(void)) {
    int status = 1, said[2];
    fflush(stdout);
    if (pipe(said) != 0) return 1;
    rung.other = fork();
    if (rung.other == 0) {
        alarm(120);
        close(said[1]);
        while (become(user)) pause();
        _exit(1);
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(said[1], 1); /* as a runner's: no file may grow */
        if (!become(user)) _exit(2);
        alarm(60);
        int wrong = what();
        fflush(stdout);
        _exit(wrong);
    }
    char text[256];
    close(said[1]);
    for (ssize_t n; (n = read(said[0], text, sizeof text)) > 0;)
        fwrite(text, 1, (size_t)n, stdout);
    close(said[0]);
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    bool lives = kill(rung.other, 0) == 0;
    if (waitpid(rung.other, NULL, WNOHANG) != 0 || !lives)
        printf("the other process is gone\n"), status = 1;
    kill(rung.other, SIGKILL);
    waitpid(rung.other, NULL, 0);
    if (ended && WIFSIGNALED(status))
        printf("died of signal %d\n", WTERMSIG(status));
    return !ended || status != 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*what)(void);
    } all[] = {{"files", opens_few},
               {"attacks", attack},
               {"honest", honest},
               {"refuses", refuses},
               {"weaker", weaker}};
    int wrong = 0, done = 0;
    if (argc < 3 || !fill(argv[1])) {
        perror("locked");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (strcmp(argv[i], all[k].name) != 0) continue;
            uid_t users[] = {getuid(), NOBODY};
            for (int u = 0; u < (getuid() == 0 ? 2 : 1); u++, done++)
                if (run_as(u ? users[u] : 0, all[k].what)) {
                    printf("FAILED: %s as user %u\n", argv[i],
                           (unsigned)users[u]);
                    wrong++;
                }
        }
    unlink(rung.socket);
    printf("%d tries, %d wrong\n", done, wrong);
    return wrong != 0 || done < argc - 2;
}

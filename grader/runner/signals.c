/* SPDX-License-Identifier: MIT
 *
 * signals.c: turns signals into messages to the judge: SIGUSR1, by which the
 * judge asks where the code is; the deadly signals; SIGSYS, for a system call
 * that the filter refused. These messages are shown to the student and decide
 * nothing.
 *
 * SIGSYS also answers what libraries ask without harm: which bytes does this
 * descriptor have, which cores has this thread, by its number, and how much
 * memory is there. To all that
 * name a file the answer is that there is none, whether there is one or not;
 * only the student's library itself can be opened, while it is being loaded,
 * and a real GPU's devices, of which the runner has opened some beforehand.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runner.h"

enum {
    ALTERNATE_STACK_BYTES = 64 * 1024,
    STACK_WORDS_SEARCHED = 4096,
    MOST_NOTES = 16,
    STACK_NEAR = 1 << 16,
    PAGE_MASK = 0xffff /* of the largest pages in use */
};

/* Read by handlers, written before the student's code runs. */
static struct {
    uintptr_t library_base, library_end, stack_end;
    const char *file; /* that may be opened; NULL: none */
    int fd;           /* of it */
    volatile sig_atomic_t notes;
    uintptr_t late_page; /* see signals_late; 0: none */
    size_t late_bytes;
} seen;

/* Descriptors that a driver will ask for, see signals_spare. */
enum { MOST_SPARES = 256 };
static struct {
    const char *path;
    int fd;
    atomic_bool given;
} spares[MOST_SPARES];
static size_t n_spares;

static uintptr_t counter_of(const ucontext_t *context) {
#if defined __x86_64__
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (uintptr_t)context->uc_mcontext.pc;
#else
    return 0;
#endif
}

static uintptr_t stack_of(const ucontext_t *context) {
#if defined __x86_64__
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined __aarch64__
    return (uintptr_t)context->uc_mcontext.sp;
#else
    return 0;
#endif
}

static void set_result(ucontext_t *context, long result) {
#if defined __x86_64__
    context->uc_mcontext.gregs[REG_RAX] = result;
#elif defined __aarch64__
    context->uc_mcontext.regs[0] = (unsigned long)result;
#else
    (void)context, (void)result;
#endif
}

static bool in_library(uintptr_t address) {
    return address >= seen.library_base && address < seen.library_end;
}

static void add_place(struct wire_report *report, uintptr_t address) {
    if (in_library(address) && report->n_places < WIRE_PLACES)
        report->places[report->n_places++] = address - seen.library_base;
}

/* The program counter, then words on the main stack that look like return
 * addresses: enough to name the student's line under a call into libc. */
static void fill_places(struct wire_report *report, const ucontext_t *context) {
    uintptr_t counter = counter_of(context), at = stack_of(context);
    report->stack = at;
    report->inside = in_library(counter);
    add_place(report, counter);
    at = (at + sizeof at - 1) & ~(uintptr_t)(sizeof at - 1);
    /* A full stack: what is there begins a page after the fault. */
    if (report->address && report->address >= at - STACK_NEAR &&
        report->address <= at + STACK_NEAR)
        at = (report->address | PAGE_MASK) + 1;
    if (at >= seen.stack_end || seen.stack_end - at > 64u << 20) return;
    for (int i = 0; i < STACK_WORDS_SEARCHED && at < seen.stack_end;
         i++, at += sizeof at) {
        uintptr_t word;
        memcpy(&word, (const void *)at, sizeof word);
        if (in_library(word)) add_place(report, word - 1);
    }
}

void signals_place(struct wire_report *report, uintptr_t at) {
    add_place(report, at);
}

bool signals_is_students(uintptr_t at) {
    return in_library(at);
}

static void on_where(int signal, siginfo_t *info, void *context) {
    int saved = errno;
    struct wire_message message = {.kind = WIRE_AT, .status = signal};
    (void)info;
    fill_places(&message.u.report, context);
    runner_say(&message);
    errno = saved;
}

static void on_death(int signal, siginfo_t *info, void *context) {
    struct wire_message message = {.kind = WIRE_CRASH, .status = signal};
    /* A fault tells where, a kill from outside does not. */
    if (info->si_code > 0) {
        message.u.report.address = (uintptr_t)info->si_addr;
#if defined __x86_64__
        /* A non-canonical address faults without telling which it was. */
        if (info->si_code == SI_KERNEL) message.u.report.address = 0;
#endif
    }
    fill_places(&message.u.report, context);
    runner_say(&message);
    /* SA_RESETHAND: returning runs into the same fault and dies of it; a
     * signal that was sent must be sent again. */
    if (info->si_code <= 0) raise(signal);
}

/* ---- refused system calls ---- */

static uintptr_t argument(const ucontext_t *context, int which) {
#if defined __x86_64__
    static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10};
    return (uintptr_t)context->uc_mcontext.gregs[registers[which]];
#elif defined __aarch64__
    return (uintptr_t)context->uc_mcontext.regs[which];
#else
    return (void)context, (void)which, 0;
#endif
}

enum { NO_ANSWER = 1 }; /* no call that is answered here returns it */

static long result_of(long result) {
    return result < 0 ? -errno : result;
}

/* -1: none is left, or ever was. */
static int take_spare(const char *path) {
    for (size_t i = 0; path && i < n_spares; i++)
        if (strcmp(path, spares[i].path) == 0 &&
            !atomic_exchange(&spares[i].given, true))
            return spares[i].fd;
    return -1;
}

/* Writing is for the list of refusals. */
static long answer_open(const char *path, int flags) {
    int spare = take_spare(path);
    if (spare >= 0) return spare;
    if (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) return NO_ANSWER;
    if (!path || !seen.file || strcmp(path, seen.file) != 0) return -ENOENT;
    return result_of(dup(seen.fd));
}

/* The newer libc's fstat. */
static long answer_status(const ucontext_t *c) {
    const char *path = (const char *)argument(c, 1);
    if (!path || *path || !(argument(c, 3) & AT_EMPTY_PATH)) return -ENOENT;
    return result_of(syscall(SYS_fstat, argument(c, 0), argument(c, 2)));
}

/* pthread_setaffinity_np and its like say the thread's number. */
static long answer_own(int call, const ucontext_t *c) {
    if ((pid_t)argument(c, 0) != (pid_t)syscall(SYS_gettid)) return -EPERM;
    return result_of(syscall(call, 0, argument(c, 1), argument(c, 2)));
}

/* libc's getrlimit. */
static long answer_limit(const ucontext_t *c) {
    if (argument(c, 0) != 0) return -EPERM;
    return result_of(syscall(SYS_getrlimit, argument(c, 1), argument(c, 3)));
}

/* libc's sort and sysconf ask how much memory there is: what this program may
 * have. What others do on the machine, and its name, are nobody's business, and
 * memory that is free there would tell what kernels take. */
static long answer_memory(struct sysinfo *info) {
    struct rlimit limit;
    /* libc's getrlimit is another call, which is answered here, too. */
    if (syscall(SYS_getrlimit, RLIMIT_AS, &limit) != 0) return -EPERM;
    *info = (struct sysinfo){.totalram = limit.rlim_cur,
                             .freeram = limit.rlim_cur,
                             .procs = 1,
                             .mem_unit = 1};
    return 0;
}

static long answer_system(struct utsname *name) {
    *name = (struct utsname){.sysname = "Linux",
                             .nodename = "scanlab",
                             .release = "6.0.0",
                             .version = "#1"};
    return 0;
}

static long answer_to(int call, const ucontext_t *c) {
    static const int about_files[] = {
        SCMP_SYS(stat),       SCMP_SYS(lstat),      SCMP_SYS(statx),
        SCMP_SYS(access),     SCMP_SYS(faccessat),  SCMP_SYS(faccessat2),
        SCMP_SYS(readlink),   SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
        SCMP_SYS(getdents64), SCMP_SYS(statfs)};
    if (call == SCMP_SYS(openat))
        return answer_open((const char *)argument(c, 1), (int)argument(c, 2));
    if (call == SCMP_SYS(open))
        return answer_open((const char *)argument(c, 0), (int)argument(c, 1));
    if (call == SCMP_SYS(newfstatat)) return answer_status(c);
    if (call == SCMP_SYS(prlimit64) && !argument(c, 2)) return answer_limit(c);
    if (call == SCMP_SYS(sched_setaffinity) ||
        call == SCMP_SYS(sched_getaffinity))
        return answer_own(call, c);
    if (call == SCMP_SYS(sysinfo)) return answer_memory((void *)argument(c, 0));
    if (call == SCMP_SYS(uname)) return answer_system((void *)argument(c, 0));
    for (size_t i = 0; i < sizeof about_files / sizeof *about_files; i++)
        if (call == about_files[i]) return -ENOENT;
    return NO_ANSWER;
}

void signals_refused(int row) {
    struct wire_message message = {.kind = WIRE_NOTE, .status = row};
    if (seen.notes >= MOST_NOTES) return;
    seen.notes = seen.notes + 1;
    runner_say(&message);
}

static void on_refused(int signal, siginfo_t *info, void *context) {
    static const int numbers[] = {
#define X(name, scope, words) SCMP_SYS(name),
#include "refusals.def"
#undef X
    };
    int saved = errno;
    (void)signal;
    long answer = answer_to(info->si_syscall, context);
    for (int i = 0; answer == NO_ANSWER && i < WIRE_N_REFUSALS; i++)
        if (numbers[i] == info->si_syscall) {
            signals_refused(i);
            break;
        }
    set_result(context, answer == NO_ANSWER ? -EPERM : answer);
    errno = saved;
}

static bool install(int signal, void (*handler)(int, siginfo_t *, void *),
                    int flags) {
    struct sigaction action = {.sa_sigaction = handler};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGSYS);
    return sigaction(signal, &action, NULL) == 0;
}

bool signals_install(void) {
    static char alternate[ALTERNATE_STACK_BYTES];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    if (sigaltstack(&stack, NULL) != 0) return false;
    seen.stack_end = (uintptr_t)__builtin_frame_address(0);
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (!install(deadly[i], on_death, (int)SA_RESETHAND)) return false;
    return install(SIGUSR1, on_where, SA_RESTART) &&
           install(SIGSYS, on_refused, 0);
}

/* ---- an input that begins late ---- */

static void on_late(int signal, siginfo_t *info, void *context) {
    const struct timespec ten_ms = {.tv_nsec = 10 * 1000 * 1000};
    int saved = errno;
    uintptr_t at = (uintptr_t)info->si_addr;
    bool late = at - seen.late_page < seen.late_bytes;
    (void)context;
    if (info->si_code <= 0 || !late) {
        /* Something else: it faults again, and is told as ever. */
        install(signal, on_death, (int)SA_RESETHAND);
        if (info->si_code <= 0) raise(signal);
        return;
    }
    nanosleep(&ten_ms, NULL);
    mprotect((void *)seen.late_page, seen.late_bytes, PROT_READ);
    errno = saved;
}

bool signals_late(const void *begin) {
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    seen.late_page = (uintptr_t)begin & ~(uintptr_t)(bytes - 1);
    seen.late_bytes = bytes;
    return install(SIGSEGV, on_late, 0) &&
           mprotect((void *)seen.late_page, bytes, PROT_NONE) == 0;
}

void signals_file(const char *path, int fd) {
    seen.file = path;
    seen.fd = fd;
}

bool signals_spare(const char *path, int fd) {
    if (n_spares == MOST_SPARES) return false;
    spares[n_spares].path = path;
    spares[n_spares++].fd = fd;
    return true;
}

void signals_library(uintptr_t base, uintptr_t end) {
    seen.library_base = base;
    seen.library_end = end;
}

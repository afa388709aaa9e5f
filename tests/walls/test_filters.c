/* SPDX-License-Identifier: MIT
 *
 * The filters of system calls, rule by rule: those of a submission's process
 * and of a compiler, run by an interpreter over arguments whose upper halves
 * are drawn by lot. `rules` says again, by itself, what each call's form means:
 * of how many bits the kernel takes, which values it may have. What a filter
 * lets through must be allowed as the kernel sees it; and what is written as
 * programs write it (no upper half) must be let through if and only if it is
 * allowed.
 */
#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filters.h"
#include "interpret.h"
#include "unit.h"
#include "walls.h"

enum { HOST = 1, GPU = 2, TOOLS = 4, RUNNERS = HOST | GPU, ALL = 7 };
enum { DRAWS = 400, MOST_CALL = 600 };
enum {
    NEW_SPACES = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                 CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP
};

#if defined __x86_64__
enum { X32_BIT = 0x40000000 };
static const uint32_t own = AUDIT_ARCH_X86_64,
                      others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64};
#else
static const uint32_t own = AUDIT_ARCH_AARCH64,
                      others[] = {AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64};
#endif

static const struct rule {
    int in, call, argument, bits; /* in: which filters have it */
    enum { IS, AT_MOST, HAS } how;
    uint64_t mask, value;
} rules[] = {
    {RUNNERS, SCMP_SYS(kill), 0, 32, IS, 0, FILTERS_SELF},
    {RUNNERS, SCMP_SYS(tgkill), 0, 32, IS, 0, FILTERS_SELF},
    {RUNNERS, SCMP_SYS(sched_setaffinity), 0, 32, IS, 0, 0},
    {RUNNERS, SCMP_SYS(sched_getaffinity), 0, 32, IS, 0, 0},
    {RUNNERS, SCMP_SYS(sched_getparam), 0, 32, IS, 0, 0},
    {RUNNERS, SCMP_SYS(sched_getscheduler), 0, 32, IS, 0, 0},
    {RUNNERS, SCMP_SYS(get_robust_list), 0, 32, IS, 0, 0},
    {RUNNERS, SCMP_SYS(clock_gettime), 0, 32, AT_MOST, 0, 15},
    {RUNNERS, SCMP_SYS(clock_getres), 0, 32, AT_MOST, 0, 15},
    {RUNNERS, SCMP_SYS(clock_nanosleep), 0, 32, AT_MOST, 0, 15},
    {RUNNERS, SCMP_SYS(recvmsg), 0, 32, IS, 0, 3},
    {RUNNERS, SCMP_SYS(sendto), 4, 64, IS, 0, 0},
    {ALL, SCMP_SYS(prctl), 0, 32, IS, 0, PR_SET_NAME},
    {ALL, SCMP_SYS(fcntl), 1, 32, AT_MOST, 0, F_SETFL},
    {TOOLS, SCMP_SYS(fcntl), 1, 32, IS, 0, F_DUPFD_CLOEXEC},
    {RUNNERS, SCMP_SYS(clone), 0, 32, HAS, CLONE_THREAD | NEW_SPACES,
     CLONE_THREAD},
    {TOOLS, SCMP_SYS(clone), 0, 32, HAS, NEW_SPACES, 0},
    {TOOLS, SCMP_SYS(prlimit64), 0, 32, IS, 0, 0},
    {TOOLS, SCMP_SYS(ioctl), 1, 32, IS, 0, TCGETS},
    {TOOLS, SCMP_SYS(ioctl), 1, 32, IS, 0, TIOCGWINSZ},
    {TOOLS, SCMP_SYS(ioctl), 1, 32, IS, 0, FIOCLEX},
#define CONTROL(number, name)                                                  \
    {GPU, SCMP_SYS(ioctl), 1, 32, HAS, 0xffff, 'F' << 8 | (number)},
#define UVM(number, name) {GPU, SCMP_SYS(ioctl), 1, 32, IS, 0, number},
#include "ioctls.def"
#undef CONTROL
#undef UVM
};
enum { N_RULES = sizeof rules / sizeof *rules };

/* Whatever the arguments are. */
static const int always[] = {
#define X(name) SCMP_SYS(name),
#include "allowed.def"
#undef X
};
static const int always_tools[] = {
#define X(name)                                SCMP_SYS(name),
#define FILE(name, what, folder, path, others) SCMP_SYS(name),
#include "tools.def"
#undef X
#undef FILE
    /* said to be done, and not done */
    SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat)};

/* What a submission has no use for, whatever the lists above say. */
static const int never[] = {SCMP_SYS(socket),
                            SCMP_SYS(socketpair),
                            SCMP_SYS(connect),
                            SCMP_SYS(bind),
                            SCMP_SYS(listen),
                            SCMP_SYS(accept4),
                            SCMP_SYS(sendmsg),
                            SCMP_SYS(sendmmsg),
                            SCMP_SYS(chmod),
                            SCMP_SYS(fchmod),
                            SCMP_SYS(fchmodat),
                            452, /* fchmodat2 */
                            SCMP_SYS(chown),
                            SCMP_SYS(shmget),
                            SCMP_SYS(shmat),
                            SCMP_SYS(shmctl),
                            SCMP_SYS(semget),
                            SCMP_SYS(msgget),
                            SCMP_SYS(mq_open),
                            SCMP_SYS(prlimit64),
                            SCMP_SYS(setrlimit),
                            SCMP_SYS(setpriority),
                            SCMP_SYS(rt_sigqueueinfo),
                            SCMP_SYS(rt_tgsigqueueinfo),
                            SCMP_SYS(tkill),
                            SCMP_SYS(pidfd_open),
                            SCMP_SYS(pidfd_send_signal),
                            SCMP_SYS(process_vm_readv),
                            SCMP_SYS(process_vm_writev),
                            SCMP_SYS(ptrace),
                            SCMP_SYS(open),
                            SCMP_SYS(openat),
                            SCMP_SYS(openat2),
                            SCMP_SYS(creat),
                            SCMP_SYS(link),
                            SCMP_SYS(linkat),
                            SCMP_SYS(symlinkat),
                            SCMP_SYS(unlinkat),
                            SCMP_SYS(renameat2),
                            SCMP_SYS(mknodat),
                            SCMP_SYS(execve),
                            SCMP_SYS(execveat),
                            SCMP_SYS(fork),
                            SCMP_SYS(vfork),
                            SCMP_SYS(unshare),
                            SCMP_SYS(setns),
                            SCMP_SYS(mount),
                            SCMP_SYS(bpf),
                            SCMP_SYS(perf_event_open),
                            SCMP_SYS(io_uring_setup),
                            SCMP_SYS(keyctl),
                            SCMP_SYS(userfaultfd),
                            SCMP_SYS(memfd_create)};

struct program {
    struct sock_filter *code;
    size_t n;
};

/* ---- what is allowed, by the table ---- */

static bool in_list(const int *list, size_t n, int call) {
    for (size_t i = 0; i < n; i++)
        if (list[i] == call) return true;
    return false;
}

static bool without_conditions(int filter, int call) {
    return filter == TOOLS
               ? in_list(always_tools, sizeof always_tools / sizeof(int), call)
               : in_list(always, sizeof always / sizeof(int), call);
}

static bool fits(const struct rule *r, const uint64_t arguments[6]) {
    uint64_t seen = arguments[r->argument];
    if (r->bits == 32) seen &= UINT32_MAX;
    return r->how == IS        ? seen == r->value
           : r->how == AT_MOST ? seen <= r->value
                               : (seen & r->mask) == r->value;
}

static bool allowed(int filter, int call, const uint64_t arguments[6]) {
    if (without_conditions(filter, call)) return true;
    for (size_t i = 0; i < N_RULES; i++)
        if ((rules[i].in & filter) && rules[i].call == call &&
            fits(&rules[i], arguments))
            return true;
    return false;
}

/* ---- what a filter says ---- */

static bool lets_through(const struct program *p, int call, uint32_t arch,
                         const uint64_t arguments[6]) {
    struct seccomp_data data = {.nr = call, .arch = arch};
    for (size_t i = 0; i < 6; i++) data.args[i] = arguments[i];
    uint32_t said = interpret(p->code, p->n, &data);
    assert_int_not_equal(said, INTERPRET_BROKEN);
    return said == SECCOMP_RET_ALLOW ||
           said == (SECCOMP_RET_ERRNO | 0); /* "done" */
}

static void export_filter(struct program *p, scmp_filter_ctx filter) {
    struct stat file;
    int fd = memfd_create("filter", MFD_CLOEXEC);
    assert_non_null(filter);
    assert_int_equal(seccomp_export_bpf(filter, fd), 0);
    assert_int_equal(fstat(fd, &file), 0);
    p->code = malloc((size_t)file.st_size);
    assert_int_equal(pread(fd, p->code, (size_t)file.st_size, 0), file.st_size);
    p->n = (size_t)file.st_size / sizeof *p->code;
    close(fd);
    seccomp_release(filter);
}

static struct program make(int filter) {
    struct program p = {0};
    if (filter == TOOLS) {
        export_filter(&p, walls_tool_filter(false));
    } else {
        struct lockdown_filter made;
        filters_make(&made, filter == GPU);
        assert_non_null(made.code);
        p = (struct program){made.code, made.n};
    }
    return p;
}

/* ---- arguments by lot ---- */

static uint64_t seed;
static uint64_t lot(void) { /* splitmix64 */
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Often near what a rule of this call asks for. */
static uint32_t lower_half(int call, int argument) {
    const struct rule *near = NULL;
    size_t n = 0;
    for (size_t i = 0; i < N_RULES; i++)
        if (rules[i].call == call && rules[i].argument == argument &&
            lot() % ++n == 0)
            near = &rules[i];
    uint32_t value = near ? (uint32_t)near->value : 0;
    switch (lot() % 6) {
    case 0: return (uint32_t)lot();
    case 1: return value ^ UINT32_C(1) << lot() % 32;
    case 2: return value + 1;
    case 3: return value - 1;
    case 4:
        return near && near->mask
                   ? value | ((uint32_t)lot() & ~(uint32_t)near->mask)
                   : value;
    default: return value;
    }
}

static uint64_t upper_half(void) {
    static const uint32_t usual[] = {0, 1, 0x80000000, UINT32_MAX};
    size_t n = lot() % 6;
    return (uint64_t)(n < 4 ? usual[n] : (uint32_t)lot()) << 32;
}

/* false: told on standard error. */
static bool as_in_table(int filter, const struct program *p, int call) {
    uint64_t plain[6], drawn[6];
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int i = 0; i < 6; i++) {
            plain[i] = lower_half(call, i);
            drawn[i] = plain[i] | upper_half();
        }
        bool same =
            lets_through(p, call, own, plain) == allowed(filter, call, plain);
        bool safe =
            !lets_through(p, call, own, drawn) || allowed(filter, call, drawn);
        if (same && safe) continue;
        const uint64_t *a = same ? drawn : plain;
        fprintf(
            stderr, "filter %d, call %d (%llx, %llx, %llx, %llx, %llx): %s\n",
            filter, call, (unsigned long long)a[0], (unsigned long long)a[1],
            (unsigned long long)a[2], (unsigned long long)a[3],
            (unsigned long long)a[4],
            same ? "let through by its upper half" : "not as the table says");
        return false;
    }
    return true;
}

static bool all_as_in_table(int filter, const struct program *p) {
    bool ok = true;
    seed = 35;
    for (int call = 0; call < MOST_CALL; call++)
        ok = as_in_table(filter, p, call) && ok;
    return ok;
}

/* ---- the tests ---- */

static void is_as_in_table(int filter) {
    struct program p = make(filter);
    assert_true(all_as_in_table(filter, &p));
    free(p.code);
}

TEST(a_submission_has_what_the_table_says) {
    is_as_in_table(HOST);
}

TEST(beside_a_real_gpu_it_has_the_drivers_ioctls_too) {
    is_as_in_table(GPU);
}

TEST(a_compiler_has_what_the_table_says) {
    is_as_in_table(TOOLS);
}

TEST(what_nobody_needs_is_refused_with_any_arguments) {
    struct program p[] = {make(HOST), make(GPU)};
    seed = 35;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        for (int draw = 0; draw < DRAWS && never[i] >= 0; draw++) {
            uint64_t a[6];
            for (int k = 0; k < 6; k++)
                a[k] = (draw % 3 ? lot() % 8 : (uint32_t)lot()) | upper_half();
            for (size_t k = 0; k < 2; k++)
                if (lets_through(&p[k], never[i], own, a))
                    fail_msg("call %d is let through", never[i]);
        }
    for (size_t k = 0; k < 2; k++) free(p[k].code);
}

/* A process of 64 bits can make calls of others. */
TEST(calls_of_another_machine_are_refused) {
    static const int filters[] = {HOST, GPU, TOOLS};
    const uint64_t a[6] = {0};
    for (size_t i = 0; i < 3; i++) {
        struct program p = make(filters[i]);
        for (int call = 0; call < MOST_CALL; call++) {
            for (size_t k = 0; k < sizeof others / sizeof *others; k++)
                assert_false(lets_through(&p, call, others[k], a));
#if defined __x86_64__
            assert_false(lets_through(&p, call | X32_BIT, own, a));
#endif
        }
        free(p.code);
    }
}

/* The hole that this is for: a list of what is refused, compared in 64 bits. */
TEST(a_hole_in_the_upper_half_is_found) {
    struct program p = {0};
    const uint64_t inet[6] = {AF_INET},
                   hidden[6] = {AF_INET | UINT64_C(1) << 32};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(socket),
                                      1, SCMP_A0_32(SCMP_CMP_EQ, AF_INET)),
                     0);
    export_filter(&p, filter);
    assert_false(lets_through(&p, SCMP_SYS(socket), own, inet));
    assert_true(lets_through(&p, SCMP_SYS(socket), own, hidden));
    assert_false(as_in_table(HOST, &p, SCMP_SYS(socket)));
    free(p.code);
    filter = seccomp_init(SCMP_ACT_ERRNO(1));
    assert_int_equal(
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1,
                         SCMP_A4_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, 0)),
        0);
    export_filter(&p, filter);
    assert_false(as_in_table(HOST, &p, SCMP_SYS(sendto)));
    free(p.code);
}

UNIT_MAIN(NULL, NULL)

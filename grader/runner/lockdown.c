/* SPDX-License-Identifier: MIT
 *
 * lockdown.c: what the student's code may do, decided before it is loaded.
 *
 * Walls, in the order they are built: death with the judge, resource limits, no
 * new privileges, no capabilities (so that root in a container is nobody), no
 * files beyond a short list (Landlock), no system calls beyond a list
 * (seccomp). One row of `profiles` per device says how far each goes: a real
 * GPU needs its driver's devices, files and mappings. Without one, seccomp lets
 * no call through that names a file, so that the wall around files stands twice
 * where the kernel has Landlock, and once where it has not. The judge keeps its
 * secrets in its own memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"
#include "walls.h"

static const struct profile {
    bool limit_address_space, limit_file_size;
    bool allow_list; /* seccomp: only listed calls; else all but the refused */
    bool devices;    /* /dev, /proc, /sys and /etc may be read, /dev written */
} profiles[] = {
    [WIRE_HOST] = {true, true, true, false},
    [WIRE_VGPU] = {true, true, true, false},
    [WIRE_GPU] = {false, false, false, true},
};

/* ---- resource limits ---- */

enum { STACK_BYTES = 8 << 20, MOST_FILES = 64, MOST_FILES_GPU = 1024 };

static bool limits(const struct profile *p, const struct wire_configure *c) {
    return walls_limit(RLIMIT_CORE, 0) &&
           walls_limit(RLIMIT_CPU, c->cpu_seconds) &&
           walls_limit(RLIMIT_STACK, STACK_BYTES) &&
           walls_limit(RLIMIT_NOFILE,
                       p->devices ? MOST_FILES_GPU : MOST_FILES) &&
           (!p->limit_file_size || walls_limit(RLIMIT_FSIZE, 0)) &&
           (!p->limit_address_space || c->address_space == 0 ||
            walls_limit(RLIMIT_AS, c->address_space));
}

/* ---- Landlock ---- */

/* The driver opens its devices and its entries in /proc as one opens a file to
 * be overwritten. */
static const struct walls_path paths[] = {
    {"/usr", WALLS_READ},
    {"/lib", WALLS_READ},
    {"/lib64", WALLS_READ},
    {"/proc/self", WALLS_READ},
    {"/sys/devices/system/cpu", WALLS_READ},
    {"/etc/ld.so.cache", WALLS_READ},
    /* from here on only with a real GPU */
    {"/dev", WALLS_OVERWRITE},
    {"/proc", WALLS_OVERWRITE},
    {"/sys", WALLS_READ},
    {"/etc", WALLS_READ},
    {"/opt", WALLS_READ},
    {"/run", WALLS_READ}};
enum { N_PATHS = sizeof paths / sizeof *paths, N_PATHS_WITHOUT_GPU = 6 };

/* true also where the kernel has no Landlock. */
static bool landlock(const struct profile *p, const struct wire_configure *c,
                     const char *library) {
    struct walls_path all[N_PATHS + 2];
    size_t n = p->devices ? N_PATHS : N_PATHS_WITHOUT_GPU;
    if (!walls_landlock_version()) return true;
    memcpy(all, paths, n * sizeof *all);
    if (*library) all[n++] = (struct walls_path){library, WALLS_READ};
    if (*c->client) all[n++] = (struct walls_path){c->client, WALLS_READ};
    return walls_landlock(all, n, p->devices);
}

/* ---- seccomp ---- */

static const int allowed[] = {
#define X(name) SCMP_SYS(name),
#include "allowed.def"
#undef X
};

/* Stands for the process's number until that is known: no process has it, and
 * nothing else in the filter is it. */
static const uint32_t SELF = 0x7e57c0de;

/* Virtual GPU and host labs: nothing but the list. What is left out traps, so
 * that signals.c can answer it or tell the judge what was wanted. Files are
 * left out wholly: a path is behind a pointer that no filter can follow, and
 * Landlock lets everybody ask whether a file exists. Negative clocks are those
 * of processes by their number. */
static int fill_allow_list(scmp_filter_ctx filter) {
    enum { MOST_CLOCK = 15 };
    const uint32_t self = SELF;
    const struct walls_form forms[] = {
        {SCMP_SYS(clone),
         SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)},
        {SCMP_SYS(kill), SCMP_A0_32(SCMP_CMP_EQ, self)},
        {SCMP_SYS(tgkill), SCMP_A0_32(SCMP_CMP_EQ, self)},
        {SCMP_SYS(sched_setaffinity), SCMP_A0_32(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(sched_getaffinity), SCMP_A0_32(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(sched_getparam), SCMP_A0_32(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(sched_getscheduler), SCMP_A0_32(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(get_robust_list), SCMP_A0_32(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(clock_gettime), SCMP_A0_32(SCMP_CMP_LE, MOST_CLOCK)},
        {SCMP_SYS(clock_getres), SCMP_A0_32(SCMP_CMP_LE, MOST_CLOCK)},
        {SCMP_SYS(clock_nanosleep), SCMP_A0_32(SCMP_CMP_LE, MOST_CLOCK)},
        {SCMP_SYS(prctl), SCMP_A0_32(SCMP_CMP_EQ, PR_SET_NAME)},
        {SCMP_SYS(recvmsg), SCMP_A0_32(SCMP_CMP_EQ, WIRE_CONTROL_FD)},
        {SCMP_SYS(fcntl), SCMP_A1_32(SCMP_CMP_LE, F_SETFL)},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && !error; i++)
        error = walls_rule(filter, SCMP_ACT_ALLOW, allowed[i], NULL);
    return error ? error
                 : walls_forms(filter, SCMP_ACT_ALLOW, forms,
                               sizeof forms / sizeof *forms);
}

/* Real GPU: the driver's library needs much; refuse what no computation does.
 */
static int fill_deny_list(scmp_filter_ctx filter) {
    uint32_t self = (uint32_t)getpid();
    const struct walls_form forms[] = {
        {SCMP_SYS(clone), SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)},
        {SCMP_SYS(kill), SCMP_A0_32(SCMP_CMP_NE, self)},
        {SCMP_SYS(tgkill), SCMP_A0_32(SCMP_CMP_NE, self)},
        {SCMP_SYS(socket), SCMP_A0_32(SCMP_CMP_EQ, AF_INET)},
        {SCMP_SYS(socket), SCMP_A0_32(SCMP_CMP_EQ, AF_INET6)},
    };
    enum { VIRTUAL, ALWAYS };
    static const struct {
        int call, scope;
    } rows[] = {
#define X(name, scope, words) {SCMP_SYS(name), scope},
#include "refusals.def"
#undef X
    };
    int error =
        walls_forms(filter, SCMP_ACT_TRAP, forms, sizeof forms / sizeof *forms);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !error; i++) {
        bool has_form = rows[i].scope != ALWAYS;
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
            has_form = has_form || forms[k].call == rows[i].call;
        if (!has_form)
            error = walls_rule(filter, SCMP_ACT_TRAP, rows[i].call, NULL);
    }
    return error;
}

/* clone3 keeps its flags behind a pointer no filter can follow; libc falls back
 * to clone when the kernel does not know it. NULL: it could not be made. */
static scmp_filter_ctx new_filter(uint32_t usual,
                                  int (*fill)(scmp_filter_ctx)) {
    scmp_filter_ctx filter = seccomp_init(usual);
    if (!filter) return NULL;
    int error = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
                                       SCMP_SYS(clone3), 0, NULL);
    if (!error) error = fill(filter);
    if (!error) return filter;
    seccomp_release(filter);
    return NULL;
}

static bool deny_some(void) {
    scmp_filter_ctx filter = new_filter(SCMP_ACT_ALLOW, fill_deny_list);
    bool ok = filter && seccomp_load(filter) == 0;
    if (filter) seccomp_release(filter);
    return ok;
}

/* libseccomp takes longer for it than the kernel. */
void lockdown_prepare(struct lockdown_filter *f) {
    struct stat file;
    scmp_filter_ctx filter = new_filter(SCMP_ACT_TRAP, fill_allow_list);
    int fd = memfd_create("filter", MFD_CLOEXEC);
    *f = (struct lockdown_filter){0};
    if (filter && fd >= 0 && seccomp_export_bpf(filter, fd) == 0 &&
        fstat(fd, &file) == 0 && (f->code = malloc((size_t)file.st_size)) &&
        pread(fd, f->code, (size_t)file.st_size, 0) == file.st_size)
        f->n = (size_t)file.st_size / sizeof *f->code;
    if (filter) seccomp_release(filter);
    if (fd >= 0) close(fd);
}

static bool allow_few(struct lockdown_filter *f) {
    struct sock_fprog program = {.len = (unsigned short)f->n,
                                 .filter = f->code};
    size_t named = 0;
    for (size_t i = 0; i < f->n; i++)
        if (BPF_CLASS(f->code[i].code) == BPF_JMP && f->code[i].k == SELF) {
            f->code[i].k = (uint32_t)getpid();
            named++;
        }
    errno = EINVAL;
    return named &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool lockdown(const struct wire_configure *c, const char *library,
              struct lockdown_filter *filter, char text[WIRE_TEXT_BYTES]) {
    const struct profile *p = &profiles[c->device];
    const char *wall = NULL;
    if (!limits(p, c))
        wall = "resource limits";
    else if (!walls_no_new_rights())
        wall = "no_new_privs";
    else if (!walls_drop_capabilities())
        wall = "capabilities";
    else if (!landlock(p, c, library))
        wall = "Landlock";
    else if (!(p->allow_list ? allow_few(filter) : deny_some()))
        wall = "seccomp";
    if (wall)
        snprintf(text, WIRE_TEXT_BYTES, "cannot set %s: %s", wall,
                 strerror(errno));
    return !wall;
}

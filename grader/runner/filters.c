/* SPDX-License-Identifier: MIT
 *
 * filters.c: see filters.h. How to read this: allowed.def lists calls, `forms`
 * those of which only some forms are allowed, ioctls.def what may be asked of
 * a real GPU's driver. All else traps, so that signals.c can answer it or tell
 * the judge what was wanted.
 *
 * A filter sees 64 bits of each argument, of which the kernel takes 32 where
 * it is an int. So that bits which the kernel does not see cannot change the
 * meaning, this is a list of what is allowed (other upper bits: refused), but
 * for ioctl's request, where exactly the bits are compared that are seen.
 */
#include "filters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walls.h"
#include "wire.h"

static const int allowed[] = {
#define X(name) SCMP_SYS(name),
#include "allowed.def"
#undef X
};

/* Bits of a request: all 32, or type and number alone. */
enum { REQUEST = -1, CONTROL_TYPE = 'F' << 8, CONTROL_BITS = 0xffff };
static const struct {
    uint32_t bits, value;
} ioctls[] = {
#define CONTROL(number, name) {CONTROL_BITS, CONTROL_TYPE | (number)},
#define UVM(number, name)     {(uint32_t)REQUEST, number},
#include "ioctls.def"
#undef CONTROL
#undef UVM
};

static int fill_ioctls(scmp_filter_ctx filter) {
    int error = 0;
    for (size_t i = 0; i < sizeof ioctls / sizeof *ioctls && !error; i++) {
        struct scmp_arg_cmp request =
            SCMP_A1_64(SCMP_CMP_MASKED_EQ, ioctls[i].bits, ioctls[i].value);
        error = walls_rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), &request);
    }
    return error;
}

/* Files are left out wholly: a path is behind a pointer that no filter can
 * follow, and Landlock lets everybody ask whether a file exists. Negative
 * clocks are those of processes by their number. */
static int filters_fill(scmp_filter_ctx filter) {
    enum {
        MOST_CLOCK = 15,
        NEW = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
              CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP | CLONE_THREAD
    };
    const struct walls_form forms[] = {
        {SCMP_SYS(clone), SCMP_A0_64(SCMP_CMP_MASKED_EQ, NEW, CLONE_THREAD)},
        {SCMP_SYS(kill), SCMP_A0_64(SCMP_CMP_EQ, FILTERS_SELF)},
        {SCMP_SYS(tgkill), SCMP_A0_64(SCMP_CMP_EQ, FILTERS_SELF)},
        {SCMP_SYS(sched_setaffinity), SCMP_A0_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(sched_getaffinity), SCMP_A0_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(sched_getparam), SCMP_A0_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(sched_getscheduler), SCMP_A0_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(get_robust_list), SCMP_A0_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(clock_gettime), SCMP_A0_64(SCMP_CMP_LE, MOST_CLOCK)},
        {SCMP_SYS(clock_getres), SCMP_A0_64(SCMP_CMP_LE, MOST_CLOCK)},
        {SCMP_SYS(clock_nanosleep), SCMP_A0_64(SCMP_CMP_LE, MOST_CLOCK)},
        {SCMP_SYS(prctl), SCMP_A0_64(SCMP_CMP_EQ, PR_SET_NAME)},
        {SCMP_SYS(recvmsg), SCMP_A0_64(SCMP_CMP_EQ, WIRE_CONTROL_FD)},
        /* To whom it is connected, and nobody else. */
        {SCMP_SYS(sendto), SCMP_A4_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(fcntl), SCMP_A1_64(SCMP_CMP_LE, F_SETFL)},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && !error; i++)
        error = walls_rule(filter, SCMP_ACT_ALLOW, allowed[i], NULL);
    return error ? error
                 : walls_forms(filter, SCMP_ACT_ALLOW, forms,
                               sizeof forms / sizeof *forms);
}

/* clone3 keeps its flags behind a pointer no filter can follow; libc falls back
 * to clone when the kernel does not know it. NULL: it could not be made. */
static scmp_filter_ctx new_filter(bool gpu) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
    if (!filter) return NULL;
    int error = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
                                       SCMP_SYS(clone3), 0, NULL);
    if (!error) error = filters_fill(filter);
    if (!error && gpu) error = fill_ioctls(filter);
    if (!error) return filter;
    seccomp_release(filter);
    return NULL;
}

/* libseccomp takes longer for it than the kernel, so it is made once for all
 * copies of a runner. */
void filters_make(struct lockdown_filter *f, bool gpu) {
    struct stat file;
    scmp_filter_ctx filter = new_filter(gpu);
    int fd = memfd_create("filter", MFD_CLOEXEC);
    *f = (struct lockdown_filter){0};
    if (filter && fd >= 0 && seccomp_export_bpf(filter, fd) == 0 &&
        fstat(fd, &file) == 0 && (f->code = malloc((size_t)file.st_size)) &&
        pread(fd, f->code, (size_t)file.st_size, 0) == file.st_size)
        f->n = (size_t)file.st_size / sizeof *f->code;
    if (filter) seccomp_release(filter);
    if (fd >= 0) close(fd);
}

bool filters_load(struct lockdown_filter *f) {
    struct sock_fprog program = {.len = (unsigned short)f->n,
                                 .filter = f->code};
    size_t named = 0;
    for (size_t i = 0; i < f->n; i++)
        if (BPF_CLASS(f->code[i].code) == BPF_JMP &&
            f->code[i].k == FILTERS_SELF) {
            f->code[i].k = (uint32_t)getpid();
            named++;
        }
    errno = EINVAL;
    /* All threads: a real GPU's driver has some already. */
    return named && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                            SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/* SPDX-License-Identifier: MIT
 *
 * calls.c: see walls.h. A call that tools.def does not list is answered as by a
 * kernel that does not know it, which programs and libc are prepared for.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "walls.h"

static const int of_tools[] = {
#define X(name) SCMP_SYS(name),
#define FILE(name, what, folder, path, rest)
#include "tools.def"
#undef X
#undef FILE
};
static const int that_name_files[] = {
#define X(name)
#define FILE(name, what, folder, path, rest) SCMP_SYS(name),
#include "tools.def"
#undef X
#undef FILE
};

int walls_rule(scmp_filter_ctx filter, uint32_t action, int call,
               const struct scmp_arg_cmp *condition) {
    int error = seccomp_rule_add_array(filter, action, call, condition ? 1 : 0,
                                       condition);
    return error == -EDOM || error == -EINVAL ? 0 : error;
}

int walls_forms(scmp_filter_ctx filter, uint32_t action,
                const struct walls_form *forms, size_t n) {
    int error = 0;
    for (size_t i = 0; i < n && !error; i++)
        error = walls_rule(filter, action, forms[i].call, &forms[i].condition);
    return error;
}

/* New namespaces would come with new rights. clone3 keeps its flags behind a
 * pointer that no filter can follow; libc falls back to clone. Locks and owners
 * of files, which reach others, are commands of fcntl above F_SETFL. */
static int calls_fill(scmp_filter_ctx filter, uint32_t files) {
    enum {
        NEW = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
              CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP
    };
    const struct walls_form forms[] = {
        {SCMP_SYS(clone), SCMP_A0_64(SCMP_CMP_MASKED_EQ, NEW, 0)},
        {SCMP_SYS(prlimit64), SCMP_A0_32(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(prctl), SCMP_A0_32(SCMP_CMP_EQ, PR_SET_NAME)},
        {SCMP_SYS(fcntl), SCMP_A1_32(SCMP_CMP_LE, F_SETFL)},
        {SCMP_SYS(fcntl), SCMP_A1_32(SCMP_CMP_EQ, F_DUPFD_CLOEXEC)},
        {SCMP_SYS(ioctl), SCMP_A1_32(SCMP_CMP_EQ, TCGETS)},
        {SCMP_SYS(ioctl), SCMP_A1_32(SCMP_CMP_EQ, TIOCGWINSZ)},
        {SCMP_SYS(ioctl), SCMP_A1_32(SCMP_CMP_EQ, FIOCLEX)},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof of_tools / sizeof *of_tools && !error; i++)
        error = walls_rule(filter, SCMP_ACT_ALLOW, of_tools[i], NULL);
    size_t n = sizeof that_name_files / sizeof *that_name_files;
    for (size_t i = 0; i < n && !error; i++)
        error = walls_rule(filter, files, that_name_files[i], NULL);
    /* ld makes its output executable, which is not needed, and Landlock would
     * let it do so to any file of the user: the call does nothing and returns
     * success. */
    static const int silent[] = {SCMP_SYS(chmod), SCMP_SYS(fchmod),
                                 SCMP_SYS(fchmodat)};
    for (size_t i = 0; i < sizeof silent / sizeof *silent && !error; i++)
        error = walls_rule(filter, SCMP_ACT_ERRNO(0), silent[i], NULL);
    return error ? error
                 : walls_forms(filter, SCMP_ACT_ALLOW, forms,
                               sizeof forms / sizeof *forms);
}

scmp_filter_ctx walls_tool_filter(bool supervised) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    int error = filter ? calls_fill(filter, supervised ? SCMP_ACT_NOTIFY
                                                       : SCMP_ACT_ALLOW)
                       : 0;
    if (!error) return filter;
    seccomp_release(filter);
    errno = -error;
    return NULL;
}

bool walls_tool_calls(int *supervisor) {
    scmp_filter_ctx filter = walls_tool_filter(supervisor != NULL);
    if (!filter) return false;
    int error = seccomp_load(filter);
    if (!error && supervisor) {
        *supervisor = seccomp_notify_fd(filter);
        if (*supervisor < 0) error = *supervisor;
    }
    seccomp_release(filter);
    if (error) errno = -error;
    return error == 0;
}

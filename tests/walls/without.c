/* SPDX-License-Identifier: MIT
 *
 * without: runs a command as on a system that lacks something.
 *
 *   without landlock|namespaces|both|files|seccomp|openat2|openat2-refused
 *           COMMAND WORD...
 *
 * landlock, seccomp, openat2: a kernel without it; openat2-refused: a filter
 * that refuses what it does not know. namespaces: a container whose seccomp
 * profile refuses unshare and mount, as Docker's does. files: both, and
 * somebody supervises calls already, who alone can.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int refuse(scmp_filter_ctx filter, int error, const int *calls,
                  size_t n) {
    int failed = 0;
    for (size_t i = 0; i < n && !failed; i++)
        failed = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((unsigned)error),
                                        calls[i], 0, NULL);
    return failed;
}

/* As a kernel that was built without CONFIG_SECCOMP, or qemu-user. */
static int refuse_seccomp(scmp_filter_ctx filter) {
    int failed =
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(seccomp), 0);
    return failed ? failed
                  : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL),
                                     SCMP_SYS(prctl), 1,
                                     SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP));
}

int main(int argc, char **argv) {
    static const int landlock[] = {444, 445, 446},
                     namespaces[] = {SCMP_SYS(unshare), SCMP_SYS(mount),
                                     SCMP_SYS(setns), SCMP_SYS(pivot_root)},
                     openat2[] = {SCMP_SYS(openat2)};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    const char *what = argc > 2 ? argv[1] : "";
    bool files = strcmp(what, "files") == 0;
    bool both = files || strcmp(what, "both") == 0;
    int failed = !filter || argc < 3;
    if (!failed && (both || strcmp(what, "landlock") == 0))
        failed = refuse(filter, ENOSYS, landlock, 3);
    if (!failed && (both || strcmp(what, "namespaces") == 0))
        failed = refuse(filter, EPERM, namespaces, 4);
    if (!failed && strcmp(what, "openat2") == 0)
        failed = refuse(filter, ENOSYS, openat2, 1);
    if (!failed && strcmp(what, "openat2-refused") == 0)
        failed = refuse(filter, EPERM, openat2, 1);
    if (!failed && strcmp(what, "seccomp") == 0)
        failed = refuse_seccomp(filter);
    if (!failed && files)
        failed = seccomp_rule_add(
            filter, SCMP_ACT_ERRNO(EBUSY), SCMP_SYS(seccomp), 1,
            SCMP_A1(SCMP_CMP_MASKED_EQ, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                    SECCOMP_FILTER_FLAG_NEW_LISTENER));
    /* Landlock itself needs this, so that nothing is lost. */
    if (!failed) failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!failed) failed = seccomp_load(filter);
    if (failed) {
        fprintf(stderr, "without: cannot filter\n");
        return 2;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}

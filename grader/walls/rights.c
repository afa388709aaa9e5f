/* SPDX-License-Identifier: MIT
 *
 * rights.c: see walls.h.
 */
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walls.h"

bool walls_limit(int resource, uint64_t most) {
    struct rlimit old, wanted = {most, most};
    if (getrlimit((unsigned)resource, &old) != 0) return false;
    if (old.rlim_max < most) wanted.rlim_cur = wanted.rlim_max = old.rlim_max;
    return setrlimit((unsigned)resource, &wanted) == 0;
}

bool walls_no_new_rights(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool walls_drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    return syscall(SYS_capset, &header, none) == 0;
}

/* SPDX-License-Identifier: MIT
 *
 * landlock.c: see walls.h. Landlock needs no rights and works inside
 * containers; it says nothing about stat, chmod and the like, which calls.c and
 * root.c take care of.
 */
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walls.h"

/* The kernel's newest layout; older kernels are given a prefix of it. Not all
 * of it is in the header of the oldest system we build on. */
struct ruleset {
    uint64_t fs, net, scoped;
};
enum {
    FS_ABI_1 = (1 << 13) - 1, /* all rights of the first version */
    FS_REFER = 1 << 13,       /* since 2 */
    FS_TRUNCATE = 1 << 14,    /* since 3 */
    FS_IOCTL_DEV = 1 << 15,   /* since 5 */
    FS_READ = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
              LANDLOCK_ACCESS_FS_EXECUTE,
    FS_OVERWRITE = FS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE,
    /* Files and folders; no devices, sockets, FIFOs, links. */
    FS_FILL = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
              LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | FS_REFER |
              LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR,
    FS_OF_FILES = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                  LANDLOCK_ACCESS_FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
    NET_TCP = 3,  /* bind, connect: since 4 */
    SCOPE_ALL = 3 /* abstract sockets, signals: since 6 */
};
static const uint64_t rights[] = {[WALLS_READ] = FS_READ,
                                  [WALLS_OVERWRITE] = FS_OVERWRITE,
                                  [WALLS_FILL] = FS_FILL};

static bool allow(int ruleset, uint64_t known, const struct walls_path *p) {
    struct landlock_path_beneath_attr rule = {0};
    struct stat file;
    rule.parent_fd = open(p->path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return true;
    rule.allowed_access = rights[p->access] & known;
    bool ok = fstat(rule.parent_fd, &file) == 0;
    if (ok && !S_ISDIR(file.st_mode)) rule.allowed_access &= FS_OF_FILES;
    ok = ok && syscall(SYS_landlock_add_rule, ruleset,
                       LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return ok;
}

int walls_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                           LANDLOCK_CREATE_RULESET_VERSION);
    return version < 1 ? 0 : (int)version;
}

bool walls_landlock(const struct walls_path *paths, size_t n, bool devices) {
    int version = walls_landlock_version();
    struct ruleset rules = {.fs = FS_ABI_1};
    size_t size = sizeof rules.fs;
    if (version >= 2) rules.fs |= FS_REFER;
    if (version >= 3) rules.fs |= FS_TRUNCATE;
    if (version >= 4) rules.net = NET_TCP, size = 2 * sizeof rules.fs;
    if (version >= 5 && !devices) rules.fs |= FS_IOCTL_DEV;
    if (version >= 6) rules.scoped = SCOPE_ALL, size = sizeof rules;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (ruleset < 0) return false;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = allow(ruleset, rules.fs, &paths[i]);
    ok = ok && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return ok;
}

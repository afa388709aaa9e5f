/* SPDX-License-Identifier: MIT
 *
 * lockdown.c: what the student's code may do, decided before it is loaded.
 *
 * Walls, in the order they are built: death with the judge, resource limits, no
 * new privileges, no capabilities (so that root in a container is nobody), no
 * files beyond a short list (Landlock), no system calls beyond a list
 * (seccomp). One row of `profiles` per device says how far each goes: a real
 * GPU needs its driver's devices, files and mappings.
 * Where the kernel lacks Landlock the other walls stand; the judge keeps its
 * secrets in its own memory, so that nothing depends on one wall.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

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

static bool limit(int resource, rlim_t most) {
    struct rlimit old, wanted = {most, most};
    if (getrlimit((unsigned)resource, &old) != 0) return false;
    if (old.rlim_max < most) wanted.rlim_cur = wanted.rlim_max = old.rlim_max;
    return setrlimit((unsigned)resource, &wanted) == 0;
}

static bool limits(const struct profile *p, const struct wire_configure *c) {
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_CPU, c->cpu_seconds) &&
           limit(RLIMIT_STACK, STACK_BYTES) &&
           limit(RLIMIT_NOFILE, p->devices ? MOST_FILES_GPU : MOST_FILES) &&
           (!p->limit_file_size || limit(RLIMIT_FSIZE, 0)) &&
           (!p->limit_address_space || c->address_space == 0 ||
            limit(RLIMIT_AS, c->address_space));
}

static bool drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    return syscall(SYS_capset, &header, none) == 0;
}

/* ---- Landlock ---- */

/* The kernel's newest layout; older kernels are given a prefix of it. Not all
 * of it is in the header of the oldest system we build on. */
struct ruleset {
    uint64_t fs, net, scoped;
};
enum {
    FS_READ = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
              LANDLOCK_ACCESS_FS_EXECUTE,
    FS_ABI_1 = (1 << 13) - 1, /* all rights of the first version */
    FS_REFER = 1 << 13,       /* since 2 */
    FS_TRUNCATE = 1 << 14,    /* since 3 */
    FS_IOCTL_DEV = 1 << 15,   /* since 5 */
    FS_OVERWRITE = FS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE,
    NET_TCP = 3,  /* bind, connect: since 4 */
    SCOPE_ALL = 3 /* abstract sockets, signals: since 6 */
};

struct guard {
    int fd;          /* the ruleset */
    uint64_t rights; /* those this kernel can refuse */
};

/* Paths that are not there need no rule. */
static bool allow_path(const struct guard *g, const char *path,
                       uint64_t rights) {
    struct landlock_path_beneath_attr rule = {.allowed_access =
                                                  rights & g->rights};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return true;
    bool ok = syscall(SYS_landlock_add_rule, g->fd, LANDLOCK_RULE_PATH_BENEATH,
                      &rule, 0) == 0;
    close(rule.parent_fd);
    return ok;
}

/* X(path, rights, only with a real GPU). The driver opens its devices and its
 * entries in /proc as one opens a file to be overwritten. */
static const struct {
    const char *path;
    uint64_t rights;
    bool devices;
} paths[] = {{"/usr", FS_READ, false},
             {"/lib", FS_READ, false},
             {"/lib64", FS_READ, false},
             {"/proc/self", FS_READ, false},
             {"/sys/devices/system/cpu", FS_READ, false},
             {"/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE, false},
             {"/dev", FS_OVERWRITE, true},
             {"/proc", FS_OVERWRITE, true},
             {"/sys", FS_READ, true},
             {"/etc", FS_READ, true},
             {"/opt", FS_READ, true},
             {"/run", FS_READ, true}};

static bool allow_paths(const struct guard *g, const struct profile *p,
                        const struct wire_configure *c, const char *library) {
    bool ok = (!*library || allow_path(g, library, FS_READ)) &&
              (!*c->client || allow_path(g, c->client, FS_READ));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!paths[i].devices || p->devices)
            ok = ok && allow_path(g, paths[i].path, paths[i].rights);
    return ok;
}

/* true also where the kernel has no Landlock. */
static bool landlock(const struct profile *p, const struct wire_configure *c,
                     const char *library) {
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
                       LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) return true;
    struct ruleset rules = {.fs = FS_ABI_1};
    size_t size = sizeof rules.fs;
    if (abi >= 2) rules.fs |= FS_REFER;
    if (abi >= 3) rules.fs |= FS_TRUNCATE;
    if (abi >= 4) rules.net = NET_TCP, size = 2 * sizeof rules.fs;
    if (abi >= 5 && !p->devices) rules.fs |= FS_IOCTL_DEV;
    if (abi >= 6) rules.scoped = SCOPE_ALL, size = sizeof rules;
    struct guard g = {
        .fd = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0),
        .rights = rules.fs};
    if (g.fd < 0) return false;
    bool ok = allow_paths(&g, p, c, library) &&
              syscall(SYS_landlock_restrict_self, g.fd, 0) == 0;
    close(g.fd);
    return ok;
}

/* ---- seccomp ---- */

static const int allowed[] = {
#define X(name) SCMP_SYS(name),
#include "allowed.def"
#undef X
};

struct form {
    int call;
    struct scmp_arg_cmp condition;
};

/* A call this architecture does not have needs no rule. */
static int add_rule(scmp_filter_ctx filter, uint32_t action, int call,
                    const struct scmp_arg_cmp *condition) {
    int error = seccomp_rule_add_array(filter, action, call, condition ? 1 : 0,
                                       condition);
    return error == -EDOM || error == -EINVAL ? 0 : error;
}

static int add_forms(scmp_filter_ctx filter, uint32_t action,
                     const struct form *forms, size_t n) {
    int error = 0;
    for (size_t i = 0; i < n && !error; i++)
        error = add_rule(filter, action, forms[i].call, &forms[i].condition);
    return error;
}

/* Virtual GPU and host labs: nothing but the list. What is left out traps, so
 * that signals.c can tell the judge what was wanted. */
static int fill_allow_list(scmp_filter_ctx filter) {
    enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC };
    uint32_t self = (uint32_t)getpid();
    const struct form forms[] = {
        {SCMP_SYS(clone),
         SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)},
        {SCMP_SYS(kill), SCMP_A0_32(SCMP_CMP_EQ, self)},
        {SCMP_SYS(tgkill), SCMP_A0_32(SCMP_CMP_EQ, self)},
        {SCMP_SYS(prlimit64), SCMP_A2_64(SCMP_CMP_EQ, 0)},
        {SCMP_SYS(open), SCMP_A1_32(SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY)},
        {SCMP_SYS(openat), SCMP_A2_32(SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY)},
        {SCMP_SYS(prctl), SCMP_A0_32(SCMP_CMP_EQ, PR_SET_NAME)},
        {SCMP_SYS(fcntl), SCMP_A1_32(SCMP_CMP_LE, F_SETFL)},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && !error; i++)
        error = add_rule(filter, SCMP_ACT_ALLOW, allowed[i], NULL);
    return error ? error
                 : add_forms(filter, SCMP_ACT_ALLOW, forms,
                             sizeof forms / sizeof *forms);
}

/* Real GPU: the driver's library needs much; refuse what no computation does.
 */
static int fill_deny_list(scmp_filter_ctx filter) {
    uint32_t self = (uint32_t)getpid();
    const struct form forms[] = {
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
        add_forms(filter, SCMP_ACT_TRAP, forms, sizeof forms / sizeof *forms);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !error; i++) {
        bool has_form = rows[i].scope != ALWAYS;
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
            has_form = has_form || forms[k].call == rows[i].call;
        if (!has_form)
            error = add_rule(filter, SCMP_ACT_TRAP, rows[i].call, NULL);
    }
    return error;
}

static bool filter_calls(const struct profile *p) {
    scmp_filter_ctx filter =
        seccomp_init(p->allow_list ? SCMP_ACT_TRAP : SCMP_ACT_ALLOW);
    if (!filter) return false;
    /* clone3 keeps its flags behind a pointer no filter can follow; libc falls
     * back to clone when the kernel does not know it. */
    int error = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
                                       SCMP_SYS(clone3), 0, NULL);
    if (!error)
        error =
            p->allow_list ? fill_allow_list(filter) : fill_deny_list(filter);
    if (!error) error = seccomp_load(filter);
    seccomp_release(filter);
    return error == 0;
}

bool lockdown(const struct wire_configure *c, const char *library,
              char text[WIRE_TEXT_BYTES]) {
    const struct profile *p = &profiles[c->device];
    const char *wall = NULL;
    if (!limits(p, c))
        wall = "resource limits";
    else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        wall = "no_new_privs";
    else if (!drop_capabilities())
        wall = "capabilities";
    else if (!landlock(p, c, library))
        wall = "Landlock";
    else if (!filter_calls(p))
        wall = "seccomp";
    if (wall)
        snprintf(text, WIRE_TEXT_BYTES, "cannot set %s: %s", wall,
                 strerror(errno));
    return !wall;
}

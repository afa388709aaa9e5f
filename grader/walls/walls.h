/* SPDX-License-Identifier: MIT
 *
 * walls.h: rights that a process gives up before it runs or reads a submission,
 * for ever and for all processes that it starts. Each function builds one wall,
 * or a part of one, around its caller; docs/robustness.md says what each
 * promises, contract/walls.def has their names. The runner (runner/lockdown.c)
 * puts them around the submission's code, scanlab-walls (main.c) around the
 * tools that read a submission: compilers, addr2line.
 *
 *   rights.c    resource limits, capabilities, no new privileges
 *   landlock.c  files, by Landlock
 *   root.c      files, by a root folder that holds nothing else
 *   calls.c     system calls, by seccomp
 *   supervise.c files, by a supervisor that seccomp asks
 *   tools.def   those that a compiler makes
 */
#pragma once

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* libseccomp 2.5.3 (Ubuntu 22.04) does not know this call; its number is the
 * same on every machine. */
#ifndef __SNR_futex_waitv
#define __SNR_futex_waitv 449
#endif

/* ---- rights.c ---- */
/* No more of a resource than this, or than is allowed already. */
bool walls_limit(int resource, uint64_t most);
/* Programs that it executes gain no rights either. */
bool walls_no_new_rights(void);
/* Root in a container is then nobody. */
bool walls_drop_capabilities(void);

/* ---- files: landlock.c, root.c ---- */
enum walls_access {
    WALLS_READ,      /* and execute */
    WALLS_OVERWRITE, /* and read, execute */
    WALLS_FILL       /* and read, make, remove; not execute */
};
struct walls_path {
    const char *path; /* what is not there needs no rule */
    enum walls_access access;
};
/* The version of the kernel's Landlock; 0: it has none. */
int walls_landlock_version(void);
/* No files but these. devices: ioctl on them, too. */
bool walls_landlock(const struct walls_path *, size_t n, bool devices);
/* From now on the root folder holds only these paths. It is mounted at `place`,
 * which may be any existing folder. false: the kernel or the container forbids
 * it; then nothing has changed. */
bool walls_root(const struct walls_path *, size_t n, const char *place);

/* ---- calls.c ---- */
struct walls_form {
    int call;
    struct scmp_arg_cmp condition;
};
/* 0, or libseccomp's error. A call that this architecture does not have needs
 * no rule. condition may be NULL. */
int walls_rule(scmp_filter_ctx, uint32_t action, int call,
               const struct scmp_arg_cmp *condition);
int walls_forms(scmp_filter_ctx, uint32_t action, const struct walls_form *,
                size_t n);
/* Nothing but what a compiler does: no network, no signals, no look into other
 * processes, no way out of the process group. */
/* The filter alone; NULL: errno says why there is none. */
scmp_filter_ctx walls_tool_filter(bool supervised);
/* supervisor: NULL, or gets the descriptor by which to be asked about files;
 * until somebody answers there, calls that name one wait. */
bool walls_tool_calls(int *supervisor);

/* ---- supervise.c ---- */
/* As fork, but the child's descriptors are ours, too, until it executes. */
pid_t walls_fork_sharing(void);
/* Opens, makes and removes for the child, and all that it starts, those files
 * that the paths allow, until it ends. told: where it writes walls_tool_calls's
 * descriptor, an int, from the moment on that there is one. */
void walls_supervise(const struct walls_path *, size_t n, pid_t child,
                     int told);

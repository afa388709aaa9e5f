/* SPDX-License-Identifier: MIT
 *
 * command.h: runs a tool (compiler, addr2line, nvidia-smi) and keeps its
 * output. The tool runs in a session and process group of its own. When it has
 * ended, when its time is over (group.h), or when scanlab itself ends
 * (ending.h), no process of the group is left. walled.h runs a tool inside
 * walls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ending.h"
#include "text.h"
#include "group.h"

struct command {
    const char *const
        *arguments;     /* [0] is looked up in PATH; NULL at the end */
    const char *folder; /* to run in; NULL: here */
    const char *const *environment; /* NULL: ours; the last one is NULL */
    unsigned limit_ms;
    long long until;     /* it is ended at this time of clock_ms, also on a busy
                            machine; 0: no end */
    size_t output_limit; /* bytes of stdout and stderr kept */
    bool ends_when_full; /* it is stopped when it writes more */
    /* Of all its processes together; 0: no limit. */
    unsigned most_processes, most_mib;
    /* The folders that it writes into, NULL at the end, and how many files and
     * MiB they may have together; NULL: not watched. */
    const char *const *folders;
    unsigned most_files, most_disk_mib;
    unsigned most_file_mib; /* of one; kept by walls */
    /* Another command that runs; command_finish watches it, too, while it waits
     * for this one. */
    struct command *beside;
    struct command_run *beside_run;
    struct text output;  /* out: to be freed with text_free */
    struct text trouble; /* out: what it wrote to descriptor 3, the same */
    enum command_stop {
        COMMAND_ENDED,
        COMMAND_LATE,
        COMMAND_CROWD,    /* too many processes, or too much memory */
        COMMAND_DISK,     /* too many files, or too large ones */
        COMMAND_TALK      /* it said too much */
    } stopped;            /* out: why; by itself, when it has ended */
    int status;           /* out: as waitpid gives it */
    unsigned computed_ms; /* out: its processor time, as far as it is known */
};

/* A command under way; it does not move meanwhile. */
struct command_run {
    int pid, fd, trouble;
    bool ended;
    struct ending ending;
    struct group_limit limit;
};

/* 0, or errno when it could not be started (ENOENT: no such program). */
int command_start(struct command *, struct command_run *);
void command_finish(struct command *, struct command_run *);
/* Both. true when it was started and exited with 0. */
bool command_run(struct command *);
/* Exited with 0, in time. */
bool command_worked(const struct command *);

/* SPDX-License-Identifier: MIT
 *
 * command.h: runs a tool (compiler, addr2line, nvidia-smi) and keeps what it
 * says. In a process group of its own, which is killed at the time limit
 * (time_limit.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "text.h"
#include "time_limit.h"

struct command {
    const char *const
        *arguments;     /* [0] is looked up in PATH; NULL at the end */
    const char *folder; /* to run in; NULL: here */
    unsigned limit_ms;
    size_t output_limit; /* bytes of stdout and stderr kept */
    struct text output;  /* out: to be freed with text_free */
    bool timed_out;      /* out */
    int status;          /* out: as waitpid gives it */
};

/* A command under way. */
struct command_run {
    int pid, fd;
    struct time_limit limit;
};

/* 0, or errno when it could not be started (ENOENT: no such program). */
int command_start(struct command *, struct command_run *);
void command_finish(struct command *, struct command_run *);
/* Both. true when it was started and exited with 0. */
bool command_run(struct command *);

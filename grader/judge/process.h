/* SPDX-License-Identifier: MIT
 *
 * process.h: one runner as the judge sees it: asked over the control socket,
 * its device served, its output kept, its time and threads watched. A request
 * ends in exactly one process_event; after any but ANSWERED the process is of
 * no more use.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <vgpu.h>

#include "text.h"
#include "time_limit.h"
#include "wire.h"

enum process_event {
    PROCESS_ANSWERED, /* reply holds the answer */
    PROCESS_FAILED,   /* reply.u.text says what the runner could not do */
    PROCESS_ENDED,    /* it is gone; status as waitpid gives it */
    PROCESS_LATE,     /* deadline passed; killed */
    PROCESS_GARBAGE,  /* the control socket carried what nobody asked for */
    PROCESS_DEVICE,   /* the device channel did; a finding says what */
    PROCESS_THREADS   /* more threads than PROCESS_MOST_THREADS; killed */
};

enum { PROCESS_OUTPUT_BYTES = 64 * 1024, PROCESS_MOST_THREADS = 256 };

/* Two cases run at a time. The second waits while the first takes long, because
 * its answer is not needed if the first fails. */
enum turn { TURN_GO_ON, TURN_WAIT, TURN_OVER };
struct turns {
    enum turn (*ask)(void *user); /* NULL: always TURN_GO_ON */
    void *user;
};

struct process {
    pid_t pid;                 /* 0: reaped */
    struct forkserver *server; /* whose copy it is */
    int control, device_fd;    /* device_fd -1: none */
    int out, err;              /* pipes; -1: closed */
    vgpu_session *session;
    uint64_t sequence;
    struct time_limit limit;          /* of the request under way */
    long long own_limit;              /* process_settings.own_limit_ms */
    long long own_at_start, next_own; /* computed by then; when to look again */
    bool own_is_over;
    struct turns turns;
    struct text output; /* stdout and stderr, the first OUTPUT_BYTES */
    int status;
    bool status_known;
    uint64_t refused; /* bit per row of refusals.def */
    bool is_short;    /* the system had no memory or thread for it */
    bool is_crowded;  /* it has started more than PROCESS_MOST_THREADS */
    long long next_count;
    struct watch_finding {
        bool is; /* the first of its kind */
        uint64_t value, value2;
        struct wire_report place;
    } found[WIRE_N_WATCHES];
    struct wire_report at, crash;
    bool has_at;
    int crash_signal; /* 0: none told */
};

struct process_settings {
    const char *runner;  /* path of scanlab-runner */
    const char *client;  /* folder of libcudart.so.13; NULL: C lab */
    const char *library; /* "" : baselines only */
    enum wire_device device;
    bool weaker_walls; /* judge_options.h */
    vgpu_device *vgpu; /* for WIRE_VGPU */
    struct turns turns;
    unsigned time_limit_ms, memory_limit_mib;
    unsigned own_limit_ms; /* of what it computes itself in a request, without
                              the device; 0: none */
};

/* Starts, locks in, loads nothing yet. 0, or errno. */
int process_start(struct process *, const struct process_settings *);
/* Kills, reaps, keeps output, status and reports. Safe to call twice. */
void process_stop(struct process *);
void process_free(struct process *);

/* Sends the request (its magic and sequence are filled in) with n_fds
 * descriptors and waits for its end, limit_ms at most. */
enum process_event process_ask(struct process *, struct wire_message *request,
                               const int *fds, size_t n_fds, unsigned limit_ms,
                               struct wire_message *reply);

/* Stops it from running, until process_thaw; false: it is gone. */
bool process_freeze(struct process *);
void process_thaw(struct process *);
/* Has its channel to the device closed while it ran, or has the device been
 * short of memory? */
bool process_device_failed(const struct process *);
/* Threads it has, by the kernel's account; 0: unknown. */
unsigned process_threads(const struct process *);
/* vgpu_options.should_stop: user is the process. */
bool process_should_stop(void *);
/* Since the last request was sent, in milliseconds. */
long long process_computed(const struct process *);

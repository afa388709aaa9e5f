/* SPDX-License-Identifier: MIT
 *
 * harness.h: a submission's function in a runner, ready to be called: process,
 * device and buffers together, for C labs, the virtual GPU and a real one. What
 * a call left is data; explain.h puts it into words, case.h decides.
 */
#pragma once

#include "lab.h"
#include "arena.h"
#include "device_buffers.h"
#include "process.h"

/* Changes of the program and its device that are tried (vgpu_options). */
struct change {
    const struct vgpu_edit *edits;
    size_t n_edits;
    bool clears_memory, clears_shared, numbers_as_started;
};

struct harness_settings {
    const struct lab *lab;
    const struct lab_function *function;
    const char *runner, *client; /* paths: the program, libcudart's folder */
    const char *library;
    const struct walled *walled; /* for tools that read the library */
    enum wire_device device;
    const char *schedule;     /* as vgpu_parse_schedule reads it */
    const char *profile;      /* of the virtual GPU; NULL: its usual one */
    const char *clock;        /* of its model time; NULL: none */
    bool all_messages;        /* as in vgpu_options */
    uint32_t slack_bytes;     /* likewise */
    uint32_t shared_slack;    /* as shared_slack_bytes there */
    bool feeds;               /* likewise */
    bool states;              /* likewise */
    bool overlaps_are_told;   /* findings of overlapping copies do not count */
    bool why, timeline;       /* vgpu_why, vgpu_timeline are kept */
    const char *memory_model; /* as vgpu_parse_memory_model; NULL: sc */
    vgpu_contents contents;   /* of memory that the submission allocates */
    uint64_t contents_seed;
    unsigned vgpu_checks;   /* whose findings fail a call */
    unsigned also_watched;  /* whose findings may explain a wrong answer, but do
                               not fail a call: initcheck, because a right kernel
                               may read unwritten words that it does not use */
    unsigned limit_ms;      /* of a call; C labs: of all together */
    unsigned load_limit_ms; /* processor time of loading the library */
    unsigned host_limit_ms; /* virtual GPU: of what a call's host code computes;
                               0: the same */
    uint64_t budget;        /* virtual GPU: warp instructions of all calls */
    struct turns turns;
    const struct vgpu_trace_options *trace; /* of the virtual GPU; NULL: none */
    bool steps;                             /* vgpu_steps_seen is kept */
    size_t asked_bytes;                     /* as in vgpu_options */
    const struct change *change;            /* NULL: none */
    /* Words of the output that alone are watched (vgpu_watch_word); 0: none */
    size_t watched, watched_words;
    vgpu_cache *cache;       /* of the virtual GPUs; NULL: none */
    struct surplus *surplus; /* of the judge's memory; NULL: there is enough */
    bool weaker_walls;       /* judge_options.h */
    bool was_wrong; /* the limit of a small GPU, whatever the profile */
    bool alone;     /* twice as much of it as in a grade */
    struct marked_input marked; /* virtual GPU */
    size_t misalign;
    bool in_place;
    bool late;      /* C labs: the beginning of the input is held back */
    unsigned watch; /* C labs: bits by enum wire_watch; library is the watched
                       build */
    /* C labs: a right function stands in this one's place (runner/given.c);
     * NULL: none. One that the library does not call changes nothing. */
    const struct lab_function *given;
    const struct parameters *parameters; /* NULL: the usual ones */
};

enum harness_stage {
    HARNESS_STARTING,
    HARNESS_LOADING,
    HARNESS_CALLING,
    HARNESS_RETURNED
};

struct harness {
    struct harness_settings settings;
    struct process process;
    vgpu_device *vgpu;
    bool has_surplus;
    struct text printed; /* by kernels */
    /* The last request: how far it came and how it ended. */
    enum harness_stage stage;
    enum process_event event;
    struct wire_message reply;
    uint64_t in_base, out_base; /* where the runner has the arena's maps */
    struct arena arena;         /* the call's, for the size it was opened for */
    size_t arena_n;
    bool has_arena;
    size_t n;            /* elements of the last call */
    unsigned calls;      /* so far */
    unsigned computed;   /* C labs: in all of them, milliseconds */
    bool one_core;       /* C labs: the next call's threads share one */
    unsigned fail;       /* C labs: which call of the next call's fails */
    uint64_t heap_bytes; /* C labs: in use after the last call */
    uint64_t heap_first; /* in use after the last call that did not leave more
                            than the one before it */
    unsigned heap_grown; /* calls since that one */
};

/* What a call that was answered left. */
struct harness_call {
    int64_t status;
    size_t n_out;   /* compaction: what the function said */
    size_t damaged; /* C labs: bytes changed outside the output */
    long long damage_at;
    int left_device; /* arrays in parts: the device that is current, 0 before */
    unsigned threads_left; /* C labs: threads still running, 0: none */
    bool did_fail;         /* C labs: the call that was to fail */
    uint64_t lost_bytes;   /* C labs: each of the last calls left so many more
                              bytes allocated; 0: not so */
    uint64_t counts[VGPU_N_COUNTERS];
    size_t n;
    size_t n_marked;      /* words of output, where one element is marked */
    bool slack_is_stored; /* vgpu_slack_is_stored */
    uint64_t told_bytes;  /* arguments and fills: vgpu_told_bytes */
    double seconds;       /* from request to answer, by the judge's clock */
};

enum harness_result {
    HARNESS_OK,      /* answered; the call is filled in */
    HARNESS_STOPPED, /* the submission did not answer: stage, event, reply say
                      * why
                      */
    HARNESS_NO_SYMBOL,
    HARNESS_ENVIRONMENT /* the judge could not: reply.u.text says what */
};

/* Starts the process and loads the library. After any result harness_close. */
enum harness_result harness_open(struct harness *,
                                 const struct harness_settings *);
/* Calls once with n elements in in[]; fills got[] with the output as it was
 * when the function returned: words, as in contract/signature.h. NULL (C labs):
 * nobody asks. */
enum harness_result harness_call(struct harness *, const int32_t *in, size_t n,
                                 int32_t poison, int32_t *got,
                                 struct harness_call *);
/* Can settings.given be this function? */
bool harness_can_give(const struct lab_function *);
/* Another function of the library that is loaded. */
enum harness_result harness_switch(struct harness *,
                                   const struct lab_function *);
/* Real GPU: from now on calls get arrays of another process, by its handles;
 * harness_call_shared calls once and returns when the runner says that the
 * device is done, which nobody has checked. */
enum harness_result harness_share(struct harness *, const struct wire_share *);
enum harness_result harness_call_shared(struct harness *, size_t n,
                                        struct harness_call *);
void harness_close(struct harness *);

/* SPDX-License-Identifier: MIT
 *
 * case.h: one case of a check: one size under one schedule with one value of
 * each parameter, called as often as the check says, in a process of its own.
 * Here is what a case is and how it fails; run_case.h and fast.h run one.
 */
#pragma once

#include "harness.h"
#include "known.h"
#include "outcome.h"

enum case_verdict {
    CASE_PASS,
    CASE_FAIL,
    CASE_TODO,       /* the function said "not implemented yet" */
    CASE_ENVIRONMENT /* the judge could not run it: trouble says why */
};

/* The parts every case of a grade shares. */
struct case_environment {
    const char *runner;          /* path of scanlab-runner */
    const struct walled *walled; /* for tools that read the library */
    const char *client;          /* folder of the virtual GPU's libcudart */
    const char *toolkit;         /* folder of the real libcudart; NULL: none */
    int arch;                    /* of the submission's PTX; 0: the usual one */
    const char *root, *build_folder; /* for what timed checks compile */
    int capability;                  /* of the GPU; 0: none */
    bool weaker_walls;               /* judge_options.h */
    vgpu_cache *cache;               /* of the virtual GPUs */
    struct surplus *surplus;         /* of the judge's memory */
    double slowness; /* of this machine: speed.h; 0: not measured */
};

/* A call that was answered. */
struct case_seen {
    const struct lab_function *function;
    const int32_t *in, *expected, *got; /* words, as in signature.h */
    int32_t poison;                     /* each word of `got` before the call */
    size_t n, n_expected; /* elements of the input; of the output that count */
    size_t n_marked; /* words of `got` that the changed element came into */
};

/* So much room is behind an array, where a slip may touch it. */
enum { SLACK_BYTES = 256 };

struct case_spec {
    const struct case_environment *environment;
    const struct lab *lab;
    const struct lab_check *check;
    const char *profile; /* that a person asked for; NULL: the check's */
    const char *library;
    const char *watched_library; /* C labs: its watched build; NULL: none */
    size_t n;
    int inputs;           /* row of inputs.def */
    const char *schedule; /* "random:123"; for the virtual GPU */
    const char *clock;    /* profile of model time; NULL: none */
    bool was_wrong; /* a correct check of the function earned nothing: it gets
                       no more of the judge's memory than there */
    const char *wrong_in; /* a schedule in which the function was wrong: what
                             is right under the clock is asked there, too */
    const struct known *known; /* of the checks before; NULL: nothing */
    bool why, timeline;        /* vgpu_why, vgpu_timeline are kept */
    const char *memory_model;  /* "weak:123" or NULL; for the virtual GPU */
    struct parameters parameters;
    uint64_t seed; /* of this case; inputs and poison come from it */
    enum wire_device device;
    const struct vgpu_trace_options *trace; /* of the virtual GPU; NULL: none */
    /* The virtual GPU's checks besides those of the check, and a limit on the
     * time of a call that is shorter than the lab's (0: none). */
    unsigned more_checks, limit_ms;
    uint64_t work;   /* that the threads of a call may do; 0: the usual */
    unsigned n_late; /* calls of this submission that ran out of time before:
                        the next endless loop is ended sooner */
    struct turns turns;
    bool alone;               /* no grade: twice the judge's memory */
    bool is_rerun;            /* a wrong answer is not diagnosed */
    bool asks_for_shape;      /* of a rerun: its wrong answer is diagnosed */
    bool other_contents;      /* unwritten memory has other contents */
    bool unwritten_is_unused; /* a rerun has shown that reads of unwritten
                                 memory do not explain the wrong answer */
    bool races_are_told;      /* another check reports races: here each access
                                 counts as a message */
    bool overlaps_are_told; /* likewise overlapping copies: they may be here */
    uint32_t slack_bytes;   /* so many behind an array may be accessed */
    uint32_t shared_slack;  /* likewise behind a block's shared memory */
    const struct lab_function *given; /* as in harness_settings */
    /* Shown the virtual GPU after each call, and what the call counted; or
     * NULL. */
    void (*inspect)(void *user, vgpu_device *,
                    const uint64_t counts[VGPU_N_COUNTERS]);
    void *user;
    size_t asked_bytes; /* vgpu_options; 0: it is not recorded */
    /* Shown what a call did, store by store (vgpu_steps_seen); or NULL. */
    void (*look)(void *user, vgpu_device *, const struct case_seen *);
    size_t changed_element; /* one more than the element of the first input that
                               has another value; 0: none */
    bool keeps_states;      /* vgpu_options.states; for `look` */
    const struct vgpu_reach *reach; /* what its counters say; NULL: not known */
    size_t watched, watched_words;  /* as in harness_settings */
    const struct change *change;    /* likewise */
};

struct case_result {
    enum case_verdict verdict;
    struct outcome outcome;   /* why it failed */
    struct measured measured; /* counts beside bounds, or a ratio of times */
    char *trouble;            /* CASE_ENVIRONMENT: why */
    char *output;             /* what the submission printed; NULL: nothing */
    size_t kept;   /* elements of the last call's right answer (oracle.h) */
    double earned; /* of counts and times that miss: of the points, 0 to 1 */
    double wrong_earned;      /* what the counts of a wrong answer would earn */
    bool slack_is_stored;     /* a call stored to what lies behind an array */
    uint64_t left;            /* a digest of the last call's output */
    bool unwritten_is_unused; /* as in case_spec; then no finding is about such
                             a read */
    bool lost_messages;       /* the clock had no room for them */
    bool is_doubtful;         /* the machine may have caused it: trouble.h */
    bool is_of_that_order; /* it was wrong in the schedule wrong_in, and right
                              under the clock */
    const struct lab_check *charged_by; /* charged.c; NULL: by this one */
    uint64_t calls, failed; /* errors = yes: calls that could fail, and how many
                           of them did, where not all did; else 0 */
    struct ran_lines ran;   /* of the virtual GPU: RAN_DID; not of a rerun */
};

/* The virtual GPU's checks whose findings fail the case. A correct check has
 * synccheck: if threads are missing at a barrier or a warp operation, the
 * answer is right only by luck. */
unsigned case_vgpu_checks(const struct case_spec *);
/* Does it hold counts beside the check's bounds? */
bool case_is_bounded(const struct case_spec *);
/* What a case's runner is started with. */
void case_settings(const struct case_spec *, struct harness_settings *);

void case_result_free(struct case_result *);

/* ---- for those who run one: run_case.c, fast.c, fast_gpu.c ---- */

const struct lab_function *case_function(const struct case_spec *);
/* The case as the grade remembers it. */
struct tried case_tried(const struct case_spec *);
/* The case failed; what is wrong is added to the outcome by the caller. */
struct outcome *case_fail(const struct case_spec *, struct case_result *);
/* The same, because its call did not answer. */
void case_fail_stopped(const struct case_spec *, struct harness *,
                       enum harness_result, struct case_result *);
/* Did the call answer "not implemented yet", or break a rule? Then the case
 * failed. */
bool case_call_failed(const struct case_spec *, struct harness *,
                      const struct harness_call *, struct case_result *);
/* The judge could not run it; takes the text over. */
void case_trouble(struct case_result *, char *why);

/* SPDX-License-Identifier: MIT
 *
 * case.h: one case of a check: one size under one schedule with one value of
 * each parameter, called as often as the check says, in a process of its own.
 */
#ifndef SCANLAB_CASE_H
#define SCANLAB_CASE_H

#include "live.h"

enum case_verdict {
    CASE_PASS,
    CASE_FAIL,
    CASE_TODO, /* the function said "not implemented yet" */
    CASE_WORLD /* the judge could not run it: message says why */
};

/* The parts every case of a grade shares. */
struct case_world {
    const char *runner;  /* path of scanlab-runner */
    const char *client;  /* folder of the virtual GPU's libcudart */
    const char *toolkit; /* folder of the real libcudart; NULL: none */
    int arch;            /* of the submission's PTX; 0: the usual one */
    const char *root, *build_folder; /* for what timed checks compile */
    int capability;                  /* of the GPU; 0: none */
    vgpu_cache *cache;               /* of the virtual GPUs */
};

/* The virtual GPU's profile for a check; NULL: its usual one. A check that
 * names none gets one that can run PTX of world->arch. */
const char *case_profile(const struct case_world *, const struct lab_check *);
/* Why the check's own profile cannot run PTX of world->arch, to be freed; NULL:
 * it can. */
char *case_profile_too_old(const struct case_world *, const struct lab_check *);

struct case_spec {
    const struct case_world *world;
    const struct lab *lab;
    const struct lab_check *check;
    const char *library;
    size_t n;
    const char *schedule;     /* "random:123"; for the virtual GPU */
    const char *memory_model; /* "weak:123" or NULL; for the virtual GPU */
    struct parameters parameters;
    uint64_t seed; /* of this case; inputs and poison come from it */
    enum wire_device device;
    /* Shown the virtual GPU after each call, and what the call counted; or
     * NULL. */
    void (*inspect)(void *user, vgpu_device *,
                    const uint64_t counts[VGPU_N_COUNTERS]);
    void *user;
};

struct case_result {
    enum case_verdict verdict;
    char *message; /* "" when passed */
    char *where;   /* NULL: unknown */
    char *cause;   /* a likelier one than the check's; NULL: none */
    char *detail;  /* counters against bounds; NULL: nothing to say */
    char *output;  /* what the submission printed; NULL: nothing */
    double earned; /* of timed checks: the part of the points, 0 to 1 */
    uint64_t left; /* a digest of the last call's output */
};

/* What a case's runner is started with. */
void case_settings(const struct case_spec *, struct live_settings *);

void case_run(const struct case_spec *, struct case_result *);
void case_result_free(struct case_result *);

/* The result of a case whose call did not answer, or broke a rule; shared with
 * fast.c. The explanation is emptied. */
struct explanation;
void case_fail_stopped(const struct case_spec *, struct live *,
                       enum live_result, struct case_result *);
void case_fail_explained(const struct case_spec *, struct case_result *,
                         struct explanation *);

enum { CASE_WORDS = 256 };
/* "n = 1000, threads = 3, schedule reverse, memory model weak" */
void case_describe(const struct case_spec *, char *text, size_t size);

#endif

/* SPDX-License-Identifier: MIT
 *
 * single.h: one call of one function of a lab, outside any grade: compiled, run
 * and compared like a case, so that its counts can be looked at.
 */
#pragma once

#include "case.h"
#include "judge.h"

struct single_options {
    const char *root, *submission, *build_folder; /* as in judge_options */
    bool is_reference;                            /* as in compile_settings */
    const struct lab *lab;
    int function;                  /* index in the lab's functions */
    const struct lab_check *check; /* as this one calls it; NULL: as the first
                                      correct one of the function */
    size_t n;
    int arch;                 /* PTX that is compiled; 0: the usual one */
    const char *schedule;     /* NULL: in-order; not for C labs */
    const char *memory_model; /* NULL: sc; not for C labs */
    unsigned checks;          /* of the virtual GPU, besides the usual ones */
    const char *profile; /* of the device; NULL: that of the clock, or of the
                            first check that fits */
    const char *clock;   /* profile of model time; NULL: none; not for C labs */
    bool why, timeline;  /* vgpu_why, vgpu_timeline are kept */
    struct parameters parameters; /* those the function takes */
    uint64_t seed;
    bool alone; /* it may hold twice the memory of a graded case */
    const struct vgpu_trace_options *trace; /* NULL: none; not for C labs */
    /* Shown the virtual GPU and its counts after the call; or NULL. Not for C
     * labs. */
    void (*inspect)(void *user, vgpu_device *,
                    const uint64_t counts[VGPU_N_COUNTERS]);
    void *user;
    /* As case_spec.look; the input is small numbers then, and the checks of the
     * virtual GPU are all on. Not for C labs. */
    void (*look)(void *user, vgpu_device *, const struct case_seen *);
};

/* Why nothing ran. */
struct unbuilt {
    enum lab_state state;
    char *why; /* to be freed; NULL: it ran */
};

/* true: *out is the case's result (case_result_free), or *unbuilt says why
 * there is none. false: set-up error, in error. Reads and writes only
 * below build_folder, like judge_grade. */
bool judge_single(const struct single_options *, struct case_result *out,
                  struct unbuilt *, char error[JUDGE_ERROR_BYTES]);

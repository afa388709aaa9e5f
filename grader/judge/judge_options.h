/* SPDX-License-Identifier: MIT
 *
 * judge_options.h: what a grade is asked for, and who is told how far it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grade.h"

/* What is being done now; for a progress line. Strings live during the call.
 * Told from several threads, but never from two at once. */
struct judge_progress {
    const char *lab;            /* id */
    const char *check;          /* id; NULL while compiling */
    size_t case_index, n_cases; /* 0-based; n_cases 0: not known */
    const struct tried *tried;  /* the case; NULL: none yet */
    const char *text;           /* "compiling naive.cu"; NULL with a case */
};

struct judge_options {
    const char *root;         /* folder that holds labs/ */
    const char *submission;   /* folder with the sources */
    const char *build_folder; /* build/: lib/vgpu, libexec, cache, nvcc-path */
    const char *device;       /* "auto", "vgpu", "gpu"; NULL: "auto" */
    int arch;      /* PTX that is compiled (compile.h); 0: the usual one */
    uint64_t seed; /* all inputs and random schedules come from it */
    const char *const *labs; /* ids to grade; the others are left out */
    size_t n_labs;           /* 0: all */
    const char *check;       /* id: this check only, parents not asked; NULL */
    bool has_n;              /* only cases of this size (reproduce) */
    size_t n;
    const char *labs_folder;          /* --labs as given, for reproduce; NULL */
    const char *schedule;             /* only this schedule (reproduce); NULL */
    bool has_parameter[N_PARAMETERS]; /* only these values of parameters */
    struct parameters parameters;
    bool require_walls; /* an error where one that is asked for is missing */
    /* A real GPU also where nothing but the filter of calls keeps the process
     * that uses it from files. */
    bool weaker_walls;
    const char *cache;  /* of compiled submissions (compile.h); NULL: usual */
    uint64_t cache_mib; /* 0: as usual */
    uint64_t compile_limit_s; /* of one source; 0: as usual */
    bool large;               /* with the sizes of `large` in lab.ini */
    bool fast;          /* timed checks on a real GPU are part of the grade */
    uint64_t repairs_s; /* so long small repairs are tried, of labs that do not
                           forbid it; 0: none are */
    bool pages;         /* pictures that only pages have (outcome.drawn) */
    bool runs; /* and runnable.h: of what fails, for a page that can run it */
    uint64_t time_limit_s; /* of the whole; what is not reached by then is
                              skipped. 0: none */
    void (*progress)(void *user, const struct judge_progress *); /* or NULL */
    /* Called with each check when it is judged; false: the rest of its lab is
     * skipped. Or NULL. */
    bool (*judged)(void *user, const struct grade *, const struct lab_result *,
                   const struct check_result *);
    void *user;
};

/* SPDX-License-Identifier: MIT
 *
 * run.h: one execution of a program on the virtual GPU with racecheck, and what
 * the referee says of that execution.
 */
#pragma once

#include "event.h"
#include "vgpu.h"

struct mode {
    vgpu_schedule schedule;
    uint64_t schedule_seed, memory_seed; /* 0: memory is sc */
    bool reads_return;                   /* reads_want_release is off */
};

enum { MOST_REPORTED = 256 };

struct run {
    struct events events;
    struct vgpu_finding findings[MOST_REPORTED];
    size_t n_findings;
    uint64_t words;     /* address of the program's global memory */
    bool reads_return;  /* struct mode */
    bool sc;            /* memory is */
    char error[REASON]; /* ""; or why there is no answer to compare */
};

struct machine_under_test;
struct machine_under_test *machine_open(uint32_t n_gpus);
void machine_close(struct machine_under_test *);
/* With traced false there are no events, and nothing looks at instructions. */
void machine_run(struct machine_under_test *, const struct program *,
                 const char *ptx, const struct mode *, bool traced,
                 struct run *);
void run_free(struct run *);

/* What the referee has seen. */
struct seen {
    size_t words;                   /* that race */
    size_t too_long;                /* runs that the referee gave up */
    bool pairs[MOST_OPS][MOST_OPS]; /* of operations, the smaller one first */
};
/* False: racecheck and referee differ, and `why` says where. */
bool compare(const struct program *, const struct run *, struct seen *,
             FILE *why);

/* SPDX-License-Identifier: MIT
 *
 * bench.h: the parts of bench_vgpu. Engines measure, the report writes.
 */
#pragma once

#include "work.h"

struct options {
    const char *kernels, *opencl_kernels, *module, *vgpu, *launch;
    const char *oclgrind, *opencl; /* NULL: not on this machine */
    const char *csv;               /* NULL: no file */
    const char *kernel, *engine;   /* only this one; NULL: all (engine: ours) */
    uint32_t n, opencl_n;          /* elements */
    size_t runs;                   /* 5..WORK_MAX_RUNS */
};

enum engine {
    ENGINE_BARE,
    ENGINE_CHECKED,
    ENGINE_JUDGED,
    ENGINE_CLOCKED,
    ENGINE_WEAK,
    ENGINE_SCALAR,
    ENGINE_OCLGRIND,
    N_ENGINES
};
extern const char *const engine_names[N_ENGINES];
extern const char *const engine_texts[N_ENGINES];

/* One engine on one kernel. n 0: it did not run. */
struct result {
    uint32_t n;
    uint64_t instructions; /* thread instructions of the PTX, for n elements */
    size_t runs;
    struct work_time took[WORK_MAX_RUNS];
};

/* What is measured in time alone: name, unit, samples. */
struct timing {
    const char *name, *unit, *text;
    size_t runs;
    double samples[WORK_MAX_RUNS];
};
enum {
    TIMING_LAUNCH,
    TIMING_SYNC,
    TIMING_PARSE,
    TIMING_DECODE_ONE,
    TIMING_DECODE_ALL,
    N_TIMINGS
};

/* False: said why on standard error. */
bool engine_vgpu(const struct options *, const char *ptx, const struct work *,
                 enum engine, struct result *);
bool engine_scalar(const struct options *, const char *ptx, const struct work *,
                   struct result *);
bool engine_oclgrind(const struct options *, const struct work *,
                     struct result *);
bool time_launches(const struct options *, struct timing timings[N_TIMINGS]);
bool time_module(const struct options *, struct timing timings[N_TIMINGS]);
char *read_file(const char *path, size_t *bytes); /* NULL: none; ends in NUL */

bool report_csv(const struct options *, struct result (*)[N_ENGINES],
                const struct timing *);
void report_table(struct result (*)[N_ENGINES], const struct timing *);

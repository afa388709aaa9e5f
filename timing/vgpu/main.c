/* SPDX-License-Identifier: MIT
 *
 * main.c: `make bench-vgpu`. Measures the virtual GPU and its peers in one run,
 * prints a table and writes a CSV. timing/docs/speed.md says what is measured
 * and why.
 */
#include "options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum {
    DEFAULT_N = 1 << 20,
    DEFAULT_OPENCL_N = 1 << 14,
    DEFAULT_RUNS = 7,
    LEAST_RUNS = 5,
    BLOCK_OF_ITEMS = 512
};

static const struct timing names[N_TIMINGS] = {
    [TIMING_LAUNCH] = {.name = "launch",
                       .unit = "us",
                       .text = "launch of an empty kernel, wall"},
    [TIMING_SYNC] = {.name = "launch_sync",
                     .unit = "us",
                     .text = "launch and cudaDeviceSynchronize, wall"},
    [TIMING_PARSE] = {.name = "cub_parse",
                      .unit = "ms",
                      .text = "CUB module: parsing the PTX"},
    [TIMING_DECODE_ONE] = {.name = "cub_decode_one",
                           .unit = "ms",
                           .text = "CUB module: decoding its largest kernel"},
    [TIMING_DECODE_ALL] = {.name = "cub_decode_all",
                           .unit = "ms",
                           .text = "CUB module: decoding all of its kernels"},
};

enum { MOST_N = 1 << 22 };

static int read_options(struct options *o, int argc, char **argv) {
    uint64_t n = DEFAULT_N, opencl_n = DEFAULT_OPENCL_N;
    char **words;
    const struct option_row rows[] = {
        {0, "kernels", "PTX", "kernels.cu, compiled; must be given",
         OPTION_TEXT(&o->kernels)},
        {0, "module", "PTX", "a large module to parse and decode",
         OPTION_TEXT(&o->module)},
        {0, "vgpu", "TOOL", "the program vgpu, for launches",
         OPTION_TEXT(&o->vgpu)},
        {0, "launch", "PROGRAM", "what it runs", OPTION_TEXT(&o->launch)},
        {0, "oclgrind", "TOOL", "Oclgrind, a peer", OPTION_TEXT(&o->oclgrind)},
        {0, "opencl", "PROGRAM", "what it runs", OPTION_TEXT(&o->opencl)},
        {0, "opencl-kernels", "FILE", "kernels.cl",
         OPTION_TEXT(&o->opencl_kernels)},
        {0, "kernel", "NAME", "this kernel only", OPTION_TEXT(&o->kernel)},
        {0, "engine", "NAME", "this engine of ours only",
         OPTION_TEXT(&o->engine)},
        {'n', NULL, "ITEMS", "elements, a multiple of 512 (1048576)",
         OPTION_NUMBER(&n, BLOCK_OF_ITEMS, MOST_N)},
        {0, "opencl-n", "ITEMS", "the same for Oclgrind (16384)",
         OPTION_NUMBER(&opencl_n, BLOCK_OF_ITEMS, MOST_N)},
        {0, "runs", "N", "how often each is timed (7)",
         OPTION_NUMBER(&o->runs, LEAST_RUNS, WORK_MAX_RUNS)},
        {'o', "output", "CSV", "a table for plots", OPTION_TEXT(&o->csv)}};
    const struct option_table table = {
        .program = "bench_vgpu",
        .version = BENCH_VERSION,
        .arguments = "",
        .what = "Times the virtual GPU and its peers in one run: `make "
                "bench-vgpu` calls it.",
        .end = "Example: bench_vgpu --kernels kernels.ptx --engine bare",
        .rows = rows,
        .n_rows = sizeof rows / sizeof *rows};
    int next = options_read(&table, argc, argv, &words);
    if (next < 0) return next;
    if (!o->kernels) return options_wrong(&table, "--kernels must be given");
    if (n % BLOCK_OF_ITEMS || opencl_n % BLOCK_OF_ITEMS)
        return options_wrong(&table, "-n, --opencl-n: not a multiple of %d",
                             BLOCK_OF_ITEMS);
    o->n = (uint32_t)n;
    o->opencl_n = (uint32_t)opencl_n;
    return 0;
}

static bool wanted(const char *filter, const char *name) {
    return !filter || !strcmp(filter, name);
}

static bool measure(const struct options *o, const char *ptx,
                    const struct work *w, struct result r[N_ENGINES]) {
    for (int e = ENGINE_BARE; e <= ENGINE_WEAK; e++)
        if (wanted(o->engine, engine_names[e]) &&
            !engine_vgpu(o, ptx, w, (enum engine)e, &r[e]))
            return false;
    if (o->engine) return true;
    if (!engine_scalar(o, ptx, w, &r[ENGINE_SCALAR])) return false;
    uint64_t ours = r[ENGINE_BARE].instructions;
    if (r[ENGINE_SCALAR].instructions != ours) {
        fprintf(stderr,
                "bench: %s: %llu thread instructions, the scalar interpreter "
                "executes %llu\n",
                w->name, (unsigned long long)ours,
                (unsigned long long)r[ENGINE_SCALAR].instructions);
        return false;
    }
    if (!o->oclgrind || !o->opencl || !o->opencl_kernels) return true;
    if (!engine_oclgrind(o, w, &r[ENGINE_OCLGRIND])) return false;
    /* the PTX's instructions per element, and its elements */
    r[ENGINE_OCLGRIND].instructions =
        (uint64_t)((double)ours * o->opencl_n / o->n);
    return true;
}

int main(int argc, char **argv) {
    struct options o = {.runs = DEFAULT_RUNS};
    int next = read_options(&o, argc, argv);
    if (next < 0) return next == OPTIONS_DONE ? 0 : OPTIONS_STATUS_WRONG;
    size_t bytes;
    char *ptx = read_file(o.kernels, &bytes);
    struct result(*results)[N_ENGINES] = calloc(work_count, sizeof *results);
    struct timing timings[N_TIMINGS];
    memcpy(timings, names, sizeof timings);
    bool ok = ptx && results;
    if (!o.oclgrind || !o.opencl)
        printf("Oclgrind is not here (tools/setup.sh bench): skipped\n");
    for (size_t w = 0; ok && w < work_count; w++)
        if (wanted(o.kernel, work_table[w].name))
            ok = measure(&o, ptx, &work_table[w], results[w]);
    if (ok && o.vgpu && o.launch) ok = time_launches(&o, timings);
    if (ok && o.module) ok = time_module(&o, timings);
    if (ok) report_table(results, timings);
    if (ok && o.csv) ok = report_csv(&o, results, timings);
    free(results);
    free(ptx);
    return ok ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
 *
 * main.c: `make bench-vgpu`. Measures the virtual GPU and its peers in one run,
 * prints a table and writes a CSV. docs/speed.md says what is measured and why.
 */
#include <getopt.h>
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

static bool usage(void) {
    fprintf(
        stderr,
        "usage: bench_vgpu --kernels PTX [--module PTX] [--vgpu TOOL "
        "--launch PROGRAM]\n"
        "    [--oclgrind TOOL --opencl PROGRAM --opencl-kernels FILE]\n"
        "    [--kernel NAME] [--engine NAME] [-n ITEMS] [--opencl-n ITEMS]\n"
        "    [--runs 5..64] [-o CSV]\n");
    return false;
}

static bool parse(int argc, char **argv, struct options *o) {
    static const struct option longs[] = {
        {"kernels", 1, NULL, 'k'},        {"module", 1, NULL, 'm'},
        {"vgpu", 1, NULL, 'v'},           {"launch", 1, NULL, 'l'},
        {"oclgrind", 1, NULL, 'g'},       {"opencl", 1, NULL, 'c'},
        {"opencl-kernels", 1, NULL, 'C'}, {"opencl-n", 1, NULL, 'N'},
        {"runs", 1, NULL, 'r'},           {"kernel", 1, NULL, 'K'},
        {"engine", 1, NULL, 'e'},         {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "n:o:", longs, NULL)) != -1;)
        switch (c) {
        case 'k': o->kernels = optarg; break;
        case 'm': o->module = optarg; break;
        case 'v': o->vgpu = optarg; break;
        case 'l': o->launch = optarg; break;
        case 'g': o->oclgrind = optarg; break;
        case 'c': o->opencl = optarg; break;
        case 'C': o->opencl_kernels = optarg; break;
        case 'N': o->opencl_n = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'n': o->n = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'r': o->runs = strtoul(optarg, NULL, 10); break;
        case 'K': o->kernel = optarg; break;
        case 'e': o->engine = optarg; break;
        case 'o': o->csv = optarg; break;
        default: return usage();
        }
    if (!o->kernels || o->runs < LEAST_RUNS || o->runs > WORK_MAX_RUNS ||
        !o->n || o->n % BLOCK_OF_ITEMS || o->n > 1u << 22 || !o->opencl_n ||
        o->opencl_n % BLOCK_OF_ITEMS)
        return usage();
    return true;
}

static bool wanted(const char *filter, const char *name) {
    return !filter || !strcmp(filter, name);
}

static bool measure(const struct options *o, const char *ptx,
                    const struct work *w, struct result r[N_ENGINES]) {
    for (int e = ENGINE_BARE; e <= ENGINE_JUDGED; e++)
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
    struct options o = {
        .n = DEFAULT_N, .opencl_n = DEFAULT_OPENCL_N, .runs = DEFAULT_RUNS};
    if (!parse(argc, argv, &o)) return 2;
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

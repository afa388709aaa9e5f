/* SPDX-License-Identifier: MIT
 *
 * cpu.c: see bench_cpu.h. Who runs and at which sizes, the CSV and the table;
 * cpu_round.c measures, cpu_rivals.c holds the loops and copies to beat.
 */
#include "bench_cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile.h"
#include "text.h"
#include "cpu_round.h"

enum { MOST_SIZES = 64, MOST_FOLDERS = 18, TROUBLE = 2 };

struct cpu_bench {
    const struct bench_cpu_options *options;
    const struct lab *lab;
    char *root; /* the whole path: compilers run elsewhere */
    int threads;
    struct cpu_contestant contestants[CPU_MOST_CONTESTANTS];
    size_t n_contestants;
    char *onetbb; /* its library; NULL: not there */
    size_t sizes[MOST_SIZES];
    size_t n_sizes;
    FILE *csv, *table;
    bool wrong;
};

static int fail(const char *what, const char *why) {
    fprintf(stderr, "scanlab: bench --cpu: %s: %s\n", what, why);
    return TROUBLE;
}

/* ---- who ---- */

static struct cpu_contestant *add(struct cpu_bench *b, const char *who) {
    if (b->n_contestants == CPU_MOST_CONTESTANTS) return NULL;
    struct cpu_contestant *c = &b->contestants[b->n_contestants++];
    snprintf(c->who, sizeof c->who, "%s", who);
    return c;
}

static void add_rival(struct cpu_bench *b, const char *who, bool copies,
                      cpu_rival *run) {
    const char *operation = b->options->operation;
    if (operation && strcmp(operation, copies ? "copy" : "inclusive_sum") != 0)
        return;
    struct cpu_contestant *c = add(b, who);
    if (c) c->copies = copies, c->run = run;
}

static void add_library(struct cpu_bench *b, const char *who,
                        const char *library, const char *symbol) {
    const char *operation = b->options->operation;
    if (operation && strcmp(operation, "inclusive_sum") != 0) return;
    struct cpu_contestant *c = add(b, who);
    if (!c) return;
    c->library = text_format("%s", library);
    c->symbol = text_format("%s", symbol);
}

/* A folder's one-pass scan; its two-pass scan as "threads", for reference/. */
static int add_folder(struct cpu_bench *b, const char *folder, const char *name,
                      bool two_passes) {
    struct compile_settings s = {.is_timed = true,
                                 .root = b->root,
                                 .submission = folder,
                                 .build_folder = b->options->build_folder};
    struct lab *lab = (struct lab *)b->lab;
    struct compiled made = {0};
    char error[COMPILE_ERROR_BYTES] = "", who[CPU_WHO_BYTES];
    if (!compile_labs(&s, &lab, 1, &made, error)) return fail(folder, error);
    snprintf(who, sizeof who, "%.60s/%.30s", name, lab->id);
    if (made.library) {
        if (two_passes)
            add_library(b, "threads", made.library, "cpu_threaded_scan");
        add_library(b, who, made.library, "cpu_single_pass_scan");
    } else
        fprintf(stderr, "scanlab: %s is left out: %s\n", who,
                made.error ? made.error : "it does not compile");
    compile_free(&made, 1);
    return 0;
}

static int gather(struct cpu_bench *b) {
    const struct bench_cpu_options *o = b->options;
    char *reference = text_format("%s/reference", b->root);
    char *fast = text_format("%s/timing/fast", b->root);
    int status = 0;
    add_rival(b, "memcpy", true, cpu_memcpy_threads);
    add_rival(b, "memcpy-1", true, cpu_memcpy);
    add_rival(b, "ntcopy", true, cpu_nontemporal_copy);
    add_rival(b, "serial", false, cpu_serial_scan);
    b->onetbb = text_format("%s/lib/scanlab-onetbb.so", o->build_folder);
    if (b->onetbb && access(b->onetbb, R_OK) == 0)
        add_library(b, "onetbb", b->onetbb, "bench_onetbb_scan");
    else {
        free(b->onetbb);
        b->onetbb = NULL;
        fputs("scanlab: no oneTBB here (package libtbb-dev, then build "
              "again): measuring without it\n",
              stderr);
    }
    if (!reference || !fast) status = fail("folders", "out of memory");
    if (!status) status = add_folder(b, reference, "reference", true);
    if (!status) status = add_folder(b, fast, "fast", false);
    for (size_t i = 0; !status && i < o->n_submissions; i++)
        status = add_folder(b, o->submissions[i], text_base(o->submissions[i]),
                            false);
    free(reference);
    free(fast);
    return status;
}

/* ---- how much ---- */

static int cores(void) {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

static size_t memory_available(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[160];
    size_t kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) break;
    if (file) fclose(file);
    return kib << 10;
}

static void choose_sizes(struct cpu_bench *b) {
    const struct bench_cpu_options *o = b->options;
    for (size_t i = 0; i < o->n_sizes && i < MOST_SIZES; i++)
        b->sizes[b->n_sizes++] = o->sizes[i];
    if (b->n_sizes) return;
    const int first = 10, last = o->full ? 30 : 28, step = o->full ? 1 : 2;
    for (int k = first; k <= last; k += step)
        b->sizes[b->n_sizes++] = (size_t)1 << k;
}

static size_t repeats(const struct cpu_bench *b, size_t n) {
    size_t full = n <= 1 << 16   ? 201
                  : n <= 1 << 22 ? 101
                  : n <= 1 << 26 ? 31
                                 : 15;
    return b->options->full ? full : (full + 2) / 3;
}

/* ---- CSV ---- */

static void machine(const struct cpu_bench *b) {
    char line[256], model[200] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %199[^\n]", model) == 1) break;
    if (file) fclose(file);
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE),
         l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    fprintf(b->csv, "# cpu: %s, %d cores, L2 %ld KiB, L3 %ld KiB\n", model,
            cores(), l2 >> 10, l3 >> 10);
    fprintf(b->csv, "# threads: %d\n", b->threads);
    double load;
    if (getloadavg(&load, 1) == 1) /* others at work make all this slower */
        fprintf(b->csv, "# load_before: %.2f\n", load);
}

static void head(const struct cpu_bench *b) {
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fputs("# SPDX-License-Identifier: MIT\n", b->csv);
    machine(b);
    fprintf(b->csv, "# date: %s\n# scanlab: %s\n# command: %s\n", date,
            SCANLAB_VERSION, b->options->command);
    if (!b->onetbb) fputs("# onetbb: missing, not measured\n", b->csv);
    fputs("# method: contestants in turn, one call not timed, then "
          "CLOCK_MONOTONIC around each call; before it the output is poisoned, "
          "afterwards checked, by as many threads; huge pages where the system "
          "gives them; random input\n"
          "who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns,"
          "min_ns,bytes,ok\n",
          b->csv);
}

static void row(const struct cpu_bench *b, const struct cpu_contestant *c,
                size_t n, const struct cpu_result *r) {
    size_t k = r->repeats;
    fprintf(b->csv, "%s,%s,int32,1,1,%zu,%zu,%.0f,%.0f,%.0f,%.0f,%zu,%d\n",
            c->who, c->copies ? "copy" : "inclusive_sum", n, k, r->ns[k / 2],
            r->ns[(k - 1) / 4], r->ns[(3 * k - 1) / 4], r->ns[0],
            2 * n * sizeof(int32_t), r->status == CPU_RIGHT);
}

/* ---- one size ---- */

static bool measure(struct cpu_bench *b, size_t n) {
    struct cpu_result *results = calloc(b->n_contestants, sizeof *results);
    bool ok = results && cpu_round(b->contestants, b->n_contestants, n,
                                   b->threads, repeats(b, n), results);
    if (!results) fail("results", "out of memory");
    if (ok) fprintf(b->table, "%11zu", n);
    for (size_t k = 0; ok && k < b->n_contestants; k++) {
        const struct cpu_contestant *c = &b->contestants[k];
        const struct cpu_result *r = &results[k];
        int width = (int)strlen(c->who) > 7 ? (int)strlen(c->who) : 7;
        if (r->repeats && (r->status == CPU_RIGHT || r->status == CPU_WRONG)) {
            row(b, c, n, r);
            fprintf(b->table, "  %*.1f%c", width - 1,
                    (double)(2 * n * sizeof(int32_t)) / r->ns[r->repeats / 2],
                    r->status == CPU_RIGHT ? ' ' : '!');
        } else {
            fprintf(b->csv, "# %s, n = %zu: %s\n", c->who, n, r->why);
            fprintf(b->table, "  %*s ", width - 1, "-");
        }
        if (r->status == CPU_WRONG || r->status == CPU_FAILED) {
            b->wrong = true;
            fprintf(stderr, "scanlab: %s, n = %zu: %s\n", c->who, n, r->why);
        }
    }
    if (ok) fputc('\n', b->table), fflush(b->table), fflush(b->csv);
    free(results);
    return ok;
}

static int measure_all(struct cpu_bench *b) {
    fprintf(b->table,
            "GB/s (bytes read + written / median time), int32, %d thread%s; "
            "!: a wrong output\n%11s",
            b->threads, b->threads == 1 ? "" : "s", "n");
    for (size_t k = 0; k < b->n_contestants; k++)
        fprintf(b->table, "  %7s", b->contestants[k].who);
    fputc('\n', b->table);
    for (size_t i = 0; i < b->n_sizes; i++) {
        size_t bytes = 2 * b->sizes[i] * sizeof(int32_t);
        if (bytes > memory_available() / 10 * 9) {
            fprintf(b->csv, "# n = %zu: left out, needs %zu MiB of memory\n",
                    b->sizes[i], bytes >> 20);
            fprintf(stderr, "scanlab: n = %zu is left out: needs %zu MiB\n",
                    b->sizes[i], bytes >> 20);
        } else if (!measure(b, b->sizes[i]))
            return TROUBLE;
    }
    return b->wrong ? 1 : 0;
}

/* ---- all together ---- */

static int check_request(const struct bench_cpu_options *o) {
    if (o->type && strcmp(o->type, "int32") != 0)
        return fail(o->type, "lab 0 scans int32 only");
    if (o->operation && strcmp(o->operation, "inclusive_sum") != 0 &&
        strcmp(o->operation, "copy") != 0)
        return fail(o->operation, "with --cpu it is inclusive_sum or copy");
    return 0;
}

static int open_and_measure(struct cpu_bench *b) {
    const char *path = b->options->output;
    bool standard = strcmp(path, "-") == 0;
    b->csv = standard ? stdout : fopen(path, "w");
    if (!b->csv) return fail(path, strerror(errno));
    b->table = standard ? stderr : stdout;
    head(b);
    int status = measure_all(b);
    bool written = !ferror(b->csv) && fflush(b->csv) == 0;
    if (!standard && fclose(b->csv) != 0) written = false;
    if (!written) return fail(path, "cannot write");
    if (!standard) fprintf(b->table, "%s\n", path);
    return status;
}

int bench_cpu(const struct bench_cpu_options *o) {
    struct cpu_bench *b = calloc(1, sizeof *b);
    if (!b) return fail("start", "out of memory");
    b->options = o;
    b->root = realpath(o->root, NULL);
    b->threads = o->threads ? (int)o->threads : cores();
    for (size_t i = 0; i < o->n_labs; i++)
        if (strcmp(o->labs[i]->id, "cpu-scan") == 0) b->lab = o->labs[i];
    int status = b->root ? check_request(o) : fail(o->root, strerror(errno));
    if (!status && !b->lab) status = fail("cpu-scan", "there is no such lab");
    if (!status) status = gather(b);
    choose_sizes(b);
    if (!status) status = open_and_measure(b);
    for (size_t k = 0; k < b->n_contestants; k++) {
        free(b->contestants[k].library);
        free(b->contestants[k].symbol);
    }
    free(b->onetbb);
    free(b->root);
    free(b);
    return status;
}

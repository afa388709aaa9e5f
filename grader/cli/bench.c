/* SPDX-License-Identifier: MIT
 *
 * bench.c: scanlab bench: reads the options; bench/ measures.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_cpu.h"
#include "bench_gpu.h"
#include "nearest.h"
#include "cli.h"

#ifndef SCANLAB_VERSION
#define SCANLAB_VERSION "development"
#endif

static const char help[] =
    "usage: scanlab bench [LAB...] [OPTION...]\n\n"
    "Times reference/, reference/fast/ and the folders given, of the labs "
    "named\n"
    "(of all, if none is), beside copies, CUB and Thrust, on this machine's "
    "GPU\n"
    "and in one run; checks what they leave; writes CSV and a table. Not a\n"
    "grade: times of a submission are taken in its own process.\n\n"
    "  -s, --submission DIR  time this folder, too; may be repeated\n"
    "      --suite NAME      quick (a minute) or full (minutes) (quick)\n"
    "      --cpu             lab 0 on this machine's cores instead\n"
    "      --threads K       with --cpu: this many (all cores)\n"
    "      --operation NAME  this operation only, such as inclusive_sum\n"
    "      --type NAME       this type only, such as int32\n"
    "  -n N                  this many elements; may be repeated\n"
    "      --seconds S       spend about this long (60, or 480 with full)\n"
    "  -o, --output FILE     the CSV goes there; - is standard output\n"
    "                        (bench-gpu.csv or bench-cpu.csv in build/)\n"
    "      --labs DIR        the folder of labs\n"
    "      --prepare CC      only compile the peers, for compute capability "
    "CC\n"
    "                        (90 for 9.0), to be carried to another machine\n"
    "\nExit status: 0 all outputs right, 1 a timed output was wrong, 2 could "
    "not "
    "measure.\n";

enum {
    MOST_FOLDERS = 16,
    MOST_SIZES = 64,
    MOST_THREADS = 1024,
    MOST_SECONDS = 86400,
    MOST_CAPABILITY = 999,
    GO_ON = -1
};
static const size_t most_elements = (size_t)1 << 36;

struct request {
    const char *labs, *operation, *type, *output;
    const char *submissions[MOST_FOLDERS];
    size_t sizes[MOST_SIZES];
    size_t n_submissions, n_sizes;
    unsigned threads;
    int prepare; /* 0: measure */
    long long milliseconds;
    bool cpu, full;
    char command[1024];
};

/* ---- options ---- */

static const char *const operations[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
};
static const char *const types[] = {
#define X(name, type, bytes) #name,
#include "bench_types.def"
#undef X
};
static const char *const suites[] = {"quick", "full"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool one_of(const char *option, const char *text,
                   const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0) return true;
    const char *near = nearest_name(text, names, n);
    cli_fail("%s: '%s' is unknown%s%s%s", option, text,
             near ? " (did you mean '" : "", near ? near : "",
             near ? "'?)" : "");
    fputs("known:", stderr);
    for (size_t i = 0; i < n; i++) fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return false;
}

static bool add_size(struct request *r, const char *text) {
    unsigned long long n;
    if (!cli_number(text, most_elements, &n) || n == 0) {
        cli_fail("-n: '%s' is not a number from 1 to 2^36", text);
        return false;
    }
    if (r->n_sizes == MOST_SIZES) {
        cli_fail("-n: more than %d sizes", MOST_SIZES);
        return false;
    }
    r->sizes[r->n_sizes++] = (size_t)n;
    return true;
}

static bool add_submission(struct request *r, const char *folder) {
    if (r->n_submissions == MOST_FOLDERS) {
        cli_fail("--submission: more than %d folders", MOST_FOLDERS);
        return false;
    }
    r->submissions[r->n_submissions++] = folder;
    return true;
}

static bool set_count(const char *option, const char *text,
                      unsigned long long most, unsigned long long *n) {
    if (cli_number(text, most, n) && *n > 0) return true;
    cli_fail("%s: '%s' is not a number from 1 to %llu", option, text, most);
    return false;
}

static bool set_threads(struct request *r, const char *text) {
    unsigned long long n;
    if (!set_count("--threads", text, MOST_THREADS, &n)) return false;
    r->threads = (unsigned)n;
    return true;
}

static bool set_seconds(struct request *r, const char *text) {
    unsigned long long n;
    if (!set_count("--seconds", text, MOST_SECONDS, &n)) return false;
    r->milliseconds = (long long)n * 1000;
    return true;
}

static bool set_prepare(struct request *r, const char *text) {
    unsigned long long n;
    if (!cli_number(text, MOST_CAPABILITY, &n) || n == 0) {
        cli_fail("--prepare: '%s' is not a compute capability such as 90",
                 text);
        return false;
    }
    r->prepare = (int)n;
    return true;
}

static int set_option(struct request *r, int c, char **argv) {
    bool good = true;
    switch (c) {
    case 's': good = add_submission(r, optarg); break;
    case 'u':
        good = one_of("--suite", optarg, suites, COUNT(suites));
        r->full = strcmp(optarg, "full") == 0;
        break;
    case 'C': r->cpu = true; break;
    case 'T': good = set_threads(r, optarg); break;
    case 'S': good = set_seconds(r, optarg); break;
    case 'p':
        good = one_of("--operation", optarg, operations, COUNT(operations));
        r->operation = optarg;
        break;
    case 't':
        good = one_of("--type", optarg, types, COUNT(types));
        r->type = optarg;
        break;
    case 'R': good = set_prepare(r, optarg); break;
    case 'n': good = add_size(r, optarg); break;
    case 'o': r->output = optarg; break;
    case 'L': r->labs = optarg; break;
    case 'h': fputs(help, stdout); return cli_finish(EXIT_SUCCESS);
    default: return cli_bad_option(c, argv, "bench");
    }
    return good ? GO_ON : EXIT_TROUBLE;
}

static int read_options(struct request *r, int argc, char **argv) {
    static const struct option options[] = {
        {"submission", required_argument, NULL, 's'},
        {"suite", required_argument, NULL, 'u'},
        {"cpu", no_argument, NULL, 'C'},
        {"threads", required_argument, NULL, 'T'},
        {"prepare", required_argument, NULL, 'R'},
        {"seconds", required_argument, NULL, 'S'},
        {"operation", required_argument, NULL, 'p'},
        {"type", required_argument, NULL, 't'},
        {"output", required_argument, NULL, 'o'},
        {"labs", required_argument, NULL, 'L'},
        {"help", no_argument, NULL, 'h'},
        {0}};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":s:n:o:h", options, NULL)) != -1) {
        int status = set_option(r, c, argv);
        if (status != GO_ON) return status;
    }
    if (!r->threads || r->cpu) return GO_ON;
    return cli_fail("--threads is for --cpu");
}

/* "scanlab bench --suite full", for the CSV; cut when it is very long. */
static void note_command(struct request *r, int argc, char **argv) {
    size_t used = (size_t)snprintf(r->command, sizeof r->command, "scanlab");
    for (int i = 0; i < argc && used < sizeof r->command; i++)
        used += (size_t)snprintf(r->command + used, sizeof r->command - used,
                                 " %s", argv[i]);
    for (char *at = r->command; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
}

/* ---- all together ---- */

static int time_cpu(const struct request *r, const struct course *course) {
    const struct bench_cpu_options o = {.root = course->paths.root,
                                        .build_folder =
                                            course->paths.build_folder,
                                        .labs = course->labs,
                                        .n_labs = course->n_labs,
                                        .submissions = r->submissions,
                                        .n_submissions = r->n_submissions,
                                        .full = r->full,
                                        .operation = r->operation,
                                        .type = r->type,
                                        .sizes = r->sizes,
                                        .n_sizes = r->n_sizes,
                                        .threads = r->threads,
                                        .output = r->output,
                                        .command = r->command};
    return bench_cpu(&o);
}

static int time_gpu(const struct request *r, const struct course *course,
                    const char *const *ids, size_t n) {
    const struct bench_gpu_options o = {.root = course->paths.root,
                                        .build_folder =
                                            course->paths.build_folder,
                                        .labs = course->labs,
                                        .n_labs = course->n_labs,
                                        .only = ids,
                                        .n_only = n,
                                        .submissions = r->submissions,
                                        .n_submissions = r->n_submissions,
                                        .full = r->full,
                                        .operation = r->operation,
                                        .type = r->type,
                                        .sizes = r->sizes,
                                        .n_sizes = r->n_sizes,
                                        .output = r->output,
                                        .command = r->command,
                                        .milliseconds = r->milliseconds,
                                        .prepare = r->prepare,
                                        .version = SCANLAB_VERSION};
    return bench_gpu(&o);
}

static bool choose_labs(const struct request *r, const struct course *course,
                        char **names, size_t n, const char **ids) {
    for (size_t i = 0; i < n; i++) {
        const struct lab *lab = course_lab(course, names[i]);
        if (!lab) return false;
        ids[i] = lab->id;
        if (r->cpu == (lab->language == LAB_C)) continue;
        cli_fail("lab %s runs on the %s", lab->id,
                 r->cpu ? "GPU: leave out --cpu" : "CPU: give --cpu");
        return false;
    }
    return true;
}

/* Writes the CSV beside the programs unless told otherwise. */
static int measure(struct request *r, const struct course *course, char **names,
                   size_t n) {
    const char **ids = calloc(n + 1, sizeof *ids);
    char *standard = path_join(course->paths.build_folder,
                               r->cpu ? "bench-cpu.csv" : "bench-gpu.csv");
    int status;
    if (!r->output) r->output = standard;
    if (!ids || !standard)
        status = cli_fail("out of memory");
    else if (!choose_labs(r, course, names, n, ids))
        status = EXIT_TROUBLE;
    else
        status = r->cpu ? time_cpu(r, course) : time_gpu(r, course, ids, n);
    free(ids);
    free(standard);
    return status;
}

int command_bench(int argc, char **argv) {
    struct request *r = calloc(1, sizeof *r);
    struct course course = {0};
    if (!r) return cli_fail("out of memory");
    note_command(r, argc, argv);
    int status = read_options(r, argc, argv);
    if (status == GO_ON)
        status =
            course_open(&course, r->labs)
                ? measure(r, &course, argv + optind, (size_t)(argc - optind))
                : EXIT_TROUBLE;
    course_free(&course);
    free(r);
    return status == EXIT_FULL ? cli_finish(status) : status;
}

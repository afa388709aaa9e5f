/* SPDX-License-Identifier: MIT
 *
 * main.c: scanlab-bench, which scanlab bench starts: reads the options; the
 * other files measure.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_cpu.h"
#include "bench_gpu.h"
#include "cli.h"

#ifndef SCANLAB_VERSION
#define SCANLAB_VERSION "development"
#endif

enum {
    MOST_FOLDERS = 16,
    MOST_SIZES = 64,
    MOST_THREADS = 1024,
    MOST_SECONDS = 86400,
    MOST_CAPABILITY = 999
};
static const size_t most_elements = (size_t)1 << 36;

struct request {
    const char *labs, *operation, *type, *output;
    const char *submissions[MOST_FOLDERS];
    size_t sizes[MOST_SIZES];
    size_t n_submissions, n_sizes;
    uint64_t threads, seconds; /* 0: as is usual */
    uint64_t prepare;          /* 0: measure */
    const char *suite;
    bool cpu;
    char command[1024];
};

/* ---- options ---- */

static const char *const operations[] = {
#define X(name, text) #name,
#include "operations.def"
#undef X
    NULL};
static const char *const types[] = {
#define X(name, type, bytes) #name,
#include "bench_types.def"
#undef X
    NULL};
static const char *const suites[] = {"quick", "full", NULL};

static bool add_size(void *to, const char *value, struct text *why) {
    struct request *r = to;
    uint64_t n;
    if (!option_number(value, most_elements, &n) || n == 0)
        text_add(why, "'%s' is not a number from 1 to 2^36", value);
    else if (r->n_sizes == MOST_SIZES)
        text_add(why, "more than %d sizes", MOST_SIZES);
    else
        r->sizes[r->n_sizes++] = n;
    return why->size == 0;
}

static bool add_submission(void *to, const char *value, struct text *why) {
    struct request *r = to;
    if (r->n_submissions == MOST_FOLDERS)
        text_add(why, "more than %d folders", MOST_FOLDERS);
    else
        r->submissions[r->n_submissions++] = value;
    return why->size == 0;
}

static int read_options(struct request *r, struct option_table *o, int argc,
                        char **argv, char ***words) {
    const struct option_row rows[] = {
        {'s', "submission", "DIR", "time this folder, too; may be repeated",
         OPTION_CALL(add_submission, r)},
        {0, "suite", "NAME", "quick (a minute) or full (minutes) (quick)",
         OPTION_CHOICE(&r->suite, suites)},
        {0, "cpu", NULL, "lab 0 on this machine's cores instead",
         OPTION_FLAG(&r->cpu)},
        {0, "threads", "K", "with --cpu: this many (all cores)",
         OPTION_NUMBER(&r->threads, 1, MOST_THREADS)},
        {0, "operation", "NAME", "this operation only, such as inclusive_sum",
         OPTION_CHOICE(&r->operation, operations)},
        {0, "type", "NAME", "this type only, such as int32",
         OPTION_CHOICE(&r->type, types)},
        {'n', NULL, "N", "this many elements; may be repeated",
         OPTION_CALL(add_size, r)},
        {0, "seconds", "S", "spend about this long (60, or 480 with full)",
         OPTION_NUMBER(&r->seconds, 1, MOST_SECONDS)},
        {'o', "output", "FILE",
         "the CSV goes there; - is standard output (bench-gpu.csv or "
         "bench-cpu.csv in build/)",
         OPTION_TEXT(&r->output)},
        CLI_LABS(&r->labs),
        {0, "prepare", "CC",
         "only compile the peers, for compute capability CC (90 for 9.0), to "
         "be carried to another machine",
         OPTION_NUMBER(&r->prepare, 1, MOST_CAPABILITY)}};
    OPTIONS_ARE(o, rows, 0, -1);
    int n_words = options_read(o, argc, argv, words);
    if (n_words >= 0 && r->threads && !r->cpu)
        return options_wrong(o, "--threads is for --cpu");
    return n_words;
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
                                        .full = strcmp(r->suite, "full") == 0,
                                        .operation = r->operation,
                                        .type = r->type,
                                        .sizes = r->sizes,
                                        .n_sizes = r->n_sizes,
                                        .threads = (unsigned)r->threads,
                                        .output = r->output,
                                        .command = r->command};
    return bench_cpu(&o);
}

static int time_gpu(const struct request *r, const struct course *course,
                    const char *const *ids, size_t n) {
    const struct bench_gpu_options o = {
        .root = course->paths.root,
        .build_folder = course->paths.build_folder,
        .labs = course->labs,
        .n_labs = course->n_labs,
        .only = ids,
        .n_only = n,
        .submissions = r->submissions,
        .n_submissions = r->n_submissions,
        .full = strcmp(r->suite, "full") == 0,
        .operation = r->operation,
        .type = r->type,
        .sizes = r->sizes,
        .n_sizes = r->n_sizes,
        .output = r->output,
        .command = r->command,
        .milliseconds = (long long)r->seconds * 1000,
        .prepare = (int)r->prepare,
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

static int bench(struct option_table *o, int argc, char **argv) {
    struct request *r = calloc(1, sizeof *r);
    struct course course = {0};
    char **words;
    if (!r) return cli_fail("out of memory");
    r->suite = suites[0];
    o->what =
        "Times reference/, timing/fast/ and the folders given, of the labs "
        "named (of all, if none is), beside copies, CUB and Thrust, on this "
        "machine's GPU and in one run; checks what they leave; writes CSV and "
        "a table. Not a grade: times of a submission are taken in its own "
        "process.";
    o->end = "Exit status: 0 all outputs right, 1 a timed output was wrong, 2 "
             "could not measure.\n\n"
             "Without a GPU, model time: scanlab bench --clock --help\n\n"
             "Example: scanlab bench lookback --type int32 -s student";
    note_command(r, argc, argv);
    int n_words = read_options(r, o, argc, argv, &words);
    int status = n_words < 0 ? cli_ended(n_words) : EXIT_TROUBLE;
    if (n_words >= 0 && course_open(&course, r->labs))
        status = measure(r, &course, words, (size_t)n_words);
    course_free(&course);
    free(r);
    return status == EXIT_FULL ? cli_finish(status) : status;
}

/* scanlab passes its own words on: "scanlab", "bench", options. Called by hand,
 * the second is missing. */
int main(int argc, char **argv) {
    struct option_table o = {.program = "scanlab",
                             .command = "bench",
                             .version = SCANLAB_VERSION,
                             .arguments = "[LAB...]"};
    char name[] = "bench", **words = argv;
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe is an error instead */
    if (argc > 1 && strcmp(argv[1], name) == 0) {
        words++;
        argc--;
    } else {
        words[0] = name;
    }
    return bench(&o, argc, words);
}

/* SPDX-License-Identifier: MIT
 *
 * grade.c: scanlab grade: reads the options, lets the judge grade, prints.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vgpu.h>

#include "compile.h"
#include "judge.h"
#include "report.h"
#include "cli.h"

static const char help[] =
    "usage: scanlab grade [LAB...] [OPTION...]\n\n"
    "Compiles a submission, runs the checks of the labs (of all, if none is\n"
    "named) and prints the grade. LAB is a name, a number or a folder: naive,\n"
    "1, 01-naive.\n\n"
    "  -s, --submission DIR  the folder with the sources (student)\n"
    "  -d, --device DEVICE   auto, vgpu or gpu (auto: the virtual GPU, and a\n"
    "                        real one beside it where there is one)\n"
    "      --arch A          compile the submission's PTX for compute\n"
    "                        capability 7.5, 8.0 or 9.0: 75, 80, 90 (75)\n"
    "      --fast            the checks that are timed on a real GPU, too; "
    "without\n"
    "                        it they are no part of the grade\n"
    "  -f, --format FORMAT   text or json (text)\n"
    "  -o, --output FILE     write the report there\n"
    "  -v, --verbose         details of passed checks, all output\n"
    "      --labs DIR        the folder of labs\n"
    "\nTo see one thing again:\n\n"
    "      --seed N          the seed that the report's first line shows\n"
    "  -c, --check ID        this check only\n"
    "  -n N                  this size only\n"
    "      --set NAME=VALUE  this value of a parameter only, such as order=3\n"
    "      --schedule S      this order of blocks only: in-order, reverse or\n"
    "                        random:SEED\n"
    "\nExit status: 0 full marks, 1 points are missing, 2 an error that is "
    "none of\nthe submission's.\n";

struct request {
    const char *program;                    /* as it was called */
    const char *submission, *labs, *output; /* NULL: not given */
    int format;
    bool seeded;
    struct judge_options judge;
};

/* ---- options ---- */
static bool one_of(const char *text, const char *const *names) {
    for (; *names; names++)
        if (strcmp(text, *names) == 0) return true;
    return false;
}

static bool set_device(struct request *request, const char *text) {
    static const char *const devices[] = {"auto", "vgpu", "gpu", NULL};
    request->judge.device = text;
    if (one_of(text, devices)) return true;
    cli_fail("--device: '%s' is none of auto, vgpu, gpu", text);
    return false;
}

static bool set_format(struct request *request, const char *text) {
    char known[128];
    request->format = report_format_by_name(text);
    if (request->format >= 0) return true;
    report_format_list(known, sizeof known);
    cli_fail("--format: '%s' is not available; there are: %s", text, known);
    return false;
}

static bool set_seed(struct request *request, const char *text) {
    unsigned long long seed;
    if (!cli_number(text, INT64_MAX, &seed)) {
        cli_fail("--seed: '%s' is not a number from 0 to 2^63 - 1", text);
        return false;
    }
    request->judge.seed = seed;
    request->seeded = true;
    return true;
}

static bool set_n(struct request *request, const char *text) {
    unsigned long long n;
    if (!cli_number(text, LAB_MAX_SIZE, &n)) {
        cli_fail("-n: '%s' is not a number from 0 to %d", text, LAB_MAX_SIZE);
        return false;
    }
    request->judge.n = (size_t)n;
    request->judge.has_n = true;
    return true;
}

static bool set_schedule(struct request *request, const char *text) {
    struct vgpu_options options = {0};
    request->judge.schedule = text;
    if (vgpu_parse_schedule(text, &options)) return true;
    cli_fail("--schedule: '%s' is none of in-order, reverse, random:SEED",
             text);
    return false;
}

static bool set_arch(struct request *request, const char *text) {
    if (compile_arch_by_name(text, &request->judge.arch)) return true;
    cli_fail("--arch: '%s' is none of " COMPILE_ARCHES, text);
    return false;
}

static bool set_text(const char **place, const char *text) {
    *place = text;
    return true;
}

enum { GO_ON = -1 };

/* One option; an exit status, or GO_ON. */
static int set_option(struct request *request, int c, char **argv) {
    bool good = true;
    switch (c) {
    case 's': good = set_text(&request->submission, optarg); break;
    case 'd': good = set_device(request, optarg); break;
    case 'f': good = set_format(request, optarg); break;
    case 'o': good = set_text(&request->output, optarg); break;
    case 'A': good = set_arch(request, optarg); break;
    case 'F': request->judge.fast = true; break;
    case 'v': request->judge.verbose = true; break;
    case 'L': good = set_text(&request->labs, optarg); break;
    case 'S': good = set_seed(request, optarg); break;
    case 'c': good = set_text(&request->judge.check, optarg); break;
    case 'n': good = set_n(request, optarg); break;
    case 'O': good = set_schedule(request, optarg); break;
    case 'P': {
        int p = cli_parameter(optarg, &request->judge.parameters);
        good = p >= 0;
        if (good) request->judge.has_parameter[p] = true;
        break;
    }
    case 'h': fputs(help, stdout); return cli_finish(EXIT_SUCCESS);
    default: return cli_bad_option(c, argv, "grade");
    }
    return good ? GO_ON : EXIT_TROUBLE;
}

static int read_options(struct request *request, int argc, char **argv) {
    static const struct option options[] = {
        {"submission", required_argument, NULL, 's'},
        {"device", required_argument, NULL, 'd'},
        {"arch", required_argument, NULL, 'A'},
        {"fast", no_argument, NULL, 'F'},
        {"format", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'},
        {"verbose", no_argument, NULL, 'v'},
        {"labs", required_argument, NULL, 'L'},
        {"seed", required_argument, NULL, 'S'},
        {"check", required_argument, NULL, 'c'},
        {"schedule", required_argument, NULL, 'O'},
        {"set", required_argument, NULL, 'P'},
        {"help", no_argument, NULL, 'h'},
        {0}};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":s:d:f:o:vc:n:h", options, NULL)) !=
           -1) {
        int status = set_option(request, c, argv);
        if (status != GO_ON) return status;
    }
    return GO_ON;
}

/* ---- which labs ---- */
/* Puts the ids of the named labs, or of those that have the check asked for,
 * into the judge's options. */
static bool choose_labs(struct request *request, const struct course *course,
                        char **names, int n_names, const char **ids) {
    for (int i = 0; i < n_names; i++) {
        const struct lab *lab = course_lab(course, names[i]);
        if (!lab) return false;
        if (request->judge.check &&
            lab_check_by_id(lab, request->judge.check) < 0)
            return false;
        ids[request->judge.n_labs++] = lab->id;
    }
    for (size_t i = 0; n_names == 0 && i < course->n_labs; i++) {
        const struct lab *lab = course->labs[i];
        bool wanted = !request->judge.check;
        for (size_t k = 0; !wanted && k < lab->n_checks; k++)
            wanted = strcmp(lab->checks[k].id, request->judge.check) == 0;
        if (wanted) ids[request->judge.n_labs++] = lab->id;
    }
    request->judge.labs = ids;
    if (request->judge.n_labs > 0) return true;
    cli_fail("no lab has a check '%s'; see: scanlab list -v",
             request->judge.check);
    return false;
}

static bool is_chosen(const struct request *request, const struct lab *lab) {
    for (size_t i = 0; i < request->judge.n_labs; i++)
        if (strcmp(request->judge.labs[i], lab->id) == 0) return true;
    return false;
}

/* ---- the submission ---- */
/* A folder with none of the files is a mistyped folder, not a bad grade. */
static bool check_submission(const struct request *request,
                             const struct course *course) {
    const char *folder = request->judge.submission;
    DIR *open = opendir(folder);
    if (!open) {
        cli_fail("cannot open the submission's folder %s: %s", folder,
                 strerror(errno));
        return false;
    }
    closedir(open);
    const struct lab *one = NULL;
    for (size_t i = 0; i < course->n_labs; i++) {
        if (!is_chosen(request, course->labs[i])) continue;
        one = course->labs[i];
        char *path = path_join(folder, one->source);
        bool here = path && access(path, F_OK) == 0;
        free(path);
        if (here) return true;
    }
    cli_fail("there is nothing to grade in %s: no %s%s", folder,
             one ? one->source : "source file",
             request->judge.n_labs > 1 ? ", nor a file of another lab" : "");
    return false;
}

/* ---- progress ---- */
struct watcher {
    struct progress *progress;
    size_t total, done;
    char current[128]; /* lab and check of the last step */
};

static void show_progress(void *user, const struct judge_progress *step) {
    struct watcher *w = user;
    char current[sizeof w->current], text[256];
    snprintf(current, sizeof current, "%s %s", step->lab,
             step->check ? step->check : "");
    if (step->check && strcmp(current, w->current) != 0) {
        memcpy(w->current, current, sizeof current);
        if (w->done < w->total) w->done++;
    }
    snprintf(text, sizeof text, "%s: %s", current,
             step->text ? step->text : "");
    progress_show(w->progress, w->done, w->total, text);
}

static size_t count_checks(const struct request *request,
                           const struct course *course) {
    size_t n = 0;
    for (size_t i = 0; i < course->n_labs; i++) {
        const struct lab *lab = course->labs[i];
        if (!is_chosen(request, lab)) continue;
        for (size_t k = 0; !request->judge.check && k < lab->n_checks; k++)
            n += request->judge.fast ||
                 !lab_check_needs_gpu(lab, &lab->checks[k]);
        n += request->judge.check != NULL;
    }
    return n;
}

/* ---- all together ---- */
static bool fresh_seed(struct request *request) {
    uint32_t seed;
    if (request->seeded) return true;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        cli_fail("cannot get a random seed: %s", strerror(errno));
        return false;
    }
    request->judge.seed = seed;
    return true;
}

static bool print_grade(const struct request *request, struct output *output,
                        const struct grade *grade) {
    struct report_options options = report_options_for(output->stream);
    options.verbose = request->judge.verbose;
    options.program = request->program;
    options.labs = request->labs;
    if (!report_write(request->format, output->stream, grade, &options) &&
        !ferror(output->stream)) {
        cli_fail("cannot write the report: %s", strerror(errno));
        output_abandon(output);
        return false;
    }
    return output_close(output);
}

static int judge_and_print(struct request *request,
                           const struct course *course) {
    struct output output;
    if (!output_open(&output, request->output)) return EXIT_TROUBLE;
    struct watcher watcher = {.progress = progress_new(stderr),
                              .total = count_checks(request, course)};
    request->judge.progress = show_progress;
    request->judge.user = &watcher;
    struct grade grade = {0};
    char error[JUDGE_ERROR_BYTES] = "";
    int failed = judge_grade(&request->judge, course->labs, course->n_labs,
                             &grade, error);
    progress_free(watcher.progress);
    if (failed) {
        output_abandon(&output);
        return cli_fail("%s", error);
    }
    bool printed = print_grade(request, &output, &grade);
    int status = !printed                ? EXIT_TROUBLE
                 : grade_is_full(&grade) ? EXIT_FULL
                                         : EXIT_MISSING;
    grade_free(&grade);
    return status;
}

static int grade_course(struct request *request, struct course *course,
                        char **names, int n_names) {
    size_t room = course->n_labs + (size_t)n_names;
    const char **ids = calloc(room + 1, sizeof *ids);
    char *standard = path_join(course->paths.root, "student");
    int status = EXIT_TROUBLE;
    request->judge.root = course->paths.root;
    request->judge.build_folder = course->paths.build_folder;
    request->judge.labs_folder = request->labs;
    request->judge.submission =
        request->submission ? request->submission : standard;
    if (!ids || !standard)
        cli_fail("out of memory");
    else if (choose_labs(request, course, names, n_names, ids) &&
             check_submission(request, course) && fresh_seed(request))
        status = judge_and_print(request, course);
    free(standard);
    free(ids);
    return status;
}

int command_grade(int argc, char **argv) {
    struct request request = {.program = argv[-1],
                              .format = REPORT_text,
                              .judge = {.device = "auto"}};
    int status = read_options(&request, argc, argv);
    if (status != GO_ON) return status;
    struct course course;
    status = EXIT_TROUBLE;
    if (course_open(&course, request.labs))
        status = grade_course(&request, &course, argv + optind, argc - optind);
    course_free(&course);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * grade.c: scanlab grade: reads the options, lets the judge grade, prints.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "compile_settings.h"
#include "judge.h"
#include "over.h"
#include "remember.h"
#include "reports.h"
#include "words.h"

struct request {
    const char *submission, *called, *labs; /* NULL: not given */
    uint64_t most_hints;                    /* 0: all */
    struct reports reports;
    struct over over;
    bool seeded, verbose;
    struct judge_options judge;
};

enum { GRADE_LIMIT_S = 3600, REPAIRS_S = 3 };

/* ---- options ---- */
static const char *const devices[] = {"auto", "vgpu", "gpu", NULL};

/* Of two the first would be left out without a word. */
static bool set_check(void *to, const char *value, struct text *why) {
    const char **check = to;
    if (*check && strcmp(*check, value) != 0)
        text_add(why,
                 "'%s' is a second one after '%s'; run it by itself, or all "
                 "without --check",
                 value, *check);
    else if (!*value)
        text_add(why, "it is empty");
    else
        *check = value;
    return *check == value;
}

/* Rows of the table below. */
#define LIMIT_OPTIONS(judge)                                                   \
    {0, "cache", "DIR",                                                        \
     "what was compiled before ($SCANLAB_CACHE, or submissions/ in the "       \
     "build folder)",                                                          \
     OPTION_TEXT(&(judge)->cache)},                                            \
        {0, "cache-limit", "MIB", "how large that may become (256)",           \
         OPTION_NUMBER(&(judge)->cache_mib, 1, 1 << 20)},                      \
        {0, "compile-limit", "S",                                              \
         "seconds of processor time to compile a source (60)",                 \
         OPTION_NUMBER(&(judge)->compile_limit_s, 1, 1 << 20)},                \
        {0, "time-limit", "S",                                                 \
         "seconds for the whole grade; checks that are not reached have no "   \
         "points (3600)",                                                      \
         OPTION_NUMBER(&(judge)->time_limit_s, 1, 1 << 30)},                   \
    {                                                                          \
        0, "repairs", "S",                                                     \
            "seconds for trying small repairs of what failed (3; 0: none)",    \
            OPTION_NUMBER(&(judge)->repairs_s, 0, 1 << 20)                     \
    }

static int read_options(struct request *r, struct option_table *o, int argc,
                        char **argv, char ***words) {
    struct judge_options *judge = &r->judge;
    struct cli_parameters parameters = {&judge->parameters,
                                        judge->has_parameter};
    const struct option_row rows[] = {
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&r->submission)},
        {0, "called", "NAME", "what reports call that folder (as given)",
         OPTION_TEXT(&r->called)},
        {0, "hints", "N",
         "of each check, so many hints in what learning systems show (all)",
         OPTION_NUMBER(&r->most_hints, 1, 1000)},
        {'d', "device", "DEVICE",
         "auto, vgpu or gpu (auto: the virtual GPU, and a real one beside it "
         "where there is one)",
         OPTION_CHOICE(&judge->device, devices)},
        {0, "arch", "A",
         "compile for compute capability 7.5 to 12.0: " COMPILE_ARCHES " (75)",
         OPTION_CALL(cli_set_arch, &judge->arch)},
        {0, "large", NULL, "with the largest sizes, up to 2^26 (without them)",
         OPTION_FLAG(&judge->large)},
        {0, "fast", NULL,
         "with the checks that are timed on a real GPU (without them)",
         OPTION_FLAG(&judge->fast)},
        REPORTS_OPTIONS(&r->reports),
        {0, "require-walls", NULL, "an error where a wall is missing",
         OPTION_FLAG(&judge->require_walls)},
        {0, "weaker-walls", NULL, "a real GPU with fewer walls, too",
         OPTION_FLAG(&judge->weaker_walls)},
        LIMIT_OPTIONS(judge),
        {'v', "verbose", NULL, "details of passed checks, all output",
         OPTION_FLAG(&r->verbose)},
        CLI_LABS(&r->labs),
        OVER_OPTIONS(&r->over),
        OPTION_HEADING("To see one thing again:"),
        CLI_SEED(&judge->seed, &r->seeded,
                 "the seed that the report's first line shows"),
        {'c', "check", "ID", "this check only",
         OPTION_CALL(set_check, &judge->check)},
        {'n', NULL, "N", "this size only",
         OPTION_NUMBER_GIVEN(&judge->n, 0, LAB_MAX_SIZE, &judge->has_n)},
        {0, "set", "NAME=VALUE",
         "this value of a parameter only, such as order=3",
         OPTION_CALL(cli_set_parameter, &parameters)},
        {0, "schedule", "S",
         "this order of blocks only: in-order, reverse or random:SEED",
         OPTION_CALL(cli_set_schedule, &judge->schedule)}};
    OPTIONS_ARE(o, rows, 0, -1);
    return options_read(o, argc, argv, words);
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
/* A folder with none of the files is a mistyped folder, not a bad grade, but
 * not where a program has made it and says what it is called. */
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
    if (request->called) return true;
    const struct lab *one = NULL;
    for (size_t i = 0; i < course->n_labs; i++) {
        if (!is_chosen(request, course->labs[i])) continue;
        one = course->labs[i];
        char *path = path_join(folder, one->source);
        /* A link that leads nowhere was handed in as well. */
        struct stat file;
        bool here = path && lstat(path, &file) == 0;
        if (!path) cli_fail("out of memory");
        if (!path) return false;
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
    char current[sizeof w->current];
    struct text text = {0};
    snprintf(current, sizeof current, "%s %s", step->lab,
             step->check ? step->check : "");
    if (step->check && strcmp(current, w->current) != 0) {
        memcpy(w->current, current, sizeof current);
        if (w->done < w->total) w->done++;
    }
    text_add(&text, "%s: %s", current, step->text ? step->text : "");
    if (step->tried) words_case(&text, step->tried);
    progress_show(w->progress, w->done, w->total, text_string(&text));
    text_free(&text);
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
/* For `scanlab progress`: labs of which nothing was left out. */
static void remember(const struct judge_options *judge,
                     const struct grade *grade, time_t began) {
    bool some = judge->check || judge->has_n || judge->schedule;
    for (int i = 0; i < N_PARAMETERS; i++) some |= judge->has_parameter[i];
    for (size_t i = 0; !some && i < grade->n_labs; i++)
        remember_lab(judge->build_folder, judge->submission, &grade->labs[i],
                     began);
}

static int judge_and_print(struct request *request,
                           const struct course *course) {
    if (!reports_open(&request->reports)) return EXIT_TROUBLE;
    reports_find_engine(&request->reports, request->judge.build_folder);
    request->judge.pages = reports_have_page(&request->reports);
    request->judge.runs = request->reports.engine != NULL;
    struct watcher watcher = {.progress = progress_new(stderr),
                              .total = count_checks(request, course)};
    request->judge.progress = show_progress;
    request->judge.user = &watcher;
    struct grade grade = {0};
    time_t began = time(NULL);
    char error[JUDGE_ERROR_BYTES] = "";
    int failed = judge_grade(&request->judge, course->labs, course->n_labs,
                             &grade, error);
    progress_free(watcher.progress);
    if (failed) {
        free(request->reports.engine);
        reports_abandon(&request->reports);
        return cli_fail("%s", error);
    }
    char *called = request->called ? strdup(request->called) : NULL;
    grade.most_hints = request->most_hints;
    if (called) {
        free(grade.submission);
        grade.submission = called;
    }
    over_apply(&request->over, course, &grade);
    request->reports.leaderboard |= course->rules && course->rules->leaderboard;
    const struct report_options options = {.students = course->rules != NULL,
                                           .verbose = request->verbose,
                                           .program = grade.program,
                                           .labs = request->labs};
    bool printed = reports_write(&request->reports, &grade, &options);
    int status = !printed                ? EXIT_TROUBLE
                 : grade_is_full(&grade) ? EXIT_FULL
                                         : EXIT_MISSING;
    remember(&request->judge, &grade, began);
    free(request->reports.engine);
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
             check_submission(request, course) &&
             over_seed(&request->over, course, request->judge.submission,
                       request->seeded, &request->judge.seed)) {
        over_speak(course);
        status = judge_and_print(request, course);
    }
    free(standard);
    free(ids);
    return status;
}

int command_grade(struct option_table *o, int argc, char **argv) {
    struct request request = {.reports = {.format = -1},
                              .judge = {.device = "auto",
                                        .repairs_s = REPAIRS_S,
                                        .time_limit_s = GRADE_LIMIT_S}};
    char **words;
    o->what = "Compiles a submission, runs the checks of the labs (of all, if "
              "none is named) and prints the grade. LAB is a name, a number or "
              "a folder: naive, 1, 01-naive.";
    o->end = "Exit status: 0 full marks, 1 points are missing, 2 an error that "
             "is none of the submission's.\n\n"
             "Example: scanlab grade naive --check any-size -n 33";
    int n_words = read_options(&request, o, argc, argv, &words);
    if (n_words < 0) return cli_ended(n_words);
    if (!reports_complete(&request.reports, o) ||
        !over_complete(&request.over, o))
        return EXIT_TROUBLE;
    ending_watch();
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open_over(&course, request.labs, request.over.folder))
        status = grade_course(&request, &course, words, n_words);
    course_free(&course);
    return status;
}

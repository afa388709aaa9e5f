/* SPDX-License-Identifier: MIT
 *
 * class.c: scanlab class: reads the options and starts tools/class/main.py,
 * which grades what a class has handed in (docs/parts.md, a class).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "over.h"
#include "script.h"

struct request {
    const char *folder, *output, *labs, *device, *accept; /* NULL: not given */
    struct over over;
    uint64_t jobs, seed;
    bool seeded, limited, list, again, fast, slurm, require_walls;
    bool weaker_walls, attempts;
};

/* The functions by whose names a source is known that is called otherwise. */
static void add_symbols(struct script_words *w, const struct lab *lab) {
    for (size_t i = 0; i < lab->n_functions; i++)
        script_add(w, "symbol=%s/%s", lab->source, lab->functions[i].symbol);
}

/* Those that are named, or all: each once, in the order of the ladder, as a
 * grade has them. */
static bool add_labs(struct script_words *w, const struct course *course,
                     char **names, int n_names) {
    bool *wanted = calloc(course->n_labs + 1, sizeof *wanted);
    bool known = wanted != NULL;
    for (int i = 0; i < n_names && known; i++) {
        const struct lab *lab = course_lab(course, names[i]);
        known = lab != NULL;
        for (size_t k = 0; k < course->n_labs; k++)
            wanted[k] |= course->labs[k] == lab;
    }
    for (size_t k = 0; k < course->n_labs && known; k++) {
        const struct lab *lab = course->labs[k];
        if (n_names && !wanted[k]) continue;
        script_add(w, "lab=%s/%s", lab->id, lab->source);
        add_symbols(w, lab);
    }
    free(wanted);
    return known;
}

static size_t count_symbols(const struct course *course) {
    size_t n = 0;
    for (size_t i = 0; i < course->n_labs; i++)
        n += course->labs[i]->n_functions;
    return n;
}

static void add_request(struct script_words *w, const struct request *r,
                        const struct course *course) {
    script_add(w, "folder=%s", r->folder);
    script_add(w, "build=%s", course->paths.build_folder);
    script_add(w, "root=%s", course->paths.home);
    script_add(w, "labs=%s", course->paths.labs);
    if (r->labs) script_add(w, "other_labs=%s", r->labs);
    if (r->over.folder) script_add(w, "course=%s", r->over.folder);
    if (r->over.has_submitted)
        script_add(w, "handed_in=%" PRId64, r->over.submitted_s);
    if (r->output) script_add(w, "output=%s", r->output);
    if (r->accept) script_add(w, "accept=%s", r->accept);
    if (r->device) script_add(w, "device=%s", r->device);
    if (r->seeded) script_add(w, "seed=%" PRIu64, r->seed);
    if (r->limited) script_add(w, "jobs=%" PRIu64, r->jobs);
    if (r->list) script_add(w, "list=1");
    if (r->again) script_add(w, "again=1");
    if (r->attempts) script_add(w, "attempts=1");
    if (r->fast) script_add(w, "fast=1");
    if (r->slurm) script_add(w, "slurm=1");
    if (r->require_walls) script_add(w, "require_walls=1");
    if (r->weaker_walls) script_add(w, "weaker_walls=1");
}

static int class_of(const struct request *r, const struct course *course,
                    char **names, int n_names) {
    struct script_words w = {.room =
                                 32 + course->n_labs + (size_t)n_names +
                                 count_symbols(course) * (1 + (size_t)n_names)};
    int status = EXIT_TROUBLE;
    if (script_begin(&w, course->paths.home, "tools/class/main.py")) {
        add_request(&w, r, course);
        if (add_labs(&w, course, names, n_names)) status = script_run(&w);
    }
    script_free(&w);
    return status;
}

/* What a class hands in is never root's own, whomever the copies belong to that
 * are graded (judge/real_gpu.h). */
static bool may_use_gpu(struct request *r) {
    const char *device = r->device ? r->device : "vgpu";
    if (geteuid() != 0) return true;
    if (r->fast || strcmp(device, "gpu") == 0) {
        fputs("scanlab class: as root a real GPU is for root's own work alone: "
              "code on it runs as the user who grades. Grade the class as "
              "another user, or without --fast and --device gpu\n",
              stderr);
        return false;
    }
    if (strcmp(device, "auto") == 0) {
        fputs("scanlab class: the real GPU is left out: this is root\n",
              stderr);
        r->device = "vgpu";
    }
    return true;
}

static void say_what(struct option_table *o) {
    o->what =
        "Grades what a class has handed in: a folder or an archive as Canvas, "
        "Moodle, Gradescope or Autolab gives it, or one with a folder or an "
        "archive for each student. A second run grades only what changed or is "
        "missing.";
    o->end =
        "Exit status: 0 all are graded; 1 something needs a look: it could not "
        "be read, stands under another name or twice, or is nobody's; 2 the "
        "grader could not do its work for some "
        "or for all, and a second run tries those again.\n\n"
        "Example: scanlab class submissions/ naive -o graded";
}

int command_class(struct option_table *o, int argc, char **argv) {
    static const char *const devices[] = {"vgpu", "auto", "gpu", NULL};
    struct request r = {0};
    const struct option_row rows[] = {
        {'o', "output", "OUT", "gradebook, feedback, ledger (DIR.graded)",
         OPTION_TEXT(&r.output)},
        {'j', "jobs", "N",
         "so many grades at a time (processors; or what make's job server "
         "gives)",
         OPTION_NUMBER_GIVEN(&r.jobs, 1, 4096, &r.limited)},
        {0, "slurm", NULL, "grade by an array of jobs of Slurm",
         OPTION_FLAG(&r.slurm)},
        {0, "list", NULL, "only say whose each file is", OPTION_FLAG(&r.list)},
        {0, "accept", "WHO",
         "grade the likely file of rows that need a look: all, or KEY or "
         "KEY=FILE, with commas between; OUT keeps that",
         OPTION_TEXT(&r.accept)},
        {0, "again", NULL, "grade also what was graded and has not changed",
         OPTION_FLAG(&r.again)},
        {0, "attempts", NULL,
         "grade all attempts of a student, not the last alone, so that a "
         "policy may say which one counts",
         OPTION_FLAG(&r.attempts)},
        {'d', "device", "DEVICE", "vgpu, auto or gpu (vgpu)",
         OPTION_CHOICE(&r.device, devices)},
        {0, "fast", NULL, "with the checks that are timed on a real GPU",
         OPTION_FLAG(&r.fast)},
        {0, "require-walls", NULL, "an error where a wall is missing",
         OPTION_FLAG(&r.require_walls)},
        {0, "weaker-walls", NULL,
         "grade also where nothing keeps a compiler from your files",
         OPTION_FLAG(&r.weaker_walls)},
        CLI_SEED(&r.seed, &r.seeded,
                 "of all grades (a fresh one, which OUT keeps)"),
        CLI_LABS(&r.labs),
        {0, "course", "DIR", "what is laid over the labs: docs/course.md",
         OPTION_TEXT(&r.over.folder)},
        {0, "handed-in", "TIME",
         "when it was handed in, as 2026-11-30T23:59+01:00, where the LMS does "
         "not say (in "
         "time)",
         OPTION_CALL(over_set_submitted, &r.over)}};
    char **words;
    say_what(o);
    OPTIONS_ARE(o, rows, 1, -1);
    int n = options_read(o, argc, argv, &words);
    if (n < 0) return cli_ended(n);
    if (!over_complete(&r.over, o) || !may_use_gpu(&r)) return EXIT_TROUBLE;
    r.folder = words[0];
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open_over(&course, r.labs, r.over.folder))
        status = class_of(&r, &course, words + 1, n - 1);
    course_free(&course);
    return status;
}

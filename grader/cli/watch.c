/* SPDX-License-Identifier: MIT
 *
 * watch.c: scanlab watch: grades a lab again whenever its file is saved, check
 * by check, up to the first that fails, and says what was and what is now.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clean_text.h"
#include "cli.h"
#include "judge.h"
#include "live.h"
#include "report.h"
#include "saved.h"

/* A lab, and what was known of its checks before this time. */
struct watched {
    const struct lab *lab;
    struct grade grade; /* the last */
    bool stale;         /* saved since it was graded */
    char *was, *is;     /* a letter of `letters` for each check; "": never */
    int score, before;  /* without bonus; before: -1 at first */
};

struct watch {
    struct judge_options judge;
    struct report_options report;
    const char *submission, *labs; /* as given, or NULL */
    struct watched *watched;
    size_t n;
    struct watched *now; /* being graded */
    bool seeded, serve;
    unsigned port; /* 0: any */
    struct live live;
};

static const char letters[] = {
    [STATUS_PASS] = 'p', [STATUS_FAIL] = 'F', [STATUS_SKIP] = 's'};

static const char *word_of(char letter) {
    return letter == 'p'   ? "pass"
           : letter == 'F' ? "FAIL"
           : letter == 'T' ? "TODO"
                           : "skip";
}

/* ---- one grade of one lab ---- */

static bool judged(void *user, const struct grade *grade,
                   const struct lab_result *lab, const struct check_result *r) {
    struct watch *w = user;
    struct watched *now = w->now;
    size_t index = (size_t)(r->check - lab->lab->checks);
    char letter = check_is_todo(r) ? 'T' : letters[r->status];
    struct report_options options = w->report;
    options.program = grade->program;
    if (r == lab->checks) report_lab_begin(stdout, lab, &options);
    if (!lab->build_error && !check_waits_for(lab, r))
        report_check(stdout, grade, lab, r, &options);
    fflush(stdout);
    now->is[index] = letter;
    return letter != 'F';
}

/* "one-block: FAIL, now pass"; what was not reached keeps what it was. */
static void tell_changes(struct watched *now, const struct grade *grade) {
    const struct lab *lab = now->lab;
    const char *before = "  ";
    bool whole = grade->labs[0].n_checks > 0;
    int bonus = lab_bonus(&grade->labs[0]);
    printf("  %s %d/%d", lab->id, now->score, lab_points(lab, false));
    if (bonus) printf(" + %d bonus", bonus);
    if (now->before >= 0 && now->before != now->score)
        printf(", was %d", now->before);
    for (size_t i = 0; whole && i < lab->n_checks; i++) {
        char was = now->was[i], is = now->is[i];
        if (is == ' ' || was == ' ' || was == is) continue;
        if (is == 's' || was == 's') continue;
        printf("%s%s: %s, now %s", *before == ' ' ? "; " : before,
               lab->checks[i].id, word_of(was), word_of(is));
        before = ", ";
    }
    puts(now->before >= 0 && now->before == now->score && *before == ' '
             ? ", as before"
             : "");
}

static void remember(struct watched *now) {
    for (size_t i = 0; i < now->lab->n_checks; i++)
        if (now->is[i] != ' ') now->was[i] = now->is[i];
    now->before = now->score;
}

/* A page of the last grade of each lab that has one. */
static void watch_show(struct watch *w) {
    const struct grade **grades = calloc(w->n + 1, sizeof *grades);
    size_t n = 0;
    for (size_t i = 0; grades && i < w->n; i++)
        if (w->watched[i].grade.labs) grades[n++] = &w->watched[i].grade;
    if (grades) live_show(&w->live, grades, n);
    free(grades);
}

static bool grade_lab(struct watch *w, struct course *course,
                      struct watched *now) {
    struct grade grade;
    char error[JUDGE_ERROR_BYTES] = "", at[16] = "";
    const char *id = now->lab->id;
    time_t clock = time(NULL);
    struct tm local;
    if (localtime_r(&clock, &local)) strftime(at, sizeof at, "%T", &local);
    printf("\n%s  %s\n", at, now->lab->source);
    fflush(stdout);
    live_grading(&w->live);
    w->now = now;
    w->judge.labs = &id;
    w->judge.n_labs = 1;
    now->stale = false;
    memset(now->is, ' ', now->lab->n_checks);
    if (judge_grade(&w->judge, course->labs, course->n_labs, &grade, error)) {
        cli_fail("%s", error);
        return false;
    }
    now->score = grade.score - grade_bonus(&grade);
    report_lab_end(stdout, &grade.labs[0], &w->report);
    tell_changes(now, &grade);
    fflush(stdout);
    remember(now);
    /* The maximum of the whole lab, although grading ended at a failure. */
    grade.labs[0].max_score = grade.max_score = lab_points(now->lab, false);
    grade_free(&now->grade);
    now->grade = grade;
    watch_show(w);
    return true;
}

/* ---- what was saved ---- */

static bool has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* A header may be of any lab that was begun. */
static void was_saved(void *user, const char *name) {
    struct watch *w = user;
    bool any = !name || has_suffix(name, ".h") || has_suffix(name, ".cuh");
    for (size_t i = 0; i < w->n; i++) {
        struct watched *lab = &w->watched[i];
        if ((any && lab->before >= 0) ||
            (name && strcmp(name, lab->lab->source) == 0))
            lab->stale = true;
    }
}

static int watch_for_ever(struct watch *w, struct course *course) {
    struct saved saved;
    if (!saved_open(&saved, w->judge.submission)) return EXIT_TROUBLE;
    if (w->serve && !live_open(&w->live, w->judge.build_folder, w->port)) {
        saved_close(&saved);
        return EXIT_TROUBLE;
    }
    watch_show(w);
    char *folder = clean_name(w->judge.submission);
    printf("watching %s: save a lab's file to have it graded; Ctrl-C ends\n",
           folder ? folder : "");
    free(folder);
    fflush(stdout);
    bool good = true;
    do
        for (size_t i = 0; good && i < w->n; i++)
            if (w->watched[i].stale)
                good = grade_lab(w, course, &w->watched[i]);
    while (good && saved_wait(&saved, was_saved, w));
    saved_close(&saved);
    return EXIT_TROUBLE;
}

/* ---- options ---- */

static bool add_lab(struct watch *w, const struct lab *lab, bool at_once) {
    struct watched *new = &w->watched[w->n++];
    *new = (struct watched){.lab = lab,
                            .stale = at_once,
                            .before = -1,
                            .was = malloc(lab->n_checks + 1),
                            .is = malloc(lab->n_checks + 1)};
    if (!new->was || !new->is) return false;
    memset(new->was, ' ', lab->n_checks);
    return true;
}

/* Those named, at once; or whatever is saved. */
static bool choose(struct watch *w, const struct course *course, char **names,
                   int n_names) {
    w->watched =
        calloc(course->n_labs + (size_t)n_names + 1, sizeof *w->watched);
    bool good = w->watched != NULL;
    for (int i = 0; good && i < n_names; i++) {
        const struct lab *lab = course_lab(course, names[i]);
        if (!lab) return false;
        good = add_lab(w, lab, true);
    }
    for (size_t i = 0; good && n_names == 0 && i < course->n_labs; i++)
        good = add_lab(w, course->labs[i], false);
    if (!good) cli_fail("out of memory");
    return good;
}

static int watch_course(struct watch *w, struct course *course, char **names,
                        int n_names) {
    char *standard = path_join(course->paths.root, "student");
    int status = EXIT_TROUBLE;
    w->judge.root = course->paths.root;
    w->judge.build_folder = course->paths.build_folder;
    w->judge.labs_folder = w->labs;
    w->judge.submission = w->submission ? w->submission : standard;
    w->report = report_options_for(stdout);
    w->report.labs = w->labs;
    if (standard && choose(w, course, names, n_names) &&
        cli_seed(w->seeded, &w->judge.seed))
        status = watch_for_ever(w, course);
    live_close(&w->live);
    for (size_t i = 0; i < w->n; i++) {
        grade_free(&w->watched[i].grade);
        free(w->watched[i].was);
        free(w->watched[i].is);
    }
    free(w->watched);
    free(standard);
    return status;
}

static bool set_serve(void *to, const char *value, struct text *why) {
    enum { MOST_PORT = 65535 };
    struct watch *w = to;
    uint64_t port = 0;
    w->serve = true;
    if (value && (!option_number(value, MOST_PORT, &port) || port == 0)) {
        text_add(why, "'%s' is not a port from 1 to %d", value, MOST_PORT);
        return false;
    }
    w->port = (unsigned)port;
    return true;
}

int command_watch(struct option_table *o, int argc, char **argv) {
    struct watch w = {.judge = {.device = "vgpu", .judged = judged},
                      .live = {.to = -1}};
    const struct option_row rows[] = {
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&w.submission)},
        {0, "serve", "[=PORT]",
         "shows the HTML report, which renews itself, at an address of this "
         "machine only (a free port)",
         OPTION_CALL(set_serve, &w)},
        CLI_SEED(&w.judge.seed, &w.seeded, "the same inputs each time"),
        CLI_LABS(&w.labs)};
    char **words;
    o->what = "Grades a lab on the virtual GPU whenever its file is saved, up "
              "to the first check that fails, and says what changed. Labs that "
              "are named are graded at once, and then no others.";
    o->end = "Ends with Ctrl-C.\n\nExample: scanlab watch naive";
    OPTIONS_ARE(o, rows, 0, -1);
    int n_words = options_read(o, argc, argv, &words);
    if (n_words < 0) return cli_ended(n_words);
    w.judge.user = &w;
    ending_watch();
    struct course course;
    int status = EXIT_TROUBLE;
    if (course_open(&course, w.labs))
        status = watch_course(&w, &course, words, n_words);
    course_free(&course);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * watch.c: scanlab watch: grades a lab again whenever its file is saved, check
 * by check, up to the first that fails, and says what was and what is now:
 * which labs, when, and what keys do. watch_lab.c grades one.
 */
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "keys.h"
#include "saved.h"
#include "watch.h"

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
            (name && strcmp(name, lab->lab->source) == 0)) {
            lab->stale = true;
            lab->past = 0;
        }
    }
}

/* Of the lab that was graded last. */
static void watch_key(struct watch *w, char key) {
    if (key != 'h' && key != 'n') return;
    if (!w->now) {
        puts("nothing has been graded yet");
    } else if (key == 'h') {
        watch_hint(w->now);
    } else {
        watch_next(w->now);
    }
    fflush(stdout);
}

static void watch_greet(const struct watch *w, const struct keys *keys) {
    char *folder = clean_name(w->judge.submission);
    printf("watching %s: save a lab's file to have it graded; %sCtrl-C ends\n",
           folder ? folder : "",
           keys->fd < 0 ? "" : "h: next hint, n: next failing check, ");
    free(folder);
    fflush(stdout);
}

static int watch_for_ever(struct watch *w, struct course *course) {
    struct saved saved;
    struct keys keys;
    if (!saved_open(&saved, w->judge.submission)) return EXIT_TROUBLE;
    if (w->serve &&
        !live_open(&w->live, w->judge.build_folder, w->port, w->browse)) {
        saved_close(&saved);
        return EXIT_TROUBLE;
    }
    keys_open(&keys);
    watch_show(w);
    watch_greet(w, &keys);
    bool good = true;
    do {
        for (char key; good && (key = keys_take(&keys));) watch_key(w, key);
        for (size_t i = 0; good && i < w->n; i++)
            if (w->watched[i].stale)
                good = watch_grade(w, course, &w->watched[i]);
    } while (good && saved_wait(&saved, keys.fd, was_saved, w));
    keys_close(&keys);
    saved_close(&saved);
    return EXIT_TROUBLE;
}

/* ---- options ---- */

static bool add_lab(struct watch *w, const struct lab *lab, bool at_once) {
    struct watched *new = &w->watched[w->n++];
    *new = (struct watched){.lab = lab,
                            .since = {.lab = lab},
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
    for (size_t i = 0; i < w->n; i++) watched_free(&w->watched[i]);
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
    struct watch w = {.judge = {.device = "vgpu"}, .live = {.to = -1}};
    const struct option_row rows[] = {
        {'s', "submission", "DIR", "the folder with the sources (student)",
         OPTION_TEXT(&w.submission)},
        {0, "serve", "[=PORT]",
         "shows the HTML report, which renews itself, at an address of this "
         "machine only (a free port)",
         OPTION_CALL(set_serve, &w)},
        {0, "open", NULL,
         "with --serve: opens it in a browser, if there is one",
         OPTION_FLAG(&w.browse)},
        CLI_SEED(&w.judge.seed, &w.seeded, "the same inputs each time"),
        CLI_LABS(&w.labs)};
    char **words;
    o->what = "Grades a lab on the virtual GPU whenever its file is saved, up "
              "to the first check that fails, and says what changed. Labs that "
              "are named are graded at once, and then no others.";
    o->end = "Keys in a terminal: h the next hint for the failure, n on to the "
             "next failing check, Ctrl-C ends.\n\nExample: scanlab watch naive";
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

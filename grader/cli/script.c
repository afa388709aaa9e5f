/* SPDX-License-Identifier: MIT
 *
 * script.c: see script.h.
 */
#include "script.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "patience.h"

enum { PROGRAM = 4 /* of the words: what students' copies lack */ };

void script_add(struct script_words *w, const char *format, ...) {
    struct text text = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&text, format, list);
    va_end(list);
    if (w->n + 1 < w->room) w->at[w->n++] = text.bytes; /* ends in NULL */
}

bool script_begin(struct script_words *w, const char *root, const char *path) {
    w->at = calloc(w->room, sizeof *w->at);
    if (!w->at) {
        cli_fail("out of memory");
        return false;
    }
    /* Nothing of the environment's Python, no file beside the sources. */
    script_add(w, "python3");
    script_add(w, "-I");
    script_add(w, "-B");
    script_add(w, "%s/tools/start.py", root);
    script_add(w, "%s/%s", root, path);
    return true;
}

/* ---- the program ---- */

/* As shells have it; SAID: of tools/start.py. */
enum { SAID = 64, NOT_STARTED = 126, NOT_FOUND = 127, SIGNALS = 128 };

struct script_run {
    pid_t pid;
    struct ending ending;
};

/* It lets what it has started end first. Waited for is it elsewhere. */
static void script_put_away(void *run) {
    pid_t pid = ((struct script_run *)run)->pid;
    siginfo_t info;
    kill(pid, SIGTERM);
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
}

/* In the child: calls alone that may be made beside other threads. */
static void become(char **words, const sigset_t *mask, pid_t parent) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* Whoever kills us means both. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(NOT_STARTED);
    execvp(words[0], words);
    _exit(errno == ENOENT ? NOT_FOUND : NOT_STARTED);
}

/* 0, or errno. */
static int script_start(struct script_run *run, char **words,
                        const sigset_t *mask) {
    unsigned tries = 0;
    pid_t parent = getpid();
    int error;
    do {
        ending_lock();
        run->pid = fork();
        error = run->pid < 0 ? errno : 0;
        if (run->pid == 0) become(words, mask, parent);
        if (!error) ending_note(&run->ending, script_put_away, run);
        ending_unlock();
    } while (error && patience(error, &tries));
    return error;
}

static int wait_for(struct script_run *run) {
    int status;
    siginfo_t info;
    while (waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOWAIT) != 0)
        if (errno != EINTR) return cli_fail("python3: %s", strerror(errno));
    ending_lock(); /* for good, where a signal is ending us */
    ending_forget(&run->ending);
    ending_unlock();
    while (waitpid(run->pid, &status, 0) < 0)
        if (errno != EINTR) return cli_fail("python3: %s", strerror(errno));
    if (WIFSIGNALED(status))
        return cli_fail("python3 was killed before it was done: %s",
                        strsignal(WTERMSIG(status)));
    int code = WEXITSTATUS(status);
    if (code >= SAID && code <= SAID + EXIT_TROUBLE) return code - SAID;
    if (code > SIGNALS) return code;
    if (code == NOT_FOUND)
        return cli_fail("there is no python3 that runs; on Debian and Ubuntu: "
                        "apt-get install python3");
    if (code == NOT_STARTED) return cli_fail("python3 cannot be started");
    return cli_fail("python3 itself failed, with exit status %d; nothing that "
                    "it left unsaid is a result",
                    code);
}

int script_run(struct script_words *w) {
    struct script_run run = {0};
    sigset_t mask;
    for (size_t i = 0; i < w->n; i++)
        if (!w->at[i]) return cli_fail("out of memory");
    if (access(w->at[PROGRAM], F_OK) != 0)
        return cli_fail("there is no %s: this copy of ScanLab is one for "
                        "students",
                        w->at[PROGRAM]);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    ending_watch();
    int error = script_start(&run, w->at, &mask);
    if (error) return cli_fail("cannot start python3: %s", strerror(error));
    return wait_for(&run);
}

void script_free(struct script_words *w) {
    for (size_t i = 0; i < w->n; i++) free(w->at[i]);
    free(w->at);
}

/* ---- about a class ---- */

static const char *given(const struct option_row *row) {
    if (row->kind == OPTION_KIND_FLAG) return *row->flag ? "yes" : NULL;
    return row->kind == OPTION_KIND_CHOICE ? *row->choice : *row->text;
}

static void add_option(struct script_words *w, const struct option_row *row) {
    char *name = text_format("%s", row->name);
    for (char *at = name; at && (at = strchr(at, '-'));) *at = '_';
    if (given(row)) script_add(w, "%s=%s", name ? name : "", given(row));
    free(name);
}

static int run_of_class(const struct option_table *o, const char *program,
                        const char *from, const struct course *course) {
    struct script_words w = {.room = 16 + o->n_rows + 2 * course->n_labs};
    int status = EXIT_TROUBLE;
    if (script_begin(&w, course->paths.home, program)) {
        script_add(&w, "root=%s", course->paths.home);
        script_add(&w, "build=%s", course->paths.build_folder);
        script_add(&w, "from=%s", from);
        for (size_t i = 0; i + 1 < o->n_rows; i++) add_option(&w, &o->rows[i]);
        for (size_t i = 0; i < course->n_labs; i++) {
            const struct lab *lab = course->labs[i];
            script_add(&w, "lab=%s/%s", lab->id, lab->source);
            script_add(&w, "handout=%s/%s", lab->id, lab->folder);
        }
        status = script_run(&w);
    }
    script_free(&w);
    return status;
}

int script_of_class(const struct option_table *o, int argc, char **argv,
                    const char *program) {
    char **words;
    struct course course;
    int status = EXIT_TROUBLE;
    int n = options_read(o, argc, argv, &words);
    if (n < 0) return cli_ended(n);
    if (course_open(&course, given(&o->rows[o->n_rows - 1])))
        status = run_of_class(o, program, words[0], &course);
    course_free(&course);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * watch_lab.c: see watch.h: one lab's grade, told check by check.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "versus_call.h"
#include "watch.h"

static const char letters[] = {
    [STATUS_PASS] = 'p', [STATUS_FAIL] = 'F', [STATUS_SKIP] = 's'};

static const char *word_of(char letter) {
    return letter == 'p'   ? "pass"
           : letter == 'F' ? "FAIL"
           : letter == 'T' ? "TODO"
                           : "skip";
}

/* ---- while it is graded ---- */

/* "naive ppF...": what browsers fill the bar with. */
static void watch_fill(struct watch *w) {
    const struct watched *now = w->now;
    char *state =
        text_format("%s %.*s", now->lab->id, (int)now->lab->n_checks, now->is);
    for (char *at = state ? strchr(state, ' ') + 1 : NULL; at && *at; at++)
        if (*at == ' ') *at = '.';
    live_grading(&w->live, state ? state : "");
    free(state);
}

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
    watch_fill(w);
    return letter != 'F' || now->met++ < now->past;
}

/* ---- what is new ---- */

/* "one-block: FAIL, now pass"; what was not reached keeps what it was. NULL:
 * nothing. */
static char *changes(const struct watched *now, const struct grade *grade) {
    const struct lab *lab = now->lab;
    struct text text = {0};
    bool whole = grade->labs[0].n_checks > 0;
    for (size_t i = 0; whole && i < lab->n_checks; i++) {
        char was = now->was[i], is = now->is[i];
        if (is == ' ' || was == ' ' || was == is) continue;
        if (is == 's' || was == 's') continue;
        text_add(&text, "%s%s: %s, now %s", text.bytes ? ", " : "",
                 lab->checks[i].id, word_of(was), word_of(is));
    }
    return text.bytes; /* the caller's now */
}

static void tell_changes(const struct watched *now, const struct grade *grade) {
    const struct lab *lab = now->lab;
    const char *changed = now->since.changed;
    int bonus = lab_bonus(&grade->labs[0]);
    printf("  %s %d/%d", lab->id, now->score, lab_points(lab, false));
    if (bonus) printf(" + %d bonus", bonus);
    if (now->before >= 0 && now->before != now->score)
        printf(", was %d", now->before);
    if (changed) printf("; %s", changed);
    puts(now->before >= 0 && now->before == now->score && !changed
             ? ", as before"
             : "");
}

static void watched_remember(struct watched *now) {
    for (size_t i = 0; i < now->lab->n_checks; i++)
        if (now->is[i] != ' ') now->was[i] = now->is[i];
    now->before = now->score;
}

void watch_show(struct watch *w) {
    const struct grade **grades = calloc(w->n + 1, sizeof *grades);
    const struct since **since = calloc(w->n + 1, sizeof *since);
    size_t n = 0;
    for (size_t i = 0; grades && since && i < w->n; i++) {
        if (w->watched[i].grade.labs) grades[n++] = &w->watched[i].grade;
        since[i] = &w->watched[i].since;
    }
    if (grades && since) live_show(&w->live, grades, n, since, w->n);
    free(grades);
    free(since);
}

/* A function that does not come back would be waited for once more. */
static bool any_passed(const struct watched *now) {
    return memchr(now->is, 'p', now->lab->n_checks) != NULL;
}

static void watched_news(struct watch *w, struct watched *now,
                         const struct grade *grade) {
    free(now->since.changed);
    now->since.changed = changes(now, grade);
    tell_changes(now, grade);
    fflush(stdout);
    if (any_passed(now)) {
        versus_call(&w->judge, &now->since);
        versus_print(&now->since);
    } else {
        now->since.n_versus = 0;
    }
    fflush(stdout);
}

bool watch_grade(struct watch *w, struct course *course, struct watched *now) {
    struct grade grade;
    char error[JUDGE_ERROR_BYTES] = "", at[16] = "";
    const char *id = now->lab->id;
    time_t clock = time(NULL);
    struct tm local;
    if (localtime_r(&clock, &local)) strftime(at, sizeof at, "%T", &local);
    printf("\n%s  %s\n", at, now->lab->source);
    fflush(stdout);
    w->now = now;
    w->judge.judged = judged;
    w->judge.labs = &id;
    w->judge.n_labs = 1;
    now->stale = false;
    now->met = now->hint = 0;
    memset(now->is, ' ', now->lab->n_checks);
    watch_fill(w);
    if (judge_grade(&w->judge, course->labs, course->n_labs, &grade, error)) {
        cli_fail("%s", error);
        return false;
    }
    now->score = grade.score - grade_bonus(&grade);
    report_lab_end(stdout, &grade.labs[0], &w->report);
    watched_news(w, now, &grade);
    watched_remember(now);
    /* watch stops at the first failure, and still shows points of the whole
     * lab. */
    grade.labs[0].max_score = grade.max_score = lab_points(now->lab, false);
    grade_free(&now->grade);
    now->grade = grade;
    watch_show(w);
    return true;
}

/* ---- keys ---- */

/* The last failure of the last grade, else the first to do; NULL: none. */
static const struct lab_check *watched_failure(const struct watched *now) {
    const struct lab *lab = now->lab;
    for (size_t i = lab->n_checks; now->before >= 0 && i-- > 0;)
        if (now->is[i] == 'F') return &lab->checks[i];
    for (size_t i = 0; now->before >= 0 && i < lab->n_checks; i++)
        if (now->is[i] == 'T') return &lab->checks[i];
    return NULL;
}

void watch_hint(struct watched *now) {
    const struct lab_check *check = watched_failure(now);
    if (!check)
        puts("no check has failed");
    else if (check->n_hints == 0)
        printf("%s has no hints\n", check->id);
    else if (now->hint == check->n_hints)
        printf("%s has no more hints\n", check->id);
    else
        printf("%s, hint %zu of %zu: %s\n", check->id, now->hint + 1,
               check->n_hints, check->hints[now->hint]);
    if (check && now->hint < check->n_hints) now->hint++;
    fflush(stdout);
}

bool watch_next(struct watched *now) {
    bool more = now->met > now->past;
    if (more) {
        now->past++;
        now->stale = true;
    } else {
        puts(now->met ? "no other check fails" : "no check has failed");
        fflush(stdout);
    }
    return more;
}

void watched_free(struct watched *now) {
    grade_free(&now->grade);
    free(now->since.changed);
    free(now->was);
    free(now->is);
}

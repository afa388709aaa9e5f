/* SPDX-License-Identifier: MIT
 *
 * html.c: a grade as a page: the grade's JSON (json.c), and in the key `view`
 * of the grade, of each lab and of each check what pages show besides. What is
 * too large for a page is cut, later checks more than earlier ones.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "html_parts.h"
#include "html_runs.h"
#include "json_parts.h"
#include "translate.h"
#include "words.h"

bool html_has_room(const struct html_room *room) {
    return room->spent < HTML_ROOM;
}

json_t *html_spend(struct html_room *room, json_t *value) {
    room->spent += html_bytes(value);
    return value;
}

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

/* ---- a check ---- */

/* What stays of a check where a page is full: its line, and what happened. */
static void leave_out(json_t *check) {
    static const char *const stays[] = {
        "id",        "kind",    "title",     "status",  "score",
        "max_score", "message", "reproduce", "seconds", "bonus",
        "read",      "trust",   "view"};
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(check, next, key, value) {
        bool goes = true;
        for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
            goes &= strcmp(key, stays[i]) != 0;
        if (goes) json_object_del(check, key);
    }
    set(json_object_get(check, "view"), "left_out", json_true());
}

static void add_check(json_t *check, const struct html_check *c,
                      struct html_room *room) {
    bool fits = html_has_room(room);
    set(check, "view", html_check_view(c, room));
    if (!fits) leave_out(check);
    html_spend(room, html_cut(check, fits ? HTML_SENTENCES : HTML_NAME));
}

/* ---- a lab ---- */

/* Points of the lab's checks that are not in the result: they were not asked
 * for, or not come to. */
static int rest_of(const struct lab_result *r) {
    int rest = 0;
    for (size_t i = 0; i < r->lab->n_checks; i++) {
        const struct lab_check *check = &r->lab->checks[i];
        bool is_there = check->kind == CHECK_FAST;
        for (size_t k = 0; k < r->n_checks; k++)
            is_there |= r->checks[k].check == check;
        if (!is_there) rest += check->points > 2 ? check->points : 2;
    }
    return rest;
}

static void cut_lines(json_t *lab, const char *key, struct html_room *room) {
    size_t most = html_has_room(room) ? HTML_LINES_BYTES : HTML_NAME;
    html_spend(room, html_cut(json_object_get(lab, key), most));
}

static void add_lab(json_t *lab, const struct grade *grade,
                    const struct lab_result *r, struct html_room *room) {
    json_t *checks = json_object_get(lab, "checks");
    const char *state = lab_state_words(r->state);
    cut_lines(lab, "build_error", room);
    for (size_t i = 0; i < r->n_checks; i++)
        add_check(json_array_get(checks, i),
                  &(struct html_check){grade, r, &r->checks[i]}, room);
    cut_lines(lab, "warnings", room);
    cut_lines(lab, "output", room);
    html_cut(json_object_get(lab, "title"), HTML_NAME);
    set(lab, "view",
        html_cut(
            json_pack(
                "{s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "number", r->lab->number,
                "rest", rest_of(r), "folder", json_text(r->lab->folder),
                "source", json_text(r->lab->source), "state",
                json_text(state + (*state == ' ')), "points",
                html_own(words_points(r->score, r->max_score, lab_bonus(r)),
                         HTML_NAME),
                "late", html_own(words_late(r), HTML_NAME)),
            HTML_NAME));
}

/* ---- the whole ---- */

/* The check that is open when the page is opened. */
static json_t *first_of(const struct grade *grade) {
    const struct check_result *first = grade_first_failure(grade);
    for (size_t i = 0; i < grade->n_labs; i++)
        for (size_t k = 0; k < grade->labs[i].n_checks; k++)
            if (&grade->labs[i].checks[k] == first)
                return html_own(html_check_id(&grade->labs[i], first),
                                HTML_SENTENCES);
    return json_null();
}

static json_t *walls_of(const struct grade *grade) {
    char *missing = walls_missing(&grade->walls_of_build, &grade->walls_of_run);
    return json_pack("{s:o, s:o}", "missing", html_own(missing, HTML_SENTENCES),
                     "all", html_own(walls_words(grade), HTML_SENTENCES));
}

static json_t *data_of(const struct grade *grade,
                       const struct report_options *options) {
    struct html_room room = {0};
    json_t *root = json_grade(grade, false);
    json_t *labs = json_object_get(root, "labs");
    if (!root) return NULL;
    for (size_t i = 0; i < grade->n_labs; i++)
        add_lab(json_array_get(labs, i), grade, &grade->labs[i], &room);
    for (size_t i = 0; options->since && i < grade->n_labs; i++)
        set(json_object_get(json_array_get(labs, i), "view"), "since",
            html_since(options->since, options->n_since, grade->labs[i].lab));
    for (size_t i = 0; options->engine && i < grade->n_labs; i++)
        html_runs(json_array_get(labs, i), grade, &grade->labs[i], &room);
    html_cut(json_object_get(root, "submission"), HTML_NAME);
    /* seed: a script's numbers are not exact beyond 2^53 */
    set(root, "view",
        json_pack(
            "{s:o, s:i, s:o, s:o, s:o, s:o}", "first", first_of(grade), "bonus",
            grade_bonus(grade), "seed", json_sprintf("%" PRIu64, grade->seed),
            "walls", grade->n_labs ? walls_of(grade) : json_null(), "live",
            options->live ? json_sprintf("%" PRIu64, options->live)
                          : json_null(),
            "watched",
            options->since ? html_watched(options->since, options->n_since)
                           : json_null()));
    return root;
}

static bool add_text(FILE *to, const struct grade *grade,
                     const struct report_options *options) {
    const struct report_options text = {.width = 80,
                                        .verbose = true,
                                        .program = options->program,
                                        .labs = options->labs};
    if (options->live)
        fprintf(to, "%s\n",
                _("Without scripts: load this page again after the next "
                  "grade."));
    if (options->live && !grade->n_labs)
        return fprintf(to, "%s\n",
                       _("Nothing has been graded yet: save a lab's file.")) >
               0;
    return report_write(REPORT_text, to, grade, &text);
}

bool write_html(FILE *stream, const struct grade *grade,
                const struct report_options *options) {
    char title[64], *text = NULL;
    size_t size = 0;
    FILE *words = open_memstream(&text, &size);
    if (!words) return false;
    bool good = add_text(words, grade, options);
    good &= fclose(words) == 0;
    snprintf(title, sizeof title, _("ScanLab: %d of %d points"), grade->score,
             grade->max_score);
    json_t *data = good ? data_of(grade, options) : NULL;
    good = data && html_write_with(stream, options->engine,
                                   options->live ? "live" : "grade", "grade",
                                   title, text, data);
    free(text);
    return good;
}

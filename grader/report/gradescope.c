/* SPDX-License-Identifier: MIT
 *
 * gradescope.c: results.json for Gradescope ("Autograder Specifications", its
 * documentation). A check is a test. The leaderboard, where it is asked for,
 * has what checks that passed have measured. Checks that are not for students
 * are in it, marked, and no other part says anything of them; Gradescope shows
 * no total then.
 */
#include <errno.h>
#include <math.h>

#include "feedback.h"
#include "formats.h"
#include "json_parts.h"
#include "measure.h"
#include "seen.h"

static const char *const visibilities[N_VISIBILITIES] = {
    [VISIBILITY_VISIBLE] = "visible",
    [VISIBILITY_AFTER_DEADLINE] = "after_due_date",
    [VISIBILITY_HIDDEN] = "hidden"};

static json_t *test_object(const struct grade *grade,
                           const struct lab_result *lab, size_t i) {
    const struct check_result *r = &lab->checks[i];
    const struct lab_check *check = r->check;
    struct text name = {0}, number = {0}, said = {0};
    text_add(&name, "%s %s: %s", lab->lab->id, check->id, check->title);
    text_add(&number, "%d.%zu", lab->lab->number, i + 1);
    feedback_check(&said, grade, lab, r);
    return json_pack(
        "{s:i, s:i, s:s, s:o, s:o, s:o, s:s, s:[s], s:s, s:{s:o, s:o, s:s}}",
        "score", r->score, "max_score", check->bonus ? 0 : check->points,
        "status", r->status == STATUS_PASS ? "passed" : "failed", "name",
        feedback_json(&name), "number", feedback_json(&number), "output",
        feedback_json(&said), "output_format", "text", "tags",
        check_kind_name(check->kind), "visibility", visibilities[r->shown],
        "extra_data", "lab", feedback_words(lab->lab->id), "check",
        feedback_words(check->id), "verdict", feedback_verdict(r));
}

static void add_leader(json_t *board, const struct lab_result *lab,
                       const struct check_result *r) {
    struct measure m;
    if (r->shown != VISIBILITY_VISIBLE || !measure_best(r, &m)) return;
    struct text name = {0};
    text_add(&name, "%s %s: %s", lab->lab->id, r->check->id, m.name);
    json_array_append_new(board, json_pack("{s:o, s:o, s:s}", "name",
                                           feedback_json(&name), "value",
                                           json_real(m.value), "order",
                                           m.more_is_better ? "desc" : "asc"));
}

bool write_gradescope(FILE *stream, const struct grade *grade,
                      const struct report_options *options) {
    json_t *tests = json_array(), *board = json_array();
    struct text said = {0}, seed = {0};
    struct seen seen;
    if (!seen_make(grade, &seen)) {
        errno = ENOMEM;
        return false;
    }
    feedback_head(&said, &seen.grade);
    double seconds = seen.grade.seconds;
    seen_free(&seen);
    text_add(&seed, "%llu", (unsigned long long)grade->seed);
    for (size_t i = 0; i < grade->n_labs; i++) {
        const struct lab_result *lab = &grade->labs[i];
        feedback_lab(&said, lab);
        for (size_t k = 0; k < lab->n_checks; k++) {
            json_array_append_new(tests, test_object(grade, lab, k));
            if (options->leaderboard) add_leader(board, lab, &lab->checks[k]);
        }
    }
    json_t *root = json_pack(
        "{s:i, s:f, s:o, s:s, s:s, s:s, s:s, s:{s:o}, s:o}", "score",
        grade->score, "execution_time", round(seconds * 1000) / 1000, "output",
        feedback_json(&said), "output_format", "text", "test_output_format",
        "text", "visibility", "visible", "stdout_visibility", "hidden",
        "extra_data", "seed", feedback_json(&seed), "tests", tests);
    if (root && options->leaderboard)
        json_object_set(root, "leaderboard", board);
    json_decref(board);
    return json_write(stream, root);
}

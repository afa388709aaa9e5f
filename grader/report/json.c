/* SPDX-License-Identifier: MIT
 *
 * json.c: a grade as one object, schema "scanlab/grade/v2": docs/grade.md says
 * what each key is. Keys are never renamed or removed within a version; readers
 * skip keys they do not know. Everything but the keys "seconds" is the same
 * again for the same seed. What v1 had is here under its name; what v2 added is
 * in json_outcome.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "clean_text.h"
#include "formats.h"
#include "json_parts.h"
#include "spots.h"
#include "words.h"

static const char *const status_names[] = {
    [STATUS_PASS] = "pass", [STATUS_FAIL] = "fail", [STATUS_SKIP] = "skip"};

json_t *json_text(const char *text) {
    if (!text) return json_null();
    char *clean = clean_text(text);
    json_t *value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

bool json_write(FILE *stream, json_t *root) {
    if (!root) {
        errno = ENOMEM;
        return false;
    }
    bool good = json_dumpf(root, stream,
                           JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
                fputc('\n', stream) != EOF;
    json_decref(root);
    return good;
}

/* Frees the text. */
static json_t *json_own_text(char *text) {
    json_t *value = json_text(text);
    free(text);
    return value;
}

/* Milliseconds are enough, and short. */
static json_t *seconds(double value) {
    return json_real(round(value * 1000) / 1000);
}

static json_t *hints(const struct lab_check *check) {
    json_t *list = json_array();
    for (size_t i = 0; i < check->n_hints; i++)
        json_array_append_new(list, json_text(check->hints[i]));
    return list;
}

/* The lines that the failure is about, as they were compiled. */
static json_t *source(const struct grade *grade, const struct outcome *o) {
    struct spot spots[MOST_SPOTS];
    size_t n = spots_shown(grade, o, spots), bytes = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct spot *s = &spots[i];
        const char *at = spot_line(spot_text(grade, s->file), s->line, &bytes);
        json_array_append_new(
            list,
            json_pack(
                "{s:s, s:o, s:i, s:o}", "kind", spot_id(s->kind), "file",
                json_text(s->file), "line", (int)s->line, "text",
                json_own_text(text_format(
                    "%.*s", (int)(bytes < SPOT_BYTES ? bytes : SPOT_BYTES),
                    at))));
    }
    return list;
}

/* What each group of sizes earned; one without a name: all of them. */
static json_t *groups(const struct check_result *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct group_result *g = &r->groups[i];
        const char *name = g->group->name;
        json_array_append_new(
            list,
            json_pack("{s:o, s:i, s:f, s:o}", "name", json_text(name), "points",
                      name ? g->group->points : r->check->points, "earned",
                      round(1000 * g->earned) / 1000, "failed_n",
                      g->failed ? json_integer((json_int_t)g->tried.n)
                                : json_null()));
    }
    return list;
}

static json_t *sizes(const struct check_result *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_sizes; i++)
        json_array_append_new(list, json_integer((json_int_t)r->sizes[i]));
    return list;
}

static json_t *check_object(const struct grade *grade,
                            const struct lab_result *lab,
                            const struct check_result *result, bool verbose) {
    const struct lab_check *check = result->check;
    json_t *object = json_pack(
        "{s:o, s:s, s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "id", json_text(check->id), "kind", check_kind_name(check->kind),
        "title", json_text(check->title), "status",
        status_names[result->status], "score", result->score, "max_score",
        check->bonus ? 0 : check->points, "message",
        json_own_text(words_message(result)), "where",
        json_own_text(words_where(result)), "cause",
        json_own_text(words_cause(result)), "about",
        json_own_text(words_about(result)), "read",
        json_text(words_read(result)), "reproduce",
        json_own_text(words_reproduce(grade, lab, result)), "trust",
        json_text(words_trust(result)), "seconds", seconds(result->seconds));
    json_t *more = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "lost",
        json_own_text(words_lost(result)), "groups", groups(result), "sizes",
        sizes(result), "source", source(grade, &result->outcome), "outcome",
        json_outcome(&result->outcome), "measured",
        json_measured(&result->measured), "hints", hints(check));
    char *detail = verbose ? words_detail(result) : NULL;
    if (check->bonus)
        json_object_set_new(object, "bonus", json_integer(check->points));
    if (result->shown != VISIBILITY_VISIBLE)
        json_object_set_new(object, "hidden", json_true());
    if (detail) json_object_set_new(object, "detail", json_text(detail));
    free(detail);
    if (object && more && json_object_update(object, more) == 0) {
        json_decref(more);
        return object;
    }
    json_decref(more);
    json_decref(object);
    return NULL;
}

static json_t *lab_object(const struct grade *grade,
                          const struct lab_result *result, bool verbose) {
    json_t *checks = json_array();
    for (size_t i = 0; checks && i < result->n_checks; i++)
        if (json_array_append_new(
                checks,
                check_object(grade, result, &result->checks[i], verbose))) {
            json_decref(checks);
            checks = NULL;
        }
    const struct lateness *late = &result->late;
    return json_pack(
        "{s:o, s:o, s:s, s:i, s:i, s:{s:I, s:i, s:i}, s:o, s:o, s:o, s:o}",
        "id", json_text(result->lab->id), "title",
        json_text(result->lab->title), "state", lab_state_id(result->state),
        "score", result->score, "max_score", result->max_score, "late",
        "seconds", (json_int_t)late->late_s, "percent", (int)late->percent,
        "lost", late->lost, "build_error", json_text(result->build_error),
        "warnings", json_text(result->warnings), "output",
        json_text(result->output), "checks", checks);
}

/* By what each wall stands; null: it does not. */
static json_t *walls_object(const struct standing *stands) {
    json_t *object = json_object();
    for (int i = 0; object && i < N_WALLS; i++)
        json_object_set_new(object, wall_name((enum wall)i),
                            *stands->by[i] ? json_text(stands->by[i])
                                           : json_null());
    return object;
}

json_t *json_grade(const struct grade *grade, bool verbose) {
    json_t *labs = json_array();
    for (size_t i = 0; labs && i < grade->n_labs; i++)
        if (json_array_append_new(
                labs, lab_object(grade, &grade->labs[i], verbose))) {
            json_decref(labs);
            labs = NULL;
        }
    return json_pack(
        "{s:s, s:o, s:I, s:o, s:o, s:{s:o, s:o}, s:i, s:{s:o, s:o}, s:i, s:i, "
        "s:o, s:o}",
        "schema", "scanlab/grade/v2", "points", json_text(grade->points),
        "seed", (json_int_t)grade->seed, "submission",
        json_text(grade->submission), "device",
        json_own_text(words_device(grade)), "machine", "profile",
        json_text(grade->profile), "gpu", json_text(grade->gpu), "arch",
        grade->arch, "walls", "build", walls_object(&grade->walls_of_build),
        "run", walls_object(&grade->walls_of_run), "score", grade->score,
        "max_score", grade->max_score, "seconds", seconds(grade->seconds),
        "labs", labs);
}

bool write_json(FILE *stream, const struct grade *grade,
                const struct report_options *options) {
    return json_write(stream, json_grade(grade, options->verbose));
}

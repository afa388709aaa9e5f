/* SPDX-License-Identifier: MIT
 *
 * json.c: a grade as one object, schema "scanlab/grade/v1". Keys are never
 * renamed or removed within a version; readers skip keys they do not know. What
 * is not known is null. Everything but the keys "seconds" is the same again for
 * the same seed.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "clean_text.h"
#include "formats.h"

static const char *const status_names[] = {
    [STATUS_PASS] = "pass", [STATUS_FAIL] = "fail", [STATUS_SKIP] = "skip"};

/* null for NULL; a NULL result means no memory, as everywhere in jansson. */
static json_t *text_or_null(const char *text) {
    if (!text) return json_null();
    char *clean = clean_text(text);
    json_t *value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

/* Milliseconds are enough, and short. */
static json_t *seconds(double value) {
    return json_real(round(value * 1000) / 1000);
}

static json_t *check_object(const struct check_result *result) {
    const struct lab_check *check = result->check;
    json_t *object = json_pack(
        "{s:o, s:s, s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "id", text_or_null(check->id), "kind", check_kind_name(check->kind),
        "title", text_or_null(check->title), "status",
        status_names[result->status], "score", result->score, "max_score",
        check->bonus ? 0 : check->points, "message",
        text_or_null(result->message ? result->message : ""), "where",
        text_or_null(result->where), "cause", text_or_null(result->cause),
        "read", text_or_null(result->read), "reproduce",
        text_or_null(result->reproduce), "trust", text_or_null(result->trust),
        "seconds", seconds(result->seconds));
    if (object && check->bonus &&
        json_object_set_new(object, "bonus", json_integer(check->points))) {
        json_decref(object);
        return NULL;
    }
    if (object && result->detail &&
        json_object_set_new(object, "detail", text_or_null(result->detail)) !=
            0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *lab_object(const struct lab_result *result) {
    json_t *checks = json_array();
    for (size_t i = 0; checks && i < result->n_checks; i++)
        if (json_array_append_new(checks, check_object(&result->checks[i]))) {
            json_decref(checks);
            checks = NULL;
        }
    return json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "id",
                     text_or_null(result->lab->id), "title",
                     text_or_null(result->lab->title), "score", result->score,
                     "max_score", result->max_score, "build_error",
                     text_or_null(result->build_error), "output",
                     text_or_null(result->output), "checks", checks);
}

bool write_json(FILE *stream, const struct grade *grade,
                const struct report_options *options) {
    (void)options;
    json_t *labs = json_array();
    for (size_t i = 0; labs && i < grade->n_labs; i++)
        if (json_array_append_new(labs, lab_object(&grade->labs[i]))) {
            json_decref(labs);
            labs = NULL;
        }
    json_t *root = json_pack(
        "{s:s, s:I, s:o, s:o, s:i, s:i, s:o, s:o}", "schema",
        "scanlab/grade/v1", "seed", (json_int_t)grade->seed, "submission",
        text_or_null(grade->submission), "device", text_or_null(grade->device),
        "score", grade->score, "max_score", grade->max_score, "seconds",
        seconds(grade->seconds), "labs", labs);
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

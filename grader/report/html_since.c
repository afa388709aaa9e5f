/* SPDX-License-Identifier: MIT
 *
 * html_since.c: what a live page shows besides a report (versus.h): the labs
 * that are watched, with their checks, for the bar that fills while one is
 * graded; and in each lab what is new since it was last saved.
 */
#include <string.h>

#include "html_parts.h"
#include "json_parts.h"
#include "translate.h"

static const char *const what_keys[N_VERSUS] = {"launches", "ops", "moved",
                                                "model_us"};

/* [[id, its share of the bar], ...], without those that need a real GPU. */
static json_t *checks_of(const struct lab *lab) {
    json_t *list = json_array();
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct lab_check *check = &lab->checks[i];
        bool timed = lab_check_needs_gpu(lab, check);
        json_array_append_new(list, json_pack("[o, i, b]",
                                              html_text(check->id, HTML_NAME),
                                              check->points, timed));
    }
    return list;
}

json_t *html_watched(const struct since *const *since, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:i, s:o}", "id",
                                        html_text(since[i]->lab->id, HTML_NAME),
                                        "number", since[i]->lab->number,
                                        "checks", checks_of(since[i]->lab)));
    return list;
}

/* [key, mine, last, reference, CUB]; null: not known. */
static json_t *since_row(const struct versus *v, int what) {
    json_t *row = json_array();
    bool any = false;
    json_array_append_new(row, json_string(what_keys[what]));
    for (int side = 0; side < N_VERSUS_SIDES; side++) {
        double value = v->value[side][what];
        any |= value >= 0;
        json_array_append_new(row, value < 0 ? json_null() : json_real(value));
    }
    if (any) return row;
    json_decref(row);
    return NULL;
}

static json_t *versus_of(const struct since *since, const struct versus *v) {
    json_t *rows = json_array();
    for (int what = 0; what < N_VERSUS; what++) {
        json_t *row = since_row(v, what);
        if (row) json_array_append_new(rows, row);
    }
    return json_pack(
        "{s:o, s:I, s:b, s:o}", "function",
        html_text(since->lab->functions[v->function].id, HTML_NAME), "n",
        (json_int_t)v->n, "right", v->right, "rows", rows);
}

json_t *html_since(const struct since *const *all, size_t n,
                   const struct lab *lab) {
    for (size_t i = 0; i < n; i++) {
        const struct since *since = all[i];
        if (strcmp(since->lab->id, lab->id) != 0) continue;
        json_t *list = json_array();
        for (size_t k = 0; k < since->n_versus; k++)
            json_array_append_new(list, versus_of(since, &since->versus[k]));
        const char *why = since->unpublished;
        return json_pack("{s:o, s:o, s:o}", "changed",
                         html_text(since->changed, HTML_SENTENCES), "versus",
                         list, "unpublished",
                         why ? json_string(_(why)) : json_null());
    }
    return json_null();
}

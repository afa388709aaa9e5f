/* SPDX-License-Identifier: MIT
 *
 * html_steps.c: the steps of a call, and its banks, for pages: in a report
 * around the first wrong one, on a page of their own all.
 */
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "html_replay.h"
#include "json_parts.h"
#include "report.h"
#include "steps_formats.h"
#include "steps_parts.h"
#include "steps_picture.h"
#include "translate.h"

/* What was added to a text, which is freed. */
static json_t *added(struct text *t) {
    json_t *value = html_text(text_string(t), HTML_SENTENCES);
    text_free(t);
    return value;
}

/* ---- a frame ---- */

static void add_recipe(void *user, const char *words, const char *place) {
    json_array_append_new(
        user, json_pack("[o, o]", json_text(words), json_text(place)));
}

/* What each row's new cells were made of. */
static json_t *made_of(const struct steps_view *v, uint32_t frame) {
    struct steps_rows rows = steps_rows_of(v, frame);
    json_t *list = json_array();
    for (uint32_t r = 0; r < rows.n; r++) {
        if (!rows.rows[r].shown) continue;
        struct text array = {0};
        json_t *recipes = json_array();
        steps_array_name(&array, v, rows.rows[r].array);
        steps_recipes(v, &rows.rows[r], add_recipe, recipes);
        json_array_append_new(list,
                              json_pack("{s:o, s:o}", "array", added(&array),
                                        "recipes", recipes));
    }
    free(rows.rows);
    return list;
}

static json_t *frame_of(const struct steps_view *v, uint32_t frame) {
    struct text title = {0};
    text_add(&title, "%s %u: ", _("Step"), (unsigned)frame + 1);
    steps_frame_name(&title, v, frame);
    json_t *picture =
        picture_of(text_string(&title), steps_frame_size(v, frame),
                   steps_shapes(v, frame, 0));
    text_free(&title);
    return json_pack("{s:i, s:o, s:o}", "number", (int)frame + 1, "picture",
                     picture, "made", made_of(v, frame));
}

/* ---- which frames ---- */

static struct replay_frames shown_of(const struct steps_view *v, int around) {
    uint32_t open = v->fault && v->fault != FAULT_NO_WRITE
                        ? v->frame_of[v->fault_write]
                        : 0;
    struct replay_frames s = {0, v->n_frames, open};
    if (around >= 0 && open > (uint32_t)around)
        s.first = open - (uint32_t)around;
    if (around >= 0 && open + (uint32_t)around + 1 < s.end)
        s.end = open + (uint32_t)around + 1;
    if (s.end - s.first > STEPS_FRAMES) s.end = s.first + STEPS_FRAMES;
    return s;
}

static json_t *notes_of(const struct steps_view *v,
                        const struct replay_frames *s) {
    struct text t = {0};
    json_t *list = json_array();
    if (s->end - s->first < v->n_frames) {
        text_add(&t, _("Steps %u to %u of %u are shown."),
                 (unsigned)s->first + 1, (unsigned)s->end,
                 (unsigned)v->n_frames);
        json_array_append_new(list, added(&t));
    }
    if (v->n > STEPS_COLUMNS) {
        text_add(&t, _("%d of %zu elements are shown, from [%zu] on."),
                 STEPS_COLUMNS, v->n,
                 v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS);
        json_array_append_new(list, added(&t));
    }
    if (v->seen.is_cut) {
        text_add(&t,
                 _("The recording ended after %u values: what came later is "
                   "left out."),
                 (unsigned)v->seen.n_writes);
        json_array_append_new(list, added(&t));
    }
    return list;
}

json_t *html_steps(const struct steps_view *v, int around,
                   const struct html_room *room) {
    struct replay_frames s = shown_of(v, around);
    struct html_room rest = *room;
    struct text fault = {0};
    json_t *frames = json_array();
    steps_fault_words(&fault, v);
    for (uint32_t f = s.first; f < s.end; f++) {
        if (f > s.first && !html_has_room(&rest)) {
            s.end = f;
            break;
        }
        json_array_append_new(frames, html_spend(&rest, frame_of(v, f)));
    }
    json_t *said = fault.size ? added(&fault) : json_null();
    return json_pack("{s:o, s:i, s:o, s:o}", "fault", said, "open",
                     (int)s.open + 1, "frames", frames, "notes",
                     notes_of(v, &s));
}

/* ---- input, expected, got ---- */

/* Name and values; a wrong value is a list of it alone. */
static json_t *list_of(const char *name, enum buffer b,
                       const struct steps_view *v, const int32_t *words,
                       size_t n, bool marked) {
    enum element e = signature_element(v->signature, b);
    size_t from = v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS;
    json_t *list = json_array();
    char text[ELEMENT_TEXT];
    for (size_t k = from; k < n && k < from + STEPS_COLUMNS; k++) {
        const int32_t *at = words + k * element_words(e);
        bool wrong = marked && memcmp(at, v->expected + k * element_words(e),
                                      element_words(e) * 4) != 0;
        element_print(e, at, text);
        json_array_append_new(list, wrong ? json_pack("[s]", text)
                                          : json_string(text));
    }
    return json_pack("[s, o]", name, list);
}

json_t *html_steps_replay(const struct steps_view *v, int around,
                          const struct grade *grade) {
    struct replay_frames s = shown_of(v, around);
    struct text fault = {0};
    steps_fault_words(&fault, v);
    /* Of an old value its newer one is shown as it is stored, too. */
    uint32_t newer =
        v->guilty.guilt == GUILT_OLD ? v->frame_of[v->guilty.other] : NO_FRAME;
    if (newer < s.first) s.first = newer;
    json_t *said = fault.size ? added(&fault) : json_null();
    return json_pack("{s:o, s:o, s:o}", "fault", said, "replay",
                     html_replay(v, s, grade), "notes", notes_of(v, &s));
}

static json_t *indices_of(const struct steps_view *v) {
    size_t from = v->first_wrong / STEPS_COLUMNS * STEPS_COLUMNS;
    size_t n = v->n > v->n_expected ? v->n : v->n_expected;
    json_t *list = json_array();
    for (size_t k = from; k < n && k < from + STEPS_COLUMNS; k++)
        json_array_append_new(list, json_sprintf("[%zu]", k));
    return json_pack("[s, o]", "", list);
}

json_t *html_steps_lists(const struct steps_view *v) {
    return json_pack(
        "[o, o, o, o]", indices_of(v),
        list_of("in", BUFFER_IN, v, v->in, v->n, false),
        list_of(_("expected"), BUFFER_OUT, v, v->expected, v->n_expected,
                false),
        list_of(_("got"), BUFFER_OUT, v, v->got, v->n_expected, true));
}

/* ---- a page of its own ---- */

static bool page(FILE *to, const struct steps_view *v, const char *what,
                 const char *key, json_t *value, const char *text) {
    struct text title = {0};
    text_add(&title, "%s, n = %zu, %s", v->function ? v->function : "", v->n,
             what);
    json_t *data = json_pack("{s:o, s:o, s:o}", "title",
                             html_text(text_string(&title), HTML_NAME), "lists",
                             html_steps_lists(v), key, value);
    if (v->fault)
        json_object_set_new(data, "replay",
                            html_steps_replay(v, STEPS_ALL, NULL));
    bool good =
        html_write(to, "trace", "trace", text_string(&title), text, data);
    text_free(&title);
    return good;
}

typedef bool write_text(FILE *, const struct steps_view *,
                        const struct report_options *);

static char *text_of(write_text *write, const struct steps_view *v) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    bool good = write(to, v, &(struct report_options){.width = 80});
    if (fclose(to) == 0 && good) return text;
    free(text);
    return NULL;
}

bool steps_html(FILE *to, const struct steps_view *v) {
    struct html_room room = {0};
    char *text = text_of(steps_text, v);
    bool good = text && page(to, v, _("step by step"), "steps",
                             html_steps(v, STEPS_ALL, &room), text);
    free(text);
    return good;
}

bool banks_html(FILE *to, const struct steps_view *v) {
    char *text = text_of(banks_text, v);
    bool good =
        text && page(to, v, _("bank by bank"), "banks", banks_data(v), text);
    free(text);
    return good;
}

/* SPDX-License-Identifier: MIT
 *
 * steps_json.c: the steps as data, scanlab/trace/v1 (docs/seeing.md).
 */
#include <jansson.h>
#include <stdlib.h>

#include "clean_text.h"
#include "json_parts.h"
#include "steps_parts.h"

/* What a function adds, as a string. */
#define TEXT(name, ...)                                                        \
    struct text name##_text = {0};                                             \
    __VA_ARGS__;                                                               \
    json_t *name = json_string(text_string(&name##_text));                     \
    text_free(&name##_text)

static json_t *words_of(const struct steps_view *v, enum buffer b,
                        const int32_t *words, size_t n) {
    enum element e = signature_element(v->signature, b);
    json_t *list = json_array();
    char text[ELEMENT_TEXT];
    for (size_t k = 0; k < n; k++) {
        element_print(e, words + k * element_words(e), text);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static json_t *arrays_of(const struct steps_view *v) {
    static const char *const kinds[] = {"global", "shared", "lanes"};
    json_t *list = json_array();
    for (uint32_t k = 0; k < v->seen.n_arrays; k++) {
        const struct vgpu_array *a = &v->seen.arrays[k];
        TEXT(name, steps_array_name(&name_text, v, k));
        json_t *is = json_pack("{s:o, s:s, s:I, s:i}", "name", name, "kind",
                               kinds[a->kind], "bytes", (json_int_t)a->bytes,
                               "cell_bytes", (int)steps_cell_bytes(v, k));
        if (a->kind != VGPU_ARRAY_GLOBAL) {
            json_object_set_new(is, "launch", json_integer(a->launch));
            json_object_set_new(is, "block",
                                json_integer((json_int_t)a->block));
        }
        if (a->kind == VGPU_ARRAY_LANES)
            json_object_set_new(is, "warp", json_integer(a->warp));
        json_array_append_new(list, is);
    }
    return list;
}

static json_t *content_of(const struct content *c) {
    static const char *const states[] = {"unknown", "empty", "range", "broken"};
    json_t *is = json_pack("{s:s}", "state", states[c->state]);
    if (c->state >= CONTENT_RANGE) {
        json_object_set_new(is, "first", json_integer(c->first));
        json_object_set_new(is, "last", json_integer(c->last));
    }
    if (c->misses)
        json_object_set_new(is, "misses", json_integer(c->misses - 1));
    if (c->twice) {
        json_object_set_new(is, "counts", json_integer(c->twice - 1));
        json_object_set_new(is, "times", json_integer(c->times));
    }
    return is;
}

static json_t *write_of(const struct steps_view *v, uint32_t k) {
    static const char *const writers[] = {"before",  "store", "atomic",
                                          "shuffle", "copy",  "fill"};
    const struct vgpu_write *w = &v->seen.writes[k];
    char value[ELEMENT_TEXT];
    steps_value(v, k, value);
    json_t *is = json_pack("{s:i, s:i, s:i, s:s, s:s}", "id", (int)k, "array",
                           (int)w->array, "cell",
                           (int)(w->at / steps_cell_bytes(v, w->array)),
                           "value", value, "by", writers[w->writer]);
    json_t *from = json_array();
    for (uint32_t f = 0; f < w->n_feeds; f++) {
        const struct vgpu_feed *feed = &v->seen.feeds[w->feed + f];
        json_array_append_new(from,
                              json_pack("{s:i, s:i}", "id", (int)feed->write,
                                        "times", (int)feed->times));
    }
    json_object_set_new(is, "from", from);
    if (w->writer >= VGPU_WRITER_STORE && w->writer <= VGPU_WRITER_SHUFFLE) {
        TEXT(place, steps_add_place(&place_text, v, w->place));
        json_object_set_new(
            is, "block",
            json_integer((json_int_t)v->seen.steps[w->step].block));
        json_object_set_new(is, "thread", json_integer(w->thread));
        json_object_set_new(is, "place", place);
    }
    if (v->contents)
        json_object_set_new(is, "contains", content_of(&v->contents[k]));
    if (w->writer != VGPU_WRITER_BEFORE)
        json_object_set_new(is, "wrong", json_boolean(steps_is_wrong(v, k)));
    return is;
}

static json_t *frames_of(const struct steps_view *v) {
    json_t *list = json_array();
    for (uint32_t f = 0; f < v->n_frames; f++) {
        TEXT(name, steps_frame_name(&name_text, v, f));
        json_t *writes = json_array();
        for (uint32_t k = 0; k < v->frames[f].n; k++)
            json_array_append_new(
                writes, write_of(v, v->order[v->frames[f].first + k]));
        json_array_append_new(
            list,
            json_pack("{s:i, s:o, s:i, s:o}", "step", (int)f + 1, "name", name,
                      "launch", (int)v->frames[f].launch, "writes", writes));
    }
    return list;
}

/* The accesses of warps to shared memory, one by one. */
static json_t *accesses_of(const struct steps_view *v) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < v->seen.n_accesses; k++) {
        const struct vgpu_bank_access *a = &v->seen.accesses[k];
        TEXT(place, steps_add_place(&place_text, v, a->place));
        json_t *words = json_array();
        for (uint32_t m = a->mask; m; m &= m - 1)
            json_array_append_new(words,
                                  json_integer(a->at[__builtin_ctz(m)] / 4));
        json_array_append_new(
            list, json_pack("{s:i, s:I, s:i, s:s, s:o, s:i, s:o, s:i, s:i}",
                            "launch", (int)a->launch, "block",
                            (json_int_t)a->block, "warp", (int)a->warp, "does",
                            a->is_atomic ? "atomic"
                            : a->writes  ? "write"
                                         : "read",
                            "place", place, "bytes", (int)a->bytes, "words",
                            words, "wavefronts", (int)a->wavefronts, "ideal",
                            (int)a->ideal));
    }
    return list;
}

json_t *json_first_wrong_step(const struct steps_view *v) {
    static const char *const kinds[] = {"none",      "broken",  "unknown",
                                        "unwritten", "foreign", "lacks",
                                        "no-write"};
    if (!v || !v->fault) return json_null();
    TEXT(words, steps_fault_words(&words_text, v));
    json_t *is = json_pack("{s:s, s:o, s:I, s:I}", "kind", kinds[v->fault],
                           "text", words, "n", (json_int_t)v->n, "out",
                           (json_int_t)v->fault_cell);
    if (v->fault != FAULT_NO_WRITE) {
        json_object_set_new(is, "step",
                            json_integer(v->frame_of[v->fault_write] + 1));
        json_object_set_new(is, "write", json_integer(v->fault_write));
    }
    return is;
}

bool steps_json(FILE *to, const struct steps_view *v) {
    json_t *before = json_array();
    for (uint32_t k = 0; k < v->seen.n_writes; k++)
        if (v->seen.writes[k].writer == VGPU_WRITER_BEFORE)
            json_array_append_new(before, write_of(v, k));
    json_t *all = json_pack(
        "{s:s, s:s?, s:s?, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:b}",
        "schema", "scanlab/trace/v1", "lab", v->lab, "function", v->function,
        "n", (json_int_t)v->n, "in", words_of(v, BUFFER_IN, v->in, v->n),
        "expected", words_of(v, BUFFER_OUT, v->expected, v->n_expected), "got",
        words_of(v, BUFFER_OUT, v->got, v->n_expected), "n_wrong",
        (json_int_t)v->n_wrong, "first_wrong_step", json_first_wrong_step(v),
        "arrays", arrays_of(v), "before", before, "steps", frames_of(v),
        "is_cut", (int)v->seen.is_cut);
    if (all && v->seen.n_accesses) {
        json_object_set_new(all, "banks", json_integer(v->seen.banks));
        json_object_set_new(all, "accesses", accesses_of(v));
        json_object_set_new(all, "accesses_cut",
                            json_boolean(v->seen.accesses_cut));
    }
    bool ok = all && json_dumpf(all, to, JSON_INDENT(1)) == 0 &&
              fputc('\n', to) != EOF;
    json_decref(all);
    return ok && !ferror(to);
}

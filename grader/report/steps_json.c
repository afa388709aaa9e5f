/* SPDX-License-Identifier: MIT
 *
 * steps_json.c: the steps as data, scanlab/trace/v1 (docs/seeing.md). Written
 * value by value, a write on a line: a tree of all would take a gigabyte.
 */
#include <jansson.h>
#include <stdlib.h>

#include "steps_formats.h"
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
    json_object_set_new(is, "over",
                        w->over ? json_integer(w->over - 1) : json_null());
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

/* A warp's access to shared memory. */
static json_t *access_of(const struct steps_view *v,
                         const struct vgpu_bank_access *a) {
    TEXT(place, steps_add_place(&place_text, v, a->place));
    json_t *words = json_array();
    for (uint32_t m = a->mask; m; m &= m - 1)
        json_array_append_new(words, json_integer(a->at[__builtin_ctz(m)] / 4));
    return json_pack("{s:i, s:I, s:i, s:s, s:o, s:i, s:o, s:i, s:i}", "launch",
                     (int)a->launch, "block", (json_int_t)a->block, "warp",
                     (int)a->warp, "does",
                     a->is_atomic ? "atomic"
                     : a->writes  ? "write"
                                  : "read",
                     "place", place, "bytes", (int)a->bytes, "words", words,
                     "wavefronts", (int)a->wavefronts, "ideal", (int)a->ideal);
}

/* The guilty read; null: none is known. */
static json_t *guilty_of(const struct steps_view *v) {
    static const char *const kinds[] = {"", "late", "early", "old"};
    const struct steps_guilty *g = &v->guilty;
    if (!g->guilt) return json_null();
    const struct vgpu_read *r = &v->seen.reads[g->read];
    const struct vgpu_write *w = &v->seen.writes[r->write];
    char found[ELEMENT_TEXT];
    steps_value(v, r->write, found);
    TEXT(array, steps_array_name(&array_text, v, w->array));
    TEXT(place, steps_add_place(&place_text, v, r->place));
    return json_pack("{s:s, s:o, s:i, s:s, s:s, s:I, s:i, s:o}", "guilt",
                     kinds[g->guilt], "array", array, "cell",
                     (int)(w->at / steps_cell_bytes(v, w->array)), "found",
                     found, "right", g->honest, "block", (json_int_t)r->block,
                     "thread", (int)r->thread, "place", place);
}

json_t *json_first_wrong_step(const struct steps_view *v) {
    static const char *const kinds[] = {
        "none", "broken", "unknown",  "unwritten", "foreign",
        "kept", "lacks",  "no-write", "race",      "swapped"};
    if (!v || !v->fault) return json_null();
    TEXT(words, steps_fault_words(&words_text, v));
    json_t *is = json_pack("{s:s, s:o, s:I, s:I}", "kind", kinds[v->fault],
                           "text", words, "n", (json_int_t)v->n, "out",
                           (json_int_t)v->fault_cell);
    json_object_set_new(is, "read", guilty_of(v));
    if (v->fault != FAULT_NO_WRITE) {
        json_object_set_new(is, "step",
                            json_integer(v->frame_of[v->fault_write] + 1));
        json_object_set_new(is, "write", json_integer(v->fault_write));
    }
    return is;
}

/* ---- writing ---- */

/* What stands before a value, and the value, which is freed; false: no memory,
 * or it was not written. */
static bool steps_json_put(FILE *to, const char *before, json_t *value) {
    bool ok = value && fputs(before, to) != EOF &&
              json_dumpf(value, to, JSON_ENCODE_ANY) == 0;
    json_decref(value);
    return ok;
}

static bool put_before(FILE *to, const struct steps_view *v) {
    const char *between = "\n  ";
    bool ok = fputs(",\n \"before\": [", to) != EOF;
    for (uint32_t k = 0; ok && k < v->seen.n_writes; k++) {
        if (v->seen.writes[k].writer != VGPU_WRITER_BEFORE) continue;
        ok = steps_json_put(to, between, write_of(v, k));
        between = ",\n  ";
    }
    return ok && fputs("]", to) != EOF;
}

/* Loads, in the order in which they happened. */
static bool put_reads(FILE *to, const struct steps_view *v) {
    bool ok = steps_json_put(
                  to, ",\n \"reads_cut\": ", json_boolean(v->seen.reads_cut)) &&
              fputs(",\n \"reads\": [", to) != EOF;
    for (uint32_t k = 0; ok && k < v->seen.n_reads; k++) {
        const struct vgpu_read *r = &v->seen.reads[k];
        TEXT(place, steps_add_place(&place_text, v, r->place));
        ok = steps_json_put(to, k ? ",\n  " : "\n  ",
                            json_pack("{s:i, s:i, s:i, s:I, s:i, s:o}", "id",
                                      (int)r->write, "before", (int)r->before,
                                      "launch", (int)r->launch, "block",
                                      (json_int_t)r->block, "thread",
                                      (int)r->thread, "place", place));
    }
    return ok && fputs("]", to) != EOF;
}

static bool put_frame(FILE *to, const struct steps_view *v, uint32_t f) {
    const struct steps_frame *frame = &v->frames[f];
    TEXT(name, steps_frame_name(&name_text, v, f));
    bool ok =
        steps_json_put(to, f ? ",\n  {\"step\": " : "\n  {\"step\": ",
                       json_integer(f + 1)) &
            steps_json_put(to, ", \"name\": ", name) &&
        steps_json_put(to, ", \"launch\": ", json_integer(frame->launch)) &&
        fputs(", \"writes\": [", to) != EOF;
    for (uint32_t k = 0; ok && k < frame->n; k++)
        ok = steps_json_put(to, k ? ",\n   " : "\n   ",
                            write_of(v, v->order[frame->first + k]));
    return ok && fputs("]}", to) != EOF;
}

static bool put_frames(FILE *to, const struct steps_view *v) {
    bool ok = fputs(",\n \"steps\": [", to) != EOF;
    for (uint32_t f = 0; ok && f < v->n_frames; f++) ok = put_frame(to, v, f);
    return ok && fputs("]", to) != EOF;
}

static bool put_accesses(FILE *to, const struct steps_view *v) {
    if (!v->seen.n_accesses) return true;
    bool ok =
        steps_json_put(to, ",\n \"banks\": ", json_integer(v->seen.banks)) &&
        steps_json_put(
            to, ",\n \"accesses_cut\": ", json_boolean(v->seen.accesses_cut)) &&
        fputs(",\n \"accesses\": [", to) != EOF;
    for (uint32_t k = 0; ok && k < v->seen.n_accesses; k++)
        ok = steps_json_put(to, k ? ",\n  " : "\n  ",
                            access_of(v, &v->seen.accesses[k]));
    return ok && fputs("]", to) != EOF;
}

bool steps_json(FILE *to, const struct steps_view *v) {
    const struct {
        const char *name;
        json_t *value;
    } head[] = {
        {"{\n \"schema\": ", json_string("scanlab/trace/v1")},
        {",\n \"lab\": ", json_text(v->lab)},
        {",\n \"function\": ", json_text(v->function)},
        {",\n \"n\": ", json_integer((json_int_t)v->n)},
        {",\n \"in\": ", words_of(v, BUFFER_IN, v->in, v->n)},
        {",\n \"expected\": ",
         words_of(v, BUFFER_OUT, v->expected, v->n_expected)},
        {",\n \"got\": ", words_of(v, BUFFER_OUT, v->got, v->n_expected)},
        {",\n \"n_wrong\": ", json_integer((json_int_t)v->n_wrong)},
        {",\n \"first_wrong_step\": ", json_first_wrong_step(v)},
        {",\n \"is_cut\": ", json_boolean(v->seen.is_cut)},
        {",\n \"arrays\": ", arrays_of(v)}};
    bool ok = true;
    for (size_t k = 0; k < sizeof head / sizeof *head; k++)
        ok &= steps_json_put(to, head[k].name, head[k].value);
    ok = ok && put_before(to, v) && put_frames(to, v) && put_reads(to, v) &&
         put_accesses(to, v) && fputs("\n}\n", to) != EOF;
    return ok && !ferror(to);
}

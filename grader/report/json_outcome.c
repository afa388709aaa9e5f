/* SPDX-License-Identifier: MIT
 *
 * json_outcome.c: an outcome and what was measured as numbers and ids:
 * docs/grade.md. Addresses are text, "0x7f0000000010": many readers keep no
 * whole numbers above 2^53.
 */
#include "json_parts.h"

#include <inttypes.h>
#include <math.h>
#include <lines_json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *whole(uint64_t number) {
    return json_integer((json_int_t)number);
}

/* JSON has no infinity. */
static json_t *real(double number) {
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *name(const char *text) {
    return text && *text ? json_text(text) : json_null();
}

/* ---- where and with what ---- */

static json_t *case_object(const struct tried *t) {
    static const char *const devices[] = {
        [WIRE_HOST] = "host", [WIRE_VGPU] = "vgpu", [WIRE_GPU] = "gpu"};
    if (!t->function) return json_null();
    json_t *parameters = json_object();
    for (enum parameter p = 0; p < N_PARAMETERS; p++)
        if (signature_takes(t->function->signature, p))
            set(parameters, parameter_name(p),
                json_integer(t->parameters.value[p]));
    bool vgpu = t->device == WIRE_VGPU;
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
                     "function", name(t->function->id), "symbol",
                     name(t->function->symbol), "n", whole(t->n), "parameters",
                     parameters, "device", devices[t->device], "schedule",
                     name(vgpu ? t->schedule : NULL), "memory_model",
                     name(vgpu ? t->memory_model : NULL), "clock",
                     name(t->clock), "seed", json_sprintf("%" PRIu64, t->seed));
}

static json_t *triple(const uint32_t of[3]) {
    return json_pack("[I, I, I]", (json_int_t)of[0], (json_int_t)of[1],
                     (json_int_t)of[2]);
}

static json_t *place_object(const struct place *p) {
    if (!p->file && !p->kernel) return json_null();
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file", name(p->file), "line",
        p->file ? whole(p->line) : json_null(), "called",
        p->called ? whole(p->called) : json_null(), "index",
        p->index ? whole(p->index) : json_null(), "kernel", name(p->kernel),
        "block", p->has_thread ? triple(p->block) : json_null(), "thread",
        p->has_thread ? triple(p->thread) : json_null());
    if (p->launches > 1) {
        json_object_set_new(object, "launch", whole(p->launch));
        json_object_set_new(object, "launches", whole(p->launches));
    }
    return object;
}

/* ---- facts ---- */

static json_t *value(const struct value *v) {
    switch (v->type) {
    case VALUE_TEXT: return name(v->text);
    case VALUE_REAL: return real(v->real);
    case VALUE_SIGNED: return json_integer(v->i);
    default: return whole(v->u);
    }
}

static json_t *fact_object(const struct fact *f) {
    struct fact_name names[FACT_VALUES];
    size_t n = fact_names(f->row, names);
    json_t *object = json_pack("{s:s}", "id", fact_id(f->row));
    for (size_t i = 0; i < n; i++) {
        char key[32];
        snprintf(key, sizeof key, "%.*s", names[i].length, names[i].text);
        if (strcmp(key, "address") == 0)
            set(object, key, json_sprintf("0x%" PRIx64, f->values[i].u));
        else
            set(object, key, value(&f->values[i]));
    }
    return object;
}

static json_t *facts(const struct outcome *o) {
    json_t *list = json_array();
    for (size_t i = 0; i < o->n_facts; i++)
        json_array_append_new(list, fact_object(&o->facts[i]));
    return list;
}

static json_t *refusals(uint64_t refused) {
    static const char *const names[] = {
#define X(name, scope, text) #name,
#include "refusals.def"
#undef X
    };
    json_t *list = json_array();
    for (size_t i = 0; i < WIRE_N_REFUSALS; i++)
        if (refused >> i & 1) json_array_append_new(list, name(names[i]));
    return list;
}

/* ---- words by which blocks talk ---- */

static json_t *status_fields(const struct status_word *layout, uint64_t word) {
    json_t *list = json_array();
    for (size_t i = 0; layout && i < layout->n; i++) {
        const struct status_field *f = &layout->fields[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o}", "name", f->name, "value",
                            json_integer(status_field_value(f, word)), "means",
                            name(status_field_name(f, word))));
    }
    return list;
}

static json_t *status_object(const struct status_word *layout, uint64_t word,
                             uint32_t bytes) {
    if (!bytes) return json_null();
    return json_pack("{s:o, s:o, s:o}", "bits",
                     json_sprintf("0x%0*" PRIx64, (int)(2 * bytes), word),
                     "bytes", whole(bytes), "fields",
                     status_fields(layout, word));
}

/* ---- a finding of the virtual GPU ---- */

static json_t *also_found(const struct finding *f) {
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_also; i++) {
        const struct also_found *a = &f->also[i];
        const char *check = vgpu_check_name(vgpu_finding_check(a->kind));
        char *text = vgpu_message_text(&a->message, NULL);
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind",
                                        vgpu_finding_name(a->kind), "check",
                                        name(check), "text", json_text(text),
                                        "said", lines_json_message(&a->message),
                                        "place", place_object(&a->place)));
        free(text);
    }
    return list;
}

static json_t *finding_object(const struct outcome *o) {
    const struct finding *f = o->finding;
    if (!f) return json_null();
    const char *check = vgpu_check_name(vgpu_finding_check(f->kind));
    json_t *address =
        f->address ? json_sprintf("0x%" PRIx64, f->address) : json_null();
    char *text = vgpu_message_text(&f->message, NULL);
    json_t *said = json_text(text);
    free(text);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
        vgpu_finding_name(f->kind), "check", name(check), "text", said, "said",
        lines_json_message(&f->message), "address", address, "bytes",
        f->bytes ? whole(f->bytes) : json_null(), "word",
        status_object(words_polled_layout(o), f->word, f->word_bytes),
        "repeats", whole(f->repeats), "others", whole(f->n_also), "also",
        also_found(f), "other_access",
        f->has_other ? place_object(&f->other) : json_null());
}

/* ---- a wrong output ---- */

static json_t *element(enum element e, const int32_t *words) {
    int64_t wide;
    float f32;
    double f64;
    switch (e) {
    case ELEMENT_u32: return whole((uint32_t)*words);
    case ELEMENT_i64:
        memcpy(&wide, words, sizeof wide);
        return json_integer(wide);
    case ELEMENT_f32: memcpy(&f32, words, sizeof f32); return real((double)f32);
    case ELEMENT_f64: memcpy(&f64, words, sizeof f64); return real(f64);
    default: return json_integer(*words);
    }
}

static json_t *elements(enum element e, const int32_t *words, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, element(e, words + i * element_words(e)));
    return list;
}

static json_t *counted(const struct contents *c) {
    json_t *list = json_array();
    for (size_t i = 0; i < c->n_counted; i++) {
        const struct counted *one = &c->counted[i];
        json_t *runs = json_array();
        for (size_t k = 0; k < one->n_runs && k < DIAGNOSIS_RUNS; k++)
            json_array_append_new(runs, json_pack("[o, o]", whole(one->from[k]),
                                                  whole(one->to[k])));
        json_array_append_new(
            list,
            json_pack("{s:i, s:b, s:o, s:o, s:o, s:o}", "times", one->count,
                      "due", one->due, "inputs", whole(one->n_inputs), "ranges",
                      runs, "last", whole(one->last), "stride",
                      one->stride ? whole(one->stride) : json_null()));
    }
    return list;
}

static json_t *contents(const struct contents *c) {
    static const char *const kinds[] = {
        [CONTENTS_BY_VALUE] = "by-value", [CONTENTS_COUNTED] = "counted"};
    if (c->kind == CONTENTS_UNKNOWN) return json_null();
    return json_pack("{s:s, s:o, s:o}", "kind", kinds[c->kind], "due",
                     whole(c->n_due), "inputs", counted(c));
}

static json_t *window(const struct diagnosis *d) {
    const struct window *w = &d->window;
    if (d->element == ELEMENT_none) return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "from", whole(w->from), "in",
                     elements(d->in_element, w->in, w->n_in), "expected",
                     elements(d->element, w->expected, w->n_expected), "got",
                     elements(d->element, w->got, w->n_got));
}

static json_t *first(const struct outcome *o) {
    const struct diagnosis *d = o->difference;
    const struct status_word *layout = words_got_layout(o);
    static const char *const states[] = {[FIRST_WRITTEN] = "written",
                                         [FIRST_NOT_WRITTEN] = "not-written",
                                         [FIRST_UNSET] = "unset-memory"};
    if (d->count == 0) return json_null();
    return json_pack("{s:o, s:o, s:o, s:s, s:o}", "index", whole(d->first),
                     "expected", element(d->element, d->expected), "got",
                     element(d->element, d->got), "state", states[d->state],
                     "word",
                     status_object(layout, layout ? words_got(d) : 0,
                                   layout ? sizeof(uint64_t) : 0));
}

static json_t *difference_object(const struct outcome *o) {
    const struct diagnosis *d = o->difference;
    if (!d) return json_null();
    json_t *said = d->n_got == SIZE_MAX ? json_null() : whole(d->n_got);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "buffer",
        d->buffer == BUFFER_OUT2 ? "out2" : "out", "element",
        d->element ? name(element_name(d->element)) : json_null(),
        "expected_elements", whole(d->n_expected), "got_elements", said,
        "compared", whole(d->compared), "count", whole(d->count), "first",
        first(o), "last", d->count ? whole(d->last) : json_null(), "window",
        window(d), "shape", fact_object(&d->shape), "contents",
        contents(&d->contents));
}

static json_t *writer_object(const struct outcome *o) {
    const struct writer *w = &o->writer;
    if (!w->place.file) return json_null();
    json_t *read =
        !w->read.file
            ? json_null()
            : json_pack(
                  "{s:o, s:o}", "place", place_object(&w->read), "word",
                  status_object(words_read_layout(o), w->word, w->word_bytes));
    return json_pack("{s:o, s:o}", "place", place_object(&w->place), "read",
                     read);
}

static json_t *repair_object(const struct repair *r) {
    if (!r) return json_null();
    return json_pack("{s:o, s:o, s:o}", "file", json_text(r->file), "line",
                     r->line ? whole(r->line) : json_null(), "said",
                     fact_object(&r->said));
}

/* ---- together ---- */

const char *json_kind_of(const struct outcome *o) {
    static const char *const kinds[] = {[OUTCOME_REFUSED] = "refused",
                                        [OUTCOME_FINDING] = "finding",
                                        [OUTCOME_DIFFERENCE] = "difference",
                                        [OUTCOME_BOUND] = "bound",
                                        [OUTCOME_RATIO] = "ratio"};
    return o->kind == OUTCOME_FACT ? fact_id(o->facts[0].row) : kinds[o->kind];
}

json_t *json_outcome(const struct outcome *o) {
    if (o->kind == OUTCOME_NONE) return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "kind", json_kind_of(o), "case", case_object(&o->tried),
                     "place", place_object(&o->place), "facts", facts(o),
                     "refused", refusals(o->refused), "finding",
                     finding_object(o), "difference", difference_object(o),
                     "first_wrong_step", json_first_wrong_step(o->steps),
                     "writer", writer_object(o), "repair",
                     repair_object(o->repair));
}

static json_t *bound_object(const struct measured *m,
                            const struct bound_count *b) {
    const struct lab_bound *bound = b->bound;
    json_t *variables = json_object();
    for (size_t v = 0; v < formula_n_variables(); v++)
        if (formula_uses(bound->limit, v))
            set(variables, formula_variable_name(v),
                json_integer(formula_variable_value(&m->env, v)));
    return json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:o, s:b, s:o, s:f}", "counter",
        vgpu_counter_name((vgpu_counter)bound->counter), "count",
        whole(b->count), "relation", formula_compare_sign(bound->compare),
        "bound", b->known ? json_integer(b->limit) : json_null(), "formula",
        json_text(formula_text(bound->limit)), "variables", variables, "holds",
        b->holds, "zero", b->known ? json_integer(b->zero) : json_null(),
        "earned", round(1000 * b->earned) / 1000);
}

static json_t *ratio_object(const struct ratio *r) {
    if (!r) return json_null();
    json_t *times =
        !r->on_gpu
            ? json_null()
            : json_pack("{s:o, s:o, s:o, s:o, s:o}", "submission_s",
                        real(r->ours), "baseline_s", real(r->theirs),
                        "baseline_alone_s", real(r->alone), "empty_s",
                        real(r->empty), "empty_alone_s", real(r->empty_alone));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}",
                     "baseline", name(r->baseline), "median", real(r->median),
                     "low", real(r->low), "high", real(r->high), "turns",
                     whole(r->turns), "asked", real(r->asked), "full",
                     r->full > 0 ? real(r->full) : json_null(), "noisy",
                     r->noisy, "times", times);
}

json_t *json_measured(const struct measured *m) {
    if (!m->n_bounds && !m->ratio) return json_null();
    json_t *bounds = json_array();
    for (size_t i = 0; i < m->n_bounds; i++)
        json_array_append_new(bounds, bound_object(m, &m->bounds[i]));
    return json_pack("{s:o, s:o, s:o}", "case", case_object(&m->tried),
                     "bounds", bounds, "ratio", ratio_object(m->ratio));
}

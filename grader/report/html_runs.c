/* SPDX-License-Identifier: MIT
 *
 * html_runs.c: failed checks as a page runs them again (runnable.h,
 * html/runs.js): of a lab its PTX and its source, of a check what its host code
 * asked the virtual GPU. Bytes are base64: nothing of them is text.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "html_parts.h"
#include "html_runs.h"
#include "json_parts.h"
#include "runnable.h"
#include "spots.h"

enum {
    SOURCE_BYTES = 65536,
    SOURCE_LINE = 400,
    FEW = 65,           /* elements, where not all sizes have room */
    RUNS_BYTES = 330000 /* of all labs */
};

/* The first letter says how: "=": a word, again and again, and how many bytes
 * in all; "b" and "h": of each word its lower 8 or 16 bits, which are all that
 * it has; "w": as they are. */
static json_t *runs_bytes(const void *bytes, size_t size) {
    struct text t = {0};
    const uint8_t *from = bytes;
    size_t n = size / 4, each = size % 4 ? 4 : 1;
    bool same = n > 4 && size % 4 == 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *word = from + 4 * i;
        same = same && !memcmp(from, word, 4);
        if (word[1] && each < 2) each = 2;
        if (word[2] || word[3]) each = 4;
    }
    text_add(&t, "%s", same ? "=" : each == 1 ? "b" : each == 2 ? "h" : "w");
    uint8_t *packed = malloc(size + 1);
    size_t used = 0;
    for (size_t i = 0; packed && i < size; i++)
        if (each == 4 || i % 4 < each) packed[used++] = from[i];
    base64_add(&t, same ? from : packed, same ? 4 : used);
    if (same) text_add(&t, ".%zu", size);
    free(packed);
    json_t *value = json_string(text_string(&t));
    text_free(&t);
    return value;
}

/* ---- what was asked ---- */

/* The kernel's place in the list of names. */
static int kernel_of(json_t *kernels, const char *name) {
    size_t n = json_array_size(kernels), i = 0;
    while (i < n &&
           strcmp(json_string_value(json_array_get(kernels, i)), name) != 0)
        i++;
    if (i == n) json_array_append_new(kernels, json_string(name));
    return (int)i;
}

static json_t *launch_of(const struct vgpu_asked *a, json_t *kernels) {
    json_t *size = json_array();
    for (int i = 0; i < 6; i++)
        json_array_append_new(size, json_integer(a->size[i]));
    return json_pack("[s, i, o, I, o, i]", "launch",
                     kernel_of(kernels, a->name), size, (json_int_t)a->bytes,
                     runs_bytes(a->data, a->data_bytes), (int)a->value);
}

/* [word, ...], in the order of the fields in vgpu_asked.def. */
static json_t *asked_of(const struct vgpu_asked *a, json_t *kernels) {
    const char *word = vgpu_asked_word(a->kind);
    json_int_t at = (json_int_t)a->at, from = (json_int_t)a->from;
    json_int_t bytes = (json_int_t)a->bytes;
    int value = (int)a->value;
    switch (a->kind) {
    case VGPU_ASKED_LOAD:
    case VGPU_ASKED_UNLOAD: return json_pack("[s]", word);
    case VGPU_ASKED_MALLOC: return json_pack("[s, I, I]", word, at, bytes);
    case VGPU_ASKED_FREE:
    case VGPU_ASKED_OWN: return json_pack("[s, I]", word, at);
    case VGPU_ASKED_WRITE:
        return json_pack("[s, I, o]", word, at,
                         runs_bytes(a->data, a->data_bytes));
    case VGPU_ASKED_READ:
        return json_pack("[s, I, I, o]", word, at, bytes,
                         a->data ? runs_bytes(a->data, a->data_bytes)
                                 : json_null());
    case VGPU_ASKED_COPY:
        return json_pack("[s, I, I, I]", word, at, from, bytes);
    case VGPU_ASKED_FILL:
        return json_pack("[s, I, I, i]", word, at, bytes, value);
    case VGPU_ASKED_UNWRITTEN: return json_pack("[s, I, I]", word, at, bytes);
    case VGPU_ASKED_PROTECT: return json_pack("[s, I, i]", word, at, value);
    case VGPU_ASKED_NAME:
        return json_pack("[s, I, o, I, i]", word, at, json_text(a->name), from,
                         value);
    case VGPU_ASKED_DYNAMIC:
        return json_pack("[s, i, I]", word, kernel_of(kernels, a->name), bytes);
    default: return launch_of(a, kernels);
    }
}

/* ---- a check ---- */

/* [name, type, bytes] of each output. */
static json_t *wanted_of(const struct runnable *r,
                         const struct runnable_case *c) {
    static const char *const names[N_BUFFERS] = {
        [BUFFER_OUT] = "d_out", [BUFFER_OUT2] = "d_out2"};
    json_t *list = json_array();
    for (enum buffer b = BUFFER_OUT; b <= BUFFER_OUT2; b++) {
        enum element e = signature_element(r->signature, b);
        const int32_t *words =
            c->expected + signature_offset(r->signature, b, c->n);
        if (e != ELEMENT_none)
            json_array_append_new(
                list,
                json_pack("[s, s, o]", names[b], element_name(e),
                          runs_bytes(words, c->n_expected * element_words(e) *
                                                sizeof *words)));
    }
    return list;
}

static json_t *case_of(const struct runnable *r, const struct runnable_case *c,
                       json_t *kernels) {
    json_t *calls = json_array();
    for (size_t i = 0; i < c->asked.n; i++)
        json_array_append_new(calls, asked_of(&c->asked.list[i], kernels));
    return json_pack("{s:I, s:o, s:o}", "n", (json_int_t)c->n, "calls", calls,
                     "wanted", wanted_of(r, c));
}

static json_t *checks_of(unsigned checks) {
    json_t *list = json_array();
    for (unsigned bit = 1; bit <= VGPU_CHECK_ALL; bit <<= 1)
        if (checks & bit & VGPU_CHECK_ALL)
            json_array_append_new(list, json_string(vgpu_check_name(bit)));
    return list;
}

/* The case that failed, and the others up to this size. */
static json_t *run_of(const struct check_result *result, size_t most) {
    const struct runnable *r = result->outcome.runnable;
    const struct tried *t = &result->outcome.tried;
    json_t *kernels = json_array(), *cases = json_array();
    for (size_t i = 0; i < r->n_cases; i++)
        if (r->cases[i].n <= most || r->cases[i].n == r->n)
            json_array_append_new(cases, case_of(r, &r->cases[i], kernels));
    return json_pack("{s:o, s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
                     "function", json_text(t->function->symbol), "n",
                     (json_int_t)r->n, "schedule",
                     *t->schedule ? t->schedule : "in-order", "memory",
                     *t->memory_model ? t->memory_model : "sc", "profile",
                     r->profile, "contents", r->contents, "checks",
                     checks_of(r->checks), "kernels", kernels, "cases", cases);
}

/* ---- a lab ---- */

static json_t *source_of(const struct grade *g, const struct lab_result *lab) {
    const char *text = spot_text(g, lab->lab->source);
    json_t *lines = json_array();
    size_t bytes = 0;
    for (unsigned line = 1; text && bytes < SOURCE_BYTES; line++) {
        size_t size;
        const char *at = spot_line(text, line, &size);
        if (!at) break;
        json_array_append_new(
            lines, html_own(text_format("%.*s", (int)size, at), SOURCE_LINE));
        bytes += size + 4;
    }
    return json_pack("{s:o, s:i, s:o}", "file", json_text(lab->lab->source),
                     "first", 1, "lines", lines);
}

/* Adds the value if there is room for it, which it takes over. */
static bool runs_add(json_t *to, const char *key, json_t *value,
                     struct html_room *room) {
    size_t bytes = html_bytes(value);
    bool fits = value && room->runs + bytes <= RUNS_BYTES;
    if (fits) room->runs += bytes;
    if (fits)
        json_object_set_new(to, key, value);
    else
        json_decref(value);
    return fits;
}

static bool is_launched(void *user, const char *kernel) {
    const struct lab_result *lab = user;
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct runnable *r = lab->checks[i].outcome.runnable;
        for (size_t k = 0; r && k < r->n_cases; k++)
            for (size_t j = 0; j < r->cases[k].asked.n; j++) {
                const struct vgpu_asked *a = &r->cases[k].asked.list[j];
                if ((a->kind == VGPU_ASKED_LAUNCH ||
                     a->kind == VGPU_ASKED_DYNAMIC) &&
                    strcmp(a->name, kernel) == 0)
                    return true;
            }
    }
    return false;
}

static json_t *runs_of_lab(const struct grade *grade,
                           const struct lab_result *r, const char *ptx) {
    char *wanted = runnable_ptx_of(ptx, is_launched, (void *)r);
    json_t *value = json_pack("{s:o, s:o}", "ptx", json_text(wanted), "code",
                              source_of(grade, r));
    free(wanted);
    return value;
}

void html_runs(json_t *lab, const struct grade *grade,
               const struct lab_result *r, struct html_room *room) {
    json_t *checks = json_object_get(lab, "checks");
    json_t *view = json_object_get(lab, "view");
    bool has_ptx = false;
    for (size_t i = 0; i < r->n_checks; i++) {
        const struct runnable *one = r->checks[i].outcome.runnable;
        json_t *check = json_object_get(json_array_get(checks, i), "view");
        if (!one || !check) continue;
        /* All of a lab have one library, and so one PTX. */
        if (!has_ptx)
            has_ptx =
                runs_add(view, "runs", runs_of_lab(grade, r, one->ptx), room);
        if (!has_ptx) return;
        if (!runs_add(check, "run", run_of(&r->checks[i], SIZE_MAX), room))
            runs_add(check, "run", run_of(&r->checks[i], FEW), room);
    }
}

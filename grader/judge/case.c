/* SPDX-License-Identifier: MIT
 *
 * case.c: see case.h. One call goes: fresh input, the oracle's answer, poison,
 * the call, explain.h's rules, comparison, bounds. The first thing wrong ends
 * the case. A wrong output is handed to course/diagnose.h, with a second runner
 * for its probes.
 */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"
#include "diagnose_plain.h"
#include "inputs.h"
#include "oracle.h"
#include "digest.h"
#include "explain.h"

enum {
    TODO_STATUS = 31, /* SCANLAB_TODO in labs/common/scanlab.h */
    PROBE_LIMIT_MS = 3000,
    OUTPUT_SHOWN = 2000
};

struct buffers {
    int32_t *in, *expected, *got;
};

static bool buffers_open(struct buffers *b, int signature, size_t n) {
    size_t in = signature_in_words(signature, n) + 1;
    size_t out = signature_out_words(signature, n) + 1;
    b->in = calloc(in, sizeof *b->in);
    b->expected = calloc(out, sizeof *b->expected);
    b->got = calloc(out, sizeof *b->got);
    return b->in && b->expected && b->got;
}

static void buffers_free(struct buffers *b) {
    free(b->in);
    free(b->expected);
    free(b->got);
}

static const struct lab_function *function_of(const struct case_spec *s) {
    return &s->lab->functions[s->check->function];
}

void case_describe(const struct case_spec *s, char *text, size_t size) {
    struct text t = {0};
    text_add(&t, "n = %zu", s->n);
    for (enum parameter p = 0; p < N_PARAMETERS; p++) {
        char value[24];
        if (!signature_takes(function_of(s)->signature, p)) continue;
        parameter_print(p, s->parameters.value[p], value, sizeof value);
        text_add(&t, ", %s = %s", parameter_name(p), value);
    }
    if (s->schedule && strcmp(s->schedule, "in-order") != 0)
        text_add(&t, ", schedule %s", s->schedule);
    if (s->device == WIRE_VGPU && s->memory_model)
        text_add(&t, ", memory model %s", s->memory_model);
    snprintf(text, size, "%s", t.bytes ? t.bytes : "");
    text_free(&t);
}

enum { USUAL_CAPABILITY = 75 }; /* of the profile of checks that name none */

static const struct vgpu_profile *profile_of(const struct lab_check *check) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    for (size_t i = 0; check->profile && i < n; i++)
        if (strcmp(list[i].name, check->profile) == 0) return &list[i];
    return NULL;
}

const char *case_profile(const struct case_world *w,
                         const struct lab_check *check) {
    if (check->profile || w->arch <= USUAL_CAPABILITY) return check->profile;
    return "teach90";
}

char *case_profile_too_old(const struct case_world *w,
                           const struct lab_check *check) {
    const struct vgpu_profile *p = profile_of(check);
    if (!p || w->arch <= USUAL_CAPABILITY || p->capability >= w->arch)
        return NULL;
    return text_format("its device %s is of compute capability %d.%d and "
                       "cannot run PTX for %d.%d (--arch %d)",
                       p->name, p->capability / 10, p->capability % 10,
                       w->arch / 10, w->arch % 10, w->arch);
}

void case_settings(const struct case_spec *s, struct live_settings *l) {
    *l = (struct live_settings){
        .lab = s->lab,
        .function = function_of(s),
        .runner = s->world->runner,
        .client = s->device == WIRE_VGPU  ? s->world->client
                  : s->device == WIRE_GPU ? s->world->toolkit
                                          : NULL,
        .library = s->library,
        .device = s->device,
        .schedule = s->device == WIRE_VGPU ? s->schedule : NULL,
        .profile = case_profile(s->world, s->check),
        .cache = s->world->cache,
        .memory_model = s->memory_model,
        .vgpu_checks = s->check->vgpu_checks,
        .misalign = s->check->misalign,
        .in_place = s->check->in_place,
        .parameters = &s->parameters};
}

/* ---- a wrong output ---- */

struct prober {
    const struct case_spec *spec;
    struct live live;
    bool open, broken;
    int32_t poison;
};

/* diagnose_run */
static bool probe(void *user, const int32_t *in, int32_t *out, size_t n) {
    struct prober *p = user;
    struct live_call call;
    if (!p->open && !p->broken) {
        struct live_settings settings;
        case_settings(p->spec, &settings);
        p->open = true;
        p->broken = live_open(&p->live, &settings) != LIVE_OK;
    }
    if (p->broken) return false;
    for (size_t i = 0; i < n; i++) out[i] = p->poison;
    if (live_call(&p->live, in, n, p->poison, out, &call) == LIVE_OK &&
        call.status == 0)
        return true;
    p->broken = true;
    return false;
}

/* Functions the diagnosis knows by heart: it can run them on inputs of its
 * own making. */
static bool known_by_heart(int oracle) {
    return oracle == ORACLE_inclusive_sum || oracle == ORACLE_exclusive_sum ||
           oracle == ORACLE_compact_nonzero;
}

static void diagnose_by_probing(const struct case_spec *s,
                                const struct diagnose_case *known,
                                struct prober *prober, struct diagnosis *d) {
    struct diagnose_case wrong = *known;
    wrong.run = probe;
    wrong.user = prober;
    wrong.time_limit_ms = PROBE_LIMIT_MS;
    wrong.seed = s->seed;
    diagnose(&wrong, d);
    if (prober->open) live_close(&prober->live);
}

static void explain_output(const struct case_spec *s, const struct buffers *b,
                           size_t n_expected, size_t n_got, int32_t poison,
                           struct case_result *result) {
    const struct lab_function *f = function_of(s);
    struct prober prober = {.spec = s, .poison = poison};
    struct diagnose_case known = {.oracle = f->oracle,
                                  .in = b->in,
                                  .n = s->n,
                                  .expected = b->expected,
                                  .n_expected = n_expected,
                                  .got = b->got,
                                  .n_got = n_got,
                                  .poison = poison,
                                  .in_place = s->check->in_place};
    struct plain_case plain = {.oracle = f->oracle,
                               .signature = f->signature,
                               .parameters = &s->parameters,
                               .in = b->in,
                               .expected = b->expected,
                               .got = b->got,
                               .n = s->n,
                               .n_expected = n_expected,
                               .n_got = n_got,
                               .poison = poison,
                               .in_place = s->check->in_place};
    struct diagnosis d;
    struct text message = {0};
    char what[CASE_WORDS];
    if (known_by_heart(f->oracle))
        diagnose_by_probing(s, &known, &prober, &d);
    else
        diagnose_plain(&plain, &d);
    case_describe(s, what, sizeof what);
    text_add(&message, "%s:", what);
    text_sentence(&message, *d.first ? d.first : "the output is wrong");
    text_sentence(&message, d.shape);
    text_sentence(&message, d.contains);
    result->verdict = CASE_FAIL;
    result->message = message.bytes;
    if (*d.cause) result->cause = text_format("%s", d.cause);
}

static void keep_output(struct live *l, struct case_result *result) {
    struct text all = {0};
    const struct text *parts[] = {&l->process.output, &l->printed};
    for (int i = 0; i < 2; i++)
        if (parts[i]->size)
            text_append(&all, parts[i]->bytes, parts[i]->size,
                        PROCESS_OUTPUT_BYTES);
    if (all.size)
        result->output = text_printable(all.bytes, all.size, OUTPUT_SHOWN);
    text_free(&all);
}

/* Its memory goes as well: up to the lab's limit. */
static void close_device(struct live *l, struct case_result *result) {
    if (!l->settings.lab) return; /* closed before a diagnosis */
    process_stop(&l->process);
    keep_output(l, result);
    live_close(l);
}

/* true: as the oracle says. *kept: elements of the answer. A wrong answer is
 * the device's last: the diagnosis opens one of its own. */
static bool compare(const struct case_spec *s, struct live *l,
                    const struct buffers *b, const struct live_call *call,
                    int32_t poison, size_t *kept, struct case_result *result) {
    const struct lab_function *f = function_of(s);
    *kept = oracle_apply(f->oracle, &s->parameters, b->in, s->n, b->expected);
    size_t n_got = oracle_shape(f->oracle) == OUTPUT_SCAN ? s->n : call->n_out;
    if (oracle_agrees(f->oracle, &s->parameters, b->in, s->n, b->expected,
                      *kept, b->got, n_got))
        return true;
    close_device(l, result);
    explain_output(s, b, *kept, n_got, poison, result);
    return false;
}

/* For checks that ask for the same bits each time; what lies behind a
 * compaction's elements does not count. */
static void digest_output(const struct case_spec *s, const struct buffers *b,
                          size_t kept, struct case_result *result) {
    struct digest digest = DIGEST_START;
    int signature = function_of(s)->signature;
    bool all = oracle_shape(function_of(s)->oracle) != OUTPUT_COMPACT;
    for (enum buffer o = BUFFER_OUT; o <= BUFFER_OUT2; o++)
        digest_bytes(&digest, b->got + signature_offset(signature, o, s->n),
                     (all ? s->n : kept) * sizeof *b->got *
                         element_words(signature_element(signature, o)));
    result->left = digest.a;
}

/* ---- bounds ---- */

static void within_bounds(const struct case_spec *s,
                          const struct live_call *call, size_t kept,
                          struct text *broken, struct text *detail) {
    const struct formula_env env = {
#define X(name, least, most, usual, values, text)                              \
    .name = s->parameters.value[PARAMETER_##name],
#include "parameters.def"
#undef X
        .n = (int64_t)s->n, .kept = (int64_t)kept};
    for (size_t i = 0; i < s->check->n_bounds; i++) {
        const struct lab_bound *bound = &s->check->bounds[i];
        const char *name = vgpu_counter_name((vgpu_counter)bound->counter);
        uint64_t count = call->counts[bound->counter];
        char error[FORMULA_ERROR], words[FORMULA_TEXT];
        int64_t limit;
        formula_describe(bound->limit, &env, words);
        bool known = formula_eval(bound->limit, &env, &limit, error);
        text_add(detail, "%s%s: %" PRIu64 ", bound %s %s",
                 detail->size ? "\n" : "", name, count,
                 formula_compare_sign(bound->compare), words);
        if (!known)
            text_add(broken, "%sthe bound of %s cannot be computed: %s",
                     broken->size ? "; " : "", name, error);
        else if (!formula_holds(bound->compare, count, limit))
            text_add(broken, "%s%s: %" PRIu64 ", allowed %s%" PRId64 " (%s %s)",
                     broken->size ? "; " : "", name, count,
                     bound->compare == FORMULA_EQ ? "exactly " : "", limit,
                     formula_compare_sign(bound->compare), words);
    }
}

/* ---- one case ---- */

static void fail(const struct case_spec *s, struct case_result *result,
                 const char *message) {
    char what[CASE_WORDS];
    case_describe(s, what, sizeof what);
    result->verdict = CASE_FAIL;
    result->message = text_format("%s: %s", what, message);
}

void case_fail_explained(const struct case_spec *s, struct case_result *result,
                         struct explanation *e) {
    fail(s, result, e->message.bytes ? e->message.bytes : "");
    result->where = e->where;
    e->where = NULL;
    explanation_free(e);
}

void case_fail_stopped(const struct case_spec *s, struct live *l,
                       enum live_result how, struct case_result *result) {
    struct explanation e;
    if (how == LIVE_WORLD) {
        result->verdict = CASE_WORLD;
        result->message = text_format("%s", l->reply.u.text);
        return;
    }
    explain_stop(l, how, &e);
    if (l->stage == LIVE_CALLING || l->stage == LIVE_RETURNED) {
        case_fail_explained(s, result, &e);
        return;
    }
    /* Before any call n plays no part. */
    result->verdict = CASE_FAIL;
    result->message = text_format("%s", e.message.bytes ? e.message.bytes : "");
    result->where = e.where;
    text_free(&e.message);
}

/* The check's input first, any numbers for a second one. */
static void fill_inputs(const struct case_spec *s, uint64_t seed, int32_t *in) {
    int signature = function_of(s)->signature;
    for (enum buffer b = BUFFER_IN; b <= BUFFER_IN2; b++) {
        size_t words = element_words(signature_element(signature, b)) * s->n;
        if (words)
            inputs_fill(b == BUFFER_IN ? s->check->inputs : INPUT_random,
                        inputs_mix(seed, b),
                        in + signature_offset(signature, b, s->n), words);
    }
}

static void one_call(const struct case_spec *s, struct live *l,
                     struct buffers *b, uint64_t seed,
                     struct case_result *result, struct text *detail) {
    struct live_call call;
    struct explanation e;
    int32_t poison = (int32_t)(uint32_t)inputs_mix(seed, UINT64_MAX);
    size_t kept;
    int signature = function_of(s)->signature;
    fill_inputs(s, seed, b->in);
    size_t words = signature_out_words(signature, s->n);
    for (size_t i = 0; i < words; i++) b->got[i] = poison;
    enum live_result how = live_call(l, b->in, s->n, poison, b->got, &call);
    if (s->inspect && l->vgpu) s->inspect(s->user, l->vgpu, call.counts);
    if (how != LIVE_OK) {
        case_fail_stopped(s, l, how, result);
        return;
    }
    if (call.status == TODO_STATUS) {
        result->verdict = CASE_TODO;
        result->message =
            text_format("%s is not implemented yet", function_of(s)->symbol);
        return;
    }
    explain_call(l, s->check, &call, &e);
    if (e.message.size) {
        case_fail_explained(s, result, &e);
        return;
    }
    if (!compare(s, l, b, &call, poison, &kept, result)) return;
    if (s->check->same) digest_output(s, b, kept, result);
    struct text broken = {0};
    text_free(detail);
    if (l->vgpu) within_bounds(s, &call, kept, &broken, detail);
    if (broken.size) fail(s, result, broken.bytes);
    text_free(&broken);
}

/* What the program still holds after the last call. */
static void look_for_leaks(const struct case_spec *s, struct live *l,
                           struct case_result *result) {
    struct explanation e;
    const struct live_call fine = {0};
    if (!l->vgpu || !(s->check->vgpu_checks & VGPU_CHECK_LEAKCHECK)) return;
    vgpu_check_leaks(l->vgpu);
    explain_call(l, s->check, &fine, &e);
    if (e.message.size) case_fail_explained(s, result, &e);
}

/* Call number i of the case. */
static void again(const struct case_spec *s, struct live *l, struct buffers *b,
                  size_t i, struct case_result *result, struct text *detail) {
    uint64_t before = result->left;
    size_t input = s->check->same ? 0 : i;
    one_call(s, l, b, inputs_mix(s->seed, input), result, detail);
    if (!s->check->same || i == 0 || result->verdict != CASE_PASS ||
        result->left == before)
        return;
    fail(s, result,
         "the same input twice, and other bits the second time: the order of "
         "additions depends on which block comes first");
}

void case_run(const struct case_spec *s, struct case_result *result) {
    struct live_settings settings;
    struct live live;
    struct buffers b = {0};
    struct text detail = {0};
    *result = (struct case_result){.verdict = CASE_PASS};
    if (!buffers_open(&b, function_of(s)->signature, s->n)) {
        result->verdict = CASE_WORLD;
        result->message = text_format("out of memory for n = %zu", s->n);
        buffers_free(&b);
        return;
    }
    case_settings(s, &settings);
    enum live_result how = live_open(&live, &settings);
    if (how != LIVE_OK) case_fail_stopped(s, &live, how, result);
    for (size_t i = 0; i < s->check->repeat && result->verdict == CASE_PASS;
         i++)
        again(s, &live, &b, i, result, &detail);
    if (result->verdict == CASE_PASS) look_for_leaks(s, &live, result);
    close_device(&live, result);
    result->detail = detail.bytes;
    buffers_free(&b);
}

void case_result_free(struct case_result *r) {
    free(r->message);
    free(r->where);
    free(r->cause);
    free(r->detail);
    free(r->output);
    *r = (struct case_result){0};
}

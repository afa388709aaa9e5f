/* SPDX-License-Identifier: MIT
 *
 * run_case.c: see run_case.h. One call goes: fresh input, the oracle's answer,
 * poison, the call, explain.h's rules, comparison (wrong.h), bounds (bounds.h).
 * The first thing wrong ends the case.
 */
#include "run_case.h"

#include <stdlib.h>

#include "bounds.h"
#include "digest.h"
#include "explain.h"
#include "findings.h"
#include "inputs.h"
#include "oracle.h"
#include "ran.h"
#include "trouble.h"
#include "translate.h"
#include "wrong.h"

enum { OUTPUT_SHOWN = 2000 };

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

/* ---- the output ---- */

static void keep_output(struct harness *h, struct case_result *result) {
    struct text all = {0};
    const struct text *parts[] = {&h->process.output, &h->printed};
    for (int i = 0; i < 2; i++)
        if (parts[i]->size)
            text_append(&all, parts[i]->bytes, parts[i]->size,
                        PROCESS_OUTPUT_BYTES);
    if (all.size)
        result->output = text_printable(all.bytes, all.size, OUTPUT_SHOWN);
    text_free(&all);
}

/* Closes the device and frees its memory, which may be as much as the lab's
 * limit. */
static void close_device(struct harness *h, struct case_result *result) {
    if (!h->settings.lab) return; /* closed before a diagnosis */
    result->is_doubtful |=
        h->process.is_short || process_device_failed(&h->process);
    process_stop(&h->process);
    keep_output(h, result);
    harness_close(h);
}

/* Of the largest launch. */
static size_t most_blocks(const struct harness *h) {
    const struct vgpu_launch_record *records;
    size_t n = h->vgpu ? vgpu_launch_records(h->vgpu, &records) : 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t blocks = (size_t)records[i].grid[0] * records[i].grid[1] *
                        records[i].grid[2];
        if (blocks > most) most = blocks;
    }
    return most;
}

/* Of every launch; 0: not of every one. */
static size_t block_threads(const struct harness *h) {
    const struct vgpu_launch_record *records;
    size_t n = h->vgpu ? vgpu_launch_records(h->vgpu, &records) : 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *b = records[i].block;
        size_t threads = (size_t)b[0] * b[1] * b[2];
        if (i && threads != all) return 0;
        all = threads;
    }
    return all;
}

/* Does the function launch nothing at all? */
static bool is_idle(const struct case_spec *s, const struct harness *h) {
    const struct vgpu_launch_record *records;
    return s->device == WIRE_VGPU && h->vgpu &&
           !vgpu_launch_records(h->vgpu, &records);
}

static void say_idle(struct diagnosis *d) {
    if (!d || d->shape.row != FACT_NOT_WRITTEN) return;
    fact_free(&d->shape);
    d->shape = FACT(NO_LAUNCH);
}

/* What lies behind a compaction's elements does not count. */
static void digest_output(const struct case_spec *s, const struct buffers *b,
                          size_t kept, struct case_result *result) {
    struct digest digest = DIGEST_START;
    int signature = case_function(s)->signature;
    size_t n = oracle_compared(case_function(s)->oracle, s->n, kept);
    for (enum buffer o = BUFFER_OUT; o <= BUFFER_OUT2; o++)
        digest_bytes(&digest, b->got + signature_offset(signature, o, s->n),
                     n * sizeof *b->got *
                         element_words(signature_element(signature, o)));
    result->left = digest.a;
}

/* *kept: elements of the answer; *n_got: those that the function says. */
static bool is_answer(const struct case_spec *s, const struct buffers *b,
                      const struct harness_call *call, size_t *kept,
                      size_t *n_got) {
    const struct lab_function *f = case_function(s);
    *kept = oracle_apply_rule(f->oracle, f->rule, &s->parameters, b->in, s->n,
                              b->expected);
    *n_got = oracle_shape(f->oracle) == OUTPUT_SCAN ? s->n : call->n_out;
    return oracle_agrees(f->oracle, f->rule, &s->parameters, b->in, s->n,
                         b->expected, *kept, b->got, *n_got);
}

/* true: the output is as the oracle says. *kept: elements of the answer. If it
 * is wrong, the device is closed, since the diagnosis opens one of its own. */
static bool compare(const struct case_spec *s, struct harness *h,
                    const struct buffers *b, const struct harness_call *call,
                    int32_t poison, size_t *kept, struct case_result *result) {
    size_t n_got;
    if (is_answer(s, b, call, kept, &n_got)) return true;
    struct outcome *o = case_fail(s, result);
    size_t n_blocks = most_blocks(h), threads = block_threads(h);
    bool idle = is_idle(s, h);
    explain_wrong(h, o);
    close_device(h, result);
    digest_output(s, b, *kept, result);
    if (s->is_rerun && !s->asks_for_shape) return false;
    const struct diagnose_case wrong = {.in = b->in,
                                        .expected = b->expected,
                                        .got = b->got,
                                        .n_expected = *kept,
                                        .n_got = n_got,
                                        .n_blocks = n_blocks,
                                        .block_threads = threads,
                                        .poison = poison};
    o->difference = wrong_diagnose(s, wrong);
    if (idle && s->n > 1) say_idle(o->difference);
    if (o->difference && o->kind == OUTCOME_NONE)
        o->kind = OUTCOME_DIFFERENCE;
    else if (!o->difference)
        case_trouble(result, text_format("out of memory for n = %zu", s->n));
    return false;
}

/* ---- one case ---- */

/* The check's input first, any numbers for a second one. */
static void fill_inputs(const struct case_spec *s, uint64_t seed, int32_t *in) {
    int signature = case_function(s)->signature;
    for (enum buffer b = BUFFER_IN; b <= BUFFER_IN2; b++) {
        size_t words = element_words(signature_element(signature, b)) * s->n;
        if (words)
            inputs_fill(b == BUFFER_IN ? s->inputs : INPUT_random,
                        inputs_mix(seed, b),
                        in + signature_offset(signature, b, s->n), words);
    }
}

/* Odd becomes even, and most numbers become far smaller or larger. */
static void change_element(const struct case_spec *s, int32_t *in) {
    int signature = case_function(s)->signature;
    size_t words = element_words(signature_element(signature, BUFFER_IN));
    if (s->changed_element && words)
        in[signature_offset(signature, BUFFER_IN, s->n) +
           (s->changed_element - 1) * words] ^= 0x40000001;
}

/* The inputs, and what the output holds before the call. */
static void fill_buffers(const struct case_spec *s, uint64_t seed,
                         int32_t poison, struct buffers *b) {
    size_t words = signature_out_words(case_function(s)->signature, s->n);
    fill_inputs(s, seed, b->in);
    change_element(s, b->in);
    for (size_t i = 0; i < words; i++) b->got[i] = poison;
}

/* Such a finding does not end the kernel. */
static bool left_an_answer(const struct finding *f) {
    return f && vgpu_finding_check(f->kind) &
                    (VGPU_CHECK_INITCHECK | VGPU_CHECK_RACECHECK);
}

/* Calls the spec's `inspect` and `look`, also when the call failed. */
static void show(const struct case_spec *s, struct harness *h,
                 const struct harness_call *call, struct buffers *b,
                 int32_t poison) {
    const struct lab_function *f = case_function(s);
    struct case_seen seen = {.function = f,
                             .in = b->in,
                             .expected = b->expected,
                             .got = b->got,
                             .poison = poison,
                             .n = s->n,
                             .n_marked = call->n_marked};
    size_t kept = oracle_apply_rule(f->oracle, f->rule, &s->parameters, b->in,
                                    s->n, b->expected);
    seen.n_expected = oracle_compared(f->oracle, s->n, kept);
    s->look(s->user, h->vgpu, &seen);
}

/* What the counts would earn if the answer were right. */
static void note_wrong(const struct case_spec *s,
                       const struct harness_call *call, size_t kept,
                       struct case_result *result) {
    struct measured counts = {0};
    if (s->check->kind != CHECK_EFFICIENT || s->device != WIRE_VGPU) return;
    bounds_measure(s, call, kept, &counts);
    result->wrong_earned = bounds_earned(&counts);
    measured_free(&counts);
}

static void one_call(const struct case_spec *s, struct harness *h,
                     struct buffers *b, uint64_t seed,
                     struct case_result *result) {
    struct harness_call call;
    int32_t poison = (int32_t)(uint32_t)inputs_mix(seed, UINT64_MAX);
    if (s->other_contents) poison = ~poison;
    size_t kept;
    fill_buffers(s, seed, poison, b);
    enum harness_result how =
        harness_call(h, b->in, s->n, poison, b->got, &call);
    if (!s->is_rerun) ran_note(h, &result->ran);
    if (s->inspect && h->vgpu) s->inspect(s->user, h->vgpu, call.counts);
    if (s->look && h->vgpu) show(s, h, &call, b, poison);
    result->slack_is_stored |= call.slack_is_stored;
    if (how != HARNESS_OK) {
        case_fail_stopped(s, h, how, result);
        return;
    }
    if (case_call_failed(s, h, &call, result)) {
        if (call.status == 0 && !s->check->refused &&
            left_an_answer(result->outcome.finding))
            compare(s, h, b, &call, poison, &kept, result);
        return;
    }
    if (s->check->refused) return;
    if (!compare(s, h, b, &call, poison, &kept, result)) {
        note_wrong(s, &call, kept, result);
        return;
    }
    result->kept = kept;
    if (s->check->same) digest_output(s, b, kept, result);
    if (h->vgpu && !bounds_measure(s, &call, kept, &result->measured)) {
        case_fail(s, result)->kind = OUTCOME_BOUND;
        result->earned = bounds_earned(&result->measured);
        explain_bound(h, s->check, s->n, &call, &result->measured,
                      &result->outcome);
    }
}

/* What the program still holds after the last call. */
static void look_for_leaks(const struct case_spec *s, struct harness *h,
                           struct case_result *result) {
    const struct harness_call fine = {0};
    if (!h->vgpu || !(case_vgpu_checks(s) & VGPU_CHECK_LEAKCHECK)) return;
    vgpu_check_leaks(h->vgpu);
    case_call_failed(s, h, &fine, result);
}

/* Call number i of the case. */
static void again(const struct case_spec *s, struct harness *h,
                  struct buffers *b, size_t i, struct case_result *result) {
    uint64_t before = result->left;
    size_t input = s->check->same ? 0 : i;
    /* Those who wait for the late one would burn all other cores. */
    h->one_core = i > 0 || s->check->late;
    one_call(s, h, b, inputs_mix(s->seed, input), result);
    if (s->check->same && i > 0 && result->verdict == CASE_PASS &&
        result->left != before)
        outcome_add(case_fail(s, result), FACT(SAME_TWICE));
}

/* ---- calls that fail ---- */

static bool is_of_freed(const struct finding *f) {
    const struct vgpu_message *m = &f->message;
    for (size_t k = 0; k < m->n_values; k++)
        if (m->values[k].type == VGPU_TYPE_PART && !m->values[k].is_absent &&
            (m->values[k].number == VGPU_MESSAGE_FREED_BYTE ||
             m->values[k].number == VGPU_MESSAGE_FREED_ELEMENT))
            return true;
    return false;
}

/* What the function did after its call failed: an error returned and scratch
 * freed, or the right answer in another way. */
static void look_at_failed(const struct case_spec *s, struct harness *h,
                           struct buffers *b, const struct harness_call *call,
                           struct case_result *result) {
    const struct vgpu_failed *failed = vgpu_failed(h->vgpu);
    const char *symbol = case_function(s)->symbol;
    struct outcome found = {0};
    const struct vgpu_wording in_language = {.translate = translated};
    struct fact fact = {0};
    size_t kept, n_got;
    bool answered = h->event == PROCESS_ANSWERED;
    if (answered && call->status) vgpu_check_leaks(h->vgpu);
    findings_take(h, case_vgpu_checks(s), false, &found);
    /* A refused launch is what the error that it returned says. */
    char *what =
        found.finding && !(found.finding->kind == VGPU_FINDING_BAD_LAUNCH &&
                           call->status)
            ? vgpu_message_text(&found.finding->message, &in_language)
            : NULL;
    if (what && found.finding->kind == VGPU_FINDING_LEAK)
        fact = FACT(ERROR_LEAKS, {V(failed->call), V(symbol), V(what)});
    else if (what && found.finding->kind == VGPU_FINDING_DEADLOCK)
        fact = FACT(ERROR_DEADLOCK, {V(failed->call), V(symbol), V(what)});
    else if (what && is_of_freed(found.finding))
        fact = FACT(ERROR_FREED, {V(failed->call), V(symbol), V(what)});
    else if (what || !answered)
        fact = FACT(ERROR_WENT_ON, {V(failed->call), V(symbol), V(what)});
    else if (!call->status &&
             (!failed->has_other_way || !is_answer(s, b, call, &kept, &n_got)))
        fact = FACT(ERROR_LOST, {V(failed->call), V(symbol)});
    if (fact.row != FACT_NONE) {
        outcome_add(case_fail(s, result), fact);
        findings_place(h, failed->callers, &result->outcome.place);
        result->outcome.lives = found.lives;
        found.lives = NULL;
    }
    free(what);
    outcome_free(&found);
}

/* Which calls fail, of a function that makes more than ALL_CALLS: from each
 * place in it the first and the last, and some that the seed chooses. */
enum { ALL_CALLS = 128, CHOSEN_CALLS = 64 };
struct call_list {
    uint64_t numbers[2 * VGPU_MAX_CALL_SITES + CHOSEN_CALLS];
    size_t n;
    uint64_t calls; /* of all that it is chosen from */
};

static void add_once(struct call_list *list, uint64_t number) {
    size_t i = 0;
    while (i < list->n && list->numbers[i] != number) i++;
    if (number > ALL_CALLS && i == list->n) list->numbers[list->n++] = number;
}

static void take_list(const vgpu_device *device, uint64_t seed,
                      struct call_list *list) {
    const struct vgpu_call_site *sites;
    size_t n = vgpu_call_sites(device, &sites, &list->calls);
    for (size_t i = 0; i < n; i++) {
        add_once(list, sites[i].first);
        add_once(list, sites[i].last);
    }
    for (uint64_t i = 0; i < CHOSEN_CALLS && list->calls > ALL_CALLS; i++)
        add_once(list, ALL_CALLS + 1 +
                           inputs_mix(seed, i) % (list->calls - ALL_CALLS));
}

/* Runs the function once and lets its call of this number fail. false: it made
 * fewer calls. 0: none fails; the list then says which to let fail. */
static bool one_fails(const struct case_spec *s, struct buffers *b,
                      uint64_t number, struct call_list *list,
                      struct case_result *result) {
    struct harness_settings settings;
    struct harness h;
    struct harness_call call = {0};
    const int32_t poison = ~(int32_t)number;
    case_settings(s, &settings);
    enum harness_result how = harness_open(&h, &settings);
    fill_buffers(s, s->seed, poison, b);
    if (how == HARNESS_OK) {
        vgpu_fail_call(h.vgpu, number);
        how = harness_call(&h, b->in, s->n, poison, b->got, &call);
    }
    bool failed = h.vgpu && vgpu_failed(h.vgpu)->call;
    if (how != HARNESS_OK && (how != HARNESS_STOPPED || !failed))
        case_fail_stopped(s, &h, how, result);
    else if (failed)
        look_at_failed(s, &h, b, &call, result);
    else
        case_call_failed(s, &h, &call, result);
    if (list && h.vgpu) take_list(h.vgpu, s->seed, list);
    free(result->output); /* of the call before */
    result->output = NULL;
    close_device(&h, result);
    return failed;
}

/* Lets each of the first calls fail once, and of the others those that the list
 * names. */
static void calls_fail(const struct case_spec *s, struct buffers *b,
                       struct case_result *result) {
    struct call_list list = {.n = 0};
    uint64_t number = 1;
    while (number <= ALL_CALLS && one_fails(s, b, number, NULL, result) &&
           result->verdict == CASE_PASS)
        number++;
    if (number <= ALL_CALLS) return;
    one_fails(s, b, 0, &list, result);
    for (size_t i = 0; i < list.n && result->verdict == CASE_PASS; i++)
        one_fails(s, b, list.numbers[i], NULL, result);
    if (list.calls <= ALL_CALLS + list.n) return;
    result->calls = list.calls;
    result->failed = ALL_CALLS + list.n;
}

/* ---- the same on the host ---- */

/* The function's call in which its call of this number fails. */
static enum harness_result host_call(const struct case_spec *s,
                                     struct harness *h, struct buffers *b,
                                     unsigned number,
                                     struct harness_call *call) {
    fill_buffers(s, s->seed, ~(int32_t)number, b);
    h->fail = number;
    return harness_call(h, b->in, s->n, ~(int32_t)number, b->got, call);
}

/* Libraries may keep memory from the first calls on. It is a leak only if call
 * after call takes more. */
static bool host_leaks(const struct case_spec *s, struct harness *h,
                       struct buffers *b, unsigned number,
                       struct harness_call *call) {
    enum { CALLS = 14 };
    uint64_t before = h->heap_bytes;
    for (int i = 0; i < CALLS && !call->lost_bytes; i++) {
        if (host_call(s, h, b, number, call) != HARNESS_OK) return false;
        if (h->heap_bytes <= before) return false;
        before = h->heap_bytes;
    }
    return call->lost_bytes > 0;
}

/* false: it made fewer calls, or went wrong. */
static bool host_fails(const struct case_spec *s, struct harness *h,
                       struct buffers *b, unsigned number,
                       struct case_result *result) {
    const char *symbol = case_function(s)->symbol;
    struct harness_call call;
    size_t kept, n_got;
    uint64_t before = h->heap_bytes, which = number;
    enum harness_result how = host_call(s, h, b, number, &call);
    if (how != HARNESS_OK) {
        case_fail_stopped(s, h, how, result);
        if (number && result->verdict == CASE_FAIL)
            outcome_add(&result->outcome, FACT(HOST_ERROR_WENT_ON, {V(which)}));
        return false;
    }
    if (number && !call.did_fail) return false;
    if (!number) return !case_call_failed(s, h, &call, result);
    if (!call.status && !is_answer(s, b, &call, &kept, &n_got))
        outcome_add(case_fail(s, result),
                    FACT(HOST_ERROR_LOST, {V(which), V(symbol)}));
    else if (h->heap_bytes > before && host_leaks(s, h, b, number, &call))
        outcome_add(
            case_fail(s, result),
            FACT(HOST_ERROR_LEAKS, {V(which), V(symbol), V(call.lost_bytes)}));
    return result->verdict == CASE_PASS;
}

static void host_calls_fail(const struct case_spec *s, struct buffers *b,
                            struct case_result *result) {
    struct harness_settings settings;
    struct harness h;
    case_settings(s, &settings);
    enum harness_result how = harness_open(&h, &settings);
    if (how != HARNESS_OK) case_fail_stopped(s, &h, how, result);
    for (unsigned i = 0; how == HARNESS_OK && i <= ALL_CALLS; i++)
        if (!host_fails(s, &h, b, i, result)) break;
    close_device(&h, result);
}

static void run(const struct case_spec *s, struct case_result *result) {
    struct harness_settings settings;
    struct harness harness;
    struct buffers b = {0};
    *result = (struct case_result){.verdict = CASE_PASS};
    if (!buffers_open(&b, case_function(s)->signature, s->n)) {
        case_trouble(result, text_format("out of memory for n = %zu", s->n));
        buffers_free(&b);
        return;
    }
    if (s->check->errors) {
        if (s->device == WIRE_HOST)
            host_calls_fail(s, &b, result);
        else
            calls_fail(s, &b, result);
        /* What else failed meanwhile, beside the call that was to? */
        result->is_doubtful |= result->verdict == CASE_FAIL;
        buffers_free(&b);
        return;
    }
    case_settings(s, &settings);
    enum harness_result how = harness_open(&harness, &settings);
    if (how != HARNESS_OK) case_fail_stopped(s, &harness, how, result);
    for (size_t i = 0; i < s->check->repeat && result->verdict == CASE_PASS;
         i++)
        again(s, &harness, &b, i, result);
    if (result->verdict == CASE_PASS) look_for_leaks(s, &harness, result);
    result->lost_messages =
        harness.vgpu && !vgpu_clock_kept_messages(harness.vgpu);
    close_device(&harness, result);
    buffers_free(&b);
}

void case_run_once(const struct case_spec *s, struct case_result *result) {
    trouble_run(run, s, result);
}

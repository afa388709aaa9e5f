/* SPDX-License-Identifier: MIT
 *
 * fast_gpu.c: a check of kind fast on a CUDA lab: see fast.h. Three processes:
 *
 *   holder    ours (grader/judge/gpu/worker.cu): owns the arrays on the GPU,
 * knows the right answer, looks at outputs baseline  a runner with
 * grader/judge/gpu/baselines.cu: CUB, a copy, and nothing student   a runner
 * with the submission's library, locked in as always
 *
 * Both runners open the same two arrays. One timed call, of either, goes:
 *
 *   clock starts; the holder changes some thousand elements of the input, drawn
 *   by lot; the runner calls the function, waits for the device and answers;
 *   the holder compares some ten thousand elements of the output, drawn by lot,
 *   with the answer; clock stops. Then all of the output is compared.
 *
 * Only our clock counts, and it runs from the first moment at which the input
 * is known until after a look at the output by a process that the submission
 * has no part in. Working ahead meets another input; answering before the work
 * is done meets a look that finds elements missing; finishing what the look
 * happened to miss is worth nothing, since it looks everywhere. Times that the
 * submission makes up are never asked for.
 *
 * The baseline and the function that does nothing are timed before the
 * submission's process is started, too, and never count as slower than they
 * were then: work left behind on the GPU, to slow them, is worth nothing.
 *
 * The way of the messages and the look cost the same for everybody; they are
 * measured with the function that does nothing, and taken off.
 */
#include "fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/random.h>

#include "bench_wire.h"
#include "inputs.h"
#include "oracle.h"
#include "units.h"
#include "worker.h"

enum {
    WARM_UP_ROUNDS = 2,
    ALONE_ROUNDS = 7,
    ROUNDS = 15,
    HOLDER_LIMIT_MS = 60000
};

enum { WORKER, BASELINES, N_UNITS }; /* compiled by nvcc: units.h */

struct race {
    const struct case_spec *spec;
    char *units[N_UNITS];
    struct worker holder;
    int library; /* the baselines', in the holder */
    struct harness student, baseline;
    struct lab_function function, nothing; /* the baseline's; does nothing */
    size_t baseline_n; /* what the baseline is called with */
    double theirs[ROUNDS], ours[ROUNDS], empty[ROUNDS];
    double alone, empty_alone; /* medians, before the submission came */
    size_t rounds;
};

static const struct lab_function *function_of(const struct race *r) {
    return case_function(r->spec);
}

/* ---- the holder ---- */

static bool ask_holder(struct race *r, struct bench_ask *ask,
                       struct bench_answer *answer,
                       struct case_result *result) {
    enum worker_result how =
        worker_ask(&r->holder, ask, answer, HOLDER_LIMIT_MS);
    if (how == WORKER_ANSWERED && answer->status == BENCH_OK) return true;
    case_trouble(result, text_format("the process that holds the arrays: %s",
                                     how == WORKER_ANSWERED ? answer->text
                                                            : "it ended"));
    return false;
}

static int type_of(enum element element) {
    switch (element) {
    case ELEMENT_i64: return BENCH_TYPE_int64;
    case ELEMENT_f32: return BENCH_TYPE_float;
    case ELEMENT_f64: return BENCH_TYPE_double;
    default: return BENCH_TYPE_int32;
    }
}

static int operation_of(int oracle) {
    static const struct {
        int oracle, operation;
    } rows[] = {
#define X(name, symbol, operation) {ORACLE_##name, BENCH_##operation},
#include "cub_functions.def"
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].oracle == oracle) return rows[i].operation;
    return -1;
}

static void fill_turn(const struct race *r, struct bench_turn *t) {
    const struct case_spec *s = r->spec;
    const struct lab_function *f = function_of(r);
    *t = (struct bench_turn){
        .cell = {.operation = operation_of(f->oracle),
                 .type = type_of(signature_element(f->signature, BUFFER_IN)),
                 .order = 1,
                 .tuple = 1,
                 .n = s->n},
        .signature = f->signature};
    if (signature_takes(f->signature, PARAMETER_order))
        t->cell.order = s->parameters.value[PARAMETER_order];
    if (signature_takes(f->signature, PARAMETER_tuple))
        t->cell.tuple = s->parameters.value[PARAMETER_tuple];
    for (int i = 0; i < N_PARAMETERS; i++)
        t->parameters[i] = s->parameters.value[i];
    snprintf(t->symbol, sizeof t->symbol, "%s", lab_cub_function(f->oracle));
}

static bool open_holder(struct race *r, struct wire_share *share,
                        struct case_result *result) {
    const struct case_environment *w = r->spec->environment;
    char why[UNITS_ERROR_BYTES];
    static const struct unit *const units[N_UNITS] = {
        [WORKER] = &unit_worker, [BASELINES] = &unit_baselines};
    if (!units_build(units, N_UNITS, r->units, w->root, w->build_folder,
                     w->capability, NULL, NULL, why)) {
        case_trouble(result, text_format("%s", why));
        return false;
    }
    r->holder = (struct worker){
        .program = r->units[WORKER], .toolkit = w->toolkit, .fd = -1};
    if (!worker_start(&r->holder, why) ||
        (r->library = worker_load(&r->holder, r->units[BASELINES], why)) < 0) {
        case_trouble(result, text_format("%s", why));
        return false;
    }
    struct bench_ask ask = {.kind = BENCH_HOLD};
    struct bench_answer answer;
    fill_turn(r, &ask.turn);
    if (!ask_holder(r, &ask, &answer, result)) return false;
    memcpy(share->in, answer.u.handles.in, sizeof share->in);
    memcpy(share->out, answer.u.handles.out, sizeof share->out);
    return true;
}

/* ---- the runners ---- */

static bool baseline_there(struct race *r, enum harness_result how,
                           struct case_result *result) {
    if (how == HARNESS_OK) return true;
    bool said =
        how == HARNESS_ENVIRONMENT || r->baseline.event == PROCESS_FAILED;
    case_trouble(result, text_format("the timed baseline: %s",
                                     said ? r->baseline.reply.u.text
                                          : "its process ended"));
    return false;
}

static bool open_baseline(struct race *r, const struct wire_share *share,
                          struct case_result *result) {
    struct harness_settings settings;
    const struct lab_function *f = function_of(r);
    bool copy = strcmp(r->spec->check->ratio_baseline, "copy") == 0;
    case_settings(r->spec, &settings);
    r->function = *f;
    r->function.symbol =
        (char *)(copy ? "baseline_copy" : lab_cub_function(f->oracle));
    r->baseline_n = r->spec->n;
    r->nothing = *f;
    r->nothing.symbol = (char *)"baseline_nothing";
    r->nothing.signature = SIGNATURE_scan_cuda;
    if (copy) {
        r->function.signature = SIGNATURE_scan_cuda;
        r->baseline_n *=
            element_words(signature_element(f->signature, BUFFER_IN));
    }
    settings.function = &r->function;
    settings.library = r->units[BASELINES];
    enum harness_result how = harness_open(&r->baseline, &settings);
    if (how == HARNESS_OK) how = harness_share(&r->baseline, share);
    return baseline_there(r, how, result);
}

static bool open_student(struct race *r, const struct wire_share *share,
                         struct case_result *result) {
    struct harness_settings settings;
    case_settings(r->spec, &settings);
    enum harness_result how = harness_open(&r->student, &settings);
    if (how == HARNESS_OK) how = harness_share(&r->student, share);
    if (how == HARNESS_OK) return true;
    case_fail_stopped(r->spec, &r->student, how, result);
    return false;
}

/* ---- one timed call ---- */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nobody but us knows it before it is used. */
static uint64_t lot(void) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) number = 1;
    return number | 1;
}

static bool prepare(struct race *r, uint64_t change,
                    struct case_result *result) {
    struct bench_ask ask = {.kind = BENCH_PREPARE,
                            .library = (uint32_t)r->library,
                            .value = change};
    struct bench_answer answer;
    fill_turn(r, &ask.turn);
    ask.turn.seed = (uint32_t)lot();
    return ask_holder(r, &ask, &answer, result);
}

struct timing {
    double seconds;
    uint64_t missed; /* elements of the sample that are not the answer's */
    enum harness_result how;
    struct harness_call call;
};

/* false: the environment failed. The runner's own failure is in t->how. */
static bool timed(struct race *r, struct harness *h, size_t n, uint64_t change,
                  struct timing *t, struct case_result *result) {
    struct bench_ask touch = {.kind = BENCH_CHANGE, .value = change},
                     look = {.kind = BENCH_SAMPLE, .value = lot()};
    struct bench_answer answer;
    double start = seconds_now();
    if (!ask_holder(r, &touch, &answer, result)) return false;
    t->how = harness_call_shared(h, n, &t->call);
    if (t->how != HARNESS_OK) return true;
    if (!ask_holder(r, &look, &answer, result)) return false;
    t->seconds = seconds_now() - start;
    t->missed = answer.value;
    return true;
}

static bool run_baseline(struct race *r, const struct lab_function *f, size_t n,
                         double *seconds, struct case_result *result) {
    struct timing t;
    uint64_t change = lot();
    if (!baseline_there(r, harness_switch(&r->baseline, f), result) ||
        !prepare(r, change, result) ||
        !timed(r, &r->baseline, n, change, &t, result) ||
        !baseline_there(r, t.how, result))
        return false;
    *seconds = t.seconds;
    bool answers = f == &r->function && f->oracle >= 0 &&
                   strncmp(f->symbol, "cub_", 4) == 0;
    if (t.call.status == 0 && !(answers && t.missed)) return true;
    case_trouble(result,
                 text_format("the timed baseline %s failed", f->symbol));
    return false;
}

static void fail_early(const struct race *r, uint64_t missed, uint64_t wrong,
                       struct case_result *result) {
    outcome_add(case_fail(r->spec, result),
                missed && wrong == 0 ? FACT(TIMED_EARLY, {V(missed)})
                                     : FACT(TIMED_WRONG, {V(wrong)}));
}

static bool run_student(struct race *r, double *seconds,
                        struct case_result *result) {
    struct timing t;
    struct bench_answer answer;
    uint64_t change = lot();
    if (!prepare(r, change, result) ||
        !timed(r, &r->student, r->spec->n, change, &t, result))
        return false;
    if (t.how != HARNESS_OK) {
        case_fail_stopped(r->spec, &r->student, t.how, result);
        return false;
    }
    if (case_call_failed(r->spec, &r->student, &t.call, result)) return false;
    struct bench_ask all = {.kind = BENCH_COMPARE, .value = t.call.n_out};
    if (!ask_holder(r, &all, &answer, result)) return false;
    *seconds = t.seconds;
    if (t.missed == 0 && answer.value == 0) return true;
    fail_early(r, t.missed, answer.value, result);
    return false;
}

/* ---- all of them ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, size_t n) {
    double sorted[ROUNDS];
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    return sorted[n / 2];
}

static bool run_alone(struct race *r, struct case_result *result) {
    double theirs[ALONE_ROUNDS], empty[ALONE_ROUNDS], ignored;
    for (size_t i = 0; i < WARM_UP_ROUNDS; i++)
        if (!run_baseline(r, &r->function, r->baseline_n, &ignored, result))
            return false;
    for (size_t i = 0; i < ALONE_ROUNDS; i++)
        if (!run_baseline(r, &r->function, r->baseline_n, &theirs[i], result) ||
            !run_baseline(r, &r->nothing, r->spec->n, &empty[i], result))
            return false;
    r->alone = median(theirs, ALONE_ROUNDS);
    r->empty_alone = median(empty, ALONE_ROUNDS);
    return true;
}

static bool one_round(struct race *r, size_t number,
                      struct case_result *result) {
    size_t k = r->rounds;
    for (size_t i = 0; i < 3; i++) {
        bool ok = true;
        switch ((i + number) % 3) {
        case 0:
            ok = run_baseline(r, &r->function, r->baseline_n, &r->theirs[k],
                              result);
            break;
        case 1: ok = run_student(r, &r->ours[k], result); break;
        default:
            ok = run_baseline(r, &r->nothing, r->spec->n, &r->empty[k], result);
        }
        if (!ok) return false;
    }
    return true;
}

static void judge(const struct race *r, struct case_result *result) {
    double ratios[ROUNDS], empty = median(r->empty, r->rounds);
    if (empty > r->empty_alone) empty = r->empty_alone;
    for (size_t i = 0; i < r->rounds; i++) {
        double ours = r->ours[i] - empty, theirs = r->theirs[i];
        if (theirs > r->alone) theirs = r->alone;
        theirs -= empty;
        ratios[i] = ours > 0 && theirs > 0 ? theirs / ours : 0;
    }
    struct fast_spread spread = fast_spread_of(ratios, r->rounds);
    const struct ratio ratio = {.low = spread.low,
                                .median = spread.median,
                                .high = spread.high,
                                .turns = r->rounds,
                                .on_gpu = true,
                                .ours = median(r->ours, r->rounds),
                                .theirs = median(r->theirs, r->rounds),
                                .alone = r->alone,
                                .empty = median(r->empty, r->rounds),
                                .empty_alone = r->empty_alone};
    fast_judge(r->spec, &ratio, spread.median, result);
}

static void run_race(struct race *r, struct case_result *result) {
    struct wire_share share;
    if (!open_holder(r, &share, result) || !open_baseline(r, &share, result) ||
        !run_alone(r, result) || !open_student(r, &share, result))
        return;
    for (size_t i = 0; i < WARM_UP_ROUNDS; i++)
        if (!one_round(r, i, result)) return;
    for (; r->rounds < ROUNDS; r->rounds++)
        if (!one_round(r, r->rounds, result)) return;
    judge(r, result);
}

void fast_gpu_run(const struct case_spec *s, struct case_result *result) {
    struct race *r = calloc(1, sizeof *r);
    *result = (struct case_result){.verdict = CASE_PASS};
    if (!r) {
        case_trouble(result, text_format("out of memory for a timed check"));
        return;
    }
    r->spec = s;
    r->holder.fd = -1;
    run_race(r, result);
    harness_close(&r->student);
    harness_close(&r->baseline);
    worker_free(&r->holder);
    units_free(r->units, N_UNITS);
    free(r);
}

/* SPDX-License-Identifier: MIT
 *
 * fast.c: see fast.h.
 */
#include "fast.h"

#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "oracle.h"
#include "explain.h"

enum {
    WARM_UP_PAIRS = 1, /* maps pages, wakes clocks; not counted */
    LEAST_PAIRS = 5,
    MOST_PAIRS = 15
};

struct race {
    const struct case_spec *spec;
    struct harness student, baseline;
    struct lab_function baseline_function;
    int32_t *in, *expected, *got;
    double ratios[MOST_PAIRS];
    size_t n_ratios;
};

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct fast_spread fast_spread_of(double *ratios, size_t n) {
    qsort(ratios, n, sizeof *ratios, by_size);
    return (struct fast_spread){.low = ratios[(n - 1) / 4],
                                .median = ratios[n / 2],
                                .high = ratios[(3 * n - 1) / 4]};
}

double fast_earned(const struct lab_check *check, double ratio) {
    if (!(ratio >= check->ratio)) return 0;
    if (check->full <= check->ratio || ratio >= check->full) return 1;
    return (ratio - check->ratio) / (check->full - check->ratio);
}

static bool open_race(struct race *r, struct case_result *result) {
    const struct case_spec *s = r->spec;
    struct harness_settings settings;
    case_settings(s, &settings);
    enum harness_result how = harness_open(&r->student, &settings);
    if (how != HARNESS_OK) {
        case_fail_stopped(s, &r->student, how, result);
        return false;
    }
    r->baseline_function = *settings.function;
    r->baseline_function.symbol =
        (char *)(strcmp(s->check->ratio_baseline, "copy") == 0
                     ? WIRE_BASELINE_COPY
                     : WIRE_BASELINE_SERIAL);
    r->baseline_function.signature = SIGNATURE_scan;
    settings.function = &r->baseline_function;
    settings.library = NULL;
    settings.in_place = false;
    how = harness_open(&r->baseline, &settings);
    if (how == HARNESS_OK) return true;
    case_trouble(result, text_format("the timed baseline did not start"));
    return false;
}

static bool right(const struct race *r, const struct harness_call *call) {
    const struct lab_function *f =
        &r->spec->lab->functions[r->spec->check->function];
    size_t n = oracle_apply_rule(f->oracle, f->rule, &r->spec->parameters,
                                 r->in, r->spec->n, r->expected);
    size_t got = oracle_shape(f->oracle) == OUTPUT_SCAN ? n : call->n_out;
    struct difference ignored;
    return got == n && oracle_compare(r->expected, r->got, n, &ignored);
}

/* One call of each, the other one stopped. false: result says what happened. */
static bool pair(struct race *r, uint64_t seed, struct case_result *result) {
    const struct case_spec *s = r->spec;
    struct harness_call ours, theirs;
    int32_t poison = (int32_t)(uint32_t)inputs_mix(seed, UINT64_MAX);
    inputs_fill(s->inputs, seed, r->in, s->n);
    process_freeze(&r->student.process);
    enum harness_result how =
        harness_call(&r->baseline, r->in, s->n, poison, NULL, &theirs);
    process_thaw(&r->student.process);
    if (how != HARNESS_OK) {
        case_trouble(result, text_format("the timed baseline stopped"));
        return false;
    }
    process_freeze(&r->baseline.process);
    how = harness_call(&r->student, r->in, s->n, poison, r->got, &ours);
    process_thaw(&r->baseline.process);
    if (how != HARNESS_OK) {
        case_fail_stopped(s, &r->student, how, result);
        return false;
    }
    if (explain_call(&r->student, s->check, &ours, &result->outcome)) {
        case_fail(s, result);
        return false;
    }
    if (!right(r, &ours)) {
        outcome_add(case_fail(s, result), FACT(TIMED_WRONG));
        result->outcome.unnamed = true;
        return false;
    }
    if (r->n_ratios < MOST_PAIRS)
        r->ratios[r->n_ratios++] = theirs.seconds / ours.seconds;
    return true;
}

/* Clear enough: the quartiles lie on one side of the bound. */
static bool clear(const struct race *r, struct fast_spread *spread) {
    double sorted[MOST_PAIRS];
    memcpy(sorted, r->ratios, r->n_ratios * sizeof *sorted);
    *spread = fast_spread_of(sorted, r->n_ratios);
    return spread->high < r->spec->check->ratio ||
           spread->low >= r->spec->check->ratio;
}

void fast_judge(const struct case_spec *s, const struct ratio *ratio,
                double earning, struct case_result *result) {
    const struct lab_check *check = s->check;
    struct ratio *r = malloc(sizeof *r);
    result->measured = (struct measured){.tried = case_tried(s), .ratio = r};
    result->earned = fast_earned(check, earning);
    if (!r) {
        case_trouble(result, text_format("out of memory for a timed check"));
        return;
    }
    *r = *ratio;
    r->baseline = check->ratio_baseline;
    r->asked = check->ratio;
    r->full = check->full;
    r->noisy = r->low < check->ratio && r->high >= check->ratio;
    if (result->earned < 1) case_fail(s, result)->kind = OUTCOME_RATIO;
}

static void judge(const struct race *r, const struct fast_spread *spread,
                  struct case_result *result) {
    const struct ratio ratio = {.low = spread->low,
                                .median = spread->median,
                                .high = spread->high,
                                .turns = r->n_ratios};
    fast_judge(r->spec, &ratio,
               r->spec->check->full > 0 ? spread->median : spread->high,
               result);
}

static void run_race(struct race *r, struct case_result *result) {
    struct fast_spread spread;
    for (size_t i = 0; i < WARM_UP_PAIRS; i++)
        if (!pair(r, inputs_mix(r->spec->seed, i), result)) return;
    r->n_ratios = 0;
    for (size_t i = 0; i < MOST_PAIRS; i++) {
        uint64_t seed = inputs_mix(r->spec->seed, WARM_UP_PAIRS + i);
        if (!pair(r, seed, result)) return;
        if (r->n_ratios >= LEAST_PAIRS && clear(r, &spread)) break;
    }
    clear(r, &spread);
    judge(r, &spread, result);
}

void fast_run(const struct case_spec *s, struct case_result *result) {
    size_t room = s->n ? s->n : 1;
    struct race *r = calloc(1, sizeof *r);
    *result = (struct case_result){.verdict = CASE_PASS};
    if (r) {
        r->spec = s;
        r->in = calloc(room, sizeof *r->in);
        r->expected = calloc(room, sizeof *r->expected);
        r->got = calloc(room, sizeof *r->got);
    }
    if (!r || !r->in || !r->expected || !r->got)
        case_trouble(result, text_format("out of memory for a timed check"));
    else {
        if (open_race(r, result)) run_race(r, result);
        harness_close(&r->student);
        harness_close(&r->baseline);
    }
    if (r) {
        free(r->in);
        free(r->expected);
        free(r->got);
    }
    free(r);
}

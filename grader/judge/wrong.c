/* SPDX-License-Identifier: MIT
 *
 * wrong.c: see wrong.h. After the diagnosis the case is run once more with one
 * thing otherwise: what makes a wrong answer right tells what is wrong.
 */
#include "wrong.h"

#include <stdlib.h>

#include "oracle.h"

enum { PROBE_LIMIT_MS = 3000 };

struct prober {
    const struct case_spec *spec;
    struct harness harness;
    bool open, broken;
    int32_t poison;
};

static void settings_for_probes(const struct case_spec *s,
                                struct harness_settings *settings) {
    case_settings(s, settings);
    settings->vgpu_checks = VGPU_CHECK_MEMCHECK; /* the others take time */
    settings->also_watched = 0;
}

/* diagnose_run */
static bool probe(void *user, const int32_t *in, int32_t *out, size_t n) {
    struct prober *p = user;
    struct harness_call call;
    if (!p->open && !p->broken) {
        struct harness_settings settings;
        settings_for_probes(p->spec, &settings);
        p->open = true;
        p->broken = harness_open(&p->harness, &settings) != HARNESS_OK;
    }
    if (p->broken) return false;
    for (size_t i = 0; i < n; i++) out[i] = p->poison;
    if (harness_call(&p->harness, in, n, p->poison, out, &call) == HARNESS_OK &&
        call.status == 0)
        return true;
    p->broken = true;
    return false;
}

/* ---- the same case with one thing otherwise ---- */

/* One call on the input that was answered wrongly. */
static bool call_is_right(struct harness *h, const struct case_spec *s,
                          const struct diagnose_case *wrong,
                          const int32_t *expected, int32_t *got) {
    struct harness_call call;
    size_t words = signature_out_words(wrong->signature, s->n);
    for (size_t i = 0; i < words; i++) got[i] = wrong->poison;
    return harness_call(h, wrong->in, s->n, wrong->poison, got, &call) ==
               HARNESS_OK &&
           call.status == 0 &&
           oracle_agrees(wrong->oracle, &s->parameters, wrong->in, s->n,
                         expected, s->n, got, s->n);
}

/* Are all calls right, of a function with as many outputs as inputs? */
static bool is_right(const struct case_spec *s,
                     const struct diagnose_case *wrong) {
    size_t words = signature_out_words(wrong->signature, s->n) + 1;
    int32_t *expected = calloc(words, sizeof *expected),
            *got = calloc(words, sizeof *got);
    struct harness_settings settings;
    struct harness harness;
    bool right = false;
    if (expected && got && oracle_shape(wrong->oracle) == OUTPUT_SCAN) {
        oracle_apply(wrong->oracle, &s->parameters, wrong->in, s->n, expected);
        settings_for_probes(s, &settings);
        if (settings.limit_ms > PROBE_LIMIT_MS)
            settings.limit_ms = PROBE_LIMIT_MS;
        right = harness_open(&harness, &settings) == HARNESS_OK;
        for (size_t i = 0; i < s->check->repeat && right; i++)
            right = call_is_right(&harness, s, wrong, expected, got);
        harness_close(&harness);
    }
    free(expected);
    free(got);
    return right;
}

static void is_shape(struct diagnosis *d, struct fact shape) {
    fact_free(&d->shape);
    d->shape = shape;
    d->cause_fits = true;
}

/* On a memory that keeps the order of accesses? */
static bool look_at_memory(const struct case_spec *s,
                           const struct diagnose_case *wrong,
                           struct diagnosis *d) {
    struct case_spec strong = *s;
    strong.memory_model = NULL;
    if (!s->memory_model || !is_right(&strong, wrong)) return false;
    if (d->shape.row == FACT_CARRY_BITS && element_words(d->element) == 2)
        d->shape.row = FACT_CARRY_OTHER_HALF;
    else if (d->shape.row != FACT_CARRY_OTHER_HALF)
        is_shape(d, FACT(WEAK_ONLY));
    return true;
}

/* With an operator that asks for no order? */
static void look_at_operator(const struct case_spec *s,
                             const struct diagnose_case *wrong,
                             struct diagnosis *d) {
    enum { XOR = 2, AFFINE = 3 }; /* in the order of parameters.def */
    struct case_spec unordered = *s;
    unordered.parameters.value[PARAMETER_op] = XOR;
    if (!signature_takes(wrong->signature, PARAMETER_op) ||
        s->parameters.value[PARAMETER_op] != AFFINE ||
        !is_right(&unordered, wrong))
        return;
    if (d->shape.row == FACT_PART_EDGE)
        d->shape.row = FACT(CARRY_ORDER).row; /* the same values */
    else
        is_shape(d, FACT(JOINED_ANYHOW));
}

struct diagnosis *wrong_diagnose(const struct case_spec *s,
                                 struct diagnose_case wrong) {
    struct diagnosis *d = calloc(1, sizeof *d);
    struct prober prober = {.spec = s, .poison = wrong.poison};
    wrong.oracle = case_function(s)->oracle;
    wrong.signature = case_function(s)->signature;
    wrong.parameters = &s->parameters;
    wrong.n = s->n;
    wrong.parts = s->lab->parts;
    wrong.n_parts = s->lab->n_parts;
    wrong.in_place = s->check->in_place;
    wrong.run = probe;
    wrong.user = &prober;
    wrong.time_limit_ms = PROBE_LIMIT_MS;
    wrong.seed = s->seed;
    if (d) diagnose(&wrong, d);
    if (prober.open) harness_close(&prober.harness);
    if (d && d->count && s->device == WIRE_VGPU &&
        !look_at_memory(s, &wrong, d))
        look_at_operator(s, &wrong, d);
    return d;
}

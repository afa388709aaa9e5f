/* SPDX-License-Identifier: MIT
 *
 * test_diagnose.c: every wrong scan of wrong_scans.c gets its explanation, with
 * several seeds; compactions likewise; and the limits on probing hold.
 */
#define _GNU_SOURCE /* strcasestr */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diagnose.h"
#include "inputs.h"
#include "oracle.h"
#include "said.h"
#include "wrong_scans.h"
#include "unit.h"

enum { POISON = (int32_t)0xdeadbeef, SEEDS = 3 };

static void poison(int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = POISON;
}

static int32_t *elements(size_t n) {
    int32_t *array = calloc(n + 1, sizeof *array);
    assert_non_null(array);
    return array;
}

typedef void (*scan)(const int32_t *, int32_t *, size_t);

/* user is the address of the scan. */
static bool run_scan(void *user, const int32_t *in, int32_t *out, size_t n) {
    scan *run = user;
    poison(out, n);
    (*run)(in, out, n);
    return true;
}

/* ---- scans ---- */
static void diagnose_wrong(const struct wrong_scan *w, uint64_t seed,
                           struct diagnosis *d) {
    int32_t *in = elements(w->n), *expected = elements(w->n),
            *got = elements(w->n);
    scan run = w->run;
    inputs_fill(w->inputs, seed, in, w->n);
    oracle_apply(w->oracle, NULL, in, w->n, expected);
    run_scan(&run, in, got, w->n);
    struct diagnose_case c = {.oracle = w->oracle,
                              .in = in,
                              .n = w->n,
                              .expected = expected,
                              .n_expected = w->n,
                              .got = got,
                              .n_got = w->n,
                              .poison = POISON,
                              .run = run_scan,
                              .user = &run,
                              .sizes = (const size_t[]){1, 100},
                              .n_sizes = w->n == 1 ? 2 : 0,
                              .time_limit_ms = 60000,
                              .seed = seed};
    diagnose(&c, d);
    free(in);
    free(expected);
    free(got);
}

/* Whether it begins a sentence or not. */
static bool is_part(const char *whole, const char *part) {
    return strcasestr(whole, part) != NULL;
}

TEST(each_wrong_scan_is_explained) {
    int failures = 0;
    for (size_t i = 0; i < n_wrong_scans * SEEDS; i++) {
        const struct wrong_scan *w = &wrong_scans[i / SEEDS];
        struct diagnosis d;
        diagnose_wrong(w, i % SEEDS, &d);
        bool contains = *w->contains ? is_part(CONTAINS(&d), w->contains)
                                     : *CONTAINS(&d) == '\0';
        /* "out[...]" sentences are compared as a whole. */
        if (strncmp(w->contains, "out[", 4) == 0)
            contains = strcmp(CONTAINS(&d), w->contains) == 0;
        if (strcmp(fact_id(d.shape.row), w->id) == 0 &&
            is_part(SHAPE(&d), w->shape) && contains &&
            strncmp(FIRST(&d), "out[", 4) == 0 && d.runs <= DIAGNOSE_MAX_RUNS) {
            diagnosis_free(&d);
            continue;
        }
        print_error("%s, seed %zu:\n  %s\n  %s\n  %s\n  %s (%u runs)\n",
                    w->name, i % SEEDS, fact_id(d.shape.row), FIRST(&d),
                    SHAPE(&d), CONTAINS(&d), d.runs);
        failures++;
    }
    assert_int_equal(failures, 0);
}

TEST(the_first_difference_is_told) {
    const int32_t in[3] = {1, 2, 3}, expected[3] = {1, 3, 6};
    int32_t got[3] = {1, 4, 5};
    struct diagnose_case c = {.oracle = ORACLE_inclusive_sum,
                              .in = in,
                              .n = 3,
                              .expected = expected,
                              .n_expected = 3,
                              .got = got,
                              .n_got = 3,
                              .poison = POISON};
    struct diagnosis d;
    diagnose(&c, &d);
    assert_string_equal(FIRST(&d), "out[1]: expected 3, got 4; 2 of 3 elements "
                                   "differ, the last is out[2]");
    got[2] = 6;
    diagnose(&c, &d);
    assert_string_equal(FIRST(&d), "out[1]: expected 3, got 4");
    poison(got, 3);
    diagnose(&c, &d);
    assert_string_equal(FIRST(&d), "out[0]: expected 1, got -559038737 (never "
                                   "written); all 3 elements differ");
}

/* A cause that only the shape suggests is not reported against the evidence. */
TEST(causes_fit_the_evidence) {
    int seen = 0;
    for (size_t i = 0; i < n_wrong_scans; i++) {
        struct diagnosis d;
        bool missed = strcmp(wrong_scans[i].name, "last-wrong") == 0;
        bool doubled = strcmp(wrong_scans[i].name, "last-doubled") == 0;
        if (!missed && !doubled) continue;
        diagnose_wrong(&wrong_scans[i], 1, &d);
        assert_int_equal(*CAUSE(&d) != '\0', missed);
        seen++;
    }
    assert_int_equal(seen, 2);
}

/* Where no longer input can be looked at, nothing is guessed of one. */
TEST(one_element_alone_has_no_shape) {
    const int32_t in[1] = {7}, zero[1] = {0};
    const struct {
        int oracle;
        const int32_t *expected, *got;
    } cases[] = {{ORACLE_exclusive_sum, zero, in},
                 {ORACLE_inclusive_sum, in, zero},
                 {ORACLE_tile_exclusive, zero, in}};
    const struct parameters none = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diagnose_case c = {.oracle = cases[i].oracle,
                                  .signature = SIGNATURE_scan,
                                  .parameters = &none,
                                  .in = in,
                                  .n = 1,
                                  .expected = cases[i].expected,
                                  .n_expected = 1,
                                  .got = cases[i].got,
                                  .n_got = 1,
                                  .poison = POISON};
        struct diagnosis d;
        diagnose(&c, &d);
        assert_string_equal(SHAPE(&d), "");
        assert_string_equal(CAUSE(&d), "");
        diagnosis_free(&d);
    }
}

/* Of two elements the last is wrong, or zero, whatever the mistake is. */
TEST(a_shape_of_few_elements_is_no_cause) {
    const int32_t in[2] = {5, 7}, expected[2] = {0, 5}, got[2][2] = {{0, 9}};
    for (size_t i = 0; i < 2; i++) {
        struct diagnose_case c = {.oracle = ORACLE_exclusive_sum,
                                  .in = in,
                                  .n = 2,
                                  .expected = expected,
                                  .n_expected = 2,
                                  .got = got[i],
                                  .n_got = 2,
                                  .poison = POISON};
        struct diagnosis d;
        diagnose(&c, &d);
        assert_int_equal(d.shape.row, i == 0 ? FACT_NONE : FACT_ALL_ZERO);
        assert_string_equal(CAUSE(&d), "");
        diagnosis_free(&d);
    }
}

TEST(a_right_output_has_no_diagnosis) {
    const int32_t in[3] = {1, 2, 3}, expected[3] = {1, 3, 6};
    struct diagnose_case c = {.oracle = ORACLE_inclusive_sum,
                              .in = in,
                              .n = 3,
                              .expected = expected,
                              .n_expected = 3,
                              .got = expected,
                              .n_got = 3};
    struct diagnosis d;
    diagnose(&c, &d);
    assert_int_equal(d.shape.row, FACT_NONE);
    assert_int_equal(d.count, 0);
    c.n = c.n_expected = c.n_got = 0;
    diagnose(&c, &d);
    assert_int_equal(d.shape.row, FACT_NONE);
}

/* ---- runs that are not alike ---- */
struct unsteady {
    unsigned runs, fail_from;
};

static bool run_unsteady(void *user, const int32_t *in, int32_t *out,
                         size_t n) {
    struct unsteady *u = user;
    u->runs++;
    if (u->runs >= u->fail_from) return false;
    oracle_apply(ORACLE_inclusive_sum, NULL, in, n, out);
    out[n / 2] += (int32_t)u->runs;
    return true;
}

static struct diagnosis diagnose_with(diagnose_run run, void *user,
                                      unsigned time_limit_ms,
                                      unsigned max_runs) {
    enum { N = 1000 };
    int32_t *in = elements(N), *expected = elements(N), *got = elements(N);
    inputs_fill(INPUT_random, 5, in, N);
    oracle_apply(ORACLE_inclusive_sum, NULL, in, N, expected);
    memcpy(got, expected, N * sizeof *got);
    got[N / 2] += 17;
    struct diagnose_case c = {.oracle = ORACLE_inclusive_sum,
                              .in = in,
                              .n = N,
                              .expected = expected,
                              .n_expected = N,
                              .got = got,
                              .n_got = N,
                              .poison = POISON,
                              .run = run,
                              .user = user,
                              .time_limit_ms = time_limit_ms,
                              .max_runs = max_runs};
    struct diagnosis d;
    diagnose(&c, &d);
    free(in);
    free(expected);
    free(got);
    return d;
}

TEST(changing_outputs_are_named) {
    struct unsteady u = {0, 100};
    struct diagnosis d = diagnose_with(run_unsteady, &u, 1000, 0);
    assert_int_equal(d.shape.row, FACT_CHANGES);
    assert_true(is_part(SHAPE(&d), "the output changes from run to run: "
                                   "out[500] was "));
    assert_string_equal(CONTAINS(&d), "");
    assert_true(is_part(CAUSE(&d), "race"));
    assert_int_equal(u.runs, 1);
}

TEST(runs_that_fail_leave_the_shape) {
    struct unsteady u = {0, 1};
    struct diagnosis d = diagnose_with(run_unsteady, &u, 1000, 0);
    assert_int_equal(d.shape.row, FACT_SCATTERED_ONE);
    assert_string_equal(SHAPE(&d), "One element is wrong, out[500]");
    assert_string_equal(CONTAINS(&d), "");
}

/* Not a sum of its inputs, so that all probes are used. */
static bool run_slowly(void *user, const int32_t *in, int32_t *out, size_t n) {
    const unsigned *ms = user;
    struct timespec time = {0, *ms * 1000000L};
    nanosleep(&time, NULL);
    oracle_apply(ORACLE_inclusive_sum, NULL, in, n, out);
    out[n / 2] += 17;
    return true;
}

TEST(limits_are_kept) {
    unsigned ms = 0;
    struct diagnosis d = diagnose_with(run_slowly, &ms, 60000, 0);
    assert_in_range(d.runs, 60, DIAGNOSE_MAX_RUNS);
    assert_string_equal(CONTAINS(&d), "");
    d = diagnose_with(run_slowly, &ms, 60000, 10);
    assert_int_equal(d.runs, 10);
    ms = 20;
    d = diagnose_with(run_slowly, &ms, 200, 0);
    assert_in_range(d.runs, 1, 11);
    d = diagnose_with(run_slowly, &ms, 0, 0);
    assert_int_equal(d.runs, 0);
}

/* In place, poison is an element like any other. */
TEST(in_place_has_no_poison) {
    const int32_t in[4] = {POISON, 1, 1, 1};
    const int32_t expected[4] = {POISON, POISON + 1, POISON + 2, POISON + 3};
    const int32_t got[4] = {POISON, POISON, POISON, POISON};
    struct diagnose_case c = {.oracle = ORACLE_inclusive_sum,
                              .in = in,
                              .n = 4,
                              .expected = expected,
                              .n_expected = 4,
                              .got = got,
                              .n_got = 4,
                              .poison = POISON,
                              .in_place = true};
    struct diagnosis d;
    diagnose(&c, &d);
    assert_string_not_equal(fact_id(d.shape.row), "partly-written");
    diagnosis_free(&d);
    c.in_place = false;
    diagnose(&c, &d);
    assert_string_equal(fact_id(d.shape.row), "partly-written");
}

/* ---- compaction ---- */
struct compact_row {
    const char *id, *first, *shape;
    size_t n_got;
    int32_t got[8];
};

enum { P = POISON };
static const struct compact_row compactions[] = {
    {"kept-right-count-wrong",
     "expected 5 kept, got 8",
     "the kept elements are right; the number returned, 8, is not",
     8,
     {5, -7, 9, -2, 4, P, P, P}},
    {"count-garbage",
     "expected 5 kept, got 4000000000",
     "he number returned, 4000000000, is far more than the 8",
     4000000000,
     {5, -7, 9, -2, 4, P, P, P}},
    {"never-written",
     "out[0]: expected 5, got -559038737 (never written)",
     "nothing was written",
     5,
     {P, P, P, P, P, P, P, P}},
    {"never-written",
     "expected 5 kept, got 0",
     "nothing was written",
     0,
     {P, P, P, P, P, P, P, P}},
    {"partly-written",
     "expected 5 kept, got 4",
     "1 of the 5 elements to be kept were never written, the first is "
     "out[4]",
     4,
     {5, -7, 9, -2, P, P, P, P}},
    {"copies-input",
     "expected 5 kept, got 8; out[0]: expected 5, got 0",
     "out is a copy of in",
     8,
     {0, 5, 0, -7, 9, 0, -2, 4}},
    {"all-zero",
     "out[0]: expected 5, got 0",
     "every kept element is zero",
     5,
     {0, 0, 0, 0, 0, 0, 0, 0}},
    {"keeps-zeros",
     "expected 5 kept, got 6; out[2]: expected 9, got 0",
     "1 of the kept elements is zero, the first is out[2]",
     6,
     {5, -7, 0, 9, -2, 4, P, P}},
    {"keeps-others",
     "expected 5 kept, got 3; out[1]: expected -7, got 9",
     "only the positive elements were kept",
     3,
     {5, 9, 4, 1, 1, P, P, P}},
    {"shifted",
     "out[0]: expected 5, got 1",
     "out[i] holds what belongs in out[i - 1]",
     5,
     {1, 5, -7, 9, -2, 4, P, P}},
    {"wrong-order",
     "out[0]: expected 5, got -7",
     "the right elements in another order",
     5,
     {-7, 5, 9, -2, 4, P, P, P}},
    {"drops-elements",
     "expected 5 kept, got 4",
     "1 element was dropped, the first is in[6], which belongs in out[3]",
     4,
     {5, -7, 9, 4, 1, P, P, P}},
    {"duplicates-elements",
     "expected 5 kept, got 6",
     "1 element too many, the first is out[2]",
     6,
     {5, -7, -7, 9, -2, 4, P, P}},
    {"scattered",
     "out[1]: expected -7, got 8",
     "2 of the first 5",
     5,
     {5, 8, 9, -2, 1, P, P, P}},
};

TEST(each_wrong_compaction_is_explained) {
    const int32_t in[8] = {0, 5, 0, -7, 9, 0, -2, 4};
    const int32_t expected[5] = {5, -7, 9, -2, 4};
    for (size_t i = 0; i < sizeof compactions / sizeof *compactions; i++) {
        struct diagnose_case c = {.oracle = ORACLE_compact_nonzero,
                                  .in = in,
                                  .n = 8,
                                  .expected = expected,
                                  .n_expected = 5,
                                  .got = compactions[i].got,
                                  .n_got = compactions[i].n_got,
                                  .poison = POISON};
        struct diagnosis d;
        diagnose(&c, &d);
        if (strcmp(fact_id(d.shape.row), compactions[i].id) != 0 ||
            !is_part(FIRST(&d), compactions[i].first) ||
            !is_part(SHAPE(&d), compactions[i].shape))
            fail_msg("row %zu: %s\n  %s\n  %s", i, fact_id(d.shape.row),
                     FIRST(&d), SHAPE(&d));
        diagnosis_free(&d);
    }
}

TEST(an_empty_input_keeps_nothing) {
    struct diagnose_case c = {.oracle = ORACLE_compact_nonzero, .n_got = 3};
    struct diagnosis d;
    diagnose(&c, &d);
    assert_string_equal(FIRST(&d), "expected 0 kept, got 3");
    assert_int_equal(d.shape.row, FACT_COUNT_WRONG);
}

UNIT_MAIN(NULL, NULL)

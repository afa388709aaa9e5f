/* SPDX-License-Identifier: MIT
 *
 * test_parts.c: what is said of wrong sums of parts of an array, of its first
 * wrong element among the parts that a lab names, and of a node's word.
 */
#include <stdint.h>
#include <string.h>

#include "diagnose_parts.h"
#include "inputs.h"
#include "oracle.h"
#include "said.h"
#include "unit.h"

enum { N = 3000, TILE = 2048 };
static int32_t in[N], expected[N], got[N];
static const struct lab_part parts[] = {{"tile", TILE}, {"chunk", 1024}};

typedef void (*wrong)(const int32_t *in, int32_t *out, size_t n);

static bool run(void *user, const int32_t *from, int32_t *to, size_t n) {
    (*(wrong *)user)(from, to, n);
    return true;
}

static struct diagnosis diagnosed(int oracle, size_t n, wrong f) {
    struct parameters usual;
    struct diagnosis d;
    parameters_usual(&usual);
    inputs_fill(INPUT_random, 7, in, n);
    oracle_apply(oracle, &usual, in, n, expected);
    f(in, got, n);
    struct diagnose_case c = {.oracle = oracle,
                              .signature = oracle == ORACLE_sam_scan_i32
                                               ? SIGNATURE_sam_i32
                                               : SIGNATURE_scan_cuda,
                              .parameters = &usual,
                              .in = in,
                              .expected = expected,
                              .got = got,
                              .n = n,
                              .n_expected = n,
                              .n_got = n,
                              .poison = 77,
                              .parts = parts,
                              .n_parts = 1,
                              .n_blocks = 1,
                              .run = run,
                              .user = &f,
                              .time_limit_ms = 20000};
    if (oracle == ORACLE_sam_scan_i32) c.parts = parts + 1;
    diagnose(&c, &d);
    return d;
}

/* Sums of what stands before in[i] since the last multiple of `every`. */
static void sums(const int32_t *from, int32_t *to, size_t n, size_t every,
                 bool own) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % every == 0) sum = 0;
        to[i] = (int32_t)(sum + (own ? (uint32_t)from[i] : 0));
        sum += (uint32_t)from[i];
    }
}

static void inclusive(const int32_t *from, int32_t *to, size_t n) {
    sums(from, to, n, TILE, true);
}

static void goes_on(const int32_t *from, int32_t *to, size_t n) {
    sums(from, to, n, SIZE_MAX, false);
}

static void by_warps(const int32_t *from, int32_t *to, size_t n) {
    sums(from, to, n, 32, false);
}

static void misses_some(const int32_t *from, int32_t *to, size_t n) {
    sums(from, to, n, TILE, false);
    for (size_t i = 40; i < TILE && i < n; i++)
        to[i] =
            (int32_t)((uint32_t)to[i] - (uint32_t)from[8] - (uint32_t)from[9]);
}

TEST(first_checks_hear_as_much_as_later_ones) {
    static const struct {
        wrong f;
        const char *shape, *contains;
    } rows[] = {
        {inclusive, "out is the inclusive scan", "out[0] adds in[0]"},
        {goes_on, "The scan goes on past each 2048", "out[2048] adds in[0.."},
        {by_warps, "starts again every 32 elements", "contains none of the"},
        {misses_some, "", "out[40] misses in[8..9]"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnosis d = diagnosed(ORACLE_tile_exclusive, N, rows[i].f);
        if (!strstr(SHAPE(&d), rows[i].shape) ||
            !strstr(CONTAINS(&d), rows[i].contains))
            fail_msg("%zu: %s; %s", i, SHAPE(&d), CONTAINS(&d));
        diagnosis_free(&d);
    }
}

/* Rows of 32, at distances below 16 only. */
static void half_rows(const int32_t *from, int32_t *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < 16 && k <= i % 32; k++)
            sum += (uint32_t)from[i - k];
        to[i] = (int32_t)sum;
    }
}

/* A thread has four elements; what it adds is that of four threads before. */
static void few_threads(const int32_t *from, int32_t *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t sum = 0;
        for (size_t k = i / 4 < 4 ? 0 : 4 * (i / 4 - 4); k <= i; k++)
            sum += (uint32_t)from[k];
        to[i] = (int32_t)sum;
    }
}

TEST(steps_that_are_missing_in_a_part) {
    struct diagnosis d = diagnosed(ORACLE_sums_of_32, 100, half_rows);
    assert_non_null(strstr(SHAPE(&d), "the sum of the last 16 inputs only: the "
                                      "steps at distances 16 and more"));
    assert_non_null(strstr(CAUSE(&d), "ends too early"));
    diagnosis_free(&d);
    d = diagnosed(ORACLE_sums_of_4096, 100, few_threads);
    assert_non_null(strstr(SHAPE(&d), "Each group of 4 elements holds the sum "
                                      "of itself and of the 4 groups before"));
    diagnosis_free(&d);
    d = diagnosed(ORACLE_sums_of_4096, 100, by_warps);
    assert_null(strstr(SHAPE(&d), "only"));
    diagnosis_free(&d);
}

static void last_off(const int32_t *from, int32_t *to, size_t n) {
    sums(from, to, n, SIZE_MAX, true);
    to[n - 1]++;
}

TEST(an_edge_says_more_than_the_last_element) {
    struct diagnosis d = diagnosed(ORACLE_inclusive_sum, TILE + 1, last_off);
    assert_non_null(strstr(SHAPE(&d), "out[2048] is the first of tile 1"));
    assert_non_null(strstr(SHAPE(&d), "in round 1 of the 1 blocks"));
    assert_string_equal(CAUSE(&d), "");
    diagnosis_free(&d);
    d = diagnosed(ORACLE_inclusive_sum, TILE, last_off);
    assert_non_null(strstr(SHAPE(&d), "nly the last element"));
    diagnosis_free(&d);
}

static void forgets_a_chunk(const int32_t *from, int32_t *to, size_t n) {
    sums(from, to, n, SIZE_MAX, true);
    uint32_t lost = 0;
    for (size_t i = 0; i < n && i < 1024; i++) lost += (uint32_t)from[i];
    for (size_t i = 2048; i < n; i++) to[i] = (int32_t)((uint32_t)to[i] - lost);
}

TEST(a_chunk_that_is_missed_is_named) {
    struct diagnosis d = diagnosed(ORACLE_sam_scan_i32, N, forgets_a_chunk);
    assert_non_null(strstr(SHAPE(&d), "out[2048] is the first of chunk 2"));
    assert_string_equal(CONTAINS(&d), "out[2048] misses in[0..1023]");
    diagnosis_free(&d);
}

TEST(a_wrong_word_has_a_node) {
    struct parameters usual;
    parameters_usual(&usual);
    for (int32_t i = 0; i < 8; i++) in[i] = i;
    oracle_apply(ORACLE_node_word, &usual, in, 8, expected);
    memcpy(got, expected, sizeof got);
    got[7]++;
    struct diagnosis d;
    diagnose(&(struct diagnose_case){.oracle = ORACLE_node_word,
                                     .signature = SIGNATURE_scan_map,
                                     .parameters = &usual,
                                     .in = in,
                                     .expected = expected,
                                     .got = got,
                                     .n = 8,
                                     .n_expected = 8,
                                     .n_got = 8,
                                     .poison = 77},
             &d);
    assert_non_null(strstr(SHAPE(&d), "node 7, which is node 3 of level 1"));
    diagnosis_free(&d);
}

UNIT_MAIN(NULL, NULL)

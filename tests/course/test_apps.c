/* SPDX-License-Identifier: MIT
 *
 * test_apps.c: lab 8's right answers on inputs whose answers are known by hand,
 * and what is said of wrong ones.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"
#include "inputs.h"
#include "oracle.h"
#include "said.h"
#include "unit.h"

enum { N = 8, SECOND = 8, WORDS = 16 }; /* N is even: out2 begins there */

/* The pivot or bit of a call; the rest as usual. */
static struct parameters with(enum parameter p, int value) {
    struct parameters all;
    parameters_usual(&all);
    all.value[p] = value;
    return all;
}

static void expect(int oracle, const struct parameters *p, const int32_t *in,
                   const int32_t *answer, size_t n_answer, size_t returned) {
    int32_t out[WORDS] = {0};
    assert_int_equal(oracle_apply(oracle, p, in, N, out), returned);
    assert_memory_equal(out, answer, n_answer * sizeof *out);
}

TEST(digits_by_hand) {
    enum { N_KEYS = 300, AT = 28 };
    int32_t keys[N_KEYS] = {0}, got[N_KEYS];
    struct parameters at;
    parameters_usual(&at);
    at.value[PARAMETER_bit] = AT;
    keys[0] = 2 << AT | 77;
    keys[1] = 1 << AT;
    keys[2] = keys[256] = keys[299] = 2 << AT;
    assert_int_equal(oracle_apply(ORACLE_digit_counts, &at, keys, N_KEYS, got),
                     N_KEYS);
    assert_int_equal(got[0], 4);
    assert_int_equal(got[1], 1);
    assert_int_equal(got[3], 295);
    oracle_apply(ORACLE_digit_starts, &at, keys, N_KEYS, got);
    assert_int_equal(got[0], 296);
    assert_int_equal(got[1], 295);
    assert_int_equal(got[3], 0);
    assert_int_equal(got[299], 296);
    oracle_apply(ORACLE_digit_before_tile, &at, keys, N_KEYS, got);
    assert_int_equal(got[2], 296);
    assert_int_equal(got[255], 0);
    assert_int_equal(got[257], 253);
    assert_int_equal(got[299], 298);
}

TEST(selections_by_hand) {
    const int32_t in[N] = {3, 1, 7, 0, 4, -2, 6, 3};
    const int32_t flags[N] = {1, 1, 0, 1, 0, 1, 0, 1};
    const int32_t kept[5] = {3, 1, 0, -2, 3};
    const int32_t both[N] = {3, 1, 0, -2, 3, 6, 4, 7};
    struct parameters four = with(PARAMETER_pivot, 4);
    struct parameters least = with(PARAMETER_pivot, -7);
    expect(ORACLE_flag_less, &four, in, flags, N, N);
    expect(ORACLE_select_less, &four, in, kept, 5, 5);
    expect(ORACLE_partition_less, &four, in, both, N, 5);
    expect(ORACLE_select_less, &least, in, kept, 0, 0);
}

TEST(runs_by_hand) {
    int32_t in[WORDS] = {5, 5, 5, 2, 9, 9, 5, 5};
    const int32_t values[N] = {1, 2, 3, 4, INT32_MAX, 1, -7, 7};
    const int32_t unique[4] = {5, 2, 9, 5};
    const int32_t counts[4] = {3, 1, 2, 2}, sums[4] = {6, 4, INT32_MIN, 0};
    int32_t out[WORDS];
    assert_int_equal(oracle_apply(ORACLE_run_length, NULL, in, N, out), 4);
    assert_memory_equal(out, unique, sizeof unique);
    assert_memory_equal(out + SECOND, counts, sizeof counts);
    memcpy(in + SECOND, values, sizeof values);
    assert_int_equal(oracle_apply(ORACLE_sum_by_key, NULL, in, N, out), 4);
    assert_memory_equal(out, unique, sizeof unique);
    assert_memory_equal(out + SECOND, sums, sizeof sums);
    assert_int_equal(oracle_apply(ORACLE_run_length, NULL, in, 0, out), 0);
}

TEST(sorts_by_hand) {
    const int32_t in[WORDS] = {0x201, -1, 0x102, 0x101, INT32_MIN, 0x201,
                               0,     -1, 10,    11,    12,        13,
                               14,    15, 16,    17};
    const int32_t low[N] = {INT32_MIN, 0, 0x201, 0x101, 0x201, 0x102, -1, -1};
    const int32_t next[N] = {INT32_MIN, 0, 0x102, 0x101, 0x201, 0x201, -1, -1};
    const int32_t all[N] = {0, 0x101, 0x102, 0x201, 0x201, INT32_MIN, -1, -1};
    const int32_t values[N] = {16, 13, 12, 10, 15, 14, 11, 17};
    struct parameters at_0 = with(PARAMETER_bit, 0);
    struct parameters at_8 = with(PARAMETER_bit, 8);
    int32_t out[WORDS];
    expect(ORACLE_sort_digit, &at_0, in, low, N, N);
    expect(ORACLE_sort_digit, &at_8, in, next, N, N);
    expect(ORACLE_sort_u32, NULL, in, all, N, N);
    expect(ORACLE_sort_pairs, NULL, in, all, N, N);
    oracle_apply(ORACLE_sort_pairs, NULL, in, N, out);
    assert_memory_equal(out + SECOND, values, sizeof values);
}

/* Two sorts that know nothing of each other, on many sizes. */
TEST(sorts_agree) {
    enum { MOST = 300 };
    static int32_t in[2 * MOST + 2], one[MOST], two[2 * MOST + 2], a[MOST];
    for (size_t n = 0; n <= MOST; n++) {
        inputs_fill(n % 2 ? INPUT_random : INPUT_extremes, n, in, n);
        oracle_apply(ORACLE_sort_u32, NULL, in, n, one);
        oracle_apply(ORACLE_sort_pairs, NULL, in, n, two);
        assert_memory_equal(one, two, n * sizeof *one);
        memcpy(one, in, sizeof one);
        for (int bit = 0; bit < 32; bit += 8) {
            struct parameters p = with(PARAMETER_bit, bit);
            oracle_apply(ORACLE_sort_digit, &p, one, n, a);
            memcpy(one, a, sizeof one);
        }
        assert_memory_equal(one, two, n * sizeof *one);
    }
}

TEST(runs_have_all_lengths) {
    enum { MANY = 1 << 18 };
    int32_t *in = malloc(MANY * sizeof *in);
    int32_t *out = malloc(2 * MANY * sizeof *out);
    assert_non_null(in);
    assert_non_null(out);
    inputs_fill(INPUT_runs, 5, in, MANY);
    size_t runs = oracle_apply(ORACLE_run_length, NULL, in, MANY, out);
    size_t ones = 0, longer = 0;
    for (size_t i = 0; i < runs; i++) {
        ones += out[MANY + i] == 1;
        longer += out[MANY + i] > 4096;
        assert_true(out[MANY + i] <= 8192);
    }
    assert_true(runs > 100 && runs < 1000);
    assert_true(ones > runs / 20 && longer > 2);
    free(in);
    free(out);
}

/* ---- diagnosis ---- */

static void expect_words(int oracle, int signature, const struct parameters *p,
                         const int32_t *in, const int32_t *got, size_t n_got,
                         const char *words) {
    int32_t expected[WORDS];
    struct diagnosis d;
    struct diagnose_case c = {.oracle = oracle,
                              .signature = signature,
                              .parameters = p,
                              .in = in,
                              .expected = expected,
                              .got = got,
                              .n = N,
                              .n_got = n_got,
                              .poison = 0x51515151};
    c.n_expected = oracle_apply(oracle, p, in, N, expected);
    diagnose_plain(&c, &d);
    if (strstr(SHAPE(&d), words) == NULL)
        fail_msg("%s; %s", FIRST(&d), SHAPE(&d));
}

TEST(wrong_selections_are_told) {
    const int32_t in[N] = {3, 1, 7, 0, 4, -2, 6, 3};
    const int32_t other[N] = {3, 1, 7, 0, -2}, order[N] = {1, 3, 0, -2, 3};
    const int32_t forwards[N] = {3, 1, 0, -2, 3, 7, 4, 6};
    const int32_t mixed[N] = {3, 1, 0, -2, 3, 4, 6, 7};
    struct parameters four = with(PARAMETER_pivot, 4);
    const int select = ORACLE_select_less, part = ORACLE_partition_less;
    expect_words(select, SIGNATURE_select, &four, in, other, 5,
                 "out[2] is 7, which is not less than the pivot");
    expect_words(select, SIGNATURE_select, &four, in, order, 5,
                 "the right elements, in another order");
    expect_words(part, SIGNATURE_select, &four, in, forwards, 5,
                 "the second stands in order, not in reverse");
    expect_words(part, SIGNATURE_select, &four, in, mixed, 5,
                 "the second has the right elements in another order");
}

TEST(wrong_runs_are_told) {
    const int32_t in[N] = {5, 5, 5, 2, 9, 9, 5, 5};
    const int32_t twice[WORDS] = {5, 5, 2, 9, 5, 0, 0, 0, 2, 1, 1, 2, 2};
    const int32_t lost[WORDS] = {5, 2, 9, 0, 0, 0, 0, 0, 3, 1, 2};
    const int32_t less[WORDS] = {5, 2, 9, 5, 0, 0, 0, 0, 3, 1, 1, 1};
    const int32_t mixed[WORDS] = {5, 2, 9, 5, 0, 0, 0, 0, 3, 1, 4, 1};
    const int32_t kept[WORDS] = {5, 2, 9, 5, 0, 0, 0, 0, 3, 4, 6, 8};
    struct parameters usual;
    parameters_usual(&usual);
    const int oracle = ORACLE_run_length, signature = SIGNATURE_run_length;
    expect_words(oracle, signature, &usual, in, twice, 5,
                 "the same value at [0] and [1]");
    expect_words(oracle, signature, &usual, in, lost, 3, "Only the last run");
    expect_words(oracle, signature, &usual, in, kept, 4,
                 "the lengths add up to 21, not to n = 8");
    expect_words(oracle, signature, &usual, in, less, 4,
                 "the lengths add up to 6, not to n = 8");
    expect_words(oracle, signature, &usual, in, mixed, 4,
                 "some lengths are too large and others too small");
}

TEST(wrong_sorts_are_told) {
    const int32_t in[WORDS] = {0x201, -1, 0x102, 0x101, INT32_MIN, 0x201,
                               0,     -1, 10,    11,    12,        13,
                               14,    15, 16,    17};
    const int32_t unstable[N] = {INT32_MIN, 0,     0x101, 0x201,
                                 0x201,     0x102, -1,    -1};
    const int32_t doubled[N] = {0,     0x101,     0x102, 0x201,
                                0x201, INT32_MIN, 0,     -1};
    const int32_t is_signed[N] = {INT32_MIN, -1,    -1,    0,
                                  0x101,     0x102, 0x201, 0x201};
    const int32_t low[N] = {INT32_MIN, 0, 0x201, 0x201, 0x101, 0x102, -1, -1};
    int32_t pairs[WORDS];
    const int32_t turned[N] = {0,     INT32_MIN, 0x101, 0x201,
                               0x201, 0x102,     -1,    -1};
    const int32_t first_negative[N] = {INT32_MIN, -1,    -1,    0x201,
                                       0x102,     0x101, 0x201, 0};
    struct parameters at_0 = with(PARAMETER_bit, 0);
    struct parameters at_24 = with(PARAMETER_bit, 24);
    expect_words(ORACLE_sort_digit, SIGNATURE_sort_digit_u32, &at_0, in,
                 unstable, N, "keys with the same digit are not in the order");
    const int sort = ORACLE_sort_u32, signature = SIGNATURE_sort_u32;
    expect_words(sort, signature, &at_0, in, doubled, N,
                 "It has 4294967295 less often than the input");
    expect_words(sort, signature, &at_0, in, is_signed, N,
                 "sorted as signed numbers");
    expect_words(sort, signature, &at_0, in, low, N,
                 "sorted by the lowest 8 bits alone");
    expect_words(sort, signature, &at_0, in, turned, N,
                 "sorted by the lowest 8 bits before all others");
    expect_words(ORACLE_sort_digit, SIGNATURE_sort_digit_u32, &at_24, in,
                 first_negative, N, "in order as signed numbers");
    oracle_apply(ORACLE_sort_pairs, NULL, in, N, pairs);
    pairs[SECOND + 3] = 15; /* 0x201's values, exchanged */
    pairs[SECOND + 4] = 10;
    expect_words(ORACLE_sort_pairs, SIGNATURE_sort_pairs_u32, &at_0, in, pairs,
                 N, "values of equal keys are not in the order");
    pairs[SECOND + 3] = 16;
    expect_words(ORACLE_sort_pairs, SIGNATURE_sort_pairs_u32, &at_0, in, pairs,
                 N, "values have left their keys");
}

/* Once took as long as the number is large. */
TEST(large_parameters_print) {
    char text[24];
    parameter_print(PARAMETER_pivot, INT32_MAX, text, sizeof text);
    assert_string_equal(text, "2147483647");
}

UNIT_MAIN(NULL, NULL)

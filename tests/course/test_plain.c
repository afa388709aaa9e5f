/* SPDX-License-Identifier: MIT
 *
 * test_plain.c: buffers of several types as words, parameters by name, floats
 * within rounding, and what diagnose_plain says of wrong outputs.
 */
#include <stdint.h>
#include <string.h>

#include "diagnose_parts.h"
#include "oracle.h"
#include "said.h"
#include "unit.h"

TEST(words_of_buffers) {
    assert_int_equal(signature_in_words(SIGNATURE_scan, 5), 5);
    assert_int_equal(signature_out_words(SIGNATURE_scan, 5), 5);
    assert_int_equal(signature_in_words(SIGNATURE_sam_i64, 5), 10);
    assert_int_equal(signature_offset(SIGNATURE_by_key, BUFFER_IN2, 5), 6);
    assert_int_equal(signature_in_words(SIGNATURE_by_key, 5), 11);
    assert_int_equal(signature_in_words(SIGNATURE_by_key, 4), 8);
    assert_int_equal(signature_out_words(SIGNATURE_run_length, 0), 0);
}

TEST(parameters_have_names_and_ranges) {
    char text[24];
    int value = -1, least, most;
    assert_true(parameter_parse(PARAMETER_op, "xor", &value));
    assert_int_equal(value, 2);
    assert_false(parameter_parse(PARAMETER_op, "xo", &value));
    assert_false(parameter_parse(PARAMETER_op, "2", &value));
    assert_true(parameter_parse(PARAMETER_order, "8", &value));
    assert_int_equal(value, 8);
    assert_false(parameter_parse(PARAMETER_order, "9", &value));
    assert_false(parameter_parse(PARAMETER_order, "", &value));
    assert_false(parameter_parse(PARAMETER_order, "3x", &value));
    assert_true(parameter_parse(PARAMETER_pivot, "-7", &value));
    assert_int_equal(value, -7);
    parameter_print(PARAMETER_map, 2, text, sizeof text);
    assert_string_equal(text, "leftright");
    parameter_print(PARAMETER_order, 3, text, sizeof text);
    assert_string_equal(text, "3");
    parameter_print(PARAMETER_pivot, -3, text, sizeof text);
    assert_string_equal(text, "-3");
    for (int p = 0; p < N_PARAMETERS; p++) {
        struct parameters usual;
        parameters_usual(&usual);
        parameter_range((enum parameter)p, &least, &most);
        assert_true(least <= usual.value[p] && usual.value[p] <= most);
        assert_int_equal(parameter_by_name(parameter_name((enum parameter)p)),
                         p);
    }
}

/* ---- diagnosis; the oracle is one of whole numbers, with its answer ---- */

enum { N = 9, POISON = 0x51515151 };

static void diagnose_output(const int32_t *got, struct diagnosis *d) {
    static const int32_t in[N] = {3, 1, 7, 0, 4, 1, 6, 3, 2};
    static struct parameters usual;
    int32_t expected[N];
    parameters_usual(&usual);
    oracle_apply(ORACLE_exclusive_sum, &usual, in, N, expected);
    struct diagnose_case c = {.oracle = ORACLE_exclusive_sum,
                              .signature = SIGNATURE_scan,
                              .parameters = &usual,
                              .in = in,
                              .expected = expected,
                              .got = got,
                              .n = N,
                              .n_expected = N,
                              .n_got = N,
                              .poison = POISON};
    diagnose_plain(&c, d);
}

TEST(shapes_are_told) {
    struct diagnosis d;
    int32_t inclusive[N] = {3, 4, 11, 11, 15, 16, 22, 25, 27};
    diagnose_output(inclusive, &d);
    assert_string_equal(FIRST(&d), "out[0]: expected 0, got 3; 8 of 9 elements "
                                   "differ, the last is out[8]");
    assert_non_null(strstr(SHAPE(&d), "one place too far to the left"));
    int32_t input[N] = {3, 1, 7, 0, 4, 1, 6, 3, 2};
    diagnose_output(input, &d);
    assert_string_equal(SHAPE(&d), "It is the input, unchanged");
    int32_t nothing[N];
    for (int i = 0; i < N; i++) nothing[i] = POISON;
    diagnose_output(nothing, &d);
    assert_int_equal(d.shape.row, FACT_ANY_NOT_WRITTEN);
    assert_non_null(strstr(FIRST(&d), "(not written)"));
    int32_t tail[N] = {0, 3, 4, 11, 11, 15, 16, 22, POISON};
    diagnose_output(tail, &d);
    assert_string_equal(SHAPE(&d), "1 of its elements were never written");
    tail[8] = 26;
    diagnose_output(tail, &d);
    assert_string_equal(SHAPE(&d), "Everything before [8] is right");
}

UNIT_MAIN(NULL, NULL)

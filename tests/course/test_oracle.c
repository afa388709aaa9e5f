/* SPDX-License-Identifier: MIT
 *
 * test_oracle.c: the right answers on inputs whose answers are known by hand.
 */
#include <stdint.h>
#include <string.h>

#include "oracle.h"
#include "unit.h"

/* A guard behind the output shows writes past its end. */
static void expect(int oracle, const int32_t *in, size_t n,
                   const int32_t *answer, size_t n_answer) {
    enum { GUARD = 0x5a5a5a5a };
    int32_t out[9];
    for (size_t i = 0; i < 9; i++) out[i] = GUARD;
    assert_int_equal(oracle_apply(oracle, NULL, in, n, out), n_answer);
    assert_memory_equal(out, answer, n_answer * sizeof *out);
    for (size_t i = n; i < 9; i++) assert_int_equal(out[i], GUARD);
}

TEST(sums_by_hand) {
    const int32_t in[8] = {3, 1, 7, 0, 4, 1, 6, 3};
    const int32_t inclusive[8] = {3, 4, 11, 11, 15, 16, 22, 25};
    const int32_t exclusive[8] = {0, 3, 4, 11, 11, 15, 16, 22};
    for (size_t n = 0; n <= 8; n++) {
        expect(ORACLE_inclusive_sum, in, n, inclusive, n);
        expect(ORACLE_exclusive_sum, in, n, exclusive, n);
    }
}

TEST(sums_wrap) {
    const int32_t in[4] = {INT32_MAX, 1, INT32_MIN, -1};
    const int32_t inclusive[4] = {INT32_MAX, INT32_MIN, 0, -1};
    expect(ORACLE_inclusive_sum, in, 4, inclusive, 4);
}

TEST(compaction_by_hand) {
    const int32_t in[8] = {0, 5, 0, 0, -2, 5, 0, 1};
    const int32_t kept[4] = {5, -2, 5, 1};
    expect(ORACLE_compact_nonzero, in, 8, kept, 4);
    expect(ORACLE_compact_nonzero, in, 0, kept, 0);
    expect(ORACLE_compact_nonzero, in, 1, kept, 0);
}

TEST(names_lead_back) {
    for (int i = 0; i < N_ORACLES; i++)
        assert_int_equal(oracle_by_name(oracle_name(i)), i);
    for (int i = 0; i < N_SIGNATURES; i++)
        assert_int_equal(signature_by_name(signature_name(i)), i);
    assert_int_equal(oracle_by_name("sum"), -1);
    assert_int_equal(signature_by_name("sum"), -1);
    assert_int_equal(oracle_shape(ORACLE_compact_nonzero), OUTPUT_COMPACT);
    assert_true(oracle_fits(ORACLE_compact_nonzero, SIGNATURE_compact));
    assert_false(oracle_fits(ORACLE_compact_nonzero, SIGNATURE_scan));
    assert_false(oracle_fits(ORACLE_inclusive_sum, SIGNATURE_compact));
    assert_false(oracle_fits(ORACLE_inclusive_sum, SIGNATURE_sam_i64));
    assert_true(signature_takes(SIGNATURE_scan_threads, PARAMETER_threads));
    assert_false(signature_takes(SIGNATURE_scan, PARAMETER_threads));
    assert_non_null(strstr(signature_prototype(SIGNATURE_scan), "size_t n"));
}

TEST(differences_are_counted) {
    const int32_t expected[5] = {1, 2, 3, 4, 5}, got[5] = {1, 9, 3, 8, 5};
    struct difference d;
    assert_true(oracle_compare(expected, expected, 5, &d));
    assert_int_equal(d.count, 0);
    assert_true(oracle_compare(expected, got, 1, &d));
    assert_true(oracle_compare(NULL, NULL, 0, &d));
    assert_false(oracle_compare(expected, got, 5, &d));
    assert_int_equal(d.count, 2);
    assert_int_equal(d.first, 1);
    assert_int_equal(d.last, 3);
    assert_int_equal(d.expected, 2);
    assert_int_equal(d.got, 9);
}

UNIT_MAIN(NULL, NULL)

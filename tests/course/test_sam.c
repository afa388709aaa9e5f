/* SPDX-License-Identifier: MIT
 *
 * test_sam.c: the oracles of lab 7 on the thesis's own example, and as each
 * other's inverse.
 */
#include <stdint.h>
#include <string.h>

#include "inputs.h"
#include "oracle.h"
#include "unit.h"

static struct parameters of(int order, int tuple) {
    struct parameters p;
    parameters_usual(&p);
    p.value[PARAMETER_order] = order;
    p.value[PARAMETER_tuple] = tuple;
    return p;
}

/* Arrays of 32-bit words; n elements. */
static void expect(int oracle, int order, int tuple, const int32_t *in,
                   size_t n, const int32_t *answer) {
    int32_t out[16];
    struct parameters p = of(order, tuple);
    assert_int_equal(oracle_apply(oracle, &p, in, n, out), n);
    assert_memory_equal(out, answer,
                        n * element_words(oracle_element(oracle, BUFFER_OUT)) *
                            sizeof *out);
}

TEST(thesis_example) {
    const int32_t values[10] = {1, 2, 3, 4, 5, 2, 4, 6, 8, 10};
    const int32_t once[10] = {1, 1, 1, 1, 1, -3, 2, 2, 2, 2};
    const int32_t twice[10] = {1, 0, 0, 0, 0, -4, 5, 0, 0, 0};
    int32_t ramps[10];
    inputs_fill(INPUT_ramps, 1, ramps, 10);
    assert_memory_equal(ramps, values, sizeof values);
    expect(ORACLE_sam_encode_i32, 1, 1, values, 10, once);
    expect(ORACLE_sam_encode_i32, 2, 1, values, 10, twice);
    expect(ORACLE_sam_encode_i32, 1, 1, once, 10, twice);
    expect(ORACLE_sam_scan_i32, 1, 1, once, 10, values);
    expect(ORACLE_sam_scan_i32, 2, 1, twice, 10, values);
}

TEST(tuples_by_hand) {
    const int32_t in[7] = {1, 10, 2, 20, 3, 30, 4};
    const int32_t scan[7] = {1, 10, 3, 30, 6, 60, 10};
    const int32_t twice[7] = {1, 10, 4, 40, 10, 100, 20};
    const int32_t differences[7] = {1, 10, 1, 10, 1, 10, 1};
    expect(ORACLE_sam_scan_i32, 1, 2, in, 7, scan);
    expect(ORACLE_sam_scan_i32, 2, 2, in, 7, twice);
    expect(ORACLE_sam_encode_i32, 1, 2, in, 7, differences);
    expect(ORACLE_sam_scan_i32, 5, 8, in, 7, in);
    expect(ORACLE_sam_scan_i32, 8, 1, in, 0, in);
}

TEST(long_sums_carry) {
    const int64_t in[3] = {INT32_MAX, 1, INT64_MAX};
    const int64_t scan[3] = {INT32_MAX, (int64_t)INT32_MAX + 1,
                             INT64_MIN + INT32_MAX};
    int32_t from[6], to[6];
    memcpy(from, in, sizeof from);
    memcpy(to, scan, sizeof to);
    expect(ORACLE_sam_scan_i64, 1, 1, from, 3, to);
    expect(ORACLE_sam_encode_i64, 1, 1, to, 3, from);
}

/* Floats added one by one would never leave 2^24. */
TEST(floats_in_double) {
    const float in[4] = {0x1p24f, 0.75f, 0.75f, 0.75f};
    const float scan[4] = {0x1p24f, 0x1p24f, 0x1p24f + 2, 0x1p24f + 2};
    const float pairs[4] = {0x1p24f, 0.75f, 0x1p24f, 1.5f};
    int32_t from[4], to[4];
    memcpy(from, in, sizeof from);
    memcpy(to, scan, sizeof to);
    expect(ORACLE_sam_scan_f32, 1, 1, from, 4, to);
    memcpy(to, pairs, sizeof to);
    expect(ORACLE_sam_scan_f32, 1, 2, from, 4, to);
}

TEST(scan_undoes_encoding) {
    enum { N = 100 };
    int32_t in[2 * N], code[2 * N], out[2 * N];
    inputs_fill(INPUT_random, 7, in, 2 * N);
    for (int order = 1; order <= 8; order++)
        for (int tuple = 1; tuple <= 8; tuple++) {
            struct parameters p = of(order, tuple);
            oracle_apply(ORACLE_sam_encode_i32, &p, in, N, code);
            assert_memory_not_equal(in, code, N * sizeof *in);
            oracle_apply(ORACLE_sam_scan_i32, &p, code, N, out);
            assert_memory_equal(in, out, N * sizeof *in);
            oracle_apply(ORACLE_sam_encode_i64, &p, in, N, code);
            oracle_apply(ORACLE_sam_scan_i64, &p, code, N, out);
            assert_memory_equal(in, out, 2 * N * sizeof *in);
        }
}

UNIT_MAIN(NULL, NULL)

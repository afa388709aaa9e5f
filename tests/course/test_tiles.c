/* SPDX-License-Identifier: MIT
 *
 * test_tiles.c: the answers of oracle_tiles.c and oracle_ops.c, by hand.
 */
#include <stdint.h>
#include <string.h>

#include "inputs.h"
#include "oracle.h"
#include "scan_operators.h"
#include "unit.h"

enum { N = 20000 };
static int32_t in[2 * N], out[N];

static void ones(size_t n) {
    for (size_t i = 0; i < n; i++) in[i] = 1;
}

TEST(parts_begin_anew) {
    static const struct {
        int oracle;
        size_t size;
    } parts[] = {{ORACLE_sums_of_32, 32},
                 {ORACLE_sums_of_512, 512},
                 {ORACLE_sums_of_4096, 4096},
                 {ORACLE_sums_of_8192, 8192}};
    ones(N);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(oracle_apply(parts[k].oracle, NULL, in, N, out), N);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(out[i], i % parts[k].size + 1);
    }
    in[0] = INT32_MAX; /* sums wrap */
    oracle_apply(ORACLE_sums_of_32, NULL, in, 2, out);
    assert_int_equal(out[1], INT32_MIN);
}

TEST(tiles_know_each_other) {
    ones(N);
    in[4096] = 5;
    assert_int_equal(oracle_apply(ORACLE_tile_of_4096, NULL, in, N, out), N);
    assert_int_equal(out[4095], 0);
    assert_int_equal(out[4096], 1);
    assert_int_equal(out[N - 1], 4);
    oracle_apply(ORACLE_total_before_4096, NULL, in, N, out);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[4095], 0);
    assert_int_equal(out[4096], 4096);
    assert_int_equal(out[8191], 4096);
    assert_int_equal(out[8192], 4100);
    assert_int_equal(out[N - 1], 4096);
}

TEST(trees_hold_sums) {
    int32_t leaves[8] = {3, 1, 7, 0, 4, 1, 6, 3}, got[8];
    const int32_t tree[8] = {3, 4, 7, 11, 4, 5, 6, 0};
    assert_int_equal(oracle_apply(ORACLE_tree_swept_up, NULL, leaves, 8, got),
                     8);
    assert_memory_equal(got, tree, sizeof got);
}

TEST(snapshots_end_at_a_prefix) {
    /* tile             0   1   2   3   4   5   6   7
     * prefix?          -   -   -   P   -   P   -   -      then the values */
    int32_t both[16] = {0, 0, 0, 9, 0, -1, 0, 0, 10, 20, 30, 70, 50, 90, 1, 2};
    const int32_t before[8] = {0, 10, 30, 60, 70, 120, 90, 91};
    int32_t got[8];
    assert_int_equal(oracle_apply(ORACLE_snapshot, NULL, both, 8, got), 8);
    assert_memory_equal(got, before, sizeof got);
    both[0] = 1; /* tile 0 has its prefix in any case */
    oracle_apply(ORACLE_snapshot, NULL, both, 8, got);
    assert_memory_equal(got, before, sizeof got);
}

TEST(operators_by_hand) {
    const int32_t x[3] = {0x00020003, -5, 0x00040001};
    /* -5 is v -> 0xffff v + 0xfffb. Its a and b by hand:
     * 2 * 0xffff = 0x1fffe, 3 * 0xffff + 0xfffb = 0x3fff8,
     * 4 * 0xfffe = 0x3fff8, 4 * 0xfff8 + 1 = 0x3ffe1. */
    const int32_t answers[4][3] = {
        {0x00020003, 0x0001fffe, 0x0005ffff},
        {0x00020003, 0x00020003, 0x00040001},
        {0x00020003, ~0x00020007, ~0x00060006},
        {0x00020003, (int32_t)0xfffefff8u, (int32_t)0xfff8ffe1u}};
    for (int op = 0; op < 4; op++) {
        struct parameters p = {{0}};
        p.value[PARAMETER_op] = op;
        int32_t got[3];
        assert_int_equal(oracle_apply(ORACLE_scan_op_i32, &p, x, 3, got), 3);
        assert_memory_equal(got, answers[op], sizeof got);
    }
}

TEST(wide_operators_by_hand) {
    const int64_t x[3] = {INT64_C(0x0000000200000003), -5,
                          INT64_C(0x0000000400000001)};
    const int64_t answers[4][3] = {
        {INT64_C(0x0000000200000003), INT64_C(0x00000001fffffffe),
         INT64_C(0x00000005ffffffff)},
        {INT64_C(0x0000000200000003), INT64_C(0x0000000200000003),
         INT64_C(0x0000000400000001)},
        {INT64_C(0x0000000200000003), ~INT64_C(0x0000000200000007),
         ~INT64_C(0x0000000600000006)},
        {INT64_C(0x0000000200000003), (int64_t)UINT64_C(0xfffffffefffffff8),
         (int64_t)UINT64_C(0xfffffff8ffffffe1)}};
    for (int op = 0; op < 4; op++) {
        struct parameters p = {{0}};
        p.value[PARAMETER_op] = op;
        int32_t words[6], got[6];
        memcpy(words, x, sizeof x);
        assert_int_equal(oracle_apply(ORACLE_scan_op_i64, &p, words, 3, got),
                         3);
        assert_memory_equal(got, answers[op], sizeof got);
    }
}

/* What students join with, the oracle joins with; identities change nothing;
 * every operator is associative. */
TEST(students_have_the_same_operators) {
    enum { M = 300 };
    int32_t x[2 * M], got[2 * M];
    int64_t wide[M], wide_got[M];
    inputs_fill(INPUT_random, 5, x, 2 * M);
    memcpy(wide, x, sizeof wide);
    for (int k = 0; k < 4; k++) {
        enum scan_operator op = (enum scan_operator)k;
        struct parameters p = {{0}};
        p.value[PARAMETER_op] = k;
        int32_t y = scan_identity_i32(op);
        oracle_apply(ORACLE_scan_op_i32, &p, x, M, got);
        for (int i = 0; i < M; i++) {
            y = scan_join_i32(op, y, x[i]);
            assert_int_equal(got[i], y);
        }
        assert_int_equal(scan_join_i32(op, y, scan_identity_i32(op)), y);
        assert_int_equal(
            scan_join_i32(op, x[0], scan_join_i32(op, x[1], x[2])),
            scan_join_i32(op, scan_join_i32(op, x[0], x[1]), x[2]));

        int64_t z = scan_identity_i64(op);
        oracle_apply(ORACLE_scan_op_i64, &p, x, M, got);
        memcpy(wide_got, got, sizeof wide_got);
        for (int i = 0; i < M; i++) {
            z = scan_join_i64(op, z, wide[i]);
            assert_true(wide_got[i] == z);
        }
        assert_true(scan_join_i64(op, z, scan_identity_i64(op)) == z);
        assert_true(
            scan_join_i64(op, wide[0], scan_join_i64(op, wide[1], wide[2])) ==
            scan_join_i64(op, scan_join_i64(op, wide[0], wide[1]), wide[2]));
    }
    assert_int_not_equal(scan_join_i32(SCAN_AFFINE, x[0], x[1]),
                         scan_join_i32(SCAN_AFFINE, x[1], x[0]));
}

UNIT_MAIN(NULL, NULL)

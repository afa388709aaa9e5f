/* SPDX-License-Identifier: MIT
 *
 * test_banks.c: the answers of labs 3 and 4: by hand, and, for LeftRight, by
 * the paper's own formula and its own promises.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "unit.h"

enum { PLAIN, PADDING, LEFTRIGHT, MOST = 4096 };

static void apply(int oracle, int map, int banks, const int32_t *in, size_t n,
                  int32_t *out) {
    struct parameters p;
    parameters_usual(&p);
    p.value[PARAMETER_map] = map;
    p.value[PARAMETER_banks] = banks;
    assert_int_equal(oracle_apply(oracle, &p, in, n, out), n);
}

static void expect(int oracle, int map, int banks, const int32_t *in, size_t n,
                   const int32_t *answer) {
    int32_t out[16];
    apply(oracle, map, banks, in, n, out);
    assert_memory_equal(out, answer, n * sizeof *out);
}

/* Figure 3 of the paper: n = 16, k = 4. 0 asks for the words needed; nodes 1 to
 * 15 from the root down; numbers are taken modulo 2n. */
TEST(figure_3) {
    const int32_t nodes[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                               8, 9, 10, 11, 12, 13, 14, 15 - 32};
    const int32_t plain[16] = {16, 15, 7, 15, 3, 7,  11, 15,
                               1,  3,  5, 7,  9, 11, 13, 15};
    const int32_t padding[16] = {20, 18, 8, 18, 3,  8,  13, 18,
                                 1,  3,  6, 8,  11, 13, 16, 18};
    const int32_t leftright[16] = {16, 0, 0, 10, 0, 5,  10, 15,
                                   0,  2, 5, 7,  8, 10, 13, 15};
    expect(ORACLE_node_word, PLAIN, 4, nodes, 16, plain);
    expect(ORACLE_node_word, PADDING, 4, nodes, 16, padding);
    expect(ORACLE_node_word, LEFTRIGHT, 4, nodes, 16, leftright);
}

/* RST_h(x * 2^m) + ROT_h^m(x) */
static size_t formula(size_t x, unsigned m, unsigned h) {
    size_t k = (size_t)1 << h, low = x % k;
    for (unsigned turns = 0; turns < m; turns++)
        low = low * 2 % k + low * 2 / k;
    return (x << m) / k * k + low;
}

static size_t words_of_level(size_t n, int banks, unsigned m, int32_t *words) {
    int32_t *nodes = calloc(n, sizeof *nodes);
    assert_non_null(nodes);
    size_t level = n >> m;
    for (size_t i = 0; i < n; i++) nodes[i] = (int32_t)(level + i % level);
    apply(ORACLE_node_word, LEFTRIGHT, banks, nodes, n, words);
    free(nodes);
    return level;
}

/* The formula up to h levels; the same bank at every level; a parent in the
 * place of one of its children; k nodes in a row in k banks. */
TEST(leftright_keeps_its_promises) {
    static int32_t words[MOST], below[MOST];
    for (unsigned h = 4; h <= 5; h++)
        for (unsigned log_n = 0; log_n <= 12; log_n++)
            for (unsigned m = 0; m <= log_n; m++) {
                size_t n = (size_t)1 << log_n, k = (size_t)1 << h;
                size_t level = words_of_level(n, (int)k, m, words);
                uint64_t taken = 0;
                for (size_t x = 0; x < level; x++) {
                    size_t word = (size_t)words[x], bank = word % k;
                    if (x % k == 0) taken = 0;
                    assert_false(taken >> bank & 1);
                    taken |= (uint64_t)1 << bank;
                    assert_true(word < n);
                    if (m <= h) assert_int_equal(word, formula(x, m, h));
                    assert_int_equal(bank, formula(x, m, h) % k);
                    if (m > 0)
                        assert_true(words[x] == below[2 * x] ||
                                    words[x] == below[2 * x + 1]);
                }
                memcpy(below, words, level * sizeof *words);
            }
}

/* Past k^2 words the formula as printed is in neither child's place. */
TEST(the_formula_leaves_its_place_past_k_squared) {
    assert_int_equal(formula(8, 5, 4), 257);
    assert_int_equal(formula(16, 4, 4), 256);
    assert_int_equal(formula(17, 4, 4), 273);
}

TEST(up_sweep_by_hand) {
    const int32_t in[8] = {3, 1, 7, 0, 4, 1, 6, 3};
    const int32_t plain[8] = {3, 4, 7, 11, 4, 5, 6, 25};
    /* k = 4: nodes 0 and 1 of level 1 to the left, 2 and 3 to the right; node
     * 0 of level 2 to the left, 1, too; the root to the left. */
    const int32_t leftright[8] = {25, 3, 4, 7, 4, 11, 6, 5};
    expect(ORACLE_up_sweep, PLAIN, 4, in, 8, plain);
    expect(ORACLE_up_sweep, PADDING, 4, in, 8, plain);
    expect(ORACLE_up_sweep, LEFTRIGHT, 4, in, 8, leftright);
    const int32_t five[5] = {3, 4, 7, 11, 4};
    expect(ORACLE_up_sweep, PLAIN, 32, in, 5, five);
    expect(ORACLE_up_sweep, PLAIN, 32, in, 1, in);
}

TEST(tiles) {
    enum { TILE = 2048, N = 2 * TILE + 3 };
    static int32_t in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i;
    assert_int_equal(oracle_apply(ORACLE_tile_exclusive, NULL, in, N, out), N);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[4], 6);
    assert_int_equal(out[TILE - 1], (TILE - 2) * (TILE - 1) / 2);
    assert_int_equal(out[TILE], 0);
    assert_int_equal(out[TILE + 1], TILE);
    assert_int_equal(out[N - 1], 2 * TILE + 2 * TILE + 1);
    assert_int_equal(oracle_apply(ORACLE_tile_total, NULL, in, N, out), 3);
    assert_int_equal(out[0], (TILE - 1) * TILE / 2);
    assert_int_equal(out[2], 3 * 2 * TILE + 3);
    assert_int_equal(oracle_apply(ORACLE_tile_total, NULL, in, TILE, out), 1);
    assert_int_equal(oracle_apply(ORACLE_tile_total, NULL, in, 0, out), 0);
}

UNIT_MAIN(NULL, NULL)

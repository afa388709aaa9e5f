/* SPDX-License-Identifier: MIT
 *
 * test_carry.c: what is said of a part of the array that took over something
 * else than the sum of the parts before it; and that nothing is said where the
 * numbers do not tell.
 */
#include <stdint.h>
#include <string.h>

#include "diagnose_parts.h"
#include "inputs.h"
#include "oracle.h"
#include "said.h"
#include "unit.h"

enum { N = 8, PART = 512, ALL = N * PART };
static int32_t in[2 * ALL], expected[2 * ALL], got[2 * ALL];
static const struct lab_part parts[] = {{"tile", PART}};

static struct diagnose_case begin(int oracle, int signature,
                                  enum input_kind inputs,
                                  struct parameters *usual) {
    size_t words = element_words(signature_element(signature, BUFFER_IN));
    parameters_usual(usual);
    inputs_fill(inputs, 5, in, ALL * words);
    oracle_apply(oracle, usual, in, ALL, expected);
    memcpy(got, expected, sizeof got);
    return (struct diagnose_case){.oracle = oracle,
                                  .signature = signature,
                                  .parameters = usual,
                                  .in = in,
                                  .expected = expected,
                                  .got = got,
                                  .n = ALL,
                                  .n_expected = ALL,
                                  .n_got = ALL,
                                  .poison = 77,
                                  .parts = parts,
                                  .n_parts = 1,
                                  .n_blocks = 2};
}

/* The sum of tiles a to b. */
static uint32_t sum_of(size_t a, size_t b) {
    uint32_t sum = 0;
    for (size_t i = a * PART; i < (b + 1) * PART; i++) sum += (uint32_t)in[i];
    return sum;
}

/* Tile t took over this. */
static void takes(size_t t, uint32_t value) {
    uint32_t off = value - (t ? sum_of(0, t - 1) : 0);
    for (size_t i = t * PART; i < (t + 1) * PART; i++)
        got[i] = (int32_t)((uint32_t)got[i] + off);
}

static void expect(const struct diagnose_case *c, const char *cause) {
    struct diagnosis d;
    diagnose(c, &d);
    if (*cause ? !strstr(CAUSE(&d), cause) : *CAUSE(&d) != 0)
        fail_msg("%s, not %s", CAUSE(&d), cause);
    assert_non_null(strstr(SHAPE(&d), "is the first of tile"));
    diagnosis_free(&d);
}

TEST(what_a_tile_took_over_is_told_from_the_numbers) {
    struct parameters usual;
    struct diagnose_case c =
        begin(ORACLE_sam_scan_i32, SIGNATURE_sam_i32, INPUT_random, &usual);
    const struct {
        size_t tile;
        uint32_t value;
        const char *cause;
    } rows[] = {
        {3, 0, "What tile 3 takes over from those before it is 0"},
        {2, UINT32_MAX, "-1, every bit set"},
        {3, sum_of(0, 2) & 0x01ffffff, " bits only: a sum wants all"},
        {3, sum_of(2, 2), "is the sum of tile 2 alone"},
        {3, sum_of(0, 1),
         "lacks the sum of tile 2: tile 2 hands on what it took over without "
         "its own sum, is not asked or not waited for, or tells a sum before "
         "it "
         "is complete."},
        {5, sum_of(3, 4), "lacks the sum of tile 0 to tile 2."},
        {3, sum_of(3, 3), "is its own sum"},
        {3, sum_of(0, 2) + sum_of(1, 1), "counts the sum of tile 1 2 times"},
        {3, sum_of(0, 2) + 40 * sum_of(2, 2), "tile 2 41 times"},
        {2, sum_of(0, 0) + sum_of(6, 6), "tile 6 in the place of that of tile"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(got, expected, sizeof got);
        takes(rows[i].tile, rows[i].value);
        expect(&c, rows[i].cause);
    }
}

TEST(each_thread_may_ask_the_same_tile_another_number_of_times) {
    struct parameters usual;
    struct diagnose_case c =
        begin(ORACLE_sam_scan_i32, SIGNATURE_sam_i32, INPUT_random, &usual);
    for (size_t i = 3 * PART; i < 4 * PART; i++)
        got[i] = (int32_t)((uint32_t)got[i] + (2 + i % 3) * sum_of(1, 1));
    expect(&c, "counts the sum of tile 1 3 times");
}

TEST(numbers_that_tell_nothing_are_not_explained) {
    struct parameters usual;
    struct diagnose_case c =
        begin(ORACLE_sam_scan_i32, SIGNATURE_sam_i32, INPUT_random, &usual);
    takes(3, 0x12345678);
    expect(&c, "");
    memcpy(got, expected, sizeof got);
    got[2 * PART]++; /* one element: nothing that was taken over */
    got[ALL - 1]++;
    expect(&c, "");
    c = begin(ORACLE_sam_scan_i32, SIGNATURE_sam_i32, INPUT_extremes, &usual);
    takes(3, sum_of(0, 1) + 1); /* few numbers, soon equal by chance */
    expect(&c, "");
    usual.value[PARAMETER_order] = 2;
    takes(4, sum_of(0, 1));
    expect(&c, "");
}

/* Elements of 64 bits. */
static void takes_long(uint64_t (*f)(uint64_t)) {
    int64_t x[ALL], y[ALL], before;
    memcpy(x, in, sizeof x);
    memcpy(y, expected, sizeof y);
    memcpy(&before, &y[2 * PART - 1], sizeof before);
    uint64_t off = f((uint64_t)before) - (uint64_t)before;
    for (size_t i = 2 * PART; i < 3 * PART; i++)
        y[i] = (int64_t)((uint64_t)y[i] + off);
    memcpy(got, y, sizeof got);
}

static uint64_t low_half(uint64_t x) {
    return x & UINT32_MAX;
}

static uint64_t low_half_twice(uint64_t x) {
    return x << 32 | (x & UINT32_MAX);
}

static uint64_t older_half(uint64_t x) {
    return x ^ (uint64_t)0x12345678 << 32;
}

TEST(halves_of_long_values) {
    struct parameters usual;
    struct diagnose_case c =
        begin(ORACLE_scan_op_i64, SIGNATURE_scan_op_i64, INPUT_random, &usual);
    takes_long(low_half);
    expect(&c, "in its lower 32 bits only");
    takes_long(low_half_twice);
    expect(&c, "the lower half of the right sum twice");
    takes_long(older_half);
    expect(&c, "when both carry the same flag");
}

TEST(parts_of_other_labs_keep_their_size_for_long_values) {
    struct parameters usual;
    struct diagnosis d;
    struct diagnose_case c =
        begin(ORACLE_scan_op_i64, SIGNATURE_scan_op_i64, INPUT_random, &usual);
    takes_long(low_half);
    diagnose(&c, &d);
    assert_non_null(strstr(SHAPE(&d), "out[1024] is the first of tile 2, "
                                      "counted from 0, of 512 elements"));
    diagnosis_free(&d);
}

UNIT_MAIN(NULL, NULL)

/* Part t of `size` elements took over this, for each of several. */
static void stretch_takes(size_t size, size_t t, uint32_t value) {
    uint32_t before = 0;
    for (size_t i = 0; i < t * size; i++) before += (uint32_t)in[i];
    for (size_t i = t * size; i < (t + 1) * size && i < ALL; i++)
        got[i] = (int32_t)((uint32_t)got[i] + value - before);
}

static uint32_t sum_between(size_t a, size_t b) {
    uint32_t sum = 0;
    for (size_t i = a; i < b; i++) sum += (uint32_t)in[i];
    return sum;
}

static void expect_cause(const struct diagnose_case *c, const char *cause) {
    struct diagnosis d;
    diagnose(c, &d);
    if (*cause ? !strstr(CAUSE(&d), cause) : *CAUSE(&d) != 0)
        fail_msg("'%s', not '%s'", CAUSE(&d), cause);
    diagnosis_free(&d);
}

TEST(a_stretch_inside_a_part_took_over_less) {
    struct parameters usual;
    enum { WARP = 128 };
    struct diagnose_case c =
        begin(ORACLE_scan_op_i32, SIGNATURE_scan_op_i32, INPUT_random, &usual);
    stretch_takes(WARP, 2, sum_between(WARP, 2 * WARP));
    expect_cause(&c, "What stretch 2 takes over from those before it is the "
                     "sum of stretch 1 alone");
    begin(ORACLE_scan_op_i32, SIGNATURE_scan_op_i32, INPUT_random, &usual);
    stretch_takes(WARP, 2, 12345); /* any number */
    expect_cause(&c, "");
    begin(ORACLE_scan_op_i32, SIGNATURE_scan_op_i32, INPUT_random, &usual);
    stretch_takes(WARP, 2, 0); /* the check's rule says more */
    expect_cause(&c, "");
}

TEST(who_looks_back_adds_no_prefix) {
    struct parameters usual;
    struct diagnose_case c =
        begin(ORACLE_scan_op_i32, SIGNATURE_scan_op_i32, INPUT_random, &usual);
    c.n_blocks = 0;
    for (size_t t = 1; t < N; t++)
        takes(t, t % 3 ? sum_of(t - t % 3, t - 1) : 0);
    expect(&c, "never what one of these took over");
    /* Where blocks take one tile after the other, it is the carry. */
    c.n_blocks = 2;
    expect(&c, "What tile 3 takes over from those before it is 0");
    c.n_blocks = 0;
    /* Each the one before it alone: that is another mistake. */
    begin(ORACLE_scan_op_i32, SIGNATURE_scan_op_i32, INPUT_random, &usual);
    for (size_t t = 1; t < N; t++) takes(t, sum_of(t - 1, t - 1));
    expect(&c, "is the sum of tile 1 alone");
}

/* To got[i], wrapping. */
static void adds(size_t i, uint32_t x) {
    got[i] = (int32_t)((uint32_t)got[i] + x);
}

TEST(the_first_part_begins_with_its_own_sum) {
    struct parameters usual;
    struct diagnose_case c = begin(ORACLE_inclusive_sum, SIGNATURE_scan_threads,
                                   INPUT_random, &usual);
    c.n = c.n_expected = c.n_got = 9;
    c.n_parts = 0;
    const size_t ends[] = {2, 4, 6, 8, 9};
    for (size_t i = 0; i < c.n; i++)
        adds(i, sum_between(i / 2 * 2, ends[i / 2]));
    expect_cause(&c, "Here the part's own sum is in it, too");
    begin(ORACLE_inclusive_sum, SIGNATURE_scan_threads, INPUT_random, &usual);
    for (size_t i = 0; i < c.n; i++) adds(i, sum_between(0, c.n));
    expect_cause(&c, "Here the total is added");
    begin(ORACLE_inclusive_sum, SIGNATURE_scan_threads, INPUT_random, &usual);
    for (size_t i = 0; i < c.n; i++) adds(i, 12345);
    expect_cause(&c, "");
}

TEST(orders_that_lag_behind_each_other) {
    struct parameters usual;
    struct diagnose_case c =
        begin(ORACLE_sam_scan_i32, SIGNATURE_sam_i32, INPUT_random, &usual);
    usual.value[PARAMETER_order] = 3;
    oracle_apply(c.oracle, &usual, in, ALL, expected);
    memset(got, 0, sizeof got);
    memcpy(got + 2, expected, (ALL - 2) * sizeof *got);
    expect_cause(&c, "the lowest order is to be added first");
}

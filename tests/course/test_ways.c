/* SPDX-License-Identifier: MIT
 *
 * test_ways.c: slips in the way in which a lab asks for its sums, and sums in
 * other numbers: each is named when all elements say so, and not when one does
 * not.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"
#include "inputs.h"
#include "oracle.h"
#include "said.h"
#include "unit.h"

enum { MOST = 4096 };
static const size_t sizes[] = {1, 2, 4, 8, 1024};

typedef void (*wrong)(const int32_t *in, int32_t *out, size_t n);

static bool run(void *user, const int32_t *from, int32_t *to, size_t n) {
    (*(wrong *)user)(from, to, n);
    return true;
}

struct asked {
    enum oracle oracle;
    int signature;
    enum way way;
    size_t n;
    bool in_place;
};

static struct diagnosis diagnosed(struct asked a, wrong f) {
    static int32_t in[MOST], expected[MOST], got[MOST];
    struct parameters usual;
    struct diagnosis d;
    parameters_usual(&usual);
    inputs_fill(INPUT_random, 7, in, a.n);
    size_t kept = oracle_apply(a.oracle, &usual, in, a.n, expected);
    for (size_t i = 0; i < MOST; i++) got[i] = 77;
    f(in, got, a.n);
    struct diagnose_case c = {.oracle = a.oracle,
                              .signature = a.signature,
                              .parameters = &usual,
                              .in = in,
                              .expected = expected,
                              .got = got,
                              .n = a.n,
                              .n_expected = kept,
                              .n_got = kept,
                              .poison = 77,
                              .way = a.way,
                              .sizes = sizes,
                              .n_sizes = sizeof sizes / sizeof *sizes,
                              .run = run,
                              .user = &f,
                              .time_limit_ms = 20000};
    diagnose(&c, &d);
    return d;
}

static void expect(struct asked a, wrong f, const char *shape,
                   const char *cause) {
    struct diagnosis d = diagnosed(a, f);
    if (!shape) assert_null(strstr(SHAPE(&d), "xactly this comes out"));
    if (shape && !strstr(SHAPE(&d), shape)) fail_msg("%s", SHAPE(&d));
    if (cause && !strstr(CAUSE(&d), cause)) fail_msg("%s", CAUSE(&d));
    diagnosis_free(&d);
}

/* ---- steps ---- */

/* Element i adds in the step of distance d from `from` of d on. */
static void in_steps(const int32_t *in, int32_t *out, size_t n,
                     size_t (*from)(size_t), size_t (*by)(size_t)) {
    static uint32_t now[MOST], next[MOST];
    memcpy(now, in, n * sizeof *now);
    for (size_t d = 1; d < n; d *= 2) {
        for (size_t i = 0; i < n; i++)
            next[i] = now[i] + (i >= from(d) ? now[i - by(d)] : 0);
        memcpy(now, next, n * sizeof *now);
    }
    memcpy(out, now, n * sizeof *now);
}

static size_t same(size_t d) {
    return d;
}

static size_t more(size_t d) {
    return d + 1;
}

static size_t twice(size_t d) {
    return 2 * d;
}

static size_t one(size_t d) {
    return d ? 1 : 0;
}

static void guard_twice(const int32_t *in, int32_t *out, size_t n) {
    in_steps(in, out, n, twice, same);
}

static void guard_more(const int32_t *in, int32_t *out, size_t n) {
    in_steps(in, out, n, more, same);
}

static void neighbour(const int32_t *in, int32_t *out, size_t n) {
    in_steps(in, out, n, same, one);
}

/* guard_twice, but for an element that only a longer input has. */
static void nearly_twice(const int32_t *in, int32_t *out, size_t n) {
    guard_twice(in, out, n);
    if (n > 100) out[100]++;
}

TEST(slips_in_steps) {
    struct asked a = {ORACLE_inclusive_sum, SIGNATURE_scan_cuda, WAY_steps, 2,
                      false};
    expect(a, guard_twice, "for n = 1024 as well, when elements d to 2 d - 1",
           "too strict");
    expect(a, guard_more, "when element d adds nothing", "too strict");
    expect(a, nearly_twice, NULL, NULL);
    a.n = 100;
    expect(a, guard_twice, "xactly this comes out when elements d", NULL);
    expect(a, neighbour, "the neighbour at distance 1", NULL);
    a.way = WAY_any; /* where no steps are asked for, none are spoken of */
    expect(a, guard_twice, NULL, NULL);
}

/* ---- a tree ---- */

static void in_tree(const int32_t *in, int32_t *out, size_t n, size_t most,
                    bool swapped, bool cleared) {
    uint32_t *t = calloc(2 * n, sizeof *t);
    size_t leaves = 1, m;
    assert_non_null(t);
    memcpy(t, in, n * sizeof *t);
    while (leaves < n) leaves *= 2;
    for (m = 1; m < leaves; m *= 2)
        for (size_t k = 0; k < leaves / (2 * m) && k < most; k++)
            t[(k + 1) * 2 * m - 1] += t[(k + 1) * 2 * m - 1 - m];
    if (cleared) t[leaves - 1] = 0;
    while ((m /= 2))
        for (size_t k = 0; k < leaves / (2 * m) && k < most; k++) {
            uint32_t *right = &t[(k + 1) * 2 * m - 1], *left = right - m;
            uint32_t before = *right, sum = before + *left;
            *left = swapped ? sum : before;
            *right = swapped ? before : sum;
        }
    memcpy(out, t, n * sizeof *out);
    free(t);
}

static void few_nodes(const int32_t *in, int32_t *out, size_t n) {
    in_tree(in, out, n, 4, false, true);
}

static void swaps(const int32_t *in, int32_t *out, size_t n) {
    in_tree(in, out, n, SIZE_MAX, true, true);
}

static void keeps_root(const int32_t *in, int32_t *out, size_t n) {
    in_tree(in, out, n, SIZE_MAX, false, false);
}

static void adds_seven(const int32_t *in, int32_t *out, size_t n) {
    in_tree(in, out, n, SIZE_MAX, false, true);
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)((uint32_t)out[i] + 7);
}

/* The levels up, then those down, as strides: whatever is between them. */
static void by_strides(const int32_t *in, int32_t *out, size_t n,
                       const size_t *up, const size_t *down) {
    uint32_t *t = calloc(2 * n, sizeof *t);
    size_t leaves = 1;
    assert_non_null(t);
    memcpy(t, in, n * sizeof *t);
    while (leaves < n) leaves *= 2;
    for (; *up; up++)
        for (size_t k = 0; k < leaves / (2 * *up); k++)
            t[(k + 1) * 2 * *up - 1] += t[(k + 1) * 2 * *up - 1 - *up];
    t[leaves - 1] = 0;
    for (; *down; down++)
        for (size_t k = 0; k < leaves / (2 * *down); k++) {
            uint32_t *right = &t[(k + 1) * 2 * *down - 1];
            uint32_t *left = right - *down, before = *right;
            *right += *left;
            *left = before;
        }
    memcpy(out, t, n * sizeof *out);
    free(t);
}

#define WAY(name, ups, downs)                                                  \
    static void name(const int32_t *in, int32_t *out, size_t n) {              \
        by_strides(in, out, n, (const size_t[]){ups 0},                        \
                   (const size_t[]){downs 0});                                 \
    }
#define LISTED(...) __VA_ARGS__,
#define UP          LISTED(1, 2, 4, 8, 16, 32)
#define DOWN        LISTED(32, 16, 8, 4, 2, 1)
WAY(turned_down, UP, UP)
WAY(turned_up, DOWN, DOWN)
WAY(never_up, , DOWN)
WAY(never_down, UP, )
WAY(late_up, LISTED(4, 8, 16, 32), DOWN)
WAY(fours_up, LISTED(1, 4, 16), DOWN)
WAY(fours_down, UP, LISTED(32, 8, 2))
WAY(right_way, UP, DOWN)

/* What is right is never a slip: no honest order is told so. */
static void right_but_one(const int32_t *in, int32_t *out, size_t n) {
    right_way(in, out, n);
    out[n / 2] ^= 1;
}

static void turned_but_one(const int32_t *in, int32_t *out, size_t n) {
    turned_down(in, out, n);
    out[n - 1] ^= 1;
}

TEST(levels_of_a_tree_in_another_order) {
    struct asked a = {ORACLE_exclusive_sum, SIGNATURE_scan_cuda, WAY_tree, 64,
                      false};
    expect(a, turned_down, "from the leaves to the root", "wrong order");
    expect(a, turned_up, "from the root to the leaves", "wrong order");
    expect(a, never_up, "way up does no level", "its loop never runs");
    expect(a, never_down, "way down does no level", "its loop never runs");
    expect(a, late_up, "begins 2 levels above the leaves", "begins too late");
    expect(a, fours_up, "way up leaves out every other", "fourfold");
    expect(a, fours_down, "way down leaves out every other", "by four");
    expect(a, turned_but_one, NULL, NULL);
    expect(a, right_but_one, NULL, NULL);
    a.n = 50; /* the tree is padded with zeros */
    expect(a, turned_down, "from the leaves to the root", NULL);
}

static void by_fours(const int32_t *in, int32_t *out, size_t n) {
    static uint32_t now[MOST], next[MOST];
    memcpy(now, in, n * sizeof *now);
    for (size_t d = 1; d < n; d *= 4) {
        for (size_t i = 0; i < n; i++)
            next[i] = now[i] + (i >= d ? now[i - d] : 0);
        memcpy(now, next, n * sizeof *now);
    }
    memcpy(out, now, n * sizeof *out);
}

static void without_neighbours(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] =
            (int32_t)((uint32_t)in[i] + (i < 2 ? 0u : (uint32_t)out[i - 2]));
}

TEST(steps_of_other_distances) {
    struct asked a = {ORACLE_inclusive_sum, SIGNATURE_scan_cuda, WAY_steps, 100,
                      false};
    expect(a, by_fours, "the distances are 1, 4, 16", "doubles");
    expect(a, without_neighbours, "the first step is left out", "distance 1");
}

TEST(slips_in_a_tree) {
    struct asked a = {ORACLE_exclusive_sum, SIGNATURE_scan_cuda, WAY_tree, 1,
                      false};
    expect(a, keeps_root, "for n = 1024 as well", "another word is cleared");
    expect(a, adds_seven, NULL, NULL);
    a.n = 33;
    expect(a, few_nodes, "only the first 4 nodes", NULL);
    expect(a, swaps, "what belongs to the right one", NULL);
    expect(a, adds_seven, NULL, NULL);
}

/* ---- numbers ---- */

static void of_float(const int32_t *in, int32_t *out, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)(int64_t)(sum += (float)in[i]);
}

static void of_16_bits(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int16_t)(sum += (uint32_t)in[i]);
}

static void cut_at_each_step(const int32_t *in, int32_t *out, size_t n) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        out[i] = (int32_t)sum;
    }
}

static void cut_but_one(const int32_t *in, int32_t *out, size_t n) {
    cut_at_each_step(in, out, n);
    out[n - 1] ^= 1;
}

TEST(sums_in_other_numbers) {
    struct asked a = {ORACLE_inclusive_sum, SIGNATURE_scan, WAY_any, 64, false};
    expect(a, of_float, "as a float holds them", "24 bits");
    expect(a, of_16_bits, "the lowest 16 bits", NULL);
    expect(a, cut_at_each_step, "are cut off there", "they wrap");
    struct diagnosis d = diagnosed(a, cut_but_one);
    assert_null(strstr(SHAPE(&d), "cut off"));
    diagnosis_free(&d);
}

/* ---- a reduction ---- */

static void every_second(const int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t sum = i % 2048 ? (uint32_t)out[i / 2048] : 0;
        out[i / 2048] = (int32_t)(sum + (i % 2 ? 0 : (uint32_t)in[i]));
    }
}

TEST(a_reduction_that_ends_early) {
    struct asked a = {ORACLE_tile_total, SIGNATURE_compact, WAY_halves, 2,
                      false};
    expect(a, every_second, "ends 1 step too early", "ends too early");
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * test_cached.c: as test_kernels.c: constant memory, and what a warp alone pays
 * for the lines and banks of its own loads, beside an H200
 * (research/clock/cached-h200.csv).
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

enum { SOME = 8, MORE = 72 };

/* So many loads of a word of `space`, each of the last one's address and value,
 * which is 0. */
static uint64_t chain(const char *clock, const char *space, uint32_t apart,
                      uint32_t lanes, uint32_t loads, uint32_t threads) {
    struct text t = {0};
    text_add(&t,
             "rem.u32 %%r5, %%r0, %u; mul.wide.u32 %%rd3, %%r5, %u;\n"
             "mov.u64 %%rd4, %s; add.s64 %%rd3, %%rd3, %%rd4;\n",
             lanes, 4 * apart, *space == 'c' ? "table" : "%rd1");
    for (uint32_t k = 0; k < loads; k++)
        text_add(&t,
                 "ld.%s.u32 %%r4, [%%rd3]; mul.wide.u32 %%rd5, %%r4, 4;\n"
                 "add.s64 %%rd3, %%rd3, %%rd5;\n",
                 space);
    struct run r = {.clock = clock,
                    .body = text_string(&t),
                    .blocks = 1,
                    .threads = threads,
                    .bytes = 1 << 16,
                    .device = clock,
                    .module = ".const .align 64 .u32 table[1024];\n"};
    uint64_t cycles = run_count(r, VGPU_COUNT_MODEL_CYCLES);
    text_free(&t);
    return cycles;
}

/* 64 of them, without what comes first. */
static uint64_t many(const char *clock, const char *space, uint32_t apart,
                     uint32_t lanes, uint32_t threads) {
    return chain(clock, space, apart, lanes, MORE, threads) -
           chain(clock, space, apart, lanes, SOME, threads);
}

TEST(constant_words_go_one_after_another) {
    uint64_t one = many("teach", "const", 1, 1, 32);
    assert_int_equal(one, 64 * (30 + 4)); /* and a multiply-add */
    for (uint32_t words = 2; words <= 32; words *= 2)
        assert_int_equal(many("teach", "const", 1, words, 32),
                         one + 64 * 10 * (words - 1));
}

/* The cache has 32 lines of 64 bytes; words of more come from farther away. */
TEST(constant_lines_stay_in_a_small_cache) {
    uint64_t all = many("teach", "const", 16, 32, 32);
    assert_int_equal(all, 64 * (30 + 4 + 31 * 10));
    assert_int_equal(chain("teach", "const", 0, 1, 1, 32),
                     chain("teach", "const", 0, 1, 2, 32) - 30 - 4);
    uint64_t first = chain("teach", "const", 0, 1, 1, 32);
    assert_in_range(first, 500 + 30 + 170, 500 + 30 + 170 + 200);
}

/* An address that the instruction holds: an operand of another one. */
TEST(constants_with_a_name_cost_nothing) {
    struct run r = {.clock = "teach",
                    .blocks = 1,
                    .threads = 32,
                    .module = ".const .align 64 .u32 table[1024];\n"};
    r.body = "add.u32 %r4, %r0, %r1;\n";
    uint64_t bare = run_count(r, VGPU_COUNT_MODEL_CYCLES);
    r.body = "ld.const.u32 %r5, [table+8]; add.u32 %r4, %r0, %r5;\n";
    assert_int_equal(run_count(r, VGPU_COUNT_MODEL_CYCLES), bare);
}

/* Cycles that a load of one warp takes more than one of neighbours' words, L1:
 * rows lone_l1 of its file. */
TEST(a_lone_warp_pays_for_its_own_lines) {
    static const struct {
        uint32_t apart, cycles;
    } measured[] = {{2, 2},   {4, 6},   {8, 15}, {12, 8},  {16, 33}, {20, 10},
                    {24, 19}, {32, 69}, {33, 7}, {64, 69}, {65, 7},  {128, 69}};
    uint64_t base = many("h200", "global", 1, 32, 32);
    assert_in_range(base, 64 * 38, 64 * 40); /* 38.75 on an H200 */
    for (size_t k = 0; k < sizeof measured / sizeof *measured; k++) {
        uint64_t more = many("h200", "global", measured[k].apart, 32, 32);
        assert_in_range(more - base, 64 * (measured[k].cycles - 1),
                        64 * (measured[k].cycles + 1));
    }
}

/* Where other warps fill the time, what a warp waits is the latency alone. */
TEST(many_warps_do_not_wait_for_their_lines) {
    uint64_t near = many("h200", "global", 1, 32, 256);
    uint64_t far = many("h200", "global", 33, 32, 256);
    assert_in_range(near, 64 * 57, 64 * 72);
    assert_true(far >= near);
}

UNIT_MAIN(NULL, NULL)

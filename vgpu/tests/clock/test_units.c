/* SPDX-License-Identifier: MIT
 *
 * test_units.c: as test_kernels.c: the unit that all warps of a multiprocessor
 * share; what a kernel reads of model time.
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

enum { KERNEL = 500, RET = 4 };

static uint64_t ns(const char *body, uint32_t blocks, uint32_t threads) {
    struct run r = {
        .clock = "teach", .body = body, .blocks = blocks, .threads = threads};
    return run_count(r, VGPU_COUNT_MODEL_NS);
}

TEST(matches_share_one_unit_of_a_multiprocessor) {
    static const char any[] = "match.any.sync.b32 %r4, %r0, -1;\n";
    static const char all[] = "match.all.sync.b32 %r4|%p1, %r0, -1;\n";
    assert_int_equal(ns(any, 1, 32), KERNEL + 400 + RET);
    assert_int_equal(ns(any, 1, 8 * 32), KERNEL + 7 * 64 + 400 + RET);
    assert_int_equal(ns(any, 2, 32), KERNEL + 400 + RET + 1); /* 2nd block */
    assert_int_equal(ns(all, 1, 4 * 32), KERNEL + 20 + RET);
}

/* A loop until a timer has gone on by 10000. */
static uint64_t until(const char *timer) {
    struct text t = {0};
    text_add(&t,
             "mov.u64 %%rd3, %%%s;\nL: mov.u64 %%rd4, %%%s;\n"
             "sub.u64 %%rd5, %%rd4, %%rd3; setp.lt.u64 %%p1, %%rd5, 10000;\n"
             "@%%p1 bra L;\n",
             timer, timer);
    struct run r = {
        .clock = "h200", .body = text_string(&t), .blocks = 1, .threads = 32};
    uint64_t took = run_count(r, VGPU_COUNT_MODEL_NS);
    text_free(&t);
    return took;
}

TEST(timers_read_model_time) {
    assert_in_range(until("globaltimer"), 10540, 10600);
    assert_in_range(until("clock64"), 5590, 5650); /* cycles of 505 ps */
}

/* 80 MiB are copied: L2, which has the last 60 of 160 that were filled, keeps
 * 30 of them. What goes out while others are read is worth 1.265 of DRAM's 4380
 * bytes a ns. */
TEST(writes_among_reads_take_dram_longer) {
    enum { MIB = 1 << 20, HALF = 80 * MIB };
    struct run r = {.clock = "h200",
                    .device = "h200",
                    .body = "mad.lo.s32 %r4, %r1, %r2, %r0;\n"
                            "mul.wide.u32 %rd3, %r4, 16;\n"
                            "add.s64 %rd4, %rd1, %rd3;\n"
                            "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd4];\n"
                            "st.global.v4.u32 [%rd4+83886080], "
                            "{%r5, %r6, %r7, %r8};\n",
                    .blocks = HALF / 4096,
                    .threads = 256,
                    .bytes = 2 * HALF};
    uint64_t took = run_count(r, VGPU_COUNT_MODEL_NS);
    uint64_t out = HALF + (60 - 30) * MIB;
    uint64_t moves = (HALF + out * 1265 / 1000) / 4380;
    assert_in_range(took, moves * 94 / 100, moves * 104 / 100);
}

UNIT_MAIN(NULL, NULL)

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

UNIT_MAIN(NULL, NULL)

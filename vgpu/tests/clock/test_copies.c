/* SPDX-License-Identifier: MIT
 *
 * test_copies.c: copies beside the threads and mbarriers, computed by hand on
 * the profile teach: a copy in bulk has its first bytes from L2 after 300 ns,
 * and then 64 a ns, a store is read after 30 and written after 40, at 32 a ns;
 * cp.async takes 50 more than a load's 200. A look at an mbarrier takes 40, an
 * arrival counts after 5.
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

enum { KERNEL = 500, BRANCH = 4, RET = 4, LOOK = 40, FIRST = 300 };

static uint64_t ns(const char *body, uint32_t threads, uint64_t bytes) {
    struct run r = {.clock = "teach",
                    .body = body,
                    .blocks = 1,
                    .threads = threads,
                    .bytes = bytes};
    return run_count(r, VGPU_COUNT_MODEL_NS);
}

#define INIT(count) "mbarrier.init.shared.b64 [tile], " #count ";\n"
#define EXPECT(bytes)                                                          \
    "mbarrier.arrive.expect_tx.shared.b64 %rd4, [tile], " #bytes ";\n"
#define LOAD(to, from)                                                         \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "       \
    "[tile+" #to "], [%rd1+" #from "], 512, [tile];\n"
#define WAIT                                                                   \
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [tile], 0;\n@!%p1 bra W;\n"
#define STORE                                                                  \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 512;\n"       \
    "cp.async.bulk.commit_group;\n"

TEST(a_copy_in_bulk_from_l2) {
    /* It is the third instruction. */
    assert_int_equal(ns(INIT(1) EXPECT(512) LOAD(1024, 0) WAIT, 1, 4096),
                     KERNEL + 2 + 512 / 64 + FIRST + LOOK + BRANCH + RET);
}

TEST(copies_share_the_engine) {
    assert_int_equal(
        ns(INIT(1) EXPECT(1024) LOAD(1024, 0) LOAD(2048, 1024) WAIT, 1, 4096),
        KERNEL + 2 + 2 * 512 / 64 + FIRST + LOOK + BRANCH + RET);
}

TEST(a_copy_in_bulk_from_dram) {
    /* L2 has the other half of the array. DRAM is 200 further, and writes what
     * makes room, which the copy may have to wait for; the bytes come one after
     * another from there, 64 a ns. */
    uint64_t l2 = KERNEL + 2 + 512 / 64 + FIRST + LOOK + BRANCH + RET;
    uint64_t took = ns(INIT(1) EXPECT(512) LOAD(1024, 0) WAIT, 1, 8 << 20);
    assert_in_range(took, l2 + 200 + 512 / 64,
                    l2 + 200 + 512 / 64 + 4096 / 64 + 512 / 64);
}

TEST(who_does_not_wait_goes_on) {
    /* The additions hide the copy but for its last bytes. */
    struct text t = {0};
    text_add(&t, "%s", INIT(1) EXPECT(512) LOAD(1024, 0));
    for (int n = 0; n < 100; n++) text_add(&t, "add.s32 %%r3, %%r3, 1;\n");
    text_add(&t, "%s", WAIT);
    uint64_t hidden = ns(text_string(&t), 1, 4096);
    text_free(&t);
    /* The last addition issues at 3 + 99 * 4, and a look behind it, at which
     * the copy lands; so it looks twice. */
    assert_int_equal(hidden, KERNEL + 3 + 99 * 4 + 1 + 1 + LOOK + BRANCH + RET);
}

TEST(a_store_in_bulk) {
    /* The launch is over when L2 has it, also if its thread waits less long. */
    uint64_t written = KERNEL + 512 / 32 + 40;
    assert_int_equal(ns(STORE "cp.async.bulk.wait_group 0;", 1, 4096),
                     written + RET);
    assert_int_equal(ns(STORE "cp.async.bulk.wait_group.read 0;", 1, 4096),
                     written);
    assert_int_equal(ns(STORE "cp.async.bulk.wait_group.read 0;\n"
                              "bar.sync 0; bar.sync 0; bar.sync 0;",
                        1, 4096),
                     KERNEL + 30 + 3 * 12 + RET);
}

TEST(small_copies) {
    assert_int_equal(ns("cp.async.cg.shared.global [tile], [%rd1], 16;\n"
                        "cp.async.wait_all;",
                        1, 4096),
                     KERNEL + 200 + 50 + RET);
    /* An mbarrier waits for them as well. */
    assert_int_equal(ns(INIT(1) "cp.async.cg.shared.global [tile+16], [%rd1], "
                                "16;\ncp.async.mbarrier.arrive.noinc.shared."
                                "b64 [tile];\n" WAIT,
                        1, 4096),
                     KERNEL + 1 + 200 + 50 + LOOK + BRANCH + RET);
}

TEST(an_arrival_and_a_look) {
    assert_int_equal(
        ns(INIT(1) "mbarrier.arrive.shared.b64 %rd4, [tile];\n" WAIT, 1, 4096),
        KERNEL + 1 + 5 + LOOK + BRANCH + RET);
}

/* Warp 1 arrives so many additions later; warp 0 waits for it. */
static uint64_t late(int additions) {
    struct text t = {0};
    text_add(&t,
             "setp.ne.u32 %%p1, %%r0, 0; @%%p1 bra I;\n%s"
             "I: bar.sync 0; setp.lt.u32 %%p1, %%r0, 32; @%%p1 bra A;\n",
             INIT(2));
    for (int n = 0; n < additions; n++)
        text_add(&t, "add.s32 %%r3, %%r3, 1;\n");
    text_add(&t,
             "and.b32 %%r5, %%r0, 31; setp.ne.u32 %%p1, %%r5, 0;\n"
             "@%%p1 bra END; mbarrier.arrive.shared.b64 %%rd4, [tile];\n"
             "bra END;\n"
             "A: setp.ne.u32 %%p1, %%r0, 0; @%%p1 bra END;\n"
             "mbarrier.arrive.shared.b64 %%rd4, [tile];\n%sEND:\n",
             WAIT);
    uint64_t took = ns(text_string(&t), 64, 4096);
    text_free(&t);
    return took;
}

TEST(a_phase_is_over_when_the_last_has_arrived) {
    assert_int_equal(late(50) - late(20), 30 * 4);
    assert_int_equal(late(500) - late(20), 480 * 4); /* windows later */
}

/* Its pieces are the launch, without a gap. */
static void adds_up(vgpu_device *d, void *user) {
    const struct vgpu_launch_record *r;
    uint64_t sum = 0;
    (void)user;
    assert_int_equal(vgpu_launch_records(d, &r), 1);
    for (int c = 0; c < VGPU_N_CAUSES; c++) sum += r->times.path[c];
    assert_int_equal(r->times.path[VGPU_CAUSE_UNKNOWN], 0);
    assert_int_equal(sum, r->model_ps);
}

TEST(the_path_goes_through_copies) {
    static const char *const bodies[] = {
        INIT(1) EXPECT(1024) LOAD(1024, 0) LOAD(2048, 1024) WAIT,
        STORE "cp.async.bulk.wait_group.read 0;",
        STORE "cp.async.bulk.wait_group 0;"};
    static const char *const clocks[] = {"teach", "h200", "pram"};
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
        for (size_t c = 0; c < sizeof clocks / sizeof *clocks; c++)
            run_look((struct run){.clock = clocks[c],
                                  .body = bodies[b],
                                  .blocks = 3,
                                  .threads = 1,
                                  .bytes = 4096},
                     adds_up, NULL);
}

TEST(a_wait_is_no_step) {
    /* init, arrive, copy, look, branch, ret */
    struct run r = {.clock = "pram",
                    .body = INIT(1) EXPECT(512) LOAD(1024, 0) WAIT,
                    .blocks = 1,
                    .threads = 1,
                    .bytes = 4096};
    uint64_t waits = run_count(r, VGPU_COUNT_DEPTH);
    r.body = INIT(1) "mbarrier.arrive.shared.b64 %rd4, [tile];\n"
                     "add.s32 %r3, %r3, 1;\n" WAIT; /* does not wait */
    assert_int_equal(waits, run_count(r, VGPU_COUNT_DEPTH));
}

UNIT_MAIN(NULL, NULL)

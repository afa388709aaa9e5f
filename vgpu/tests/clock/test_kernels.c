/* SPDX-License-Identifier: MIT
 *
 * test_kernels.c: model time, computed by hand, on the profile teach: a cycle
 * is 1 ns, an addition takes 4, a slot of a scheduler 1; vgpu/docs/clock.md has
 * the rules. Every kernel begins 500 ns after its launch and ends in a `ret`,
 * which waits for all registers and takes 4.
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

#include <string.h>

enum { KERNEL = 500, RET = 4 };

static uint64_t ns(const char *body, uint32_t blocks, uint32_t threads) {
    struct run r = {.clock = "teach",
                    .body = body,
                    .blocks = blocks,
                    .threads = threads,
                    .bytes = 1 << 20};
    return run_count(r, VGPU_COUNT_MODEL_NS);
}

#define ADD(r) "add.s32 %r" #r ", %r" #r ", 1;\n"

TEST(a_kernel_that_does_nothing) {
    assert_int_equal(ns("", 1, 32), KERNEL + RET);
}

TEST(additions_that_wait_for_each_other) {
    assert_int_equal(ns(ADD(3) ADD(3) ADD(3) ADD(3) ADD(3), 1, 32),
                     KERNEL + 5 * 4 + RET);
}

TEST(additions_that_do_not) {
    /* the last issues at 4 */
    assert_int_equal(ns(ADD(3) ADD(4) ADD(5) ADD(6) ADD(7), 1, 32),
                     KERNEL + 4 + 4 + RET);
}

TEST(warps_share_a_scheduler) {
    /* Warps 0 and 4 have one of four schedulers: of 3 chains of 2 additions
     * the units begin one each ns, so the last warp's are 1 late. */
    assert_int_equal(ns(ADD(3) ADD(3), 1, 5 * 32), KERNEL + 1 + 2 * 4 + RET);
    assert_int_equal(ns(ADD(3) ADD(3), 1, 4 * 32), KERNEL + 2 * 4 + RET);
}

/* A load from tile[thread * stride], of words. */
static uint64_t shared_load(uint32_t shift, uint32_t threads) {
    struct text t = {0};
    text_add(&t, "shl.b32 %%r4, %%r0, %u; ld.shared.u32 %%r5, [%%r4];\n",
             shift);
    uint64_t took = ns(text_string(&t), 1, threads);
    text_free(&t);
    return took;
}

TEST(conflicts_in_shared_memory) {
    uint64_t free_of_conflicts = KERNEL + 4 + 20 + RET;
    assert_int_equal(shared_load(2, 32), free_of_conflicts);
    assert_int_equal(shared_load(3, 32), free_of_conflicts + 1);
    assert_int_equal(shared_load(7, 32), free_of_conflicts + 31);
    /* Four warps: the banks serve 32 wavefronts of each, one warp after the
     * other. */
    assert_int_equal(shared_load(7, 128), free_of_conflicts + 31 + 3 * 32);
}

TEST(a_barrier_waits_for_the_slowest) {
    /* Warp 1 comes 1 after its second addition has issued. The barrier takes 2
     * for each warp, and 10 more. */
    static const char body[] = "setp.gt.u32 %p1, %r0, 31;\n"
                               "@!%p1 bra L;\n" ADD(3) ADD(3) "L: bar.sync 0;";
    uint64_t branch = 4 + 4;
    assert_int_equal(ns(body, 1, 64), KERNEL + branch + 4 + 1 + 2 + 10 + RET);
}

TEST(a_load_from_l2_and_one_from_l1) {
    static const char once[] = "ld.global.u32 %r4, [%rd1];\n";
    /* The second one's address comes from the first, which brought its line. */
    static const char twice[] =
        "ld.global.u64 %rd3, [%rd1];\nadd.s64 %rd4, %rd3, %rd1;\n"
        "ld.global.u64 %rd5, [%rd4];\n";
    assert_int_equal(ns(once, 1, 32),
                     KERNEL + 200 + RET); /* memset filled it */
    assert_int_equal(ns(twice, 1, 32), KERNEL + 200 + 8 + 30 + RET);
}

TEST(blocks_on_one_multiprocessor) {
    /* 9 blocks, of which 8 are resident (2 multiprocessors, 4 each): the ninth
     * starts 200 ns after the first has ended. A block starts each ns. */
    uint64_t block = 5 * 4 + RET;
    static const char body[] = ADD(3) ADD(3) ADD(3) ADD(3) ADD(3);
    assert_int_equal(ns(body, 8, 32), KERNEL + 7 + block);
    assert_int_equal(ns(body, 9, 32), KERNEL + block + 200 + block);
}

TEST(a_message_from_block_to_block) {
    static const char body[] =
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra READS;\n" ADD(3)
            ADD(3) "st.volatile.global.u32 [%rd1], %r3;\nbra END;\n"
                   "READS: ld.volatile.global.u32 %r4, [%rd1];\n"
                   "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra READS;\n"
                   "END:\n";
    /* The word is stored behind test, branch and two additions; 100 later L2
     * has it; half a load's 200 later the reader, who tests and branches. */
    uint64_t stored = 4 + 4 + 2 * 4;
    struct run r = {.clock = "teach", .body = body, .blocks = 2, .threads = 32};
    uint64_t counts[VGPU_N_COUNTERS];
    run_counts(r, counts);
    assert_int_equal(counts[VGPU_COUNT_LONGEST_CHAIN], 1);
    assert_int_equal(counts[VGPU_COUNT_MODEL_NS],
                     KERNEL + stored + 100 + 100 + 4 + 4 + RET);
}

TEST(a_chain_of_messages) {
    /* A hop: the poll that sees the word begins 8 behind the store (test and
     * branch of one that was in vain), and takes a read; test, branch, two
     * additions, and the next block's word is stored. */
    static const char body[] =
        "mul.wide.u32 %rd3, %r1, 32; add.s64 %rd2, %rd1, %rd3;\n"
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra SEND;\n"
        "WAIT: ld.volatile.global.u32 %r4, [%rd2+-32];\n"
        "setp.eq.u32 %p2, %r4, 0; @%p2 bra WAIT;\n"
        "SEND:\n" ADD(3) ADD(3) "st.volatile.global.u32 [%rd2], %r3;\n";
    uint64_t before = ns(body, 5, 32); /* whose polls are all made */
    for (uint32_t blocks = 6; blocks <= 8; blocks++) {
        uint64_t took = ns(body, blocks, 32);
        assert_int_equal(took - before, 8 + 200 + 4 + 4 + 2 * 4);
        before = took;
    }
}

/* On one multiprocessor: a warp that counts to 3000, then reads 2 MiB through
 * the port, a KiB with each load; and eight that wait for it, or do not: a poll
 * is a KiB, too. When the loads begin they sleep. */
static uint64_t beside(bool they_poll) {
    struct text t = {0};
    text_add(&t,
             "mul.wide.u32 %%rd3, %%r0, 32; add.s64 %%rd2, %%rd1, %%rd3;\n"
             "setp.eq.u32 %%p1, %%r1, 0; @%%p1 bra WORKS;\n"
             "setp.ne.u32 %%p1, %%r1, 2; @%%p1 bra END;\n%s"
             "W: ld.volatile.global.u32 %%r4, [%%rd2];\n"
             "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra W;\nbra END;\n"
             "WORKS: setp.ge.u32 %%p1, %%r0, 32; @%%p1 bra END;\n"
             "mov.u32 %%r5, 0; L: add.s32 %%r5, %%r5, 1;\n"
             "setp.lt.u32 %%p1, %%r5, 3000; @%%p1 bra L;\n",
             they_poll ? "" : "bra END;\n");
    for (int n = 0; n < 2048; n++)
        text_add(&t, "ld.global.cg.u32 %%r%d, [%%rd2+%d];\n", 10 + n % 8,
                 (n & 255) * 1024 + 65536);
    text_add(&t, "mov.u32 %%r3, 1; mov.u32 %%r5, 0;\n"
                 "T: st.volatile.global.u32 [%%rd2], %%r3;\n"
                 "add.s64 %%rd2, %%rd2, 1024; add.s32 %%r5, %%r5, 1;\n"
                 "setp.lt.u32 %%p1, %%r5, 8; @%%p1 bra T;\nEND:\n");
    uint64_t took = ns(text_string(&t), 3, 256);
    text_free(&t);
    return took;
}

TEST(polls_that_are_skipped_are_charged) {
    /* The port serves a load in 16 ns. A poll waits in its queue, 800 ns, and
     * for what the reader has taken ahead, at most 1573 ns; then the next one
     * begins 208 ns later. So each of the eight takes 16 ns in 1008 to 2581. */
    uint64_t reads = 2048 * 16, alone = beside(false);
    uint64_t more = beside(true) - alone;
    assert_in_range(alone, KERNEL + 36000 + reads,
                    KERNEL + 36000 + reads + 900);
    assert_in_range(more, reads * 8 * 16 / 2581, reads * 8 * 16 / 1008);
}

TEST(a_poll_costs_its_own_steps) {
    /* Block 2 polls what block 1 counts up, after many steps each; block 0, on
     * block 2's multiprocessor, counts to 4000, 12 ns a time, and is not
     * charged for block 1's steps. */
    static const char body[] =
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra WORKS;\n"
        "setp.eq.u32 %p1, %r1, 1; @%p1 bra COUNTS;\n"
        "W: ld.volatile.global.u32 %r4, [%rd1];\n"
        "setp.ne.u32 %p2, %r4, 4; @%p2 bra W;\nbra END;\n"
        "COUNTS: setp.ne.u32 %p1, %r0, 0; @%p1 bra END; mov.u32 %r6, 0;\n"
        "N: mov.u32 %r5, 0; L: add.s32 %r5, %r5, 1;\n"
        "setp.lt.u32 %p1, %r5, 700; @%p1 bra L;\n"
        "red.global.add.u32 [%rd1], 1; add.s32 %r6, %r6, 1;\n"
        "setp.lt.u32 %p1, %r6, 4; @%p1 bra N;\nbra END;\n"
        "WORKS: setp.ge.u32 %p1, %r0, 32; @%p1 bra END; mov.u32 %r5, 0;\n"
        "M: add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4000; @%p1 bra M;\n"
        "END:\n";
    assert_in_range(ns(body, 3, 256), KERNEL + 48000, KERNEL + 48000 + 1000);
}

TEST(a_copy_that_bandwidth_binds) {
    /* 1 MiB is read, 1 MiB written, 128 bytes a ns at L2: 16,384 ns, and 64 a
     * ns at the port of each of the two multiprocessors, which is as much. The
     * rest is latency, of the last block. */
    static const char body[] =
        "mad.lo.s32 %r4, %r1, %r2, %r0;\nmul.wide.u32 %rd3, %r4, 16;\n"
        "add.s64 %rd2, %rd1, %rd3;\n"
        "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2];\n"
        "st.global.v4.u32 [%rd2+1048576], {%r10, %r11, %r12, %r13};\n";
    struct run r = {.clock = "teach",
                    .body = body,
                    .blocks = 64,
                    .threads = 1024,
                    .bytes = 2 << 20};
    uint64_t took = run_count(r, VGPU_COUNT_MODEL_NS);
    assert_true(took > KERNEL + (2 << 20) / 128);
    assert_true(took < KERNEL + (2 << 20) / 128 + 16000);
}

/* What 100 more additions by a warp take: so many `lanes` have words `step`
 * bytes from each other, the next so many begin `apart` bytes on. */
static uint64_t additions(const char *clock, uint32_t lanes, uint32_t apart,
                          uint32_t step) {
    uint64_t took[2];
    for (int n = 0; n < 2; n++) {
        struct text t = {0};
        text_add(&t,
                 "shr.u32 %%r4, %%r0, %u; and.b32 %%r5, %%r0, %u;\n"
                 "mul.lo.s32 %%r4, %%r4, %u; mul.lo.s32 %%r5, %%r5, %u;\n"
                 "add.s32 %%r4, %%r4, %%r5; cvt.u64.u32 %%rd3, %%r4;\n"
                 "add.s64 %%rd2, %%rd1, %%rd3;\n",
                 (uint32_t)__builtin_ctz(lanes), lanes - 1, apart, step);
        for (int k = 0; k < 50 + 100 * n; k++)
            text_add(&t, "red.global.add.u32 [%%rd2], %%r0;\n");
        struct run r = {.clock = clock,
                        .body = text_string(&t),
                        .blocks = 1,
                        .threads = 32,
                        .bytes = 1 << 20};
        took[n] = run_count(r, VGPU_COUNT_MODEL_NS);
        text_free(&t);
    }
    return took[1] - took[0];
}

TEST(lines_of_a_kib_share_two_places_of_l2) {
    /* Four lanes have the sectors of a line. 0.73 ns a sector: 16 of them at
     * each of 2 places; 8 at 4 places, whether lines are 256 or 512 apart. A
     * KiB apart the 8 lines have a place each, and the port's 4.2 ns bind. */
    assert_int_equal(additions("h200", 4, 128, 32), 1168);
    assert_int_equal(additions("h200", 4, 256, 32), 584);
    assert_int_equal(additions("h200", 4, 512, 32), 584);
    assert_in_range(additions("h200", 4, 1024, 32), 421, 422);
}

TEST(lanes_that_change_one_word_take_turns) {
    /* teach: a line takes 1 ns on its way, a sector 1 ns at L2, as does a word
     * again. 8 lines, 4 words each; 4 lines, 8 lanes on one word each; 32 on
     * the 8 words of one sector, then on two of them. What all add to one word
     * is added up before. */
    assert_int_equal(additions("teach", 4, 128, 4), 800);
    assert_int_equal(additions("teach", 8, 128, 0), 800);
    assert_int_equal(additions("teach", 8, 0, 4), 2500);
    assert_int_equal(additions("teach", 2, 0, 4), 3100);
    assert_int_equal(additions("teach", 32, 0, 0), 100);
}

/* What 16 more accesses of each thread take, on 132 multiprocessors with 1024
 * threads each; neighbours are 2^shift bytes apart, in 16 MiB. */
static uint64_t of_l2(const char *access, uint32_t shift) {
    uint64_t took[2];
    for (int n = 0; n < 2; n++) {
        struct text t = {0};
        text_add(&t,
                 "mad.lo.s32 %%r4, %%r1, %%r2, %%r0; shl.b32 %%r4, %%r4, %u;\n"
                 "and.b32 %%r4, %%r4, 16777215; cvt.u64.u32 %%rd3, %%r4;\n"
                 "add.s64 %%rd2, %%rd1, %%rd3;\n",
                 shift);
        for (int k = 0; k < 24 + 16 * n; k++) {
            text_add(&t, access, 10 + k % 16);
            text_add(&t, "\n");
        }
        struct run r = {.clock = "h200",
                        .device = "h200",
                        .body = text_string(&t),
                        .blocks = 132,
                        .threads = 1024,
                        .bytes = 16 << 20};
        took[n] = run_count(r, VGPU_COUNT_MODEL_NS);
        text_free(&t);
    }
    return took[1] - took[0];
}

TEST(sectors_that_are_written_in_part_bind_l2) {
    /* 67584 warps' accesses, of L2's 9300 bytes a ns. A line of a sector is
     * worth 57 + 67 when it is written, 59 when it is read; of 4 sectors 325
     * and 128. Whole lines of 16 bytes a lane, 512 bytes: their bytes. Reads
     * wait for their way back as well. */
    static const char
        store[] = "st.global.u32 [%%rd2], %%r%d;",
        load[] = "ld.global.cg.u32 %%r%d, [%%rd2];",
        wide[] = "st.global.v4.u32 [%%rd2], {%%r%d, %%r0, %%r0, %%r0};";
    uint64_t warps = 16 * 132 * 32;
    uint64_t lines = warps * 32 * (57 + 67) / 9300;
    assert_in_range(of_l2(store, 7), lines * 99 / 100, lines * 104 / 100);
    lines = warps * 32 * 59 / 9300;
    assert_in_range(of_l2(load, 7), lines * 99 / 100, lines * 118 / 100);
    lines = warps * 8 * (57 + 4 * 67) / 9300;
    assert_in_range(of_l2(store, 5), lines * 99 / 100, lines * 104 / 100);
    lines = warps * 8 * 128 / 9300;
    assert_in_range(of_l2(load, 5), lines * 99 / 100, lines * 118 / 100);
    lines = warps * 4 * 128 / 9300;
    assert_in_range(of_l2(wide, 4), lines * 97 / 100, lines * 120 / 100);
}

TEST(the_same_time_again) {
    static const char body[] =
        "mad.lo.s32 %r4, %r1, %r2, %r0;\nmul.wide.u32 %rd3, %r4, 4;\n"
        "add.s64 %rd2, %rd1, %rd3;\natom.global.add.u32 %r5, [%rd1], 1;\n"
        "st.global.u32 [%rd2], %r5;\n";
    uint64_t first = ns(body, 50, 256);
    assert_int_equal(ns(body, 50, 256), first);
}

/* 96 values that are made, and wait for 200 shuffles; or are summed at once. */
static uint64_t many_values(bool all_live) {
    enum { VALUES = 96 };
    struct text t = {0};
    text_add(&t, ".reg .b32 %%q<%d>; mov.u32 %%r5, 0;\n", VALUES);
    for (int k = 0; k < VALUES; k++) {
        text_add(&t, "add.s32 %%q%d, %%r0, %d;\n", k, k);
        if (!all_live) text_add(&t, "xor.b32 %%r5, %%r5, %%q%d;\n", k);
    }
    for (int k = 0; k < 200; k++)
        text_add(&t, "shfl.sync.bfly.b32 %%r9, %%r9, 1, 31, -1;\n");
    for (int k = 0; k < VALUES && all_live; k++)
        text_add(&t, "xor.b32 %%r5, %%r5, %%q%d;\n", k);
    text_add(&t, "add.s32 %%r5, %%r5, %%r9; st.global.u32 [%%rd1], %%r5;\n");
    struct run r = {.clock = "h200",
                    .body = text_string(&t),
                    .blocks = 64,
                    .threads = 256,
                    .bytes = 64};
    uint64_t took = run_count(r, VGPU_COUNT_MODEL_NS);
    text_free(&t);
    return took;
}

TEST(registers_limit_how_many_blocks_are_resident) {
    /* Of 65536 registers, 104 each leave room for 16 of 32 warps: for half of
     * the blocks. */
    uint64_t few = many_values(false), many = many_values(true);
    assert_in_range(many, few * 3 / 2, few * 5 / 2);
}

TEST(who_sleeps_takes_time) {
    struct run r = {.clock = "h200",
                    .body = "nanosleep.u32 1000; mov.u32 %r5, 1000;\n"
                            "nanosleep.u32 %r5; nanosleep.u32 0;\n",
                    .blocks = 1,
                    .threads = 32};
    uint64_t took = run_count(r, VGPU_COUNT_MODEL_NS);
    r.body = "";
    uint64_t nothing = run_count(r, VGPU_COUNT_MODEL_NS);
    assert_in_range(took - nothing, 2 * 1592 + 39, 2 * 1592 + 45);
    r.clock = "teach"; /* no time there, but an issue slot each */
    uint64_t none = run_count(r, VGPU_COUNT_MODEL_NS);
    r.body = "nanosleep.u32 1000;";
    assert_in_range(run_count(r, VGPU_COUNT_MODEL_NS), none, none + 1);
}

/* The units of 132 multiprocessors are 30 MB, before a warp runs. */
TEST(the_clocks_tables_are_charged) {
    static const char text[] = ".version 9.0\n.target sm_75\n"
                               ".address_size 64\n.visible .entry k() { ret; }";
    for (uint64_t mib = 16; mib <= 64; mib *= 4) {
        struct vgpu_options options = {
            .profile = "h200", .clock = "h200", .held_limit_bytes = mib << 20};
        vgpu_device *d = vgpu_open(&options, NULL);
        vgpu_module *m;
        vgpu_kernel *k;
        uint32_t one[3] = {1, 1, 1};
        assert_non_null(d);
        assert_int_equal(vgpu_module_load(d, text, sizeof text, &m), VGPU_OK);
        assert_int_equal(vgpu_module_kernel(m, "k", &k), VGPU_OK);
        vgpu_status s = vgpu_launch(d, k, one, one, 0, NULL, 0);
        assert_int_equal(s, mib < 32 ? VGPU_OUT_OF_MEMORY : VGPU_OK);
        if (s) assert_non_null(strstr(vgpu_last_message(d), "the clock's"));
        vgpu_close(d);
    }
}

UNIT_MAIN(NULL, NULL)

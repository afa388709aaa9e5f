/* SPDX-License-Identifier: MIT
 *
 * test_why.c: causes of model time, by hand, on the profile teach: kernels
 * that one cause binds name it, and its line (vgpu/docs/clock.md has the
 * rules). In every kernel the path's sum is the launch's model time, to the
 * picosecond.
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

#include <string.h>

#define LINE(n) ".loc 1 " #n " 0\n"
#define ADD     "add.s32 %r3, %r3, 1;\n"

struct seen {
    uint64_t ps, path[VGPU_N_CAUSES], warps[VGPU_N_CAUSES];
    struct vgpu_line_record lines[32];
    size_t n_lines, n_pieces;
    struct vgpu_path_piece pieces[64];
};

static uint64_t sum_of(const uint64_t *times) {
    uint64_t sum = 0;
    for (int c = 0; c < VGPU_N_CAUSES; c++) sum += times[c];
    return sum;
}

/* What holds of every launch. */
static void check_sums(vgpu_device *d, const struct vgpu_launch_record *r) {
    const struct vgpu_why *y = vgpu_why(d);
    const struct vgpu_line_record *lines;
    size_t n = vgpu_line_records(d, &lines);
    uint64_t by_line = 0, by_warps = 0, at = 0;
    assert_int_equal(sum_of(r->times.path), r->model_ps);
    assert_int_equal(r->model_ps / 1000, r->counts[VGPU_COUNT_MODEL_NS]);
    assert_int_equal(r->times.path[VGPU_CAUSE_UNKNOWN], 0);
    for (size_t k = 0; k < n; k++) {
        by_line += sum_of(lines[k].times.path);
        by_warps += sum_of(lines[k].times.warps);
    }
    uint64_t rest = r->times.path[VGPU_CAUSE_PROCESSORS];
    assert_int_equal(by_line + rest, r->model_ps);
    assert_int_equal(by_warps, sum_of(r->times.warps));
    assert_int_equal(y->left_out, 0);
    for (size_t k = 0; k < y->n_path; k++) { /* one after another */
        assert_int_equal(y->path[k].from, at);
        assert_true(y->path[k].to > at);
        at = y->path[k].to;
    }
    assert_int_equal(at + rest, r->model_ps);
}

static void look(vgpu_device *d, void *user) {
    struct seen *s = user;
    const struct vgpu_launch_record *r;
    const struct vgpu_line_record *lines;
    const struct vgpu_why *y = vgpu_why(d);
    assert_int_equal(vgpu_launch_records(d, &r), 1);
    check_sums(d, r);
    s->ps = r->model_ps;
    memcpy(s->path, r->times.path, sizeof s->path);
    memcpy(s->warps, r->times.warps, sizeof s->warps);
    s->n_lines = vgpu_line_records(d, &lines);
    assert_true(s->n_lines <= 32);
    memcpy(s->lines, lines, s->n_lines * sizeof *lines);
    s->n_pieces = y->n_path < 64 ? y->n_path : 64;
    memcpy(s->pieces, y->path, s->n_pieces * sizeof *y->path);
}

static struct seen run(const char *clock, const char *body, uint32_t blocks,
                       uint32_t threads) {
    static struct seen s;
    s = (struct seen){0};
    run_look((struct run){.clock = clock,
                          .body = body,
                          .blocks = blocks,
                          .threads = threads,
                          .bytes = 4 << 20},
             look, &s);
    return s;
}

/* Of a line, in ns. */
static uint64_t path_of(const struct seen *s, uint32_t line, vgpu_cause c) {
    uint64_t sum = 0;
    for (size_t k = 0; k < s->n_lines; k++)
        if (s->lines[k].where.line == line) sum += s->lines[k].times.path[c];
    return sum / 1000;
}

static uint64_t warps_of(const struct seen *s, uint32_t line, vgpu_cause c) {
    uint64_t sum = 0;
    for (size_t k = 0; k < s->n_lines; k++)
        if (s->lines[k].where.line == line) sum += s->lines[k].times.warps[c];
    return sum / 1000;
}

#define CAUSE(name) VGPU_CAUSE_##name

TEST(a_kernel_that_does_nothing) {
    struct seen s = run("teach", LINE(9), 1, 32);
    assert_int_equal(s.path[CAUSE(LAUNCH)], 500000);
    assert_int_equal(path_of(&s, 9, CAUSE(BRANCH)), 4); /* ret */
    assert_int_equal(s.ps, 504000);
}

TEST(additions_that_wait_for_each_other) {
    struct seen s = run("teach", LINE(3) ADD ADD ADD ADD ADD LINE(9), 1, 32);
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 5 * 4);
    assert_int_equal(s.ps, (500 + 20 + 4) * 1000);
    /* The one warp's time: each addition's slot, then its latency's rest. */
    assert_int_equal(warps_of(&s, 3, CAUSE(ISSUE)), 5 * 1);
    assert_int_equal(warps_of(&s, 3, CAUSE(ALU)), 5 * 3);
    assert_int_equal(sum_of(s.warps), 24 * 1000);
}

TEST(warps_that_share_a_scheduler) {
    /* Warp 4 issues one behind warp 0. */
    struct seen s = run("teach", LINE(3) ADD ADD LINE(9), 1, 5 * 32);
    assert_int_equal(path_of(&s, 3, CAUSE(ISSUE)), 1);
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 8);
}

TEST(conflicts_in_shared_memory) {
    struct seen s = run("teach",
                        LINE(3) "shl.b32 %r4, %r0, 7;\n" LINE(
                            4) "ld.shared.u32 %r5, [%r4];\n" LINE(9),
                        1, 32);
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 4);
    assert_int_equal(path_of(&s, 4, CAUSE(SHARED)), 20 + 31);
}

TEST(a_barrier_with_one_late_warp) {
    static const char body[] =
        LINE(2) "setp.gt.u32 %p1, %r0, 31;\n@!%p1 bra L;\n" LINE(3)
            ADD ADD ADD ADD LINE(4) "L: bar.sync 0;\n" LINE(9);
    struct seen s = run("teach", body, 1, 64);
    /* Warp 1's additions set the end; warp 0 waits for them. The last one's
     * result nobody waits for before the exit. */
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 3 * 4);
    assert_int_equal(path_of(&s, 3, CAUSE(ISSUE)), 1);
    assert_int_equal(path_of(&s, 4, CAUSE(BARRIER)), 2 + 10);
    assert_int_equal(warps_of(&s, 4, CAUSE(BARRIER)), 12 + 12 + 13);
}

/* Block 1 waits for block 0's word. */
static const char message[] =
    LINE(2) "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra READS;\n" LINE(3)
        ADD ADD ADD LINE(4) "st.volatile.global.u32 [%rd1], %r3;\nbra "
                            "END;\n" LINE(5) "READS: ld.volatile.global.u32 "
                                             "%r4, [%rd1];\n" LINE(
                                                 6) "setp.eq.u32 %p2, %r4, "
                                                    "0;\n@%p2 bra "
                                                    "READS;\n" LINE(9) "END:\n";

TEST(a_block_that_waits_for_another) {
    struct seen s = run("teach", message, 2, 32);
    /* On the path: block 0 until it stores, the word's way, half of a read. */
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 3 * 4);
    assert_int_equal(path_of(&s, 4, CAUSE(MESSAGE)), 100);
    assert_int_equal(path_of(&s, 5, CAUSE(MESSAGE)), 100);
    assert_int_equal(path_of(&s, 6, CAUSE(BRANCH)), 4);
    /* Block 1 has waited since its first poll. */
    assert_true(warps_of(&s, 5, CAUSE(MESSAGE)) > 0);
    size_t k = 0;
    while (k < s.n_pieces && s.pieces[k].block == 0) k++;
    assert_int_equal(s.pieces[k].where.line, 5);
    assert_int_equal(s.pieces[k].cause, CAUSE(MESSAGE));
    assert_int_equal(s.pieces[k - 1].where.line, 4);
    for (; k < s.n_pieces; k++) assert_int_equal(s.pieces[k].block, 1);
}

/* 128 KiB a block, of which one is resident: the port takes 2 us for them. */
#define COPY(r0, r1, r2, r3, at)                                               \
    LINE(3)                                                                    \
    "ld.global.v4.u32 {%r" #r0 ", %r" #r1 ", %r" #r2 ", %r" #r3                \
    "}, [%rd2+" #at "];\n"
#define STORE(r0, r1, r2, r3, at)                                              \
    LINE(4)                                                                    \
    "st.global.v4.u32 [%rd2+" #at "], {%r" #r0 ", %r" #r1 ", %r" #r2           \
    ", %r" #r3 "};\n"

TEST(a_copy_that_bandwidth_binds) {
    static const char body[] =
        LINE(2) "mad.lo.s32 %r4, %r1, %r2, %r0;\nmul.wide.u32 %rd3, %r4, 16;\n"
                "add.s64 %rd2, %rd1, %rd3;\n" COPY(10, 11, 12, 13, 0)
                    COPY(14, 15, 16, 17, 262144) COPY(18, 19, 20, 21, 524288)
                        COPY(22, 23, 24, 25, 786432)
                            STORE(10, 11, 12, 13, 1048576)
                                STORE(14, 15, 16, 17, 1310720)
                                    STORE(18, 19, 20, 21, 1572864)
                                        STORE(22, 23, 24, 25, 1835008) LINE(9);
    struct seen s = run("teach", body, 16, 1024);
    uint64_t bound = s.path[CAUSE(BANDWIDTH)];
    assert_true(bound > s.ps * 6 / 10);
    assert_true(path_of(&s, 3, CAUSE(BANDWIDTH)) > 0);
    assert_true(path_of(&s, 3, CAUSE(BANDWIDTH)) +
                    path_of(&s, 4, CAUSE(BANDWIDTH)) + 1 >=
                bound / 1000);
}

TEST(blocks_on_one_multiprocessor) {
    /* The ninth starts where one has ended (test_kernels.c). */
    struct seen s = run("teach", LINE(3) ADD ADD ADD ADD ADD LINE(9), 9, 32);
    assert_int_equal(s.path[CAUSE(BLOCK)], 200 * 1000);
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 2 * 5 * 4);
    s = run("teach", LINE(3) ADD ADD ADD ADD ADD LINE(9), 8, 32);
    assert_int_equal(s.path[CAUSE(LAUNCH)], 507 * 1000);
}

TEST(reads_and_atomics) {
    struct seen s =
        run("teach",
            LINE(3) "ld.global.u64 %rd3, [%rd1];\n" LINE(
                4) "add.s64 %rd4, %rd3, %rd1;\n" LINE(5) "ld.global.u64 %rd5, "
                                                         "[%rd4];\n" LINE(9),
            1, 32);
    assert_int_equal(path_of(&s, 3, CAUSE(L2)), 200);
    assert_int_equal(path_of(&s, 4, CAUSE(ALU)), 8);
    assert_int_equal(path_of(&s, 5, CAUSE(L1)), 30);
    s = run("teach",
            LINE(3) "atom.global.add.u32 %r5, [%rd1], 1;\n" LINE(
                4) "membar.gl;\n" LINE(9),
            1, 32);
    /* its slot is the atomic's */
    assert_int_equal(path_of(&s, 3, CAUSE(ISSUE)), 1);
    assert_int_equal(path_of(&s, 4, CAUSE(FENCE)), 300 + 100 - 1);
}

/* Steps: the path of a chain is block by block; kmodel's rest are processors'.
 */
TEST(steps) {
    struct seen s = run("pram", message, 2, 32);
    assert_int_equal(path_of(&s, 3, CAUSE(ALU)), 3);
    assert_int_equal(path_of(&s, 5, CAUSE(MESSAGE)), 1);
    s = run("kmodel",
            LINE(3) "shl.b32 %r4, %r0, 7;\n" LINE(
                4) "ld.shared.u32 %r5, [%r4];\n" LINE(9),
            1, 64);
    assert_int_equal(path_of(&s, 4, CAUSE(SHARED)), 32);
    assert_int_equal(s.path[CAUSE(PROCESSORS)], 32000);
}

static void look_at_cut(vgpu_device *d, void *user) {
    const struct vgpu_launch_record *r;
    (void)user;
    assert_int_equal(vgpu_launch_records(d, &r), 1);
    assert_int_equal(vgpu_why(d)->cut, 1);
    assert_int_equal(vgpu_why(d)->n_path, 0);
    assert_true(r->model_ps > 0);
    assert_int_equal(r->times.path[CAUSE(UNKNOWN)], r->model_ps);
    assert_int_equal(sum_of(r->times.path), r->model_ps);
}

/* 64 warps that never meet, each with a chain of 120,000 instructions: more
 * than is kept. */
TEST(a_record_that_is_cut_says_so) {
    static const char body[] = "LOOP: add.s32 %r3, %r3, 1;\n"
                               "setp.lt.u32 %p1, %r3, %r9;\n@%p1 bra LOOP;\n";
    run_look((struct run){.clock = "teach",
                          .body = body,
                          .blocks = 2,
                          .threads = 1024,
                          .n = 40000},
             look_at_cut, NULL);
}

UNIT_MAIN(NULL, NULL)

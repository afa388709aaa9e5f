/* SPDX-License-Identifier: MIT
 *
 * test_trace.c: the trace of instructions: what is printed of one, which are
 * chosen, where it ends; and that nothing else changes by it.
 */
#include <stdint.h>
#include <string.h>

#include "text.h"
#include "vgpu.h"
#include "unit.h"

/* y[i] = i < 40 ? 3 * i : 7, and half of it as a float; lane 0 of each warp
 * goes round a loop twice. Lines 10 to 14 of a.cu, line 20 of b.cuh. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".file 1 \"/home/a/a.cu\"\n.file 2 \"/home/a/b.cuh\"\n"
    ".file 3 \"/home/a/\033[2J\007.cu\"\n" /* for whose terminal it is */
    ".visible .entry _Z4workPi(.param .u64 p)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"
    ".reg .f32 %f<3>;\n"
    ".loc 1 10 0\n"
    "ld.param.u64 %rd1, [p];\n"
    "mov.u32 %r1, %tid.x;\n"
    ".loc 1 11 0\n"
    "setp.lt.s32 %p1, %r1, 40;\n"
    "mov.u32 %r2, 7;\n"
    "@%p1 mul.lo.s32 %r2, %r1, 3;\n"
    ".loc 1 12 0\n"
    "mul.wide.s32 %rd2, %r1, 4;\n"
    "add.s64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r2;\n"
    ".loc 1 13 0\n"
    "mov.u32 %r3, %laneid;\n"
    "setp.ne.s32 %p2, %r3, 0;\n"
    "@%p2 bra DONE;\n"
    "mov.u32 %r4, 0;\n"
    "AGAIN:\n"
    "add.s32 %r4, %r4, 1;\n"
    "setp.lt.s32 %p3, %r4, 2;\n"
    "@%p3 bra AGAIN;\n"
    "DONE:\n"
    ".loc 1 14 0\n"
    "bar.sync 0;\n"
    ".loc 2 20 0\n"
    "cvt.rn.f32.s32 %f1, %r2;\n"
    "mul.f32 %f2, %f1, 0f3F000000;\n"
    "ret;\n}\n"
    ".visible .entry other()\n{\n.reg .b32 %r<2>;\n.loc 3 7 0\n"
    "mov.u32 %r1, %ctaid.x;\nret;\n}\n";

static struct text said;

static void keep(void *user, const char *text, size_t bytes) {
    (void)user;
    text_append(&said, text, bytes, SIZE_MAX);
}

struct run {
    uint64_t counts[VGPU_N_COUNTERS];
    int32_t y[64];
};

/* Launches `work` on 2 blocks of 64, `other`, and `work` again; what was
 * printed is in `said`. */
static void run(const struct vgpu_trace_options *trace, vgpu_schedule schedule,
                struct run *r) {
    struct vgpu_options o = {
        .checks = VGPU_CHECK_ALL, .schedule = schedule, .schedule_seed = 3};
    const uint32_t grid[3] = {2, 1, 1}, block[3] = {64, 1, 1};
    vgpu_module *m;
    vgpu_kernel *work, *other;
    uint64_t y;
    if (trace) o.trace = *trace;
    text_free(&said);
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    if (vgpu_module_load(d, ptx, sizeof ptx, &m))
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, "_Z4workPi", &work), VGPU_OK);
    assert_int_equal(vgpu_module_kernel(m, "other", &other), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof r->y, &y), VGPU_OK);
    for (int k = 0; k < 3; k++)
        if (vgpu_launch(d, k == 1 ? other : work, grid, block, 0, &y,
                        k == 1 ? 0 : sizeof y))
            fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_read(d, r->y, y, sizeof r->y), VGPU_OK);
    vgpu_counts(d, r->counts);
    vgpu_close(d);
}

/* Lines that begin so, but for blanks. */
static unsigned lines_with(const char *word) {
    unsigned n = 0;
    for (const char *at = text_string(&said); (at = strstr(at, word)); at++)
        n++;
    return n;
}

TEST(an_instruction_has_place_lanes_and_values) {
    const struct vgpu_trace_options t = {.line = keep,
                                         .launch = 3,
                                         .block_parts = 1,
                                         .block = {1},
                                         .has_warp = true,
                                         .warp = 1,
                                         .line_first = 11,
                                         .line_last = 12};
    struct run r;
    run(&t, VGPU_IN_ORDER, &r);
    assert_string_equal(
        text_string(&said),
        "launch 3, work, block (1,0,0), warp 1\n"
        "  a.cu:11                 setp.lt.s32 %p1, %r1, 40;"
        "                         lanes 0xffffffff\n"
        "    reads   %r1 = 32 33 .. 63\n"
        "    writes  %p1 = lanes 0x000000ff\n"
        "  a.cu:11                 mov.u32 %r2, 7;"
        "                                   lanes 0xffffffff\n"
        "    writes  %r2 = 7\n"
        "  a.cu:11                 @%p1 mul.lo.s32 %r2, %r1, 3;"
        "                      lanes 0x000000ff\n"
        "    reads   %p1 = lanes 0x000000ff  %r1 = 32 33 .. 39\n"
        "    writes  %r2 = 96 99 .. 117\n"
        "  a.cu:12                 mul.wide.s32 %rd2, %r1, 4;"
        "                        lanes 0xffffffff\n"
        "    reads   %r1 = 32 33 .. 63\n"
        "    writes  %rd2 = 128 132 .. 252\n"
        "  a.cu:12                 add.s64 %rd3, %rd1, %rd2;"
        "                         lanes 0xffffffff\n"
        "    reads   %rd1 = 0x200001000000  %rd2 = 128 132 .. 252\n"
        "    writes  %rd3 = 0x200001000080 0x200001000084 .. 0x2000010000fc\n"
        "  a.cu:12                 st.global.u32 [%rd3], %r2;"
        "                        lanes 0xffffffff\n"
        "    reads   %rd3 = 0x200001000080 0x200001000084 .. 0x2000010000fc"
        "  %r2 = 96 99 102 105 108 111 114 117 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 "
        "7 7 7 7 7 7 7 7\n");
}

TEST(lanes_choose_values_and_paths) {
    /* Lanes 4 and 5 do not go round the loop, lane 0 does, twice. */
    struct vgpu_trace_options t = {.line = keep,
                                   .launch = 1,
                                   .block_parts = 3,
                                   .has_warp = true,
                                   .lanes = 0x30,
                                   .file = "a.cu",
                                   .line_first = 13};
    struct run r;
    run(&t, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("add.s32 %r4"), 0);
    assert_int_equal(lines_with("writes  %r3 = 4 5\n"), 1);
    assert_int_equal(lines_with("bar.sync 0;"), 1);
    t.lanes = 1;
    run(&t, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("add.s32 %r4"), 2);
    assert_int_equal(lines_with("writes  %r4 = 2\n"), 1);
    /* A guard that nobody passes is shown, with what it is. */
    assert_int_equal(lines_with("reads   %p3 = lanes 0x00000000\n"), 1);
}

TEST(files_kernels_and_floats) {
    struct vgpu_trace_options t = {.line = keep,
                                   .kernel = "work",
                                   .launch = 1,
                                   .has_warp = true,
                                   .lanes = 0x7,
                                   .file = "b.cuh"};
    struct run r;
    run(&t, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("launch 1, work, block (0,0,0), warp 0\n"), 1);
    assert_int_equal(lines_with("launch"), 2);
    assert_int_equal(lines_with("b.cuh:20"), 6);
    assert_int_equal(lines_with("reads   %r2 = 0 3 6\n"), 2);
    assert_int_equal(lines_with("writes  %f1 = 0 3 6\n"), 2);
    assert_int_equal(lines_with("writes  %f2 = 0 1.5 3\n"), 2);
    t.file = NULL;
    t.kernel = "other";
    run(&t, VGPU_IN_ORDER, &r); /* it is launch 2 */
    assert_string_equal(text_string(&said), "");
    t.launch = 0;
    run(&t, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("launch 2, other"), 2);
    assert_int_equal(lines_with("  ^[[2J^G.cu:7 "), 4);
    assert_int_equal(lines_with("\033"), 0);
    assert_int_equal(lines_with("mov.u32 %r1, %ctaid.x;"), 2);
    t.kernel = "_Z4workPi";
    run(&t, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("launch 1, work"), 2);
    assert_int_equal(lines_with("launch 3, work"), 2);
}

TEST(the_limit_is_for_all_launches_and_is_said) {
    const char *cut = "the trace is cut: its limit of 5 instructions is "
                      "reached\n";
    const struct vgpu_trace_options t = {.line = keep, .limit = 5};
    struct run r;
    run(&t, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("  lanes 0x"), 5);
    assert_int_equal(lines_with(cut), 1);
    assert_string_equal(said.bytes + said.size - strlen(cut), cut);
    const struct vgpu_trace_options all = {.line = keep};
    run(&all, VGPU_IN_ORDER, &r);
    assert_int_equal(lines_with("  lanes 0x"), r.counts[0]);
    assert_int_equal(lines_with("the trace is cut"), 0);
}

TEST(nothing_else_changes) {
    const struct vgpu_trace_options all = {.line = keep};
    for (int s = VGPU_IN_ORDER; s <= VGPU_RANDOM; s++) {
        struct run with, without;
        run(NULL, (vgpu_schedule)s, &without);
        assert_int_equal(said.size, 0);
        run(&all, (vgpu_schedule)s, &with);
        assert_true(said.size > 0);
        assert_memory_equal(with.counts, without.counts, sizeof with.counts);
        assert_memory_equal(with.y, without.y, sizeof with.y);
        assert_int_equal(with.y[5], 15);
        assert_int_equal(with.y[50], 7);
    }
    text_free(&said);
}

UNIT_MAIN(NULL, NULL)

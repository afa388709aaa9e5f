/* SPDX-License-Identifier: MIT
 *
 * test_machine_code.c: what ptxas makes of PTX, as the clock has it: roots and
 * quotients, the order of instructions, a thread's own memory, and L1's lines,
 * beside an H200 (research/clock/written-h200.csv, arithmetic-h200.csv).
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

enum { SOME = 8, MORE = 72 };

/* What comes in front; so many copies of a piece. */
static uint64_t copies(const char *clock, const char *front, const char *piece,
                       uint32_t n, uint32_t threads, uint32_t blocks) {
    struct text t = {0};
    text_add(&t, "%s", front);
    for (uint32_t k = 0; k < n; k++) text_add(&t, "%s", piece);
    struct run r = {.clock = clock,
                    .body = text_string(&t),
                    .blocks = blocks,
                    .threads = threads,
                    .bytes = 1 << 16,
                    .device = clock};
    uint64_t cycles = run_count(r, VGPU_COUNT_MODEL_CYCLES);
    text_free(&t);
    return cycles;
}

/* 64 of them, without what comes first. */
static uint64_t many_of(const char *clock, const char *front, const char *piece,
                        uint32_t threads, uint32_t blocks) {
    return copies(clock, front, piece, MORE, threads, blocks) -
           copies(clock, front, piece, SOME, threads, blocks);
}

static uint64_t many(const char *clock, const char *front, const char *piece,
                     uint32_t threads) {
    return many_of(clock, front, piece, threads, 1);
}

static const char floats[] = "mov.b32 %r4, 0f40000000; mov.b32 %r5, %r4;\n"
                             ".reg .f32 %f<8>; mov.b32 %f1, %r4;\n"
                             "mov.b32 %f2, %r4; mov.b32 %f3, %r4;\n";

/* Cycles of one in a chain: rows latency_ of its file. */
TEST(roots_and_quotients_take_what_was_measured) {
    static const struct {
        const char *piece;
        uint32_t cycles;
    } measured[] = {{"sqrt.rn.f32 %f1, %f1;\n", 56},
                    {"rcp.rn.f32 %f1, %f1;\n", 77},
                    {"div.rn.f32 %f1, %f2, %f1;\n", 57},
                    {"div.full.f32 %f1, %f2, %f1;\n", 45},
                    {"rsqrt.approx.f32 %f1, %f1;\n", 39},
                    {"rsqrt.approx.ftz.f32 %f1, %f1;\n", 18},
                    {"sin.approx.f32 %f1, %f1;\n", 23}};
    for (size_t k = 0; k < sizeof measured / sizeof *measured; k++) {
        uint64_t took = many("h200", floats, measured[k].piece, 32);
        assert_in_range(took, 64 * (measured[k].cycles - 1),
                        64 * (measured[k].cycles + 1));
    }
}

/* A rounded root has branches, so two that need nothing of each other take
 * twice as long; two approximate ones do not. */
TEST(a_warp_waits_for_what_branches) {
    uint64_t root = many("h200", floats, "sqrt.rn.f32 %f1, %f1;\n", 32);
    uint64_t roots = many("h200", floats,
                          "sqrt.rn.f32 %f1, %f1; sqrt.rn.f32 %f3, %f3;\n", 32);
    assert_in_range(roots, root * 19 / 10, root * 21 / 10);
    uint64_t quick = many("h200", floats, "rsqrt.approx.f32 %f1, %f1;\n", 32);
    uint64_t both =
        many("h200", floats,
             "rsqrt.approx.f32 %f1, %f1; rsqrt.approx.f32 %f3, %f3;\n", 32);
    assert_in_range(both, quick, quick * 13 / 10);
}

/* Four loads, each with an addition behind it: the next load need not wait for
 * the addition; in `teach` it does, and behind a branch as well. */
TEST(what_waits_is_passed_by) {
    const char *four =
        "ld.global.u32 %r4, [%rd1]; add.u32 %r8, %r8, %r4;\n"
        "ld.global.u32 %r5, [%rd1+128]; add.u32 %r10, %r10, %r5;\n"
        "ld.global.u32 %r6, [%rd1+256]; add.u32 %r11, %r11, %r6;\n"
        "ld.global.u32 %r7, [%rd1+384]; add.u32 %r12, %r12, %r7;\n";
    const char *apart =
        "ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 7; @%p1 exit;\n";
    const char *zero = "mov.u32 %r8, 0; mov.u32 %r10, 0;\n"
                       "mov.u32 %r11, 0; mov.u32 %r12, 0;\n";
    uint64_t passed = many("h200", zero, four, 256);
    assert_true(passed < 64 * 2 * 57);
    assert_true(many("teach", zero, four, 256) >= 64 * 4 * 30);
    assert_true(many("h200", zero, apart, 256) >= 64 * 57);
}

/* Cycles of a multiprocessor for a load of a warp, 32 warps: row l1_lines. */
TEST(l1_looks_up_four_lines_at_once) {
    const char *near = "mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd1, %rd3;\n";
    const char *far = "and.b32 %r4, %r0, 31; mul.wide.u32 %rd3, %r4, 132;\n"
                      "add.s64 %rd3, %rd1, %rd3;\n";
    const char *load = "ld.global.u32 %r5, [%rd3];\n";
    assert_in_range(many("h200", near, load, 1024), 64 * 32 * 19 / 10,
                    64 * 32 * 21 / 10);
    assert_in_range(many("h200", far, load, 1024), 64 * 32 * 76 / 10,
                    64 * 32 * 84 / 10);
}

/* Stores to a thread's own memory go on to L2: rows local_stores have 6.9 to
 * 8.6 cycles; in `teach` they cost nothing but their slot. */
TEST(own_memory_lies_in_lines) {
    const char *own = ".local .align 16 .b8 own[256];\n";
    const char *store = "st.local.u32 [own+16], %r0;\n";
    uint64_t took = many_of("h200", own, store, 1024, 132);
    assert_in_range(took, 64 * 32 * 69 / 10, 64 * 32 * 95 / 10);
    assert_true(many("teach", own, store, 1024) < took / 4);
}

UNIT_MAIN(NULL, NULL)

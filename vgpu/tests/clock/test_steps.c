/* SPDX-License-Identifier: MIT
 *
 * test_steps.c: the profiles pram and kmodel: depth and work of algorithms
 * equal their formulas. A launch's model time is its depth in steps, or T(n,
 * k).
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

#include <string.h>

static uint64_t count(const char *clock, const char *body, uint32_t blocks,
                      uint32_t threads, uint32_t n, vgpu_counter c) {
    struct run r = {.clock = clock,
                    .body = body,
                    .blocks = blocks,
                    .threads = threads,
                    .bytes = 1 << 20,
                    .n = n};
    return run_count(r, c);
}

enum { HEAD = 7, RET = 1 }; /* steps of kernels.c's head */

/* Hillis and Steele 1986 in shared memory, n threads: log2 n rounds. */
static const char hillis_steele[] =
    "shl.b32 %r4, %r0, 2; st.shared.u32 [%r4], %r0; mov.u32 %r5, 1;\n"
    "LOOP: bar.sync 0; sub.s32 %r6, %r0, %r5; shl.b32 %r7, %r6, 2;\n"
    "setp.lt.s32 %p1, %r6, 0; ld.shared.u32 %r10, [%r4];\n"
    "@!%p1 ld.shared.u32 %r11, [%r7]; @!%p1 add.u32 %r10, %r10, %r11;\n"
    "bar.sync 0; st.shared.u32 [%r4], %r10; shl.b32 %r5, %r5, 1;\n"
    "setp.lt.u32 %p2, %r5, %r9; @%p2 bra LOOP;\n";

TEST(depth_of_hillis_steele) {
    for (uint32_t n = 32, log2 = 5; n <= 1024; n *= 2, log2++)
        assert_int_equal(
            count("pram", hillis_steele, 4, n, n, VGPU_COUNT_DEPTH),
            HEAD + 3 + 12 * log2 + RET);
}

/* Blelloch's up-sweep over n words by n / 2 threads, with its conflicts: lanes
 * 2^d words apart use 32 / 2^d banks, and one from 2^d = 32 on. */
static const char up_sweep[] =
    "mov.u32 %r5, 1; shr.u32 %r6, %r9, 1;\n"
    "LOOP: bar.sync 0; setp.ge.u32 %p1, %r0, %r6; @%p1 bra NEXT;\n"
    "shl.b32 %r7, %r0, 1; add.u32 %r7, %r7, 2; mul.lo.u32 %r7, %r7, %r5;\n"
    "shl.b32 %r7, %r7, 2; shl.b32 %r8, %r5, 2; sub.u32 %r8, %r7, %r8;\n"
    "ld.shared.u32 %r10, [%r7+-4]; ld.shared.u32 %r11, [%r8+-4];\n"
    "add.u32 %r10, %r10, %r11; st.shared.u32 [%r7+-4], %r10;\n"
    "NEXT: shl.b32 %r5, %r5, 1; shr.u32 %r6, %r6, 1;\n"
    "setp.gt.u32 %p2, %r6, 0; @%p2 bra LOOP;\n";

static uint64_t wavefronts_of_level(uint32_t n, uint32_t stride) {
    uint32_t lanes = n / stride < 32 ? n / stride : 32;
    uint32_t ways = stride < 32 ? lanes * stride / 32 : lanes;
    return ways ? ways : 1;
}

TEST(depth_of_the_up_sweep) {
    for (uint32_t n = 64; n <= 2048; n *= 2) {
        uint64_t steps = HEAD + 2 + RET;
        for (uint32_t stride = 2; stride <= n; stride *= 2)
            steps += 3 + 6 + 1 + 4 + 3 * wavefronts_of_level(n, stride);
        assert_int_equal(count("pram", up_sweep, 2, n / 2, n, VGPU_COUNT_DEPTH),
                         steps);
    }
}

/* Under a clock registers that are never live at once share a place. What the
 * guard let alone in the first round is read in the next: %r4 may not share
 * with %r10, which is written in between. */
static const char guarded[] =
    "mov.u32 %r4, 3; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
    "LOOP: setp.eq.u32 %p1, %r5, 0; @%p1 mov.u32 %r4, 9;\n"
    "add.u32 %r6, %r6, %r4; shl.b32 %r10, %r5, 4; add.u32 %r7, %r7, %r10;\n"
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra LOOP;\n"
    "setp.ne.u32 %p1, %r6, 36; @%p1 trap;\n";

TEST(a_guarded_write_ends_no_stretch) {
    assert_true(count("pram", guarded, 1, 32, 0, VGPU_COUNT_DEPTH) > 0);
}

/* Each element of a vector is read, added and given back before the next one:
 * what the first gives back may not lie where the second one's addend does,
 * though nobody needs that later. Either order, since either could share. */
#define ADDS_TWO(first, second)                                                \
    "shl.b32 %r5, %r0, 3; cvt.u64.u32 %rd3, %r5; add.s64 %rd3, %rd1, %rd3;\n"  \
    "mov.b32 %r6, 0f40000000; cvt.rn.f32.u32 %r10, %r0;\n"                     \
    "add.f32 %r11, %r10, %r6; atom.global.add.v2.f32 {" first ", " second      \
    "}, [%rd3], {%r10, %r11};\n"                                               \
    "or.b32 %r14, %r12, %r13; setp.ne.u32 %p1, %r14, 0; @%p1 trap;\n"          \
    "ld.global.v2.u32 {%r15, %r16}, [%rd3]; cvt.rn.f32.u32 %r17, %r0;\n"       \
    "setp.neu.f32 %p2, %r15, %r17; @%p2 trap; add.f32 %r18, %r17, %r6;\n"      \
    "setp.neu.f32 %p3, %r16, %r18; @%p3 trap;\n"

TEST(a_vector_of_atomics_gives_back_beside_its_addends) {
    static const char *const bodies[] = {ADDS_TWO("%r12", "%r13"),
                                         ADDS_TWO("%r13", "%r12")};
    for (int k = 0; k < 2; k++)
        assert_true(count("pram", bodies[k], 1, 32, 0, VGPU_COUNT_DEPTH) > 0);
}

/* Block b waits for block b - 1: the chain that LightScan has. */
static const char chain[] =
    "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3;\n"
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra SEND;\n"
    "WAIT: ld.volatile.global.u32 %r4, [%rd2+-4];\n"
    "setp.eq.u32 %p2, %r4, 0; @%p2 bra WAIT;\n"
    "SEND: st.volatile.global.u32 [%rd2], 1;\n";

TEST(depth_of_a_chain) {
    for (uint32_t blocks = 1; blocks <= 128; blocks = blocks * 2 + 1) {
        uint64_t counts[VGPU_N_COUNTERS];
        struct run r = {.clock = "pram",
                        .body = chain,
                        .blocks = blocks,
                        .threads = 32,
                        .bytes = 4096};
        run_counts(r, counts);
        assert_int_equal(counts[VGPU_COUNT_LONGEST_CHAIN], blocks - 1);
        /* a hop: a poll that sees it, test, branch, store */
        assert_int_equal(counts[VGPU_COUNT_DEPTH],
                         HEAD + 4 + 1 + 4 * (blocks - 1) + RET);
        assert_int_equal(counts[VGPU_COUNT_MODEL_CYCLES],
                         counts[VGPU_COUNT_DEPTH]);
    }
}

/* Brent 1974: 16 warps of D steps each. As many processors as warps, or more,
 * share what is not on the longest path; one has all work. */
TEST(p_processors_take_brents_bound) {
    static const char body[] = "add.s32 %r3, %r3, 1; add.s32 %r3, %r3, 1;\n"
                               "add.s32 %r3, %r3, 1; add.s32 %r3, %r3, 1;\n";
    const uint64_t depth = HEAD + 4 + RET, work = 16 * depth;
    static const struct {
        const char *clock;
        uint64_t p;
    } rows[] = {
        {"pram:1", 1}, {"pram:3", 3}, {"pram:16", 16}, {"pram:999", 999}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t more = (work - depth + rows[k].p - 1) / rows[k].p;
        assert_int_equal(
            count(rows[k].clock, body, 8, 64, 0, VGPU_COUNT_MODEL_CYCLES),
            depth + more);
        assert_int_equal(count(rows[k].clock, body, 8, 64, 0, VGPU_COUNT_DEPTH),
                         depth);
    }
}

TEST(other_numbers_of_processors_are_refused) {
    static const char *const wrong[] = {"pram:",          "pram:0",   "pram:-1",
                                        "pram:4x",        "kmodel:4", "teach:4",
                                        "pram:9999999999"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct vgpu_options options = {.clock = wrong[k]};
        assert_null(vgpu_open(&options, NULL));
        assert_false(vgpu_is_clock(wrong[k]));
    }
    assert_true(vgpu_is_clock("pram:132"));
}

/* The stores of sums alone, of a tree of n leaves in n words: T of Capannini et
 * al., section VII, "NoPadding": n (log2 k + 1) / k - 1. */
static const char tree_stores[] =
    "mov.u32 %r5, 2; shr.u32 %r6, %r9, 1;\n"
    "LOOP: setp.ge.u32 %p1, %r0, %r6; @%p1 bra NEXT;\n"
    "add.u32 %r7, %r0, 1; mul.lo.u32 %r7, %r7, %r5; shl.b32 %r7, %r7, 2;\n"
    "st.shared.u32 [%r7+-4], %r0;\n"
    "NEXT: shl.b32 %r5, %r5, 1; shr.u32 %r6, %r6, 1;\n"
    "setp.gt.u32 %p2, %r6, 0; @%p2 bra LOOP;\n";

TEST(kmodel_is_the_papers_time) {
    for (uint64_t n = 64; n <= 2048; n *= 2)
        assert_int_equal(count("kmodel", tree_stores, 1, (uint32_t)n / 2,
                               (uint32_t)n, VGPU_COUNT_MODEL_CYCLES),
                         n * (5 + 1) / 32 - 1);
}

/* Block b waits for block b - 1; `polls` reads the word, in all its warps, and
 * `sends` writes one. */
static uint64_t links(const char *clock, const char *polls, const char *sends) {
    struct text t = {0};
    text_add(&t,
             "mul.wide.u32 %%rd3, %%r1, 32; add.s64 %%rd2, %%rd1, %%rd3;\n"
             "setp.eq.u32 %%p1, %%r1, 0; @%%p1 bra GO;\n"
             "W: %s %%r4, [%%rd2+-32]%s;\n"
             "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra W;\n"
             "GO: bar.sync 0; setp.ne.u32 %%p1, %%r0, 0; @%%p1 bra END;\n"
             "mov.u32 %%r5, 1; %s [%%rd2], %%r5;\nEND:\n",
             polls,
             strstr(polls, "add")   ? ", 0"
             : strstr(polls, "cas") ? ", 0, 0"
                                    : "",
             sends);
    uint64_t n =
        count(clock, text_string(&t), 40, 96, 0, VGPU_COUNT_LONGEST_CHAIN);
    text_free(&t);
    return n;
}

TEST(who_polls_with_an_atomic_is_no_writer) {
    static const char *const sends[] = {"st.volatile.global.u32",
                                        "atom.global.exch.b32 %r6,",
                                        "red.global.add.u32"};
    static const char *const polls[] = {
        "ld.volatile.global.u32", "atom.global.add.u32", "atom.global.cas.b32"};
    for (int s = 0; s < 3; s++)
        for (int p = 0; p < 3; p++) {
            assert_int_equal(links("pram", polls[p], sends[s]), 39);
            assert_int_equal(links("h200", polls[p], sends[s]), 39);
        }
}

TEST(a_sum_has_all_who_added) {
    /* Block 5 adds last or not: who sees 8 depends on its 300 additions. */
    struct text t = {0};
    text_add(&t, "setp.ne.u32 %%p1, %%r1, 5; @%%p1 bra GO;\n");
    for (int n = 0; n < 300; n++) text_add(&t, "add.s32 %%r3, %%r3, 1;\n");
    text_add(&t, "GO: red.global.add.u32 [%%rd1], 1;\n"
                 "W: ld.volatile.global.u32 %%r4, [%%rd1];\n"
                 "setp.ne.u32 %%p2, %%r4, 8; @%%p2 bra W;\n");
    assert_int_equal(
        count("pram", text_string(&t), 8, 1, 0, VGPU_COUNT_LONGEST_CHAIN), 1);
    uint64_t depth = count("pram", text_string(&t), 8, 1, 0, VGPU_COUNT_DEPTH);
    text_free(&t);
    assert_int_equal(depth, HEAD + 2 + 300 + 1 + 3 + RET);
}

UNIT_MAIN(NULL, NULL)

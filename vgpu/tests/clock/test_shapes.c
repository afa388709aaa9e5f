/* SPDX-License-Identifier: MIT
 *
 * test_shapes.c: what an access costs under a clock is its own, whatever the
 * instruction did before. The virtual GPU counts accesses together while they
 * have one shape (counts.h), so the ones here change it: now and then, in every
 * way, in one warp of many. Depths are computed by hand, or from the addresses
 * by the rule of docs/counts.md (wavefronts.h).
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"
#include "wavefronts.h"

#include <string.h>

enum { HEAD = 7, RET = 1 }; /* steps of kernels.c's head */

static uint64_t depth_of(const char *clock, const char *body, uint32_t blocks,
                         uint32_t threads, uint32_t n) {
    struct run r = {.clock = clock,
                    .body = body,
                    .blocks = blocks,
                    .threads = threads,
                    .bytes = 4096,
                    .n = n};
    return run_count(r, VGPU_COUNT_DEPTH);
}

/* ---- by hand ---- */

/* A hundred rounds, each with one access of one pass: lane l's word is l, but
 * in the last round, where n is 4, it is its neighbour's. */
#define ROUNDS(access)                                                         \
    "shl.b32 %r4, %r0, 2; mov.u32 %r5, 0;\n"                                   \
    "LOOP: setp.eq.u32 %p1, %r5, 99; selp.b32 %r7, %r9, 0, %p1;\n"             \
    "xor.b32 %r6, %r4, %r7;\n" access                                          \
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 100; @%p2 bra LOOP;\n"

TEST(one_access_of_another_shape_is_one_pass) {
    static const char *const bodies[] = {
        ROUNDS("ld.shared.u32 %r10, [%r6];\n"),
        ROUNDS("st.shared.u32 [%r6], %r0;\n"),
        ROUNDS("ld.shared.u32 %r10, [%r6+4096];\n"),
        ROUNDS("ld.shared.u8 %r10, [%r6];\n"),
        ROUNDS("atom.shared.add.u32 %r10, [%r6], 1;\n")};
    const uint64_t by_hand = HEAD + 2 + 100 * (3 + 1 + 3) + RET;
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
        for (uint32_t n = 0; n <= 4; n += 4) {
            assert_int_equal(depth_of("pram", bodies[k], 1, 32, n), by_hand);
            assert_int_equal(depth_of("pram", bodies[k], 9, 128, n), by_hand);
            assert_int_equal(depth_of("kmodel", bodies[k], 1, 32, n), 100);
        }
}

/* The last of 64 blocks alone goes another way, once: the others' accesses to
 * shared memory are none of its. */
TEST(what_other_blocks_did_is_theirs) {
    static const char body[] =
        "shl.b32 %r4, %r0, 2; setp.eq.u32 %p1, %r1, 63;\n"
        "selp.b32 %r7, %r9, 0, %p1; xor.b32 %r6, %r4, %r7;\n"
        "st.shared.u32 [%r6], %r0; ld.shared.u32 %r10, [%r6];\n";
    for (uint32_t n = 0; n <= 4; n += 4)
        assert_int_equal(depth_of("pram", body, 64, 256, n),
                         HEAD + 4 + 2 + RET);
}

/* Every other access is to one bank: 32 passes, then one, then 32. */
TEST(a_shape_that_comes_and_goes) {
    static const char body[] =
        "mov.u32 %r5, 0;\n"
        "LOOP: and.b32 %r6, %r5, 1; mul.lo.u32 %r6, %r6, 5;\n"
        "add.u32 %r6, %r6, 2; shl.b32 %r6, %r0, %r6;\n"
        "ld.shared.u32 %r10, [%r6];\n"
        "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 40; @%p2 bra LOOP;\n";
    assert_int_equal(depth_of("pram", body, 4, 96, 0),
                     HEAD + 1 + 20 * (4 + 32 + 3) + 20 * (4 + 1 + 3) + RET);
}

/* The same in time: after a round of 32 passes the next is not late by what was
 * counted before. A kernel of rounds alike takes as long whether it runs alone
 * or behind others. */
TEST(time_is_the_accesses_own_too) {
    const char *body = ROUNDS("ld.shared.u32 %r10, [%r6];\n"
                              "add.u32 %r11, %r10, %r11;\n");
    struct run r = {.clock = "teach",
                    .body = body,
                    .blocks = 1,
                    .threads = 32,
                    .bytes = 4096};
    uint64_t alike = run_count(r, VGPU_COUNT_MODEL_NS);
    r.n = 4;
    assert_int_equal(run_count(r, VGPU_COUNT_MODEL_NS), alike);
}

/* ---- at random ---- */

enum { THREADS = 96, N_ROUNDS = 50, A = 1664525, C = 1013904223 };

/* Round k's addresses follow from the k-th number of a sequence that begins
 * with n: every so often a factor, lanes that change places, lanes left out. */
static const char of_round[] =
    "mov.u32 %r5, 0; mov.u32 %r8, %r9; mov.u64 %rd5, 0;\n"
    "LOOP: mad.lo.u32 %r8, %r8, 1664525, 1013904223;\n"
    "bfe.u32 %r11, %r8, 16, 2; setp.eq.u32 %p1, %r11, 0;\n"
    "bfe.u32 %r12, %r8, 8, 4; selp.b32 %r12, %r12, 1, %p1;\n"
    "bfe.u32 %r13, %r8, 18, 2; setp.eq.u32 %p2, %r13, 0;\n"
    "bfe.u32 %r14, %r8, 24, 5; selp.b32 %r14, %r14, 0, %p2;\n"
    "mul.lo.u32 %r6, %r0, %r12; xor.b32 %r6, %r6, %r14;\n"
    "and.b32 %r6, %r6, 1023;\n"
    "bfe.u32 %r15, %r8, 20, 2; setp.ne.u32 %p3, %r15, 0;\n"
    "bfe.u32 %r16, %r8, 29, 3; and.b32 %r17, %r0, 7;\n"
    "setp.ne.or.u32 %p4, %r16, %r17, %p3;\n";
static const char next_round[] =
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 50; @%p5 bra LOOP;\n";
/* steps without the access, of which each pass is one */
enum { SET_UP = 3, IN_ROUND = 18, BEHIND = 3 };

static uint32_t bits(uint32_t x, uint32_t at, uint32_t n) {
    return x >> at & ((1u << n) - 1);
}

/* The lanes' places, in units of an access; the mask of those that take part.
 */
static uint32_t places(uint32_t h, uint32_t warp, uint64_t place[32]) {
    uint32_t factor = bits(h, 16, 2) ? 1 : bits(h, 8, 4);
    uint32_t swap = bits(h, 18, 2) ? 0 : bits(h, 24, 5);
    uint32_t mask = 0;
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t thread = warp * 32 + l;
        place[l] = (thread * factor ^ swap) & 1023;
        bool on = bits(h, 29, 3) != (thread & 7) || bits(h, 20, 2);
        mask |= (uint32_t)on << l;
    }
    return mask;
}

static uint64_t passes_of(uint32_t seed, uint32_t warp, uint32_t bytes,
                          enum wavefronts_use use) {
    uint64_t sum = 0, place[32];
    for (uint32_t k = 0, h = seed; k < N_ROUNDS; k++) {
        h = h * A + C;
        uint32_t mask = places(h, warp, place);
        for (uint32_t l = 0; l < 32; l++) place[l] *= bytes;
        sum += wavefronts_of((struct banks){32, 32}, use, place, mask, bytes);
    }
    return sum;
}

TEST(shapes_at_random) {
    static const struct {
        const char *access;
        uint32_t bytes;
        enum wavefronts_use use;
    } rows[] = {
        {"ld.shared.u32 %r10, [%r6];\n", 4, WAVEFRONTS_LOAD},
        {"st.shared.u32 [%r6], %r0;\n", 4, WAVEFRONTS_STORE},
        {"ld.shared.u64 %rd4, [%r6];\n", 8, WAVEFRONTS_LOAD},
        {"st.shared.u64 [%r6], %rd5;\n", 8, WAVEFRONTS_STORE},
        {"ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r6];\n", 16,
         WAVEFRONTS_LOAD},
        {"st.shared.v4.u32 [%r6], {%r0, %r0, %r0, %r0};\n", 16,
         WAVEFRONTS_STORE},
        {"ld.shared.u16 %r10, [%r6];\n", 2, WAVEFRONTS_LOAD},
        {"atom.shared.add.u32 %r10, [%r6], 1;\n", 4, WAVEFRONTS_ATOMIC},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (uint32_t seed = 1; seed <= 20; seed++) {
            struct text t = {0};
            uint64_t most = 0;
            text_add(&t, "%s mul.lo.u32 %%r6, %%r6, %u;\n@%%p4 %s%s", of_round,
                     rows[k].bytes, rows[k].access, next_round);
            for (uint32_t w = 0; w < THREADS / 32; w++) {
                uint64_t n = passes_of(seed, w, rows[k].bytes, rows[k].use);
                most = n > most ? n : most;
            }
            assert_int_equal(
                depth_of("kmodel", text_string(&t), 1, THREADS, seed), most);
            assert_int_equal(
                depth_of("pram", text_string(&t), 3, THREADS, seed),
                HEAD + SET_UP + N_ROUNDS * (IN_ROUND + BEHIND) + most + RET);
            text_free(&t);
        }
}

UNIT_MAIN(NULL, NULL)

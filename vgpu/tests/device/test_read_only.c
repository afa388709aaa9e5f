/* SPDX-License-Identifier: MIT
 *
 * test_read_only.c: loads through the read-only cache under weak memory: of a
 * word that the launch has stored they may be old, whatever stands between; of
 * others never; and a plain load behind a barrier never is.
 */
#include <stdint.h>
#include <string.h>

#include "unit.h"
#include "vgpu.h"

enum { N = 64, SEEDS = 24 };

/* x[t] = x[t] + 100; barrier, fence; y[t] = x[63 - t], by the load that the
 * kernel is named after; and 1000 more for a word that nobody writes. */
#define KERNEL(name, load)                                                     \
    ".visible .entry " name "(.param .u64 p)\n{\n"                             \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n"                                    \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"                          \
    "mul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                  \
    "sub.s64 %rd4, %rd1, %rd2;\n"                                              \
    "ld.global.u32 %r2, [%rd3];\nadd.s32 %r2, %r2, 100;\n"                     \
    "st.global.u32 [%rd3], %r2;\nmembar.gl;\nbar.sync 0;\n" load               \
    " %r3, [%rd4+252];\nld.global.nc.u32 %r4, [%rd1+512];\n"                   \
    "add.s32 %r3, %r3, %r4;\nst.global.u32 [%rd3+256], %r3;\nret;\n}\n"
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n" KERNEL(
        "cached", "ld.global.nc.u32") KERNEL("plain", "ld.global.u32");

/* How many of y are old, and how many are neither old nor new. */
static void count(const char *kernel, vgpu_memory_model model, uint64_t seed,
                  uint32_t *old, uint32_t *wrong) {
    struct vgpu_options o = {.memory_model = model, .memory_seed = seed};
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {N, 1, 1};
    uint32_t words[2 * N + 1];
    vgpu_module *m;
    vgpu_kernel *k;
    uint64_t at;
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    if (vgpu_module_load(d, ptx, sizeof ptx, &m))
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, kernel, &k), VGPU_OK);
    for (uint32_t i = 0; i < N; i++) words[i] = i, words[N + i] = 0;
    words[2 * N] = 1000;
    assert_int_equal(vgpu_malloc(d, sizeof words, &at), VGPU_OK);
    assert_int_equal(vgpu_write(d, at, words, sizeof words), VGPU_OK);
    assert_int_equal(vgpu_launch(d, k, grid, block, 0, &at, sizeof at),
                     VGPU_OK);
    assert_int_equal(vgpu_read(d, words, at, sizeof words), VGPU_OK);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t y = words[N + i], x = 1000 + N - 1 - i;
        *old += y == x;
        *wrong += y != x && y != x + 100;
    }
    vgpu_close(d);
}

TEST(a_stored_word_may_be_old) {
    uint32_t old = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        count("cached", VGPU_MEMORY_WEAK, seed, &old, &wrong);
    assert_int_equal(wrong, 0);
    assert_in_range(old, SEEDS * N / 5, SEEDS * N * 4 / 5);
}

TEST(a_plain_load_is_new) {
    uint32_t old = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        count("plain", VGPU_MEMORY_WEAK, seed, &old, &wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(old, 0);
}

TEST(without_weak_memory_nothing_is_old) {
    uint32_t old = 0, wrong = 0;
    count("cached", VGPU_MEMORY_SC, 1, &old, &wrong);
    assert_int_equal(old + wrong, 0);
}

UNIT_MAIN(NULL, NULL)

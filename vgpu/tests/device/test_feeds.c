/* SPDX-License-Identifier: MIT
 *
 * test_feeds.c: which launches the answer comes from, and which words nobody
 * read.
 */
#include <string.h>

#include "unit.h"
#include "vgpu.h"

enum { N = 64, MANY = 1100 };

/* copy: to[t] = from[t]; bytes: the same of one byte; fill: to[t] = t; idle:
 * nothing; twice: to[t] = from[t], from[t] = to[t]. */
#define BEGIN(name)                                                            \
    ".visible .entry " name "(.param .u64 p, .param .u64 q)\n{\n"              \
    ".reg .b32 %r<4>;\n.reg .b64 %d<6>;\nld.param.u64 %d1, [p];\n"             \
    "ld.param.u64 %d2, [q];\nmov.u32 %r1, %tid.x;\n"                           \
    "mul.wide.s32 %d3, %r1, 4;\nadd.s64 %d1, %d1, %d3;\n"                      \
    "add.s64 %d2, %d2, %d3;\n"
#define END "ret;\n}\n"
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n" BEGIN("idle")
        END BEGIN("fill") "st.global.u32 [%d1], %r1;\n" END BEGIN(
            "copy") "ld.global.u32 %r2, [%d2];\nst.global.u32 [%d1], "
                    "%r2;\n" END BEGIN(
                        "bytes") "ld.global.u8 %r2, [%d2];\nst.global.u8 "
                                 "[%d1], "
                                 "%r2;\n" END BEGIN(
                                     "twice") "ld.global.u32 %r2, "
                                              "[%d2];\nst.global.u32 "
                                              "[%d1], %r2;\nld.global.u32 %r2, "
                                              "[%d1];\nst.global.u32 [%d2], "
                                              "%r2;\n" END;

static struct {
    vgpu_device *d;
    vgpu_module *m;
    uint64_t a, b, c; /* arrays of N words */
} at;

static void open_with(bool feeds) {
    struct vgpu_options o = {.feeds = feeds};
    at.d = vgpu_open(&o, NULL);
    assert_non_null(at.d);
    if (vgpu_module_load(at.d, ptx, sizeof ptx, &at.m))
        fail_msg("%s", vgpu_last_message(at.d));
    uint64_t *const arrays[] = {&at.a, &at.b, &at.c};
    for (int k = 0; k < 3; k++)
        assert_int_equal(vgpu_malloc(at.d, N * 4, arrays[k]), VGPU_OK);
    vgpu_reset_counts(at.d);
}

static void launch(const char *name, uint64_t to, uint64_t from) {
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {N, 1, 1};
    const uint64_t parameters[] = {to, from};
    vgpu_kernel *k;
    assert_int_equal(vgpu_module_kernel(at.m, name, &k), VGPU_OK);
    assert_int_equal(
        vgpu_launch(at.d, k, grid, block, 0, parameters, sizeof parameters),
        VGPU_OK);
}

static void read_back(uint64_t from) {
    uint32_t words[N];
    assert_int_equal(vgpu_read(at.d, words, from, sizeof words), VGPU_OK);
}

/* Closes the device. */
static void expect(uint64_t useful, uint64_t unread) {
    uint64_t counts[VGPU_N_COUNTERS];
    vgpu_counts(at.d, counts);
    vgpu_close(at.d);
    assert_int_equal(counts[VGPU_COUNT_USEFUL_LAUNCHES], useful);
    assert_int_equal(counts[VGPU_COUNT_USEFUL_THREADS], useful * N);
    assert_int_equal(counts[VGPU_COUNT_UNREAD_WORDS], unread);
}

TEST(an_answer_comes_from_a_chain) {
    open_with(true);
    launch("fill", at.a, 0);
    launch("copy", at.b, at.a);
    launch("copy", at.c, at.b);
    read_back(at.c);
    expect(3, 0);
}

TEST(idle_launches_feed_nobody) {
    open_with(true);
    launch("idle", at.a, at.a);
    launch("fill", at.a, 0); /* for nobody but the next, which is for nobody */
    launch("copy", at.b, at.a);
    launch("fill", at.c, 0);
    read_back(at.c);
    expect(1, 0);
}

TEST(stored_again_before_anybody_read) {
    open_with(true);
    launch("fill", at.a, 0);
    launch("fill", at.a, 0);
    read_back(at.a);
    expect(1, N);
}

TEST(freed_before_anybody_read) {
    open_with(true);
    launch("fill", at.a, 0);
    launch("copy", at.b, at.a);
    read_back(at.a);
    assert_int_equal(vgpu_free(at.d, at.b), VGPU_OK);
    expect(1, N);
}

TEST(copies_hand_on_what_launches_stored) {
    open_with(true);
    launch("fill", at.a, 0);
    assert_int_equal(vgpu_copy(at.d, at.b, at.a, N * 4), VGPU_OK);
    launch("copy", at.c, at.b);
    read_back(at.c);
    expect(2, 0);
}

TEST(what_the_host_stores_is_no_launch) {
    const uint32_t words[N] = {0};
    open_with(true);
    launch("fill", at.a, 0);
    launch("fill", at.b, 0);
    assert_int_equal(vgpu_write(at.d, at.a, words, sizeof words), VGPU_OK);
    assert_int_equal(vgpu_fill(at.d, at.b, 0, N * 4), VGPU_OK);
    read_back(at.a);
    read_back(at.b);
    expect(0, 0);
}

TEST(a_word_stored_in_part_keeps_its_launch) {
    open_with(true);
    launch("fill", at.a, 0);
    launch("bytes", at.a, at.a);
    read_back(at.a);
    expect(2, 0);
}

TEST(own_words_make_nobody_useful) {
    open_with(true);
    launch("fill", at.b, 0);
    launch("twice", at.a, at.b);
    launch("fill", at.c, 0);
    read_back(at.c);
    expect(1, 0);
}

TEST(counts_that_were_reset_forget) {
    open_with(true);
    launch("fill", at.a, 0);
    vgpu_reset_counts(at.d);
    launch("copy", at.b, at.a);
    read_back(at.b);
    expect(1, 0);
}

TEST(too_many_are_all_useful) {
    open_with(true);
    for (int k = 0; k < MANY; k++) launch("fill", at.a, 0);
    expect(MANY, 0);
}

TEST(nobody_asks) {
    open_with(false);
    launch("fill", at.a, 0);
    read_back(at.a);
    expect(0, 0);
}

UNIT_MAIN(NULL, NULL)

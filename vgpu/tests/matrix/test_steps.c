/* SPDX-License-Identifier: MIT
 *
 * test_steps.c: recorded steps through matrix instructions: from which writes
 * an element was computed.
 */
#include "products.h"
#include "unit.h"
#include "vgpu_steps.h"

/* Of how many writes the value came that thread `lane` stored to byte `at` of
 * an array. */
static uint32_t feeds_of(vgpu_device *d, uint32_t lane, uint32_t at) {
    struct vgpu_steps s;
    assert_true(vgpu_steps_seen(d, &s));
    assert_false(s.is_cut);
    for (uint32_t k = s.n_writes; k-- > 0;)
        if (s.writes[k].writer == VGPU_WRITER_STORE &&
            s.writes[k].thread == lane && s.writes[k].at == at)
            return s.writes[k].n_feeds;
    fail_msg("thread %u has stored nothing at %u", lane, at);
    return 0;
}

static void run(const char *body, void (*look)(vgpu_device *)) {
    uint32_t in[256], out[256];
    for (uint32_t k = 0; k < 256; k++) in[k] = k << 14;
    products_run(&(struct products){.body = body,
                                    .in = in,
                                    .out = out,
                                    .n_in = 256,
                                    .n_out = 256,
                                    .look = look});
}

/* A row of a, a column of b, and c. */
static void look_at_product(vgpu_device *d) {
    assert_int_equal(feeds_of(d, 0, 0), 4 + 4 + 1);
    assert_int_equal(feeds_of(d, 31, 4 * 31), 4 + 4 + 1);
}

TEST(an_element_comes_of_a_row_and_a_column) {
    run("ld.global.b32 %a0, [%at]; ld.global.b32 %a1, [%at+128];\n"
        "ld.global.b32 %b0, [%at+256]; ld.global.b32 %c0, [%at+384];\n"
        "mov.b32 %r1, 0;\n"
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
        "{%d0,%d1,%d2,%d3}, {%a0,%a1}, {%b0}, {%c0,%r1,%r1,%r1};\n"
        "st.global.b32 [%to], %d0;\n",
        look_at_product);
}

/* By wmma: 8 of a, 8 of b. Lane 5 has columns 2 and 3 of row 1. */
static void look_at_wmma(vgpu_device *d) {
    assert_int_equal(feeds_of(d, 0, 0), 8 + 8);
    assert_int_equal(feeds_of(d, 5, 4 * 18), 8 + 8);
    assert_int_equal(feeds_of(d, 5, 4 * 19), 8 + 8);
}

TEST(memory_to_memory_by_wmma) {
    run("mov.b32 %r1, 0;\n"
        "wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 "
        "{%a0,%a1,%a2,%a3}, [%in];\n"
        "wmma.load.b.sync.aligned.col.m16n16k8.global.tf32 "
        "{%b0,%b1,%b2,%b3}, [%in+512];\n"
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 "
        "{%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%a0,%a1,%a2,%a3}, "
        "{%b0,%b1,%b2,%b3}, {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1};\n"
        "wmma.store.d.sync.aligned.row.m16n16k8.global.f32 [%out], "
        "{%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7};\n",
        look_at_wmma);
}

/* A lane's word of a tile that is turned comes of two words. */
static void look_at_turned(vgpu_device *d) {
    assert_int_equal(feeds_of(d, 0, 0), 2);
    assert_int_equal(feeds_of(d, 1, 128 + 4), 2);
}

TEST(two_words_make_one_of_a_turned_tile) {
    run("shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;\n"
        "ld.global.b32 %a0, [%at]; st.shared.b32 [%r1], %a0;\n"
        "bar.warp.sync -1; and.b32 %r1, %r0, 7; shl.b32 %r1, %r1, 4;\n"
        "add.u32 %r1, %r1, %r2;\n"
        "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%d0}, [%r1];\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %d1, %a0;\n"
        "st.global.b32 [%to], %d0; st.global.b32 [%to+128], %d1;\n",
        look_at_turned);
}

UNIT_MAIN(NULL, NULL)

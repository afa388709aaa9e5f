/* SPDX-License-Identifier: MIT
 *
 * test_taint.c: taint through matrix instructions: the operations on two
 * tainted operands that a product stands for, and which registers and bytes are
 * tainted afterwards, seen by the additions that follow. And what the clock
 * makes of products.
 */
#include <string.h>

#include "products.h"
#include "text.h"
#include "unit.h"

#define LOADS                                                                  \
    "ld.global.b32 %a0, [%at]; ld.global.b32 %a1, [%at+128];\n"                \
    "ld.global.b32 %b0, [%at+256];\n"                                          \
    "ld.global.b32 %c0, [%at+384]; ld.global.b32 %c1, [%at+512];\n"            \
    "ld.global.b32 %c2, [%at+640]; ld.global.b32 %c3, [%at+768];\n"
#define PRODUCT                                                                \
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%d0,%d1,%d2,%d3}, "   \
    "{%a0,%a1}, {%b0}, {%c0,%c1,%c2,%c3};\n"
#define STORE "st.global.b32 [%to], %d0;\n"
/* Counts in each lane whose %d0 is tainted. */
#define ADD "add.u32 %d0, %d0, %d0;\n"

static uint64_t ops(const char *body, size_t tainted, size_t n) {
    uint32_t in[7 * 32] = {0}, out[32];
    return products_run(&(struct products){.body = body,
                                           .in = in,
                                           .out = out,
                                           .n_in = 7 * 32,
                                           .n_out = 32,
                                           .marked = tainted,
                                           .n_marked = n});
}

/* a is 64 words, b 32, c 128. Of 128 elements each has 4 products. */
TEST(nothing_tainted_counts_nothing) {
    assert_int_equal(ops(LOADS PRODUCT ADD STORE, 0, 0), 0);
}

TEST(sums_of_tainted_products_count) {
    assert_int_equal(ops(LOADS PRODUCT STORE, 64, 32), 128 * 3);
    assert_int_equal(ops(LOADS PRODUCT STORE, 0, 64), 128 * 3);
}

TEST(products_of_two_tainted_factors_count) {
    assert_int_equal(ops(LOADS PRODUCT STORE, 0, 96), 128 * (3 + 4));
}

TEST(the_addend_counts_where_something_is_added) {
    assert_int_equal(ops(LOADS PRODUCT STORE, 96, 128), 0);
    assert_int_equal(ops(LOADS PRODUCT STORE, 64, 160), 128 * 4);
}

/* Word 0 of a is row 0, place 0: it taints row 0, 8 elements, two of them in
 * each of the registers d0, d1 of lanes 0 to 3. */
TEST(a_row_is_tainted_by_a_factor) {
    assert_int_equal(ops(LOADS PRODUCT STORE, 0, 1), 0);
    assert_int_equal(ops(LOADS PRODUCT ADD STORE, 0, 1), 4);
}

/* Word 0 of b is place 0 of column 0: of d0 the lanes of that column. */
TEST(a_column_is_tainted_by_a_factor) {
    assert_int_equal(ops(LOADS PRODUCT ADD STORE, 64, 1), 8);
}

/* ---- through memory ---- */

#define FILL                                                                   \
    "shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;\n"         \
    "ld.global.b32 %a0, [%at]; st.shared.b32 [%r1], %a0;\n"                    \
    "ld.global.b32 %a0, [%at+128]; st.shared.b32 [%r1+128], %a0;\n"            \
    "bar.warp.sync -1; shl.b32 %r1, %r0, 4; add.u32 %r1, %r1, %r2;\n"
#define ROWS   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%r1];\n"
#define TURNED "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%d0}, [%r1];\n"

/* Word 5 is a part of row 1: lane 5 has it, or two lanes have a half of it. */
TEST(taint_goes_with_the_rows_of_a_tile) {
    assert_int_equal(ops(FILL ROWS ADD STORE, 5, 1), 1);
    assert_int_equal(ops(FILL TURNED ADD STORE, 5, 1), 2);
    assert_int_equal(ops(FILL TURNED ADD STORE, 32, 32), 0);
}

TEST(taint_goes_with_a_matrix_that_is_turned) {
    static const char turn[] =
        FILL ROWS "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %d0;\n" ADD STORE;
    assert_int_equal(ops(turn, 5, 1), 2);
}

/* Out again by stmatrix, and read back. */
TEST(taint_goes_into_memory) {
    static const char back[] = FILL ROWS
        "bar.warp.sync -1;\n"
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1+128], {%d0};\n"
        "bar.warp.sync -1; shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, %r2;\n"
        "ld.shared.b32 %d0, [%r1+128];\n" ADD STORE;
    assert_int_equal(ops(back, 5, 1), 1);
}

/* wmma: a's word 0 is two elements of row 0. */
TEST(taint_goes_through_wmma) {
    static const char from_memory[] =
        "wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 "
        "{%a0,%a1,%a2,%a3}, [%in], 8;\n"
        "add.u32 %d0, %a0, %a0;\n" STORE;
    assert_int_equal(ops(from_memory, 0, 8), 4);
    assert_int_equal(ops(from_memory, 0, 128), 32);
}

/* ---- the clock ---- */

static uint64_t cycles(const char *body) {
    uint32_t in[7 * 32] = {0}, out[32];
    return products_run(&(struct products){.body = body,
                                           .in = in,
                                           .out = out,
                                           .n_in = 7 * 32,
                                           .n_out = 32,
                                           .clock = "teach"});
}

#define AGAIN                                                                  \
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d0,%d1,%d2,%d3}, "   \
    "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%d0,%d1,%d2,%d3};\n"
#define OTHER                                                                  \
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%c0,%c1,%c2,%c3}, "   \
    "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};\n"

/* teach: the unit takes one in 4 cycles, and its result is there after 32. */
TEST(a_product_waits_for_its_addend_alone) {
    uint64_t one = cycles(AGAIN STORE);
    assert_int_equal(cycles(AGAIN AGAIN STORE) - one, 32);
    assert_int_equal(cycles(AGAIN AGAIN AGAIN STORE) - one, 64);
    assert_int_equal(cycles(OTHER AGAIN STORE) - one, 4);
    assert_int_equal(cycles(OTHER OTHER AGAIN STORE) - one, 32 + 4);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * joined_test.c: what is moved together, and what counts as an operation on
 * data then (vgpu/observers/watch/taint.h). One thread has two words of the
 * input, %a and %b, scratch memory at [%m], and does what a row says.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vgpu.h>

#include "unit.h"

static const char head[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 x, .param .u64 y) {\n"
    ".reg .pred %p; .reg .b32 %a, %b, %r, %s, %j; .reg .b64 %d, %m, %x;\n"
    ".reg .f32 %f;\n"
    "ld.param.u64 %x, [x]; ld.param.u64 %m, [y];\n"
    "ld.global.u32 %a, [%x]; ld.global.u32 %b, [%x + 4];\n";

#define JOIN "bfi.b32 %j, %a, %b, 8, 8;"
#define BYTES                                                                  \
    "st.global.u8 [%m], %a; st.global.u8 [%m + 1], %b; ld.global.u32 %r, "     \
    "[%m];"
#define WORDS "st.global.u32 [%m], %a; st.global.u32 [%m + 4], %b;"
#define BACK  "ld.global.u32 %r, [%m]; add.u32 %r, %r, 1;"
#define POINT "and.b32 %r, %r, 4; cvt.u64.u32 %d, %r; add.s64 %d, %d, %m;"

static const struct row {
    const char *what;
    uint64_t data_ops;
    const char *ptx;
} rows[] = {
    {"two operands", 1, "add.u32 %r, %a, %b;"},
    {"a constant", 0, "add.u32 %r, %a, 1;"},
    {"bfi moves", 0, JOIN},
    {"a constant added to both", 1, JOIN "add.u32 %r, %j, 1;"},
    {"the result is joined", 2, JOIN "add.u32 %r, %j, 1; add.u32 %r, %r, 1;"},
    {"bits that only move", 0,
     JOIN "and.b32 %r, %j, 255; or.b32 %r, %r, 1; xor.b32 %r, %r, 3;"
          "not.b32 %r, %r; shl.b32 %r, %r, 2; shr.u32 %r, %r, 1;"
          "bfe.u32 %r, %r, 1, 4; brev.b32 %r, %r; cvt.u16.u32 %r, %r;"
          "lop3.b32 %r, %r, 5, 9, 0x78; prmt.b32 %r, %r, 0, 0x0123;"},
    {"and then make something", 1, JOIN "shr.u32 %r, %j, 3; neg.s32 %r, %r;"},
    {"a saturating conversion", 1, JOIN "cvt.sat.u8.u32 %r, %j;"},
    {"a float of both", 1, JOIN "cvt.rn.f32.u32 %f, %j;"},
    {"a float of one", 0, "cvt.rn.f32.u32 %f, %a; ex2.approx.f32 %f, %f;"},
    {"a comparison of both", 1, JOIN "setp.eq.u32 %p, %j, 3;"},
    {"what it selects", 2,
     JOIN "setp.eq.u32 %p, %j, 3; selp.b32 %r, 1, 0, %p;"},
    {"prmt moves", 0, "prmt.b32 %j, %a, %b, 0x5410;"},
    {"and joins", 1, "prmt.b32 %j, %a, %b, 0x5410; sub.u32 %r, %j, 1;"},
    {"shf joins", 1, "shf.l.wrap.b32 %j, %a, %b, 8; sub.u32 %r, %j, 1;"},
    {"selecting one is no joining", 0,
     "setp.eq.u64 %p, %m, 0; selp.b32 %r, %a, %b, %p; add.u32 %r, %r, 1;"},
    {"packing moves", 0, "mov.b64 %d, {%a, %b}; mov.b64 {%r, %s}, %d;"},
    {"and joins", 1, "mov.b64 %d, {%a, %b}; add.u64 %d, %d, 1;"},
    {"beside a constant it does not", 0,
     "mov.b64 %d, {%a, 7}; add.u64 %d, %d, 1;"},
    {"a table in registers, one's", 0, "prmt.b32 %r, 0x3210, 0x7654, %a;"},
    {"a table in registers, both's", 1,
     JOIN "prmt.b32 %r, 0x3210, 0x7654, %j;"},
    {"a table in a constant, one's", 0, "shr.u32 %r, 0x96, %a;"},
    {"a table in a constant, both's", 1, JOIN "shr.u32 %r, 0x96, %j;"},
    {"bytes of one word", 0, BYTES},
    {"are joined", 1, BYTES "add.u32 %r, %r, 1;"},
    {"two words as one", 1, WORDS "ld.global.u64 %d, [%m]; add.u64 %d, %d, 1;"},
    {"two words as two", 0,
     WORDS "ld.global.v2.u32 {%r, %s}, [%m]; add.u32 %r, %r, 1;"
           "add.u32 %s, %s, 1;"},
    {"through memory", 1, JOIN "st.global.u32 [%m], %j;" BACK},
    {"what is overwritten", 0,
     JOIN "st.global.u32 [%m], %j; st.global.u32 [%m], %a;" BACK},
    {"what part of it is", 1,
     JOIN "st.global.u32 [%m], %j; st.global.u16 [%m + 2], 0;" BACK},
    {"a table of constants, one's", 0,
     "mov.b32 %r, %a;" POINT "ld.global.u32 %r, [%d];"},
    {"a table of constants, both's", 2,
     JOIN "mov.b32 %r, %j;" POINT "ld.global.u32 %r, [%d];"},
    {"a table of data", 1,
     WORDS "mov.b32 %r, %a;" POINT "ld.global.u32 %r, [%d];"},
    {"an exchange moves", 0, JOIN "atom.global.exch.b32 %r, [%m], %j;"},
    {"an atomic addition to both", 1,
     JOIN "st.global.u32 [%m], %j; atom.global.add.u32 %r, [%m], 1;"},
    {"an atomic addition of both", 1, JOIN "atom.global.add.u32 %r, [%m], %j;"},
    {"an atomic addition to one", 0,
     "st.global.u32 [%m], %a; atom.global.add.u32 %r, [%m], 1;"},
    {"a shuffle moves", 1,
     JOIN "shfl.sync.idx.b32 %r, %j, 0, 31, 1; add.u32 %r, %r, 1;"},
    {"whom both ask", 1, JOIN "shfl.sync.idx.b32 %r, 5, %j, 31, 1;"},
    {"whom one asks", 0, "shfl.sync.idx.b32 %r, 5, %a, 31, 1;"},
};

static uint64_t data_ops_of(const char *body) {
    static const uint32_t words[2] = {0, 0}, zeros[4] = {0};
    struct vgpu_options options = {.checks = VGPU_CHECK_MEMCHECK};
    const uint32_t one[3] = {1, 1, 1};
    uint64_t counts[VGPU_N_COUNTERS], p[2];
    vgpu_module *module;
    vgpu_kernel *kernel;
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    vgpu_device *d = vgpu_open(&options, NULL);
    assert_non_null(d);
    if (vgpu_module_load(d, text, (size_t)n + 1, &module) != VGPU_OK ||
        vgpu_module_kernel(module, "k", &kernel) != VGPU_OK)
        fail_msg("%s: %s", body, vgpu_last_message(d));
    assert_int_equal(vgpu_malloc(d, sizeof words, &p[0]), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof zeros, &p[1]), VGPU_OK);
    assert_int_equal(vgpu_write(d, p[0], words, sizeof words), VGPU_OK);
    assert_int_equal(vgpu_write(d, p[1], zeros, sizeof zeros), VGPU_OK);
    assert_int_equal(vgpu_mark_data(d, p[0], sizeof words), VGPU_OK);
    if (vgpu_launch(d, kernel, one, one, 0, p, sizeof p) != VGPU_OK)
        fail_msg("%s: %s", body, vgpu_last_message(d));
    vgpu_counts(d, counts);
    vgpu_close(d);
    return counts[VGPU_COUNT_DATA_OPS];
}

TEST(what_is_made_of_both_counts) {
    int wrong = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t got = data_ops_of(rows[k].ptx);
        if (got == rows[k].data_ops) continue;
        wrong++;
        printf("%s (%s): %llu, not %llu\n", rows[k].what, rows[k].ptx,
               (unsigned long long)got, (unsigned long long)rows[k].data_ops);
    }
    assert_int_equal(wrong, 0);
}

UNIT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 *
 * test_refused.c: instructions that ptxas refuses, and neighbours of theirs
 * that it takes: each was given to ptxas 13.0.88 (sm_75), which said so.
 */
#include <string.h>

#include "text.h"
#include "unit.h"
#include "vgpu.h"

static const struct row {
    const char *insn;
    bool is_taken;
} rows[] = {
    {"bfe.u32 %r1, %r0, 255, 4;", true},
    {"bfe.u32 %r1, %r0, 256, 4;", false},
    {"bfe.u32 %r1, %r0, 260, 4;", false},
    {"bfe.s32 %r1, %r0, 3, 260;", false},
    {"bfe.s64 %d1, %d0, 3, 256;", false},
    {"bfe.u32 %r1, %r0, -1, 3;", false},
    {"bfe.u32 %r1, 260, 3, 4;", true}, /* what is looked into may be large */
    {"bfi.b32 %r1, %r0, %r0, 255, 255;", true},
    {"bfi.b32 %r1, %r0, %r0, 256, 3;", false},
    {"bfi.b32 %r1, %r0, %r0, 3, 256;", false},
    {"bfi.b64 %d1, %d0, %d0, 3, 300;", false},
    {"bfi.b32 %r1, %r0, %r0, -1, 3;", false},
    {"bmsk.clamp.b32 %r1, 256, 3;", true},
    {"szext.clamp.u32 %r1, %r0, 300;", true},
    {"shl.b32 %r1, %r0, 300;", true},
    {"bar.sync 15;", true},
    {"bar.sync 16;", false},
    {"bar.sync 0, 64;", true},
    {"bar.sync 0, 33;", false},
};

static vgpu_status launched(const char *insn) {
    const struct vgpu_options o = {0};
    const uint32_t one[3] = {1, 1, 1}, block[3] = {64, 1, 1};
    struct text ptx = {0};
    vgpu_device *d = vgpu_open(&o, NULL);
    vgpu_module *m;
    vgpu_kernel *k;
    assert_non_null(d);
    text_add(&ptx,
             ".version 8.0\n.target sm_75\n.address_size 64\n"
             ".visible .entry k()\n{\n.reg .b32 %%r<2>;\n.reg .b64 %%d<2>;\n"
             "mov.u32 %%r0, %%tid.x;\ncvt.u64.u32 %%d0, %%r0;\n%s\nret;\n}\n",
             insn);
    assert_int_equal(vgpu_module_load(d, text_string(&ptx), ptx.size + 1, &m),
                     VGPU_OK);
    assert_int_equal(vgpu_module_kernel(m, "k", &k), VGPU_OK);
    vgpu_status s = vgpu_launch(d, k, one, block, 0, NULL, 0);
    vgpu_close(d);
    text_free(&ptx);
    return s;
}

static void as_ptxas_does(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if ((launched(rows[k].insn) == VGPU_OK) != rows[k].is_taken)
            fail_msg("%s %s", rows[k].insn,
                     rows[k].is_taken ? "is refused" : "is taken");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_ptxas_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

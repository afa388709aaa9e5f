/* SPDX-License-Identifier: MIT
 *
 * test_called.c: one line of an inlined function runs where two lines call it:
 * both are named, and a line whose code is skipped is not.
 */
#include <string.h>

#include "vgpu.h"
#include "unit.h"

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".file 1 \"/home/a/a.cu\"\n"
    ".visible .entry calls()\n{\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n"
    ".loc 1 10 0\nmov.u32 %r1, %tid.x;\n"
    ".loc 1 3 0, function_name $add, inlined_at 1 11 0\nadd.u32 %r2, %r1, 1;\n"
    ".loc 1 3 0, function_name $add, inlined_at 1 12 0\nadd.u32 %r2, %r2, 1;\n"
    ".loc 1 13 0\nsetp.lt.u32 %p1, %r1, 1;\n@%p1 bra $end;\n"
    ".loc 1 3 0, function_name $add, inlined_at 1 14 0\nadd.u32 %r2, %r2, 1;\n"
    "$end:\n.loc 1 15 0\nret;\n}\n"
    ".section .debug_str\n{\n$add:\n.b8 97,100,100,0\n}\n";

static bool is_called(const vgpu_device *d, uint32_t line) {
    const struct vgpu_line *list;
    size_t n = vgpu_called_lines(d, &list), found = 0;
    for (size_t k = 0; k < n; k++) {
        assert_string_equal(list[k].file, "/home/a/a.cu");
        found += list[k].line == line;
    }
    assert_true(found < 2); /* each once */
    return found;
}

TEST(each_line_that_called_what_ran_is_named_once) {
    const struct vgpu_options o = {0};
    const struct vgpu_line *list;
    const uint32_t one[3] = {1, 1, 1};
    vgpu_kernel *kernel;
    vgpu_module *m;
    vgpu_device *d = vgpu_open(&o, NULL);
    (void)state;
    assert_non_null(d);
    if (vgpu_module_load(d, ptx, sizeof ptx, &m))
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, "calls", &kernel), VGPU_OK);
    assert_int_equal(vgpu_called_lines(d, &list), 0);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(vgpu_launch(d, kernel, one, one, 0, NULL, 0), VGPU_OK);
        assert_true(is_called(d, 11) && is_called(d, 12));
        assert_false(is_called(d, 14)); /* skipped */
        assert_false(is_called(d, 3) || is_called(d, 13));
    }
    vgpu_reset_counts(d);
    assert_int_equal(vgpu_called_lines(d, &list), 0);
    vgpu_close(d);
}

UNIT_MAIN(NULL, NULL)

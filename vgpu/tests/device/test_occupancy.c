/* SPDX-License-Identifier: MIT
 *
 * test_occupancy.c: how many blocks of a launch a multiprocessor holds, and
 * which limit says so: each of the four once, and a kernel that is gone.
 */
#include <stdint.h>
#include <string.h>

#include "text.h"
#include "unit.h"
#include "vgpu.h"

/* Reads so many words, and stores their exclusive or: all are live at once. */
static void add_wide(struct text *t, int words) {
    text_add(t,
             ".visible .entry wide(.param .u64 p)\n{\n.reg .b32 %%r<%d>;\n"
             ".reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [p];\n",
             words + 1);
    for (int k = 0; k < words; k++)
        text_add(t, "ld.volatile.global.u32 %%r%d, [%%rd1];\n", k);
    for (int k = 1; k < words; k++)
        text_add(t, "xor.b32 %%r0, %%r0, %%r%d;\n", k);
    text_add(t, "st.global.u32 [%%rd1], %%r0;\nret;\n}\n");
}

static const char head[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry plain()\n{\nret;\n}\n"
                           ".visible .entry fixed()\n{\n"
                           ".shared .align 4 .b8 s[20000];\n"
                           ".reg .b32 %r<2>;\nmov.u32 %r1, s;\n"
                           "st.shared.u32 [%r1], 0;\nret;\n}\n";

static struct vgpu_occupancy seen(const char *profile, const char *clock,
                                  const char *kernel, uint32_t threads,
                                  size_t dynamic) {
    const struct vgpu_options o = {.profile = profile, .clock = clock};
    const uint32_t one[3] = {1, 1, 1}, block[3] = {threads, 1, 1};
    const struct vgpu_launch_record *list;
    struct vgpu_occupancy out;
    struct text ptx = {0};
    vgpu_device *d = vgpu_open(&o, NULL);
    vgpu_module *m;
    vgpu_kernel *k;
    uint64_t word;
    text_add(&ptx, "%s", head);
    add_wide(&ptx, 100);
    assert_non_null(d);
    if (vgpu_module_load(d, text_string(&ptx), ptx.size + 1, &m))
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, kernel, &k), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, 4, &word), VGPU_OK);
    bool has_word = strcmp(kernel, "wide") == 0;
    assert_int_equal(vgpu_launch(d, k, one, block, dynamic,
                                 has_word ? &word : NULL,
                                 has_word ? sizeof word : 0),
                     VGPU_OK);
    assert_int_equal(vgpu_launch_records(d, &list), 1);
    assert_true(vgpu_occupancy(d, list, &out));
    assert_int_equal(out.blocks, out.fits[out.limit]);
    /* What is gone has none. */
    vgpu_module_unload(d, m);
    struct vgpu_occupancy gone;
    assert_false(vgpu_occupancy(d, list, &gone));
    vgpu_close(d);
    text_free(&ptx);
    return out;
}

TEST(warps_limit_large_blocks) {
    struct vgpu_occupancy o = seen("h200", "h200", "plain", 1024, 0);
    assert_int_equal(o.limit, VGPU_LIMIT_WARPS);
    assert_int_equal(o.blocks, 2);
    assert_int_equal(o.warps, 32);
    assert_int_equal(o.most_warps, 64);
    assert_int_equal(o.registers, 16); /* the least that is counted */
}

TEST(blocks_limit_small_ones) {
    struct vgpu_occupancy o = seen("h200", "h200", "plain", 32, 0);
    assert_int_equal(o.limit, VGPU_LIMIT_BLOCKS);
    assert_int_equal(o.blocks, 32); /* of 64 that the warps would allow */
    assert_int_equal(o.fits[VGPU_LIMIT_WARPS], 64);
    assert_int_equal(o.fits[VGPU_LIMIT_SHARED], UINT32_MAX);
}

TEST(shared_memory_limits_static_and_dynamic) {
    struct vgpu_occupancy o = seen("h200", "h200", "fixed", 32, 20000);
    assert_int_equal(o.limit, VGPU_LIMIT_SHARED);
    assert_int_equal(o.shared_bytes, 40000);
    assert_int_equal(o.blocks, 233472 / 40000);
}

TEST(registers_limit_what_holds_many_values) {
    struct vgpu_occupancy o = seen("h200", "h200", "wide", 256, 0);
    assert_int_equal(o.limit, VGPU_LIMIT_REGISTERS);
    assert_in_range(o.registers, 100, 120);
    assert_int_equal(o.blocks, 65536 / 4 / (o.registers * 32) * 4 / 8);
    assert_int_equal(o.fits[VGPU_LIMIT_WARPS], 8);
}

TEST(a_device_without_a_clock_estimates_the_same) {
    struct vgpu_occupancy with = seen("h200", "h200", "wide", 256, 0);
    struct vgpu_occupancy without = seen("h200", NULL, "wide", 256, 0);
    assert_int_equal(with.registers, without.registers);
    assert_int_equal(with.blocks, without.blocks);
}

UNIT_MAIN(NULL, NULL)

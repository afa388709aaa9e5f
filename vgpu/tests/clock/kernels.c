/* SPDX-License-Identifier: MIT
 *
 * kernels.c: see kernels.h. A body may use %r0 (thread), %r1 (block), %r9 (n),
 * %rd1 (the array), %rd2 (its element of 4 bytes of this thread of the grid)
 * and what is declared below; shared memory is `tile`. What stands in front of
 * the body costs nothing but the address of the element, which is made of one
 * multiply-add of 32 bits and one of 64 (clock_ops.c: a product and an addition
 * to it are one).
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

#include <string.h>

static const char module_head[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n.file 1 \"kernel.cu\"\n";
static const char head[] =
    ".visible .entry kernel(.param .u64 array, .param .u32 n) {\n"
    ".reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n"
    ".shared .align 16 .b8 tile[16384];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %ntid.x; ld.param.u32 %r9, [n]; ld.param.u64 %rd1, [array];\n"
    "mov.u32 %r3, 0; mov.u32 %r4, 0;\n";

static void launch(vgpu_device *d, const struct run *r, vgpu_kernel *k) {
    uint32_t grid[3] = {r->blocks, 1, 1}, block[3] = {r->threads, 1, 1};
    struct {
        uint64_t array;
        uint32_t n, unused;
    } params = {.n = r->n};
    uint64_t bytes = r->bytes ? r->bytes : 4;
    assert_int_equal(vgpu_malloc(d, bytes, &params.array), VGPU_OK);
    assert_int_equal(vgpu_fill(d, params.array, 0, bytes), VGPU_OK);
    vgpu_reset_counts(d);
    vgpu_status s = vgpu_launch(d, k, grid, block, 0, &params, sizeof params);
    if (s != VGPU_OK) fail_msg("%s", vgpu_last_message(d));
}

void run_look(struct run r, void (*look)(vgpu_device *, void *), void *user) {
    struct vgpu_options options = {.profile = r.device ? r.device : "teach",
                                   .clock = r.clock,
                                   .why = true,
                                   .timeline = true};
    vgpu_device *d = vgpu_open(&options, NULL);
    vgpu_module *m;
    vgpu_kernel *k;
    struct text t = {0};
    text_add(&t, "%s%s%s%s\nret;\n}\n", module_head, r.module ? r.module : "",
             head, r.body);
    assert_non_null(d);
    if (vgpu_module_load(d, text_string(&t), t.size + 1, &m) != VGPU_OK)
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, "kernel", &k), VGPU_OK);
    launch(d, &r, k);
    look(d, user);
    text_free(&t);
    vgpu_close(d);
}

static void look_at_counts(vgpu_device *d, void *counts) {
    const struct vgpu_launch_record *records;
    assert_int_equal(vgpu_launch_records(d, &records), 1);
    memcpy(counts, records->counts, sizeof records->counts);
}

void run_counts(struct run r, uint64_t counts[VGPU_N_COUNTERS]) {
    run_look(r, look_at_counts, counts);
}

uint64_t run_count(struct run r, vgpu_counter c) {
    uint64_t counts[VGPU_N_COUNTERS];
    run_counts(r, counts);
    return counts[c];
}

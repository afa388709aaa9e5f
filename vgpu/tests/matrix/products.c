/* SPDX-License-Identifier: MIT
 *
 * products.c: see products.h.
 */
#include "products.h"
#include "text.h"
#include "unit.h"

#include <string.h>

static const char head[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry kernel(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %r<10>;\n"
    ".reg .b64 %in, %out, %at, %to, %p<4>;\n"
    ".shared .align 128 .b8 tile[32768];\n"
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
    "mov.u32 %r0, %tid.x; mul.wide.u32 %at, %r0, 4;\n"
    "add.u64 %to, %out, %at; add.u64 %at, %in, %at;\n";

static void launch(vgpu_device *d, vgpu_module *m, const struct products *p) {
    uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
    vgpu_kernel *k;
    struct {
        uint64_t in, out;
    } params;
    assert_int_equal(vgpu_module_kernel(m, "kernel", &k), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, p->n_in * 4, &params.in), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, p->n_out * 4, &params.out), VGPU_OK);
    assert_int_equal(vgpu_write(d, params.in, p->in, p->n_in * 4), VGPU_OK);
    if (p->n_marked)
        vgpu_mark_data(d, params.in + 4 * p->marked, 4 * p->n_marked);
    vgpu_reset_counts(d);
    if (vgpu_launch(d, k, grid, block, 0, &params, sizeof params) != VGPU_OK)
        fail_msg("%s\n%s", vgpu_last_message(d), p->body);
    assert_int_equal(vgpu_read(d, p->out, params.out, p->n_out * 4), VGPU_OK);
}

uint64_t products_run(const struct products *p) {
    struct vgpu_options options = {
        .profile = "teach90",
        .clock = p->clock,
        .steps = p->look != NULL,
        .checks = VGPU_CHECK_MEMCHECK | VGPU_CHECK_INITCHECK |
                  VGPU_CHECK_SYNCCHECK | VGPU_CHECK_RACECHECK};
    vgpu_device *d = vgpu_open(&options, NULL);
    vgpu_module *m;
    const struct vgpu_finding *findings;
    uint64_t counts[VGPU_N_COUNTERS];
    struct text t = {0};
    text_add(&t, "%s%s\nret;\n}\n", head, p->body);
    assert_non_null(d);
    if (vgpu_module_load(d, text_string(&t), t.size + 1, &m) != VGPU_OK)
        fail_msg("%s\n%s", vgpu_last_message(d), p->body);
    launch(d, m, p);
    if (vgpu_findings(d, &findings))
        fail_msg("%s: %s", vgpu_finding_name(findings->kind), p->body);
    vgpu_counts(d, counts);
    if (p->look) p->look(d);
    text_free(&t);
    vgpu_close(d);
    return counts[p->clock ? VGPU_COUNT_MODEL_CYCLES : VGPU_COUNT_DATA_OPS];
}

void products_refused(const char *body, const char *words) {
    struct vgpu_options options = {.profile = "teach90"};
    uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
    uint64_t params[2] = {0, 0};
    vgpu_device *d = vgpu_open(&options, NULL);
    vgpu_module *m;
    vgpu_kernel *k;
    struct text t = {0};
    text_add(&t, "%s%s\nret;\n}\n", head, body);
    assert_non_null(d);
    assert_int_equal(vgpu_module_load(d, text_string(&t), t.size + 1, &m),
                     VGPU_OK);
    assert_int_equal(vgpu_module_kernel(m, "kernel", &k), VGPU_OK);
    vgpu_status s = vgpu_launch(d, k, grid, block, 0, params, sizeof params);
    assert_int_equal(s, VGPU_UNSUPPORTED);
    if (!strstr(vgpu_last_message(d), words))
        fail_msg("%s\n%s", vgpu_last_message(d), body);
    text_free(&t);
    vgpu_close(d);
}

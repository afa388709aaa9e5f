/* SPDX-License-Identifier: MIT
 *
 * test_asked.c: what a device was asked, asked again of another one
 * (vgpu_asked.h): the same addresses and answers, also in another schedule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vgpu.h"
#include "vgpu_asked.h"

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".global .align 4 .u32 counter;\n"
    ".visible .entry twice(.param .u64 to, .param .u64 from) {\n"
    " .reg .u32 %r<4>; .reg .u64 %d<6>;\n"
    " ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from];\n"
    " mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;\n"
    " add.s64 %d4, %d2, %d3; ld.global.u32 %r2, [%d4];\n"
    " add.u32 %r3, %r2, %r2;\n"
    " add.s64 %d5, %d1, %d3; st.global.u32 [%d5], %r3; ret;\n}\n";

enum { N = 40, BYTES = N * 4 };

static vgpu_device *opened(const char *schedule, size_t bytes) {
    struct vgpu_options o = {.checks = VGPU_CHECK_ALL, .asked_bytes = bytes};
    assert_true(vgpu_parse_schedule(schedule, &o));
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    return d;
}

/* What a program's host code may do. Doubles 0, 1, ... */
static void ask_all(vgpu_device *d, uint32_t got[N]) {
    vgpu_module *m;
    vgpu_kernel *k;
    uint64_t in, out, other;
    uint32_t numbers[N];
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {N, 1, 1};
    for (uint32_t i = 0; i < N; i++) numbers[i] = i;
    assert_int_equal(vgpu_module_load(d, ptx, sizeof ptx, &m), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, BYTES, &in), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, BYTES, &out), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, BYTES, &other), VGPU_OK);
    assert_int_equal(vgpu_name_elements(d, in, "in", in, 4), VGPU_OK);
    assert_int_equal(vgpu_own(d, in), VGPU_OK);
    assert_int_equal(vgpu_protect(d, in, true), VGPU_OK);
    assert_int_equal(vgpu_write(d, in, numbers, BYTES), VGPU_OK);
    assert_int_equal(vgpu_fill(d, out, 255, BYTES), VGPU_OK);
    assert_int_equal(vgpu_mark_uninitialised(d, out, BYTES), VGPU_OK);
    assert_int_equal(vgpu_module_kernel(m, "twice", &k), VGPU_OK);
    assert_int_equal(vgpu_kernel_set_max_dynamic_smem(k, 64), VGPU_OK);
    assert_int_not_equal(vgpu_free(d, in + 4), VGPU_OK); /* not recorded */
    const uint64_t params[2] = {out, in};
    assert_int_equal(vgpu_launch(d, k, grid, block, 64, params, sizeof params),
                     VGPU_OK);
    assert_int_equal(vgpu_copy(d, other, out, BYTES), VGPU_OK);
    assert_int_equal(vgpu_read(d, got, other, BYTES), VGPU_OK);
    assert_int_equal(vgpu_free(d, other), VGPU_OK);
}

static void ask_again(vgpu_device *d, const struct vgpu_asked *a,
                      vgpu_module **m, uint32_t got[N]) {
    vgpu_kernel *k = NULL;
    uint64_t at = 0;
    vgpu_status s = VGPU_OK;
    if (a->kind == VGPU_ASKED_LAUNCH || a->kind == VGPU_ASKED_DYNAMIC)
        assert_int_equal(vgpu_module_kernel(*m, a->name, &k), VGPU_OK);
    switch (a->kind) {
    case VGPU_ASKED_LOAD:
        s = vgpu_module_load(d, a->data, a->data_bytes, m);
        break;
    case VGPU_ASKED_MALLOC:
        s = vgpu_malloc(d, a->bytes, &at);
        assert_int_equal(at, a->at);
        break;
    case VGPU_ASKED_FREE: s = vgpu_free(d, a->at); break;
    case VGPU_ASKED_WRITE:
        s = vgpu_write(d, a->at, a->data, a->data_bytes);
        break;
    case VGPU_ASKED_READ:
        s = vgpu_read(d, got, a->at, a->bytes);
        assert_memory_equal(got, a->data, a->data_bytes);
        break;
    case VGPU_ASKED_COPY: s = vgpu_copy(d, a->at, a->from, a->bytes); break;
    case VGPU_ASKED_FILL:
        s = vgpu_fill(d, a->at, (int)a->value, a->bytes);
        break;
    case VGPU_ASKED_UNWRITTEN:
        s = vgpu_mark_uninitialised(d, a->at, a->bytes);
        break;
    case VGPU_ASKED_OWN: s = vgpu_own(d, a->at); break;
    case VGPU_ASKED_PROTECT: s = vgpu_protect(d, a->at, a->value); break;
    case VGPU_ASKED_NAME:
        s = vgpu_name_elements(d, a->at, a->name, a->from, a->value);
        break;
    case VGPU_ASKED_DYNAMIC:
        s = vgpu_kernel_set_max_dynamic_smem(k, a->bytes);
        break;
    case VGPU_ASKED_LAUNCH:
        s = vgpu_launch(d, k, a->size, a->size + 3, a->bytes, a->data,
                        a->data_bytes);
        break;
    default: fail_msg("%s", vgpu_asked_word(a->kind));
    }
    assert_int_equal(s, VGPU_OK);
}

static void the_same_again(void **state) {
    (void)state;
    static const char *const words[] = {
        "load",   "malloc",  "malloc", "malloc", "name",      "name",
        "own",    "protect", "write",  "fill",   "unwritten", "dynamic",
        "launch", "copy",    "read",   "free"};
    uint32_t first[N], second[N] = {0};
    struct vgpu_asked_list list;
    vgpu_device *d = opened("in-order", 4096);
    ask_all(d, first);
    assert_true(vgpu_asked_so_far(d, &list));
    assert_false(list.is_cut);
    assert_int_equal(list.n, sizeof words / sizeof *words);
    vgpu_device *e = opened("random:7", 0);
    vgpu_module *m = NULL;
    for (size_t i = 0; i < list.n; i++) {
        assert_string_equal(vgpu_asked_word(list.list[i].kind), words[i]);
        ask_again(e, &list.list[i], &m, second);
    }
    for (uint32_t i = 0; i < N; i++) assert_int_equal(second[i], 2 * i);
    assert_memory_equal(first, second, sizeof first);
    assert_false(vgpu_asked_so_far(e, &list));
    vgpu_close(d);
    vgpu_close(e);
}

/* Where there is no room, it says so, and keeps nothing that came later. */
static void too_much_is_cut(void **state) {
    (void)state;
    uint32_t got[N];
    struct vgpu_asked_list list;
    vgpu_device *d = opened("in-order", 100);
    ask_all(d, got);
    assert_true(vgpu_asked_so_far(d, &list));
    assert_true(list.is_cut);
    for (size_t i = 0; i < list.n; i++)
        assert_int_not_equal(list.list[i].kind, VGPU_ASKED_WRITE);
    vgpu_close(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_again),
                                       cmocka_unit_test(too_much_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * test_states.c: how far a changed word reaches from launch to launch; what is
 * stored behind an allocation; which bytes hold marked data.
 */
#include <string.h>

#include "unit.h"
#include "vgpu.h"

enum { N = 64, SLACK = 256 };

/* step: to[t] = from[t] + by * from[t - d]. past: reads to[t + d], and stores
 * one more there if `by` is not 0. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry step(.param .u64 p, .param .u64 q, .param .u32 d, "
    ".param .u32 by)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p;\n"
    "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\nld.param.u32 %r1, [d];\n"
    "ld.param.u32 %r2, [by];\nmov.u32 %r3, %tid.x;\n"
    "mul.wide.s32 %d3, %r3, 4;\nadd.s64 %d4, %d2, %d3;\n"
    "ld.global.u32 %r4, [%d4];\nsetp.lt.u32 %p, %r3, %r1;\n@%p bra STORE;\n"
    "sub.u32 %r5, %r3, %r1;\nmul.wide.s32 %d5, %r5, 4;\n"
    "add.s64 %d5, %d2, %d5;\nld.global.u32 %r6, [%d5];\n"
    "mul.lo.u32 %r6, %r6, %r2;\nadd.u32 %r4, %r4, %r6;\n"
    "STORE:\nadd.s64 %d6, %d1, %d3;\nst.global.u32 [%d6], %r4;\nret;\n}\n"
    ".visible .entry past(.param .u64 p, .param .u64 q, .param .u32 d, "
    ".param .u32 by)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p;\n"
    "ld.param.u64 %d1, [p];\nld.param.u32 %r1, [d];\nld.param.u32 %r2, [by];\n"
    "mov.u32 %r3, %tid.x;\nadd.u32 %r3, %r3, %r1;\nmul.wide.s32 %d3, %r3, 4;\n"
    "add.s64 %d1, %d1, %d3;\nld.global.u32 %r4, [%d1];\n"
    "setp.eq.u32 %p, %r2, 0;\n@%p bra DONE;\nadd.u32 %r4, %r4, 1;\n"
    "st.global.u32 [%d1], %r4;\nDONE:\nret;\n}\n";

struct run {
    vgpu_device *d;
    vgpu_module *m;
    uint64_t a, b; /* arrays of N words */
};

static struct run open_run(const struct vgpu_options *o, uint32_t changed) {
    struct run r;
    uint32_t words[N];
    for (uint32_t i = 0; i < N; i++) words[i] = 7 * i + (i == changed);
    r.d = vgpu_open(o, NULL);
    assert_non_null(r.d);
    if (vgpu_module_load(r.d, ptx, sizeof ptx, &r.m))
        fail_msg("%s", vgpu_last_message(r.d));
    assert_int_equal(vgpu_malloc(r.d, sizeof words, &r.a), VGPU_OK);
    assert_int_equal(vgpu_malloc(r.d, sizeof words, &r.b), VGPU_OK);
    assert_int_equal(vgpu_write(r.d, r.a, words, sizeof words), VGPU_OK);
    assert_int_equal(vgpu_fill(r.d, r.b, 0, sizeof words), VGPU_OK);
    vgpu_reset_counts(r.d);
    return r;
}

static void launch(const struct run *r, const char *name, uint64_t to,
                   uint64_t from, uint32_t d, uint32_t by) {
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {N, 1, 1};
    const struct {
        uint64_t to, from;
        uint32_t d, by;
    } parameters = {to, from, d, by};
    vgpu_kernel *k;
    assert_int_equal(vgpu_module_kernel(r->m, name, &k), VGPU_OK);
    assert_int_equal(
        vgpu_launch(r->d, k, grid, block, 0, &parameters, sizeof parameters),
        VGPU_OK);
}

/* Steps of distance 1, 2, ..., each with its factor; 0: adds nothing. */
static vgpu_states *states_of(uint32_t changed, const uint32_t by[6]) {
    const struct vgpu_options o = {.states = true};
    struct run r = open_run(&o, changed);
    for (uint32_t k = 0; k < 6; k++)
        launch(&r, "step", k % 2 ? r.a : r.b, k % 2 ? r.b : r.a, 1u << k,
               by[k]);
    vgpu_states *s = vgpu_take_states(r.d);
    vgpu_close(r.d);
    assert_non_null(s);
    return s;
}

static struct vgpu_reach reach_of(uint32_t changed, const uint32_t by[6]) {
    vgpu_states *x = states_of(N, by), *y = states_of(changed, by);
    struct vgpu_reach r;
    assert_true(vgpu_states_reach(x, y, &r));
    vgpu_states_free(x);
    vgpu_states_free(y);
    return r;
}

TEST(each_step_reaches_twice_as_far) {
    struct vgpu_reach r = reach_of(0, (uint32_t[6]){1, 1, 1, 1, 1, 1});
    assert_int_equal(r.launches, 6);
    assert_int_equal(r.early, 32);
    r = reach_of(N / 2, (uint32_t[6]){1, 1, 1, 1, 1, 1});
    assert_int_equal(r.launches, 5);
}

TEST(steps_that_add_nothing_reach_no_further) {
    struct vgpu_reach r = reach_of(0, (uint32_t[6]){1, 0, 0, 1, 0, 0});
    assert_int_equal(r.launches, 2);
    assert_int_equal(r.early, 2);
}

TEST(what_is_not_asked_for_is_not_kept) {
    const struct vgpu_options none = {0}, asked = {.states = true};
    struct run r = open_run(&none, 0), s = open_run(&asked, 0);
    launch(&s, "step", s.b, s.a, 1, 1);
    vgpu_reset_counts(s.d); /* forgets */
    vgpu_states *x = vgpu_take_states(s.d), *y;
    struct vgpu_reach reach;
    launch(&s, "step", s.b, s.a, 1, 1);
    y = vgpu_take_states(s.d);
    assert_null(vgpu_take_states(r.d));
    assert_false(vgpu_states_reach(x, y, &reach)); /* other launches */
    vgpu_states_free(x);
    vgpu_states_free(y);
    vgpu_close(r.d);
    vgpu_close(s.d);
}

TEST(stores_behind_an_array_are_told_from_reads) {
    const struct vgpu_options o = {.slack_bytes = SLACK};
    struct run r = open_run(&o, 0);
    launch(&r, "past", r.a, 0, 8, 0);
    assert_false(vgpu_slack_is_stored(r.d));
    launch(&r, "past", r.a, 0, 0, 1);
    assert_false(vgpu_slack_is_stored(r.d)); /* inside */
    launch(&r, "past", r.a, 0, 8, 1);
    assert_true(vgpu_slack_is_stored(r.d));
    assert_int_equal(vgpu_free(r.d, r.a), VGPU_OK);
    assert_true(vgpu_slack_is_stored(r.d)); /* of a freed one, too */
    vgpu_close(r.d);
}

TEST(marked_data_is_counted) {
    struct run r = open_run(NULL, 0);
    assert_int_equal(vgpu_mark_data(r.d, r.a, 4), VGPU_OK);
    launch(&r, "step", r.b, r.a, 3, 1);
    assert_int_equal(vgpu_data_bytes(r.d, r.b, N * 4), 8);
    assert_int_equal(vgpu_data_bytes(r.d, r.b + 12, 4), 4);
    assert_int_equal(vgpu_data_bytes(r.d, r.b + 4, 8), 0);
    assert_int_equal(vgpu_data_bytes(r.d, 8, 8), 0); /* no array */
    vgpu_close(r.d);
}

UNIT_MAIN(NULL, NULL)

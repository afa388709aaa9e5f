/* SPDX-License-Identifier: MIT
 *
 * test_edits.c: changes of a program that are tried (vgpu_options.edits): each
 * kind mends the mistake it is made for, and nothing else changes.
 */
#include <stdint.h>
#include <string.h>

#include "vgpu.h"
#include "unit.h"

/* A block of 64 threads, t. Each kernel leaves one word for each thread. */
#define HEAD                                                                   \
    ".version 8.0\n.target sm_75\n.address_size 64\n"                          \
    ".file 1 \"/home/a/a.cu\"\n"
#define BEGIN(name)                                                            \
    ".visible .entry " name "(.param .u64 p)\n{\n"                             \
    ".reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<6>;\n"                \
    ".shared .align 4 .b8 s[256];\n"                                           \
    ".loc 1 1 0\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"              \
    "mul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                  \
    "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r2;\n"

static const char ptx[] = HEAD
    /* s[t] = t; y[t] = s[63 - t]: a barrier is missing before line 11. */
    BEGIN("mirror") ".loc 1 10 0\nst.shared.u32 [%r4], %r1;\n"
                    ".loc 1 11 0\nsub.s32 %r5, %r3, %r2;\n"
                    "ld.shared.u32 %r6, [%r5+252];\n"
                    "st.global.u32 [%rd3], %r6;\nret;\n}\n"
    /* Lines 21 and 22 stand in one branch, for there is no barrier between
     * them: if (t > 0) s[t] += s[t - 1]. */
    BEGIN("step") ".loc 1 20 0\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\n"
                  ".loc 1 21 0\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
                  "ld.shared.u32 %r5, [%r4+-4];\n"
                  ".loc 1 22 0\nld.shared.u32 %r6, [%r4];\n"
                  "add.s32 %r7, %r5, %r6;\nst.shared.u32 [%r4], %r7;\nDONE:\n"
                  ".loc 1 23 0\nbar.sync 0;\nld.shared.u32 %r8, [%r4];\n"
                  "st.global.u32 [%rd3], %r8;\nret;\n}\n"
    /* Line 30: t > 64, where t >= 64 is meant; of 65 threads. Line 31: y[t] = 2
     * * t + 5. */
    BEGIN("guard") ".loc 1 30 0\nmov.u32 %r5, 64;\n"
                   "setp.gt.s32 %p1, %r1, %r5;\n@%p1 bra END;\n"
                   ".loc 1 31 0\nshl.b32 %r6, %r1, 1;\nadd.s32 %r7, %r6, 5;\n"
                   ".loc 1 32 0\nst.global.u32 [%rd3], %r7;\n"
                   "END:\n.loc 1 33 0\nret;\n}\n"
    /* y[0] += 1 by all; then in order, a fence. */
    BEGIN("count") ".loc 1 40 0\nld.global.u32 %r5, [%rd1];\n"
                   "add.s32 %r6, %r5, 1;\nst.global.u32 [%rd1], %r6;\nret;\n}\n"
    /* y[t] is 1 where the second of the choices is made, else 0. */
    BEGIN("choose") ".loc 1 60 0\nmov.u32 %r5, 1553989634;\n"
                    "st.global.u32 [%rd3], %r5;\nret;\n}\n"
    /* y[t] = s[t], which nobody wrote, and blockIdx. */
    BEGIN("unset") ".loc 1 50 0\nld.shared.u32 %r5, [%r4];\n"
                   ".loc 1 51 0\nst.global.u32 [%rd3], %r5;\nret;\n}\n";

struct run {
    uint32_t y[65];
    size_t n_findings;
    uint64_t barriers, atomics;
};

static vgpu_device *device_with(const struct vgpu_options *options) {
    vgpu_device *d = vgpu_open(options, NULL);
    assert_non_null(d);
    return d;
}

static void launch(vgpu_device *d, const char *kernel, uint32_t threads,
                   struct run *r) {
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {threads, 1, 1};
    const uint32_t zeros[65] = {0};
    const struct vgpu_finding *findings;
    uint64_t counts[VGPU_N_COUNTERS], y;
    vgpu_module *m;
    vgpu_kernel *k;
    if (vgpu_module_load(d, ptx, sizeof ptx, &m))
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, kernel, &k), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof zeros - 4, &y), VGPU_OK);
    assert_int_equal(vgpu_write(d, y, zeros, sizeof zeros - 4), VGPU_OK);
    vgpu_launch(d, k, grid, block, 0, &y, sizeof y);
    r->n_findings = vgpu_findings(d, &findings);
    memset(r->y, 0, sizeof r->y);
    vgpu_read(d, r->y, y, sizeof zeros - 4);
    vgpu_counts(d, counts);
    r->barriers = counts[VGPU_COUNT_BARRIERS];
    r->atomics = counts[VGPU_COUNT_ATOMICS];
}

static void run(const char *kernel, uint32_t threads,
                const struct vgpu_edit *edit, struct run *r) {
    struct vgpu_options o = {.checks = VGPU_CHECK_ALL & ~VGPU_CHECK_LEAKCHECK,
                             .schedule = VGPU_RANDOM,
                             .schedule_seed = 5,
                             .edits = edit,
                             .n_edits = edit != NULL};
    vgpu_device *d = device_with(&o);
    launch(d, kernel, threads, r);
    vgpu_close(d);
}

static struct vgpu_edit at(vgpu_edit_kind kind, uint32_t line, int32_t by) {
    return (struct vgpu_edit){kind, "a.cu", line, 0, by};
}

TEST(a_barrier_before_the_read_or_behind_the_write) {
    const struct vgpu_edit edits[] = {at(VGPU_EDIT_MEET_BEFORE, 11, 0),
                                      at(VGPU_EDIT_MEET_AFTER, 10, 0)};
    struct run r;
    run("mirror", 64, NULL, &r);
    assert_true(r.n_findings > 0);
    for (int i = 0; i < 2; i++) {
        run("mirror", 64, &edits[i], &r);
        assert_int_equal(r.n_findings, 0);
        for (uint32_t t = 0; t < 64; t++) assert_int_equal(r.y[t], 63 - t);
    }
}

TEST(another_place_mends_nothing) {
    const struct vgpu_edit edits[] = {
        at(VGPU_EDIT_MEET_BEFORE, 10, 0),
        at(VGPU_EDIT_MEET_BEFORE, 12, 0),
        at(VGPU_EDIT_FENCE_BEFORE, 11, 0),
        {VGPU_EDIT_MEET_BEFORE, "b.cu", 11, 0, 0}};
    struct run r;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        run("mirror", 64, &edits[i], &r);
        assert_true(r.n_findings > 0);
    }
}

/* The threads that skip the branch count as arrived. */
TEST(a_meeting_in_a_branch_of_some) {
    const struct vgpu_edit edit = at(VGPU_EDIT_MEET_BEFORE, 22, 0);
    struct run r;
    run("step", 64, NULL, &r);
    assert_true(r.n_findings > 0);
    run("step", 64, &edit, &r);
    assert_int_equal(r.n_findings, 0);
    assert_int_equal(r.y[0], 0);
    for (uint32_t t = 1; t < 64; t++) assert_int_equal(r.y[t], 2 * t - 1);
}

TEST(a_comparison_at_its_edge) {
    const struct vgpu_edit edit = at(VGPU_EDIT_COMPARE, 30, 0);
    struct run r;
    run("guard", 65, NULL, &r);
    assert_true(r.n_findings > 0);
    run("guard", 65, &edit, &r);
    assert_int_equal(r.n_findings, 0);
    for (uint32_t t = 0; t < 64; t++) assert_int_equal(r.y[t], 2 * t + 5);
}

TEST(numbers_distances_and_indices) {
    struct vgpu_edit edit = at(VGPU_EDIT_CONSTANT, 31, -1);
    struct run r;
    run("guard", 32, &edit, &r);
    assert_int_equal(r.y[3], 10);
    edit = at(VGPU_EDIT_SHIFT, 31, 1);
    run("guard", 32, &edit, &r);
    assert_int_equal(r.y[3], 17);
    edit.by = -1;
    run("guard", 32, &edit, &r);
    assert_int_equal(r.y[3], 8);
    edit = at(VGPU_EDIT_STORE_INDEX, 32, 1);
    run("guard", 32, &edit, &r);
    assert_int_equal(r.y[0], 0);
    assert_int_equal(r.y[4], 11);
    /* The second addition of the line is not there. */
    edit = at(VGPU_EDIT_CONSTANT, 31, -1);
    edit.only = 2;
    run("guard", 32, &edit, &r);
    assert_int_equal(r.y[3], 11);
}

TEST(an_addition_becomes_atomic) {
    const struct vgpu_edit edit = at(VGPU_EDIT_ATOMIC, 40, 0);
    struct run r;
    run("count", 64, NULL, &r);
    assert_true(r.n_findings > 0);
    run("count", 64, &edit, &r);
    assert_int_equal(r.y[0], 64);
    assert_int_equal(r.atomics, 64);
}

TEST(shared_memory_is_cleared) {
    struct vgpu_options o = {.checks = VGPU_CHECK_INITCHECK};
    struct run r;
    for (int clears = 0; clears < 2; clears++) {
        o.clears_shared = clears;
        vgpu_device *d = device_with(&o);
        launch(d, "unset", 64, &r);
        assert_int_equal(r.n_findings == 0, clears);
        assert_int_equal(r.y[5] == 0, clears);
        vgpu_close(d);
    }
}

/* New memory holds zeros that count as written. */
TEST(allocations_are_cleared) {
    struct vgpu_options o = {.checks = VGPU_CHECK_INITCHECK,
                             .clears_memory = true};
    const struct vgpu_finding *findings;
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    vgpu_module *m;
    vgpu_kernel *k;
    uint64_t y;
    uint32_t word = 7;
    vgpu_device *d = device_with(&o);
    assert_int_equal(vgpu_module_load(d, ptx, sizeof ptx, &m), VGPU_OK);
    assert_int_equal(vgpu_module_kernel(m, "count", &k), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, 4, &y), VGPU_OK);
    assert_int_equal(vgpu_launch(d, k, grid, block, 0, &y, sizeof y), VGPU_OK);
    assert_int_equal(vgpu_read(d, &word, y, 4), VGPU_OK);
    assert_int_equal(word, 1);
    assert_int_equal(vgpu_findings(d, &findings), 0);
    vgpu_close(d);
}

TEST(a_choice_is_made_at_whichever_line) {
    for (int32_t by = 0; by <= 3; by++) {
        const struct vgpu_edit edit = {.kind = VGPU_EDIT_CHOICE, .by = by};
        struct run r;
        run("choose", 64, &edit, &r);
        assert_int_equal(r.y[0], by == 2);
        assert_int_equal(r.y[63], by == 2);
    }
}

/* ---- where there is something to try ---- */

struct seen {
    unsigned barriers[64], compares[64];
};

static void see(void *user, const struct vgpu_edit_site *s) {
    struct seen *seen = user;
    assert_string_equal(s->file, "a.cu");
    assert_true(s->line < 64);
    seen->barriers[s->line] += s->n[VGPU_EDIT_MEET_BEFORE];
    seen->compares[s->line] += s->n[VGPU_EDIT_COMPARE];
}

TEST(sites_are_of_kernels_that_ran) {
    struct vgpu_options o = {.checks = VGPU_CHECK_MEMCHECK};
    struct seen seen = {{0}, {0}};
    struct run r;
    vgpu_device *d = device_with(&o);
    launch(d, "guard", 64, &r);
    vgpu_edit_sites(d, see, &seen);
    assert_int_equal(seen.barriers[32], 1);
    assert_int_equal(seen.compares[30], 1);
    assert_int_equal(seen.barriers[10], 0); /* of a kernel that did not */
    vgpu_close(d);
}

/* A program whose instructions an edit changes is no other device's. */
TEST(a_cache_keeps_programs_as_they_are) {
    const struct vgpu_edit edit = at(VGPU_EDIT_CONSTANT, 31, 1);
    struct vgpu_options o = {.cache = vgpu_cache_new()};
    struct run r;
    for (int k = 0; k < 3; k++) {
        o.edits = &edit;
        o.n_edits = k == 1;
        vgpu_device *d = device_with(&o);
        launch(d, "guard", 64, &r);
        assert_int_equal(r.y[1], k == 1 ? 8 : 7);
        vgpu_close(d);
    }
    vgpu_cache_free(o.cache);
}

/* A choice is: one module serves all of them, also where no choice is made. */
TEST(a_cache_serves_all_choices) {
    struct vgpu_edit edit = {.kind = VGPU_EDIT_CHOICE};
    struct vgpu_options o = {
        .cache = vgpu_cache_new(), .edits = &edit, .n_edits = 1};
    const int32_t by[] = {2, 0, 2, 1};
    struct run r;
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        edit.by = by[k];
        vgpu_device *d = device_with(&o);
        launch(d, "choose", 64, &r);
        assert_int_equal(r.y[0], by[k] == 2);
        vgpu_close(d);
    }
    o.n_edits = 0;
    vgpu_device *d = device_with(&o);
    launch(d, "choose", 64, &r);
    assert_int_equal(r.y[0], VGPU_EDIT_CHOICES + 2);
    vgpu_close(d);
    vgpu_cache_free(o.cache);
}

UNIT_MAIN(NULL, NULL)

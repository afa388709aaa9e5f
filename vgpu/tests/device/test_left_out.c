/* SPDX-License-Identifier: MIT
 *
 * test_left_out.c: where the lists of what was seen end, what is left out is
 * counted, and nothing else takes its place.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "vgpu.h"
#include "unit.h"
#include "said.h"

enum { MOST_FINDINGS = 256, MOST_LINES = 20000 };

static struct text ptx;

/* One thread; a load of an unset word on each of so many lines. */
static void add_kernel(const char *name, unsigned n_lines) {
    text_add(&ptx,
             ".visible .entry %s(.param .u64 p)\n{\n.reg .b32 %%r<2>;\n"
             ".reg .b64 %%rd<2>;\n.loc 1 1 0\nld.param.u64 %%rd1, [p];\n",
             name);
    for (unsigned k = 2; k < n_lines + 2; k++)
        text_add(&ptx, ".loc 1 %u 0\nld.global.u32 %%r1, [%%rd1];\n", k);
    text_add(&ptx, "ret;\n}\n");
}

static vgpu_device *opened_with(const struct vgpu_options *o, vgpu_module **m) {
    vgpu_device *d = vgpu_open(o, NULL);
    assert_non_null(d);
    if (vgpu_module_load(d, text_string(&ptx), ptx.size + 1, m))
        fail_msg("%s", vgpu_last_message(d));
    return d;
}

static vgpu_device *opened(unsigned checks, vgpu_module **m) {
    const struct vgpu_options o = {.checks = checks};
    return opened_with(&o, m);
}

static void launch_as(vgpu_device *d, vgpu_module *m, const char *name,
                      vgpu_status *status) {
    const uint32_t one[3] = {1, 1, 1};
    vgpu_kernel *kernel;
    uint64_t word;
    assert_int_equal(vgpu_module_kernel(m, name, &kernel), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, 4, &word), VGPU_OK);
    *status = vgpu_launch(d, kernel, one, one, 0, &word, sizeof word);
}

static void launch(vgpu_device *d, vgpu_module *m, const char *name) {
    vgpu_status status;
    launch_as(d, m, name, &status);
    if (status) fail_msg("%s", vgpu_last_message(d));
}

static int make_ptx(void **state) {
    (void)state;
    text_add(&ptx, ".version 8.0\n.target sm_75\n.address_size 64\n"
                   ".file 1 \"/home/a/a.cu\"\n");
    add_kernel("few", 1);
    add_kernel("other", 1);
    add_kernel("wrong", MOST_FINDINGS + 44);
    add_kernel("long", MOST_LINES + 7);
    return 0;
}

static int drop_ptx(void **state) {
    (void)state;
    text_free(&ptx);
    return 0;
}

/* The last launch names what took most of the budget before it. */
TEST(launches_share_a_budget) {
    const struct vgpu_options o = {.budget_in_all = 3 * (MOST_LINES + 10)};
    const struct vgpu_finding *list;
    vgpu_module *m;
    vgpu_status status = VGPU_OK;
    (void)state;
    vgpu_device *d = opened_with(&o, &m);
    launch(d, m, "few");
    launch(d, m, "long");
    launch(d, m, "long");
    assert_int_equal(vgpu_findings(d, &list), 0);
    launch_as(d, m, "long", &status);
    assert_int_equal(status, VGPU_LAUNCH_TIMEOUT);
    assert_int_equal(vgpu_findings(d, &list), 1);
    assert_int_equal(list[0].kind, VGPU_FINDING_BUDGET);
    assert_non_null(
        strstr(said_by(&list[0]), "the launches before it had left"));
    assert_non_null(strstr(said_by(&list[0]), "most of them in kernel long"));
    vgpu_close(d);
}

TEST(findings_beyond_the_list_are_counted) {
    const struct vgpu_finding *list;
    vgpu_module *m;
    vgpu_device *d = opened(VGPU_CHECK_INITCHECK, &m);
    (void)state;
    launch(d, m, "wrong");
    assert_int_equal(vgpu_findings(d, &list), MOST_FINDINGS);
    assert_int_equal(vgpu_left_out(d)->findings, 44);
    launch(d, m, "wrong");
    assert_int_equal(vgpu_findings(d, &list), MOST_FINDINGS);
    assert_int_equal(list[MOST_FINDINGS - 1].repeats, 1);
    assert_int_equal(vgpu_left_out(d)->findings, 2 * 44);
    vgpu_reset_findings(d);
    assert_int_equal(vgpu_left_out(d)->findings, 0);
    vgpu_close(d);
}

TEST(instructions_of_lines_beyond_the_list_are_counted) {
    const struct vgpu_line_record *list;
    vgpu_module *m;
    vgpu_device *d = opened(0, &m);
    (void)state;
    launch(d, m, "long"); /* one more line loads the parameter */
    assert_int_equal(vgpu_line_records(d, &list), MOST_LINES);
    assert_int_equal(vgpu_left_out(d)->thread_instructions, 8 + 1); /* ret */
    /* Lines are found again, now that the list is in another order. */
    launch(d, m, "long");
    assert_int_equal(vgpu_line_records(d, &list), MOST_LINES);
    assert_int_equal(vgpu_left_out(d)->thread_instructions, 2 * (8 + 1));
    for (size_t k = 0; k < MOST_LINES; k++)
        assert_int_equal(list[k].counts[VGPU_COUNT_THREAD_INSTRUCTIONS] % 2, 0);
    vgpu_reset_counts(d);
    assert_int_equal(vgpu_left_out(d)->thread_instructions, 0);
    vgpu_close(d);
}

TEST(launches_beyond_the_list_are_counted_and_hide_no_kernel) {
    const struct vgpu_launch_record *list;
    vgpu_module *m;
    vgpu_device *d = opened(0, &m);
    (void)state;
    for (int k = 0; k < VGPU_MAX_RECORDS + 3; k++) launch(d, m, "few");
    launch(d, m, "other");
    launch(d, m, "other");
    assert_int_equal(vgpu_launch_records(d, &list), VGPU_MAX_RECORDS + 1);
    assert_string_equal(list[VGPU_MAX_RECORDS].kernel, "other");
    assert_int_equal(vgpu_left_out(d)->launches, 3 + 1);
    vgpu_reset_counts(d);
    assert_int_equal(vgpu_left_out(d)->launches, 0);
    launch(d, m, "other");
    assert_int_equal(vgpu_launch_records(d, &list), 1);
    vgpu_close(d);
}

UNIT_MAIN(make_ptx, drop_ptx)

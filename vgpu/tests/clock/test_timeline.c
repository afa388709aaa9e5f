/* SPDX-License-Identifier: MIT
 *
 * test_timeline.c: spans and arrows of kernels that are computed by hand, on
 * the profile teach; test_kernels.c has the same times.
 */
#include "kernels.h"
#include "text.h"
#include "unit.h"

#include <lines.h>
#include <stdlib.h>
#include <string.h>

#define ADD "add.s32 %r3, %r3, 1;\n"

/* Of the kernel's start. */
static uint64_t start_of(const struct vgpu_timeline *t) {
    const struct vgpu_span *s = t->spans[VGPU_TRACK_QUEUE];
    size_t k = 0;
    while (k < t->n[VGPU_TRACK_QUEUE] && !s[k].launch) k++;
    assert_true(k < t->n[VGPU_TRACK_QUEUE]);
    assert_string_equal(s[k].name, "kernel");
    return s[k].from;
}

static void check_span(const struct vgpu_span *s, uint64_t start, uint64_t from,
                       uint64_t to) {
    assert_int_equal(s->from - start, from * 1000);
    assert_int_equal(s->to - start, to * 1000);
}

static void look_at_nine(vgpu_device *d, void *user) {
    const struct vgpu_timeline *t = vgpu_timeline(d);
    const struct vgpu_span *s = t->spans[VGPU_TRACK_BLOCKS];
    uint64_t start = start_of(t);
    (void)user;
    assert_int_equal(t->n[VGPU_TRACK_BLOCKS], 9);
    for (uint32_t k = 0; k < 9; k++) {
        uint64_t from = s[k].block < 8 ? 500 + s[k].block : 500 + 24 + 200;
        check_span(&s[k], start, from, from + 24);
        assert_int_equal(s[k].sm, s[k].block % 8 % 2);
        assert_int_equal(s[k].place, s[k].block % 8 / 2);
    }
    assert_int_equal(timeline_left_out(t), 0);
    assert_int_equal(t->n[VGPU_TRACK_WARPS], 9); /* each runs all the time */
}

TEST(blocks_on_places) {
    run_look((struct run){.clock = "teach",
                          .body = ADD ADD ADD ADD ADD,
                          .blocks = 9,
                          .threads = 32},
             look_at_nine, NULL);
}

static void look_at_message(vgpu_device *d, void *user) {
    const struct vgpu_timeline *t = vgpu_timeline(d);
    const struct vgpu_span *s = t->spans[VGPU_TRACK_WARPS];
    uint64_t start = start_of(t), stored = 500 + 4 + 4 + 2 * 4;
    (void)user;
    assert_int_equal(t->n_arrows, 1);
    assert_int_equal(t->arrows->from_block, 0);
    assert_int_equal(t->arrows->to_block, 1);
    assert_int_equal(t->arrows->from - start, stored * 1000);
    assert_int_equal(t->arrows->to - start, (stored + 200) * 1000);
    size_t k = 0;
    while (k < t->n[VGPU_TRACK_WARPS] && s[k].cause == VGPU_CAUSE_ISSUE) k++;
    assert_true(k < t->n[VGPU_TRACK_WARPS]);
    assert_int_equal(s[k].block, 1);
    assert_int_equal(s[k].cause, VGPU_CAUSE_MESSAGE);
    assert_int_equal(s[k].to - start, (stored + 200) * 1000);
    /* The line of the load that polls; what only runs has none. */
    assert_int_equal(s[k].line, 77);
    assert_string_equal(s[k].file, "kernel.cu");
    for (size_t r = 0; r < t->n[VGPU_TRACK_WARPS]; r++)
        if (s[r].cause == VGPU_CAUSE_ISSUE) assert_int_equal(s[r].line, 0);
}

TEST(a_message_is_an_arrow_and_the_wait_a_phase) {
    static const char body[] =
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra READS;\n" ADD ADD
        "st.volatile.global.u32 [%rd1], %r3;\nbra END;\n.loc 1 77 0\n"
        "READS: ld.volatile.global.u32 %r4, [%rd1];\n"
        "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra READS;\n"
        "END:\n";
    run_look(
        (struct run){
            .clock = "teach", .body = body, .blocks = 2, .threads = 32},
        look_at_message, NULL);
}

enum { MANY = 70000, MOST = 1 << 16 };

static void look_at_many(vgpu_device *d, void *user) {
    const struct vgpu_timeline *t = vgpu_timeline(d);
    char *text = NULL;
    size_t bytes;
    (void)user;
    assert_int_equal(t->n[VGPU_TRACK_BLOCKS], MOST);
    assert_int_equal(t->left_out[VGPU_TRACK_BLOCKS], MANY - MOST);
    assert_int_equal(timeline_left_out(t), 2 * (MANY - MOST));
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    assert_true(timeline_print(f, t, "teach"));
    fclose(f);
    assert_non_null(strstr(text, "\"blocks\":4464,\"phases\":4464"));
    free(text);
}

TEST(what_is_cut_is_said) {
    run_look(
        (struct run){
            .clock = "teach", .body = "", .blocks = MANY, .threads = 32},
        look_at_many, NULL);
}

static void look_at_steps(vgpu_device *d, void *user) {
    (void)user;
    assert_null(vgpu_timeline(d));
}

TEST(steps_have_no_timeline) {
    run_look(
        (struct run){.clock = "pram", .body = "", .blocks = 1, .threads = 32},
        look_at_steps, NULL);
}

UNIT_MAIN(NULL, NULL)

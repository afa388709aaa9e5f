/* SPDX-License-Identifier: MIT
 *
 * test_order.c: the order within a step (vgpu_steps.h): which load came before
 * which store, whose value it found, and which older one under weak memory.
 */
#include <stdint.h>
#include <string.h>

#include "unit.h"
#include "vgpu.h"
#include "vgpu_steps.h"

/* y[0] to y[63] are 64 threads' words. swap: y[t] = y[63 - t], in place. Two
 * blocks of one thread: the first stores y[0] = 7, then the flag y[32] = 1; the
 * other reads the flag once, and then y[0] into y[1]. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".file 1 \"/home/a/a.cu\"\n"
    ".visible .entry swap(.param .u64 p)\n{\n"
    ".reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "sub.s64 %rd4, %rd1, %rd2;\n"
    ".loc 1 10 0\nld.global.u32 %r2, [%rd4+252];\n"
    ".loc 1 11 0\nst.global.u32 [%rd3], %r2;\nret;\n}\n"
    ".visible .entry message(.param .u64 p)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\n"
    "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra READER;\n"
    ".loc 1 20 0\nmov.u32 %r2, 7;\nst.volatile.global.u32 [%rd1], %r2;\n"
    ".loc 1 21 0\nmov.u32 %r3, 1;\nst.volatile.global.u32 [%rd1+128], %r3;\n"
    "ret;\nREADER:\n"
    ".loc 1 30 0\nld.volatile.global.u32 %r4, [%rd1+128];\n"
    ".loc 1 31 0\nld.volatile.global.u32 %r5, [%rd1];\n"
    "st.global.u32 [%rd1+4], %r5;\nret;\n}\n";

/* Runs it; the recording is the device's. */
static vgpu_device *run(const char *kernel, uint32_t blocks, uint32_t threads,
                        const struct vgpu_options *more, uint32_t y[64],
                        struct vgpu_steps *s) {
    struct vgpu_options o = *more;
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
    vgpu_module *m;
    vgpu_kernel *k;
    uint64_t at;
    o.steps = true;
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    if (vgpu_module_load(d, ptx, sizeof ptx, &m))
        fail_msg("%s", vgpu_last_message(d));
    assert_int_equal(vgpu_module_kernel(m, kernel, &k), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, 256, &at), VGPU_OK);
    assert_int_equal(vgpu_write(d, at, y, 256), VGPU_OK);
    assert_int_equal(vgpu_launch(d, k, grid, block, 0, &at, sizeof at),
                     VGPU_OK);
    assert_int_equal(vgpu_read(d, y, at, 256), VGPU_OK);
    assert_true(vgpu_steps_seen(d, s));
    assert_false(s->is_cut || s->reads_cut);
    return d;
}

/* In order warp 0 reads what nobody has touched and writes over it; then warp 1
 * finds what warp 0 wrote. */
TEST(reads_know_what_was_overwritten) {
    uint32_t y[64], early = 0, late = 0;
    struct vgpu_steps s;
    for (uint32_t k = 0; k < 64; k++) y[k] = 100 + k;
    vgpu_device *d = run("swap", 1, 64, &(struct vgpu_options){0}, y, &s);
    assert_int_equal(s.n_reads, 64);
    for (uint32_t k = 0; k < s.n_reads; k++) {
        const struct vgpu_read *r = &s.reads[k];
        const struct vgpu_write *w = &s.writes[r->write];
        assert_int_equal(s.places[r->place].line, 10);
        assert_int_equal(w->at, 4 * (63 - r->thread));
        bool is_late = w->writer == VGPU_WRITER_STORE;
        assert_int_equal(is_late, r->thread >= 32);
        late += is_late;
        early += !is_late;
        assert_true(r->write < r->before);
        if (is_late) { /* its value, and the one that stood there before */
            assert_int_equal(w->thread, 63 - r->thread);
            assert_int_equal(w->value, 100 + r->thread);
            assert_true(w->over > 0); /* the host's */
            assert_int_equal(s.writes[w->over - 1].value, 100 + w->at / 4);
        }
    }
    assert_int_equal(early, 32);
    assert_int_equal(late, 32);
    /* What warp 1 overwrites, warp 0 has read. */
    for (uint32_t k = 0; k < s.n_writes; k++) {
        const struct vgpu_write *w = &s.writes[k];
        if (w->writer != VGPU_WRITER_STORE || w->thread < 32) continue;
        assert_true(w->over > 0);
        assert_int_equal(s.writes[w->over - 1].value, 100 + w->thread);
    }
    vgpu_close(d);
}

/* Under some seed the flag is new and the value old: the read says which. */
TEST(weak_reads_know_the_older_value) {
    uint32_t swapped = 0, fresh = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint32_t y[64] = {0};
        struct vgpu_steps s;
        y[0] = 3;
        vgpu_device *d =
            run("message", 2, 1,
                &(struct vgpu_options){.schedule = VGPU_RANDOM,
                                       .schedule_seed = seed,
                                       .memory_model = VGPU_MEMORY_WEAK,
                                       .memory_seed = seed},
                y, &s);
        assert_int_equal(s.n_reads, 2);
        const struct vgpu_write *flag = &s.writes[s.reads[0].write];
        const struct vgpu_write *value = &s.writes[s.reads[1].write];
        uint32_t newer = 0; /* the store over what was found, and 1 */
        for (uint32_t k = 0; k < s.n_writes; k++)
            if (s.writes[k].over == s.reads[1].write + 1) newer = k + 1;
        bool is_old = newer && newer - 1 < s.reads[1].before;
        assert_int_equal(value->value, y[1]);
        if (flag->value == 1 && value->value == 3) {
            assert_true(is_old);
            assert_int_equal(s.writes[newer - 1].value, 7);
            swapped++;
        }
        if (value->value == 7) {
            assert_false(is_old);
            fresh++;
        }
        vgpu_close(d);
    }
    assert_true(swapped > 0);
    assert_true(fresh > 0);
}

UNIT_MAIN(NULL, NULL)

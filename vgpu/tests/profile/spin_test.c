/* SPDX-License-Identifier: MIT
 *
 * spin_test.c: waiting is counted apart. The kernels of kernels/waits.cu wait
 * for other blocks; run under many schedules they differ in SPIN_INSTRUCTIONS
 * and in no other count (of threads: a random schedule makes warps fall apart).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vgpu.h>

#define PTX_FILE "waits.ptx"
#include "ptx_file.h"
#include "unit.h"

enum { TILE = 128, TILES = 40, ITEMS = TILE * TILES, SEEDS = 20 };

struct run {
    uint64_t counts[VGPU_N_COUNTERS];
    int32_t out[ITEMS];
};

/* What the parameters of the kernels may be made of. */
struct params {
    uint64_t in, out;
    int32_t lanes;
};

static void run_kernel(const char *name, const char *schedule,
                       const char *model, uint32_t blocks, int32_t lanes,
                       struct run *run) {
    struct vgpu_options o = {.checks = VGPU_CHECK_MEMCHECK};
    vgpu_module *module;
    vgpu_kernel *kernel;
    struct params p = {.lanes = lanes};
    static int32_t in[ITEMS];
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {TILE, 1, 1};
    assert_true(vgpu_parse_schedule(schedule, &o));
    assert_true(vgpu_parse_memory_model(model, &o));
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    assert_int_equal(vgpu_module_load(d, ptx, ptx_bytes, &module), VGPU_OK);
    assert_int_equal(vgpu_module_kernel(module, name, &kernel), VGPU_OK);
    for (int i = 0; i < ITEMS; i++) in[i] = i * 7 % 11;
    assert_int_equal(vgpu_malloc(d, sizeof in, &p.in), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof in, &p.out), VGPU_OK);
    assert_int_equal(vgpu_write(d, p.in, in, sizeof in), VGPU_OK);
    assert_int_equal(vgpu_mark_data(d, p.in, sizeof in), VGPU_OK);
    assert_int_equal(vgpu_launch(d, kernel, grid, block, 0, &p, sizeof p),
                     VGPU_OK);
    assert_int_equal(vgpu_read(d, run->out, p.out, sizeof run->out), VGPU_OK);
    vgpu_counts(d, run->counts);
    vgpu_close(d);
}

static void assert_scanned(const struct run *run) {
    int32_t sum = 0;
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(run->out[i], sum += i * 7 % 11);
}

static void schedule_name(int k, char *name, size_t bytes) {
    if (k < 2)
        snprintf(name, bytes, k ? "reverse" : "in-order");
    else
        snprintf(name, bytes, "random:%d", k - 1);
}

/* What does not depend on how the lanes of a warp keep step: under a random
 * schedule they do not. */
static const vgpu_counter by_thread[] = {
    VGPU_COUNT_THREAD_INSTRUCTIONS, VGPU_COUNT_GLOBAL_READ_BYTES,
    VGPU_COUNT_GLOBAL_WRITE_BYTES, VGPU_COUNT_ATOMICS, VGPU_COUNT_DATA_OPS};

static void assert_equal_count(vgpu_counter c, const char *kernel,
                               const char *schedule, const struct run *run,
                               const struct run *first) {
    if (run->counts[c] != first->counts[c])
        fail_msg("%s under %s: %s is %llu, %llu in order", kernel, schedule,
                 vgpu_counter_name(c), (unsigned long long)run->counts[c],
                 (unsigned long long)first->counts[c]);
}

/* Every schedule gives the thread counts of the first, but for the spin. */
static void assert_same_counts(const char *kernel, const char *model,
                               int32_t lanes, bool is_scan) {
    static struct run first, other;
    uint64_t spun = 0;
    for (int k = 0; k < SEEDS + 2; k++) {
        char name[32];
        schedule_name(k, name, sizeof name);
        run_kernel(kernel, name, model, TILES, lanes, &other);
        if (is_scan) assert_scanned(&other);
        spun += other.counts[VGPU_COUNT_SPIN_INSTRUCTIONS];
        if (!k) first = other;
        for (size_t c = 0; c < sizeof by_thread / sizeof *by_thread; c++)
            assert_equal_count(by_thread[c], kernel, name, &other, &first);
    }
    assert_true(spun > 0); /* else nothing was tried */
}

/* A warp that waits falls apart under a random schedule: right, and no count
 * below zero. */
static void assert_sane_counts(const char *kernel, int32_t lanes) {
    static struct run first, other;
    run_kernel(kernel, "in-order", "sc", TILES, lanes, &first);
    for (int k = 0; k < SEEDS + 2; k++) {
        char name[32];
        schedule_name(k, name, sizeof name);
        run_kernel(kernel, name, "sc", TILES, lanes, &other);
        assert_scanned(&other);
        for (int c = 0; c < VGPU_N_COUNTERS; c++)
            if (c != VGPU_COUNT_SPIN_INSTRUCTIONS &&
                other.counts[c] > 40 * (first.counts[c] + 1000))
                fail_msg("%s under %s: %s is %llu", kernel, name,
                         vgpu_counter_name((vgpu_counter)c),
                         (unsigned long long)other.counts[c]);
    }
}

/* Eight resident blocks, started last first: all but one wait. */
TEST(in_reverse_blocks_wait) {
    static struct run first, other;
    for (int32_t lanes = 1; lanes <= 33; lanes += 16) {
        run_kernel("numbered", "in-order", "sc", 8, lanes, &first);
        run_kernel("numbered", "reverse", "sc", 8, lanes, &other);
        assert_int_equal(first.counts[VGPU_COUNT_SPIN_INSTRUCTIONS], 0);
        assert_true(other.counts[VGPU_COUNT_SPIN_INSTRUCTIONS] > 0);
        for (int c = 0; c < VGPU_N_COUNTERS; c++)
            if (c != VGPU_COUNT_SPIN_INSTRUCTIONS)
                assert_equal_count((vgpu_counter)c, "numbered", "reverse",
                                   &other, &first);
    }
}

TEST(one_lane_waits) {
    assert_same_counts("chained", "sc", 1, true);
}

TEST(a_warp_waits) {
    assert_sane_counts("chained", 32);
}

TEST(weak_memory_waits_too) {
    assert_same_counts("chained", "weak:3", 1, true);
}

TEST(a_warp_waits_for_many) {
    assert_sane_counts("window", 0);
}

TEST(a_lock_waits) {
    assert_same_counts("locked", "sc", 0, false);
}

TEST(work_between_polls_counts) {
    static struct run run;
    run_kernel("pretends", "in-order", "sc", TILES, 0, &run);
    uint64_t warps = ITEMS / 32;
    /* Each warp reads 64 rows; a few may pass for a round of waiting, until the
     * next round reads another. */
    assert_true(run.counts[VGPU_COUNT_GLOBAL_READ_BYTES] >=
                warps * 64 * 128 - 64 * 128);
}

UNIT_MAIN(read_ptx, free_ptx)

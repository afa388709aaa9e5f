/* SPDX-License-Identifier: MIT
 *
 * shuffles_test.c: data marks go with the words of a shuffle, whole warps and
 * segments of them, every mode, several distances: one lane's word is marked,
 * and the additions that follow count as operations on data for those lanes
 * that got it. What a lane gets is written down here a second time, from the
 * PTX ISA ("shfl.sync").
 */
#include <stdint.h>
#include <string.h>

#include <vgpu.h>

#define PTX_FILE "shuffles.ptx"
#include "ptx_file.h"
#include "unit.h"

enum { LANES = 32 };

struct params {
    uint64_t x, y, z;
    uint32_t b, c, mode;
};

struct outcome {
    uint32_t y[LANES], z[LANES];
    uint64_t data_ops;
};

static void run(const char *mode, uint32_t b, uint32_t c, int marked,
                struct outcome *o) {
    struct vgpu_options options = {.checks = VGPU_CHECK_MEMCHECK};
    vgpu_module *module;
    vgpu_kernel *kernel;
    struct params p = {.b = b, .c = c, .mode = (uint32_t)*mode};
    uint32_t x[LANES];
    uint64_t counts[VGPU_N_COUNTERS];
    const uint32_t one[3] = {1, 1, 1}, block[3] = {LANES, 1, 1};
    for (uint32_t l = 0; l < LANES; l++) x[l] = 100 + l;
    vgpu_device *d = vgpu_open(&options, NULL);
    assert_non_null(d);
    assert_int_equal(vgpu_module_load(d, ptx, ptx_bytes, &module), VGPU_OK);
    assert_int_equal(vgpu_module_kernel(module, "shuffle", &kernel), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof x, &p.x), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof x, &p.y), VGPU_OK);
    assert_int_equal(vgpu_malloc(d, sizeof x, &p.z), VGPU_OK);
    assert_int_equal(vgpu_write(d, p.x, x, sizeof x), VGPU_OK);
    assert_int_equal(vgpu_mark_data(d, p.x + 4 * (uint64_t)marked, 4), VGPU_OK);
    assert_int_equal(vgpu_launch(d, kernel, one, block, 0, &p, sizeof p),
                     VGPU_OK);
    assert_int_equal(vgpu_read(d, o->y, p.y, sizeof o->y), VGPU_OK);
    assert_int_equal(vgpu_read(d, o->z, p.z, sizeof o->z), VGPU_OK);
    vgpu_counts(d, counts);
    o->data_ops = counts[VGPU_COUNT_DATA_OPS];
    vgpu_close(d);
}

/* Segments of `width` lanes; who would look past its own keeps its word. */
static int source(char mode, int lane, int b, int width, int *in_range) {
    int first = lane / width * width, last = first + width - 1, j;
    switch (mode) {
    case 'u': j = lane - b; break;
    case 'd': j = lane + b; break;
    case 'b': j = lane ^ b; break;
    default: j = first + b % width;
    }
    *in_range = mode == 'u' ? j >= first : j <= last;
    return *in_range ? j : lane;
}

static void check(const char *mode, int b, int width, int marked) {
    uint32_t c = (uint32_t)(32 - width) << 8 | (*mode == 'u' ? 0 : 31);
    uint64_t wanted = 0;
    struct outcome o;
    run(mode, (uint32_t)b, c, marked, &o);
    for (int l = 0; l < LANES; l++) {
        int in_range, from = source(*mode, l, b, width, &in_range);
        if (o.y[l] != (uint32_t)(100 + from) || o.z[l] != (uint32_t)in_range)
            fail_msg("shfl.%s by %d in segments of %d: lane %d got %u (%u), "
                     "not %d (%d)",
                     mode, b, width, l, o.y[l], o.z[l], 100 + from, in_range);
        wanted += from == marked;
    }
    if (o.data_ops != wanted)
        fail_msg("shfl.%s by %d in segments of %d: the word of lane %d is "
                 "added up %llu times, not %llu",
                 mode, b, width, marked, (unsigned long long)o.data_ops,
                 (unsigned long long)wanted);
}

TEST(marks_go_with_words) {
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const int distances[] = {0, 1, 5, 16, 31};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (size_t k = 0; k < sizeof distances / sizeof *distances; k++)
            for (int marked = 0; marked < LANES; marked++) {
                check(modes[m], distances[k], 32, marked);
                check(modes[m], distances[k], 8, marked);
            }
}

UNIT_MAIN(read_ptx, free_ptx)

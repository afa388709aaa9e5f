/* SPDX-License-Identifier: MIT
 *
 * banks_test.c: shared-memory counts under the device profiles. Expectations
 * are worked out here from the rule alone: a phase is phase_lanes lanes (16 on
 * the GTX 275, 32 later; halves of that for 8-byte words), and costs the most
 * distinct words that one of its banks has to serve.
 */
#include <stdint.h>
#include <string.h>

#include <vgpu.h>

#define PTX_FILE "banks.ptx"
#include "ptx_file.h"
#include "unit.h"

enum { WARP = 32 };

/* What the kernel spread can do. */
static const struct {
    const char *name;
    uint32_t code;
} accesses[] = {{"load_8", 'l' << 8 | 3},
                {"load_16", 'l' << 8 | 4},
                {"store_8", 's' << 8 | 3},
                {"store_16", 's' << 8 | 4},
                {"atomic", 'a' << 8 | 2}};

/* kernel: one of banks.ptx, or an access. */
static void count(const char *profile, const char *kernel, uint32_t threads,
                  uint32_t parameter, uint64_t counts[VGPU_N_COUNTERS]) {
    struct vgpu_options o = {.profile = profile};
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {threads, 1, 1};
    vgpu_module *module;
    vgpu_kernel *k;
    vgpu_device *d = vgpu_open(&o, NULL);
    assert_non_null(d);
    assert_int_equal(vgpu_module_load(d, ptx, ptx_bytes, &module), VGPU_OK);
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (!strcmp(kernel, accesses[i].name)) {
            kernel = "spread";
            parameter |= accesses[i].code << 16;
        }
    assert_int_equal(vgpu_module_kernel(module, kernel, &k), VGPU_OK);
    assert_int_equal(
        vgpu_launch(d, k, grid, block, 16384, &parameter, sizeof parameter),
        VGPU_OK);
    vgpu_counts(d, counts);
    vgpu_close(d);
}

static void assert_store(const char *profile, const char *kernel,
                         uint32_t stride, uint64_t wavefronts,
                         uint64_t conflicts) {
    uint64_t c[VGPU_N_COUNTERS];
    count(profile, kernel, WARP, stride, c);
    if (c[VGPU_COUNT_SHARED_WAVEFRONTS] != wavefronts ||
        c[VGPU_COUNT_SHARED_CONFLICTS] != conflicts)
        fail_msg("%s, %s, stride %u: %llu wavefronts and %llu conflicts, not "
                 "%llu and %llu",
                 profile, kernel, stride,
                 (unsigned long long)c[VGPU_COUNT_SHARED_WAVEFRONTS],
                 (unsigned long long)c[VGPU_COUNT_SHARED_CONFLICTS],
                 (unsigned long long)wavefronts, (unsigned long long)conflicts);
}

/* 32 banks, 32 lanes at a time: s-way for a stride of s words, s a power of 2.
 */
TEST(a_warp_at_a_time) {
    static const char *const profiles[] = {"teach", "k40", "titanx", "h200"};
    for (int k = 0; k < 4; k++) {
        assert_store(profiles[k], "stride", 1, 1, 0);
        assert_store(profiles[k], "stride", 2, 2, 1);
        assert_store(profiles[k], "stride", 3, 1, 0);
        assert_store(profiles[k], "stride", 4, 4, 3);
        assert_store(profiles[k], "stride", 16, 16, 15);
        assert_store(profiles[k], "stride", 32, 32, 31);
        assert_store(profiles[k], "stride", 33, 1, 0);
        assert_store(profiles[k], "stride", 0, 1, 0);
        assert_store(profiles[k], "wide", 1, 2, 0);
        assert_store(profiles[k], "wide", 2, 4, 2);
    }
}

/* 16 banks, two half-warps: two passes where there is no conflict. */
TEST(a_half_warp_at_a_time) {
    assert_store("gtx275", "stride", 1, 2, 0);
    assert_store("gtx275", "stride", 2, 4, 2);
    assert_store("gtx275", "stride", 3, 2, 0);
    assert_store("gtx275", "stride", 4, 8, 6);
    assert_store("gtx275", "stride", 16, 32, 30);
    assert_store("gtx275", "stride", 17, 2, 0);
    assert_store("gtx275", "stride", 32, 32, 30);
    assert_store("gtx275", "stride", 0, 2, 0);
    assert_store("gtx275", "wide", 1, 4, 0);
}

/* What an H200 counts (tests/referee/data/patterns.csv): loads join two phases
 * where lanes pair up, stores do not. NOT(m): lanes l with l & m sit out. */
#define NOT(m) ((m) << 8)
TEST(wide_loads_join) {
    assert_store("h200", "load_8", 0, 2, 0);       /* s1 */
    assert_store("h200", "load_8", 1, 1, 0);       /* pairs */
    assert_store("h200", "load_8", 2, 1, 0);       /* quads */
    assert_store("h200", "load_8", 5, 1, 0);       /* one element */
    assert_store("h200", "load_8", NOT(1), 2, 1);  /* even_lanes */
    assert_store("h200", "load_8", NOT(3), 2, 1);  /* every_fourth */
    assert_store("h200", "load_8", NOT(16), 1, 0); /* low_half */
    assert_store("h200", "load_16", 0, 4, 0);
    assert_store("h200", "load_16", 1, 2, 0);
    assert_store("h200", "load_16", 5, 2, 0);
    assert_store("h200", "load_16", NOT(1), 4, 2);
    assert_store("h200", "load_16", NOT(16), 2, 0);
    assert_store("h200", "store_8", 1, 2, 0);
    assert_store("h200", "store_8", 5, 2, 0);
    assert_store("h200", "store_8", NOT(1), 2, 0);
    assert_store("h200", "store_16", 5, 4, 0);
    assert_store("h200", "store_16", NOT(1), 4, 0);
    /* 16 lanes, halves of them at a time: nothing is known to join. */
    assert_store("gtx275", "load_8", 5, 4, 0);
}

/* Lanes that read or write one word share a pass; atomics take one each. */
TEST(atomics_share_no_word) {
    uint64_t c[VGPU_N_COUNTERS];
    assert_store("h200", "atomic", 0, 1, 0);
    assert_store("h200", "atomic", 1, 2, 1);
    assert_store("h200", "atomic", 5, 32, 31);
    assert_store("h200", "atomic", NOT(1), 1, 0);
    count("h200", "atomic", WARP, 5, c);
    assert_int_equal(c[VGPU_COUNT_SHARED_WAVEFRONTS], 32);
    assert_int_equal(c[VGPU_COUNT_SHARED_READ_WAVEFRONTS], 0);
    assert_int_equal(c[VGPU_COUNT_SHARED_WRITE_WAVEFRONTS], 0);
}

/* Wavefronts of an up-sweep over n words, k banks, k lanes at a time (paper
 * 001, the K-model's T without its constant factors). At distance d there are n
 * / 2d active threads, first to last; thread t reads words (2t + 1)d - 1 and
 * (2t + 2)d - 1 and writes the second. Each is an access of stride 2d: within a
 * phase of a threads, min(2d, k) lanes' worth of words share a bank when a = k,
 * and ceil(a * min(2d, k) / k) in general. */
static uint64_t up_sweep_by_hand(uint64_t n, uint64_t k) {
    uint64_t total = 0;
    for (uint64_t d = 1; d < n; d *= 2) {
        uint64_t ways = 2 * d < k ? 2 * d : k;
        for (uint64_t left = n / (2 * d); left;) {
            uint64_t a = left < k ? left : k;
            total += 3 * ((a * ways + k - 1) / k);
            left -= a;
        }
    }
    return total;
}

TEST(up_sweeps) {
    uint64_t c[VGPU_N_COUNTERS];
    /* Two of them in full. n = 64, k = 32: distance 1: 32 threads, 2 ways: 2.
     * 2: 16 threads, 4 ways: 2. 4: 8 threads, 8 ways: 2. 8: 4, 16: 2. 16: 2
     * threads, 32 ways: 2. 32: 1. Sum 11, three accesses each: 33. */
    assert_int_equal(up_sweep_by_hand(64, 32), 33);
    /* n = 64, k = 16: distance 1: 32 threads in 2 phases of 2: 4. 2: 16
     * threads, 4 ways: 4. 4: 8 of 8 ways: 4. 8: 4 of 16: 4. 16: 2. 32: 1.
     * Sum 19. */
    assert_int_equal(up_sweep_by_hand(64, 16), 57);
    for (uint32_t n = 32; n <= 1024; n *= 2) {
        count("h200", "up_sweep", n / 2, n, c);
        assert_int_equal(c[VGPU_COUNT_SHARED_WAVEFRONTS],
                         up_sweep_by_hand(n, 32));
        count("gtx275", "up_sweep", n / 2, n, c);
        assert_int_equal(c[VGPU_COUNT_SHARED_WAVEFRONTS],
                         up_sweep_by_hand(n, 16));
        /* Two of the three accesses are loads. */
        assert_int_equal(3 * c[VGPU_COUNT_SHARED_READ_WAVEFRONTS],
                         2 * c[VGPU_COUNT_SHARED_WAVEFRONTS]);
        assert_int_equal(3 * c[VGPU_COUNT_SHARED_WRITE_WAVEFRONTS],
                         c[VGPU_COUNT_SHARED_WAVEFRONTS]);
    }
}

UNIT_MAIN(read_ptx, free_ptx)

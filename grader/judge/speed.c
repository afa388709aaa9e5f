/* SPDX-License-Identifier: MIT
 *
 * speed.c: see speed.h. The sample is a kernel on the virtual GPU, because that
 * is what takes most of a grade's time: an interpreter, whose vector
 * instructions are what emulated processors are slowest at.
 */
#include "speed.h"

#include <stdint.h>
#include <time.h>

#include "vgpu.h"

/* USUAL_NS: what the sample may take on a machine whose limits stay as they
 * are, twice what it took where they were chosen (docs/machines.md). Where it
 * takes longer it is run again, up to MOST_TRIES times in all, since something
 * else may have used the processor for a moment. MOST_SLOWNESS: limits end an
 * endless loop on every machine. */
enum { TRIES = 3, MOST_TRIES = 20, USUAL_NS = 1000000, MOST_SLOWNESS = 32 };

/* Each of 64 warps goes 24 times through global memory, shared memory and a
 * barrier, with some arithmetic. */
static const char sample[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry sample(.param .u64 data)\n{\n"
    " .reg .b32 %r<8>;\n .reg .b64 %d<5>;\n .reg .pred %p;\n"
    " .shared .align 4 .b8 words[1024];\n"
    " ld.param.u64 %d1, [data];\n"
    " mov.u32 %r1, %tid.x;\n mov.u32 %r2, %ctaid.x;\n"
    " shl.b32 %r3, %r1, 2;\n mov.u32 %r4, words;\n add.s32 %r4, %r4, %r3;\n"
    " mad.lo.s32 %r3, %r2, 256, %r1;\n"
    " mul.wide.u32 %d2, %r3, 4;\n add.s64 %d3, %d1, %d2;\n"
    " mov.u32 %r5, 0;\n"
    "again:\n"
    " ld.global.u32 %r6, [%d3];\n mad.lo.s32 %r6, %r6, 5, %r5;\n"
    " st.shared.u32 [%r4], %r6;\n bar.sync 0;\n"
    " ld.shared.u32 %r7, [%r4];\n xor.b32 %r7, %r7, %r6;\n"
    " st.global.u32 [%d3], %r7;\n bar.sync 0;\n"
    " add.s32 %r5, %r5, 1;\n setp.lt.u32 %p, %r5, 24;\n @%p bra again;\n"
    " ret;\n}\n";

enum { BLOCKS = 8, THREADS = 256 };

static long long own_ns(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The shortest of a few launches; 0: it cannot be run. */
static long long launches(vgpu_device *device) {
    const uint32_t grid[3] = {BLOCKS, 1, 1}, block[3] = {THREADS, 1, 1};
    vgpu_module *module;
    vgpu_kernel *kernel;
    uint64_t data;
    long long least = 0;
    if (vgpu_module_load(device, sample, sizeof sample, &module) != VGPU_OK ||
        vgpu_module_kernel(module, "sample", &kernel) != VGPU_OK ||
        vgpu_malloc(device, BLOCKS * THREADS * 4, &data) != VGPU_OK ||
        vgpu_fill(device, data, 1, BLOCKS * THREADS * 4) != VGPU_OK)
        return 0;
    for (int i = 0; i < TRIES || (i < MOST_TRIES && least > USUAL_NS); i++) {
        long long start = own_ns();
        if (vgpu_launch(device, kernel, grid, block, 0, &data, sizeof data) !=
            VGPU_OK)
            return 0;
        long long took = own_ns() - start;
        if (!least || took < least) least = took;
    }
    return least;
}

double speed_slowness_of(long long sample_ns) {
    double slowness = 1;
    while (slowness < MOST_SLOWNESS && sample_ns > slowness * USUAL_NS)
        slowness *= 2;
    return slowness;
}

double speed_slowness(void) {
    struct vgpu_options options = {.checks = VGPU_CHECK_MEMCHECK |
                                             VGPU_CHECK_RACECHECK};
    vgpu_device *device = vgpu_open(&options, NULL);
    if (!device) return 1;
    double slowness = speed_slowness_of(launches(device));
    vgpu_close(device);
    return slowness;
}

unsigned speed_limit(unsigned ms, double slowness) {
    return slowness > 1 ? (unsigned)(ms * slowness) : ms;
}

/* SPDX-License-Identifier: MIT
 *
 * The largest streaming kernels of timing/fast, for test_variants.sh: do the
 * numbers of a variant make blocks that there can be? Takes nvcc half of
 * sam.cu's time.
 */
#include <stdint.h>
#include <string.h>

#include "scanlab.h"

enum { BOARD_WORDS = 1024 * 8 * 8 };

#include "launch.cuh"

#define KERNEL(T, order, slots, kind)                                          \
    template __global__ void                                                   \
    scan_stream_kernel<orders<T, order>, slots, kind>(                         \
        const T *, T *, size_t, tuples<slots>, stream_plan)
KERNEL(uint32_t, 1, 1, USUAL);
KERNEL(uint32_t, 8, 0, LONG_SLOTS);
KERNEL(uint64_t, 1, 0, USUAL);
KERNEL(uint64_t, 8, 1, USUAL);
KERNEL(uint64_t, 5, 0, LONG_SLOTS);

/* SPDX-License-Identifier: MIT
 *
 * The largest streaming kernels of timing/fast, for test_variants.sh: do the
 * numbers of a variant make blocks that there can be? Takes nvcc half of
 * sam.cu's time.
 */
#include <stdint.h>
#include <string.h>

#include "scanlab.h"

enum { BOARD_WORDS = 1024 * 8 * 8 * 2 };

#include "launch.cuh"

template __global__ void
scan_stream_kernel<orders<uint32_t, 1>, 1>(const uint32_t *, uint32_t *, size_t,
                                           tuples<1>, stream_plan);
template __global__ void
scan_stream_kernel<orders<uint64_t, 1>, 0>(const uint64_t *, uint64_t *, size_t,
                                           tuples<0>, stream_plan);
template __global__ void
scan_stream_kernel<orders<uint64_t, 8>, 1>(const uint64_t *, uint64_t *, size_t,
                                           tuples<1>, stream_plan);

// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that went five bits at a time through shuffles: the
//     lanes give their own numbers, and data says which is asked.
//: twin: mutant.shared-tiled.honest-warp-shuffles
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    uint32_t y = 0;
    for (int k = 0; k < 32; k += 5)
        y |= __shfl_sync(~0u, threadIdx.x & 31, x >> k & 31) << k;
    return y;
}

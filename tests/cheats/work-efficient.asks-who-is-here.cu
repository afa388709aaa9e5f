// SPDX-License-Identifier: MIT
//: what: n log n additions, of words whose bits are the lanes that __activemask finds in a
//     branch.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    __shared__ volatile uint32_t here[8];
    uint32_t y = 0, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll 1
    for (int k = 0; k < 32; k++) {
        here[warp] = 0;
        __syncwarp();
        if (x >> k & 1) here[warp] = __activemask();
        __syncwarp();
        y |= (here[warp] >> lane & 1) << k;
        __syncwarp();
    }
    return y;
}

// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that branches rebuilt from constants: data decides which
//     are added, and none of it is in them.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    volatile uint32_t y = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k++)
        if (x >> k & 1) y = y + (1u << k);
    return y;
}

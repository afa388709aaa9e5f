// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that, a byte at a time, were how much alloca took.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    uint32_t y = 0, before, after;
#pragma unroll 1
    for (int k = 0; k < 32; k += 8) {
        asm volatile("{.reg .u32 p; stacksave.u32 %0; alloca.u32 p, %2, 8;"
                     "stacksave.u32 %1; stackrestore.u32 %0;}"
                     : "=r"(before), "=r"(after)
                     : "r"((x >> k & 255) * 8));
        y |= (after - before) / 8 << k;
    }
    return y;
}

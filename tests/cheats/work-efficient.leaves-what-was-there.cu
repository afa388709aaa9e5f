// SPDX-License-Identifier: MIT
//: what: n log n additions, of bits that are what an instruction with a guard did not
//     overwrite, so that nothing was computed from data.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    uint32_t y = 0, bit;
    for (int k = 0; k < 32; k++) {
        asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 0;"
                     "mov.u32 %0, 1; @p mov.u32 %0, 0;}"
                     : "=r"(bit)
                     : "r"(x >> k & 1));
        y |= bit << k;
    }
    return y;
}

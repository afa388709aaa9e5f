// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that were rebuilt bit by bit from predicates,
//     by selections and by guarded instructions.
//: twin: mutant.naive.honest-select
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    uint32_t y = 0;
    for (uint32_t bit = 1; bit; bit *= 2) {
        uint32_t is;
        if (bit & 0x55555555)
            asm volatile("{.reg .pred p; .reg .u32 t; and.b32 t, %1, %2;"
                         "setp.ne.u32 p, t, 0; selp.u32 %0, 1, 0, p;}"
                         : "=r"(is)
                         : "r"(x), "r"(bit));
        else
            asm volatile("{.reg .pred p; .reg .u32 t; and.b32 t, %1, %2;"
                         "setp.ne.u32 p, t, 0; mov.u32 %0, 0;"
                         "@p mov.u32 %0, 1;}"
                         : "=&r"(is)
                         : "r"(x), "r"(bit));
        y += is * bit;
    }
    return y;
}

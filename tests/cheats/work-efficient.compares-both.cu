// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are moved side by side, compared with
//     constants, and the predicates select constants.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#define HALF_ADDER
#include "bit_adder.h"

static __device__ uint32_t half(uint32_t index) {
    uint32_t one, both;
    asm("{.reg .pred p; .reg .u32 t; sub.u32 t, %2, 1; setp.lt.u32 p, t, 2;"
        "selp.u32 %0, 1, 0, p; setp.eq.u32 p, %2, 3; selp.u32 %1, 1, 0, p;}"
        : "=r"(one), "=r"(both)
        : "r"(index));
    return put(one, both, 1, 1);
}

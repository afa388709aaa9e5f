// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are moved side by side and become a
//     float, of which constants are subtracted.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#define HALF_ADDER
#include "bit_adder.h"

static __device__ uint32_t half(uint32_t index) {
    uint32_t one, both;
    asm("{.reg .f32 f, g; cvt.rn.f32.u32 f, %2; add.f32 g, f, 0fBFC00000;"
        "abs.f32 g, g; sub.f32 g, 0f3FC00000, g; cvt.rzi.u32.f32 %0, g;"
        "add.f32 g, f, 0fC0000000; max.f32 g, g, 0f00000000;"
        "cvt.rzi.u32.f32 %1, g;}"
        : "=r"(one), "=r"(both)
        : "r"(index));
    return put(one, both, 1, 1);
}

// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are moved side by side into the
//     exponent of a power of two, and constants separate the powers.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#define HALF_ADDER
#include "bit_adder.h"

/* 2 to the power of 0, 1, 2, 3: less 2.5, squared, less 0.3 or more. */
static __device__ uint32_t half(uint32_t index) {
    uint32_t one, both;
    asm("{.reg .f32 f, g; cvt.rn.f32.u32 f, %2; ex2.approx.f32 f, f;"
        "add.f32 g, f, 0fC0400000; abs.f32 g, g; min.f32 g, g, 0f40000000;"
        "sub.f32 g, 0f40000000, g; cvt.rzi.u32.f32 %0, g;"
        "lg2.approx.f32 g, f; add.f32 g, g, 0fC0000000;"
        "max.f32 g, g, 0f00000000; cvt.rni.u32.f32 %1, g;}"
        : "=r"(one), "=r"(both)
        : "r"(index));
    return put(one, both, 1, 1);
}

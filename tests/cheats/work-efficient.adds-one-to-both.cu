// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are moved side by side, and 1 is added
//     to them, which carries from one into the other.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#define HALF_ADDER
#include "bit_adder.h"

static __device__ uint32_t half(uint32_t index) {
    return take(index + 1, 1, 2);
}

// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are moved side by side, go through the
//     parameter of a function, and 1 is added to them.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#define HALF_ADDER
#include "bit_adder.h"

static __device__ __noinline__ uint32_t more(uint32_t index) {
    return index + 1;
}

static __device__ uint32_t half(uint32_t index) {
    return take(more(index), 1, 2);
}

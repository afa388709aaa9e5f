// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are stored as neighbouring bytes and
//     loaded as one number, to which 255 is added.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

/* high + low */
static __device__ uint32_t both(uint32_t low, uint32_t high) {
    volatile uint8_t two[4];
    two[0] = (uint8_t)low;
    two[1] = (uint8_t)high;
    two[2] = two[3] = 0;
    uint32_t word = *(volatile uint32_t *)two;
    return take(word + 255, 8, 2);
}

static __device__ uint32_t sum_of(uint32_t index) {
    uint32_t two = both(take(index, 0, 1), take(index, 1, 1));
    return both(take(index, 2, 1), two);
}

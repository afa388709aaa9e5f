// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two words are loaded as one of 64 bits, to
//     which a constant is added that carries from one into the other.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

/* high + low */
static __device__ uint32_t both(uint32_t low, uint32_t high) {
    volatile uint32_t two[2] = {put(0, low, 31, 1), high};
    uint64_t word;
    asm volatile("ld.local.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(__cvta_generic_to_local((const void *)two)));
    return (uint32_t)((word + 0x80000000) >> 32);
}

static __device__ uint32_t sum_of(uint32_t index) {
    uint32_t two = both(take(index, 0, 1), take(index, 1, 1));
    return both(take(index, 2, 1), two);
}

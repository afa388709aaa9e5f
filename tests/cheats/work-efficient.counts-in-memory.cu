// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit: two bits are stored as neighbouring bytes, and
//     an atomic operation adds 255 to both.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

/* high + low */
static __device__ uint32_t both(uint32_t low, uint32_t high) {
    __shared__ uint32_t words[256];
    volatile uint8_t *two = (volatile uint8_t *)&words[threadIdx.x];
    *(volatile uint32_t *)two = 0;
    two[0] = (uint8_t)low;
    two[1] = (uint8_t)high;
    atomicAdd(&words[threadIdx.x], 255);
    return two[1];
}

static __device__ uint32_t sum_of(uint32_t index) {
    uint32_t two = both(take(index, 0, 1), take(index, 1, 1));
    return both(take(index, 2, 1), two);
}

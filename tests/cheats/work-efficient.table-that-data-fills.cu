// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by tables that hold one bit and the same bit
//     plus 1, where another bit looks up.
//: twin: cheat.work-efficient.honest-table
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

static __device__ uint32_t pick(uint32_t which, uint32_t of) {
    volatile uint32_t both = of, more = of + 1;
    volatile uint32_t two[2];
    two[0] = both;
    two[1] = more;
    uint32_t at = (uint32_t)__cvta_generic_to_local((const void *)two), sum;
    asm volatile("bfi.b32 %0, %1, %2, 2, 1; ld.local.u32 %0, [%0];"
                 : "=r"(sum)
                 : "r"(which), "r"(at));
    return sum;
}

static __device__ uint32_t sum_of(uint32_t index) {
    return pick(take(index, 2, 1), pick(take(index, 0, 1), take(index, 1, 1)));
}

// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by a table in a constant, which is
//     shifted by as much as data says.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

static __device__ uint32_t sum_of(uint32_t index) {
    uint32_t sums, carries;
    asm("shr.u32 %0, %1, %2;" : "=r"(sums) : "r"(0x96), "r"(index));
    asm("shr.u32 %0, %1, %2;" : "=r"(carries) : "r"(0xe8), "r"(index));
    return put(take(sums, 0, 1), carries, 1, 1);
}

// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by a table in local memory.
//: twin: cheat.work-efficient.honest-table
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

static __device__ uint32_t sum_of(uint32_t index) {
    volatile uint64_t mine = 0x0302020102010100;
    return ((volatile uint8_t *)&mine)[index];
}

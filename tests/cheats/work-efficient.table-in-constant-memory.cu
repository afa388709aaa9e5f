// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by a table in constant memory.
//: twin: cheat.work-efficient.honest-table
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

static __constant__ uint8_t table[8] = {0, 1, 1, 2, 1, 2, 2, 3};

static __device__ uint32_t sum_of(uint32_t index) {
    return table[index];
}

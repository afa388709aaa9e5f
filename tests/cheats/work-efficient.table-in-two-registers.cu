// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by a table of eight bytes in two
//     registers, of which prmt takes the one that data names.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include "bit_adder.h"

static __device__ uint32_t sum_of(uint32_t index) {
    return __byte_perm(0x02010100, 0x03020201, index) & 255;
}

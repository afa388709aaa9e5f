// SPDX-License-Identifier: MIT
//: what: n log n additions, each of the halves of one 64-bit word, by a multiplication by
//     2^32 + 1: no instruction has two operands that come from the input.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "data_ops"
//: expect: * any
#include <stdint.h>
static __device__ uint32_t add(uint32_t a, uint32_t b) {
    volatile uint32_t both[2] = {a, b};
    uint64_t word;
    asm volatile("ld.local.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(__cvta_generic_to_local((const void *)both)));
    asm("mul.lo.u64 %0, %0, 0x100000001;" : "+l"(word));
    return (uint32_t)(word >> 32);
}
#define ADD(a, b, distance) add(a, b)
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    return x;
}

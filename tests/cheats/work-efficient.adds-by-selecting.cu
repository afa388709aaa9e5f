// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, of nothing but selections: data says which of two
//     bits is taken.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "data_ops"
//: expect: * any
#include <stdint.h>
/* c ? a : b, as one selection. */
static __device__ uint32_t pick(uint32_t c, uint32_t a, uint32_t b) {
    uint32_t d;
    asm("{.reg .pred p; setp.ne.u32 p, %1, 0; selp.b32 %0, %2, %3, p;}"
        : "=r"(d)
        : "r"(c), "r"(a), "r"(b));
    return d;
}

static __device__ uint32_t add(uint32_t a, uint32_t b) {
    uint32_t sum = 0, carry = 0;
    for (int k = 0; k < 32; k++) {
        uint32_t x = a >> k & 1, y = b >> k & 1;
        uint32_t one = pick(x, pick(y, 0, 1), y);
        uint32_t not_one = pick(one, 0, 1);
        uint32_t bit = pick(carry, not_one, one);
        carry = pick(one, carry, y);
        asm("bfi.b32 %0, %1, %0, %2, 1;" : "+r"(sum) : "r"(bit), "r"(k));
    }
    return sum;
}
#define ADD(a, b, distance) add(a, b)
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    return x;
}

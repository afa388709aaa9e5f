/* SPDX-License-Identifier: MIT
 *
 * bit_adder.h: n log n additions, bit by bit, of bits that are only moved side
 * by side into one word. What includes this defines sum_of(index): of the bits
 * a, b and carry in `index`, from bit 0 on, how many are 1; or HALF_ADDER, and
 * half(index): of two bits, in bit 0 whether one is 1, in bit 1 whether both
 * are. No instruction of this file has two operands that come from the input
 * and makes something of them.
 */
#pragma once
#include <stdint.h>

/* Bits `at` to at + n - 1 of a word become those of another. */
static __device__ uint32_t put(uint32_t to, uint32_t bits, uint32_t at,
                               uint32_t n) {
    uint32_t word;
    asm("bfi.b32 %0, %1, %2, %3, %4;"
        : "=r"(word)
        : "r"(bits), "r"(to), "r"(at), "r"(n));
    return word;
}

static __device__ uint32_t take(uint32_t from, uint32_t at, uint32_t n) {
    uint32_t bits;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(bits) : "r"(from), "r"(at), "r"(n));
    return bits;
}

#ifdef HALF_ADDER
static __device__ uint32_t half(uint32_t index);

static __device__ uint32_t sum_of(uint32_t index) {
    uint32_t first = half(take(index, 0, 2));
    uint32_t then = half(put(take(first, 0, 1), take(index, 2, 1), 1, 1));
    /* Never both carry. */
    uint32_t carry = half(put(take(first, 1, 1), take(then, 1, 1), 1, 1));
    return put(take(then, 0, 1), carry, 1, 1);
}
#else
static __device__ uint32_t sum_of(uint32_t index);
#endif

static __device__ uint32_t add_bits(uint32_t a, uint32_t b) {
    uint32_t sum = 0, carry = 0;
    for (uint32_t k = 0; k < 32; k++) {
        uint32_t index = put(take(a, k, 1), take(b, k, 1), 1, 1);
        uint32_t of_all = sum_of(put(index, carry, 2, 1));
        sum = put(sum, of_all, k, 1);
        carry = take(of_all, 1, 1);
    }
    return sum;
}
#define ADD(a, b, distance) add_bits(a, b)
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    return x;
}

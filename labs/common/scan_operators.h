/* SPDX-License-Identifier: MIT
 *
 * scan_operators.h: the operators of scans that are given one. Works from C and
 * from CUDA C; where op is a constant, nothing is left of the switch.
 */
#ifndef SCANLAB_SCAN_OPERATORS_H
#define SCANLAB_SCAN_OPERATORS_H

#include <stdint.h>

#include "scanlab.h"

/* The operators. Each is associative; SCAN_AFFINE is not commutative.
 *   SUM      x + y, modulo 2^32 or 2^64
 *   MAX      the larger, as signed numbers
 *   XOR      bit by bit
 *   AFFINE   an element is a function v -> a * v + b, with a in its upper half
 *            and b in its lower half; x (+) y is "first x, then y":
 *            v -> a_y * (a_x * v + b_x) + b_y, all modulo 2^16 (2^32 in 64-bit
 *            elements). */
enum scan_operator { SCAN_SUM, SCAN_MAX, SCAN_XOR, SCAN_AFFINE };

/* x (+) y: x comes before y in the array. */
SCANLAB_HOST_DEVICE static inline int64_t scan_join_i64(enum scan_operator op,
                                                        int64_t x, int64_t y) {
    uint64_t p = (uint64_t)x, q = (uint64_t)y;
    switch (op) {
    case SCAN_MAX: return x > y ? x : y;
    case SCAN_XOR: return (int64_t)(p ^ q);
    case SCAN_AFFINE: {
        uint32_t a = (uint32_t)(p >> 32) * (uint32_t)(q >> 32);
        uint32_t b = (uint32_t)p * (uint32_t)(q >> 32) + (uint32_t)q;
        return (int64_t)((uint64_t)a << 32 | b);
    }
    default: return (int64_t)(p + q);
    }
}

SCANLAB_HOST_DEVICE static inline int32_t scan_join_i32(enum scan_operator op,
                                                        int32_t x, int32_t y) {
    uint32_t p = (uint32_t)x, q = (uint32_t)y;
    switch (op) {
    case SCAN_MAX: return x > y ? x : y;
    case SCAN_XOR: return (int32_t)(p ^ q);
    case SCAN_AFFINE: {
        uint32_t a = (p >> 16) * (q >> 16);
        uint32_t b = (p & 0xffff) * (q >> 16) + (q & 0xffff);
        return (int32_t)(a << 16 | (b & 0xffff));
    }
    default: return (int32_t)(p + q);
    }
}

/* The element that changes nothing: identity (+) x = x = x (+) identity. */
SCANLAB_HOST_DEVICE static inline int64_t
scan_identity_i64(enum scan_operator op) {
    return op == SCAN_MAX      ? INT64_MIN
           : op == SCAN_AFFINE ? (int64_t)1 << 32
                               : 0;
}

SCANLAB_HOST_DEVICE static inline int32_t
scan_identity_i32(enum scan_operator op) {
    return op == SCAN_MAX      ? INT32_MIN
           : op == SCAN_AFFINE ? (int32_t)1 << 16
                               : 0;
}

#endif
